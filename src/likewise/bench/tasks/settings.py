"""The settings by which tasks are made, with their defaults."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from likewise.bench.tasks.task import PoolOf, Scheme, Setting
from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike

BIASES = {
    "length": "short abstracts",
    "rank": "what the engine ranks high",
    "rank-high": "the same",
    "rank-low": "what the engine ranks low",
    "year": "recent documents",
    "year-old": "old documents",
    "citations": "documents that are often cited",
    "cluster": "documents of one corner of the topic",
}
"""What each bias favours."""
ALL_PER_TRAINING = 2
"""How many documents all parts have together for each one of the training part."""
GROWING = ("seeds", "draws")
"""What may differ between tasks of one folder, to which more seeds and draws can be added."""


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """How tasks are made."""

    seeds: tuple[int, ...] = (20, 50)
    """|LP|: how many seeds are for training; each number makes a task."""
    pool: int = 20_000
    """|U|: how many unlabeled documents the training part has, or a transductive task."""
    draws: int = 5
    """How often seeds are drawn; each draw makes a task."""
    scheme: Scheme = "case-control"
    setting: Setting = "inductive"
    seeds_bias: str = ""
    """What seeds are chosen by; "" for chance."""
    negatives: int = 0
    """How many documents off topic are known for training."""
    negatives_bias: str = ""
    keep_unindexed: bool = False
    """Whether documents without headings or abstract may be in tasks on MeSH topics."""
    test_seeds: bool = True
    """Whether methods are also measured on the seeds of the test part, as in the authors' tasks."""
    number: int = 0
    """The number that all randomness comes from."""
    more_like: MoreLike = field(default_factory=MoreLike)

    def __post_init__(self) -> None:
        for name, least in (("pool", 1), ("draws", 1), ("negatives", 0), ("number", 0)):
            if getattr(self, name) < least:
                raise SettingsError(f"{name} is {getattr(self, name)}; it is at least {least}")
        if not self.seeds or min(self.seeds) < 3:
            raise SettingsError(f"seeds is {self.seeds}; tasks have at least 3 seeds")
        for name, kind in (("scheme", Scheme), ("setting", Setting)):
            if getattr(self, name) not in get_args(kind):
                options = " or ".join(get_args(kind))
                raise SettingsError(f"{name} is {getattr(self, name)!r}; it is {options}")
        check_bias(self.seeds_bias)
        check_bias(self.negatives_bias)
        if self.negatives_bias and not self.negatives:
            raise SettingsError("a bias of negatives, but no negatives; say how many: --negatives")

    @property
    def pool_of(self) -> PoolOf:
        """What `pool` counts."""
        return "train" if self.setting == "inductive" else "all"

    @property
    def retrieved(self) -> int:
        """How many documents are retrieved for all parts together."""
        return self.pool * ALL_PER_TRAINING if self.pool_of == "train" else self.pool

    def to_dict(self) -> dict[str, Any]:
        """Return these as plain values, without what may differ between tasks of one folder."""
        values = {"pool_of": self.pool_of, **asdict(self)}
        return {name: value for name, value in values.items() if name not in GROWING}


def parse_biases(spelled: Iterable[str]) -> dict[str, str]:
    """Return the settings of biases that are written as in `--bias seeds=length`.

    >>> parse_biases(["seeds=length", "negatives=rank"])
    {'seeds_bias': 'length', 'negatives_bias': 'rank'}
    """
    biases = {}
    for text in spelled:
        of, _, bias = text.partition("=")
        if of not in ("seeds", "negatives") or not bias:
            raise SettingsError(f"--bias {text}: write it as seeds=length or negatives=rank")
        biases[f"{of}_bias"] = bias
    return biases


def check_bias(bias: str) -> str:
    """Return a bias as it is, or raise SettingsError if there is none of its name."""
    if bias and bias not in BIASES:
        raise SettingsError(f"no bias is called {bias!r}; it is one of {', '.join(BIASES)}")
    return bias
