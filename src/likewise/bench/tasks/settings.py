"""How tasks are made: everything that can be chosen, with its default."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from likewise.bench.tasks.bias import check_bias
from likewise.bench.tasks.pools import ALL_PER_TRAINING
from likewise.bench.tasks.task import PoolOf, Scheme, Setting
from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike

GROWING = ("seeds", "draws")
"""What may differ between tasks of one folder: those of more seeds or draws can be added to it."""


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """How tasks are made."""

    seeds: tuple[int, ...] = (20, 50)
    """|LP|: how many seeds there are for training, a task for each."""
    pool: int = 20_000
    """|U|: how many documents without a label the training part has, or a transductive task."""
    draws: int = 5
    """How often seeds are drawn, a task for each."""
    scheme: Scheme = "case-control"
    setting: Setting = "inductive"
    seeds_bias: str = ""
    """What seeds are chosen by, or "" if by nothing but chance."""
    negatives: int = 0
    """How many documents off topic are known for training."""
    negatives_bias: str = ""
    keep_unindexed: bool = False
    """Whether documents without headings or abstract are taken in, though a topic is of MeSH."""
    test_seeds: bool = True
    """Whether the seeds of the test part are measured with it, as the authors' are."""
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
        """How many documents it takes, in all parts together."""
        return self.pool * ALL_PER_TRAINING if self.pool_of == "train" else self.pool

    def to_dict(self) -> dict[str, Any]:
        """Return these as plain values, but for what may differ between tasks of one folder."""
        told = {"pool_of": self.pool_of, **asdict(self)}
        return {name: value for name, value in told.items() if name not in GROWING}
