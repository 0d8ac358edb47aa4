"""The task: its entries as methods see them, its truth apart, and the settings it is made with."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

import msgspec

from likewise.bench.tasks.bias import check_bias
from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike
from likewise.library.protocol import Library
from likewise.version import __version__

VERSION = 1
"""Rises when older versions could not make sense of what is written."""

Label = Literal["positive", "negative", "unlabeled"]
Split = Literal["train", "validation", "test", "all"]
Scheme = Literal["case-control", "censoring"]
Setting = Literal["inductive", "transductive"]
PoolOf = Literal["train", "all"]
_PARTS = {"train": "train", "validation": "valid", "test": "test"}
LONGEST_NAME = 80


class TaskEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document's part in a task: what a method may know of it."""

    id: str
    label: Label
    """Seeds are positive, the pool is unlabeled, documents known to be off topic are negative."""
    split: Split = "all"
    rank: int | None = None
    """Its rank in what the engine retrieved, from 1."""
    score: float | None = None
    """The engine's score."""
    above: float | None = None
    """For a seed: the share of the pool above it when it is held out; None if not retrieved."""

    @property
    def is_test_seed(self) -> bool:
        """Whether it is a seed of the test part, which methods do not know and are measured on."""
        return self.label == "positive" and self.split == "test"

    @property
    def is_measured(self) -> bool:
        """Whether methods are measured on it, in an inductive task."""
        return self.split == "test" and self.label != "negative"


class TaskMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What a task is and how it was made; counts are named as the paper's authors name them."""

    version: int = VERSION
    topic: str
    mesh_conjunction: tuple[str, ...] = ()
    """The identifiers of the topic's terms, if they have any."""
    mesh_conjunction_str: tuple[str, ...] = ()
    """The topic's terms."""
    seeds: int
    """|LP|: the seeds of the training part, or all seeds of a transductive task."""
    draw: int
    number: int
    """The number that all randomness came from."""
    pool: int = 0
    """|U|: how many unlabeled documents were asked for; 0 if that is not known."""
    pool_of: PoolOf = "all"
    """What `pool` counts: the training part, as in the paper, or all parts, as in older tasks."""
    scheme: Scheme = "case-control"
    setting: Setting = "inductive"
    seeds_bias: str = ""
    """What the seeds were chosen by; "" for chance."""
    negatives: int = 0
    """How many documents of the training part are known to be off topic."""
    negatives_bias: str = ""
    unindexed_pool: int = 0
    """How many documents that the query found have no headings or abstract and were left out."""
    unindexed_topic: int = 0
    """How many documents on topic have no abstract and were left out."""
    P_size: int
    """All documents on topic, including the seeds."""
    LP_size: int
    U_size: int
    N_size: int = 0
    train_LP_size: int = 0  # noqa: N815  # theirs
    train_U_size: int = 0  # noqa: N815
    valid_LP_size: int = 0  # noqa: N815
    valid_U_size: int = 0  # noqa: N815
    test_LP_size: int = 0  # noqa: N815
    test_U_size: int = 0  # noqa: N815
    train_size: int = 0
    valid_size: int = 0
    test_size: int = 0
    precision: float
    """The share of the pool that is on topic."""
    recall: float
    """The share of the topic, without the seeds, that is in the pool."""
    library: str = ""
    """The fingerprint of the library it was made from."""
    library_size: int = 0
    engine: str = ""
    query: dict[str, bool | float | int | str] = {}
    """The parameters of the query that retrieved the pool."""
    fingerprint: str = ""
    """A fingerprint of entries and truth: tasks are the same if it is the same."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task without its truth, with the documents that it names."""

    name: str
    """Its folder inside the folder of tasks, as in L20/D000818.D001921.D051381/draw-0."""
    metadata: TaskMetadata
    entries: tuple[TaskEntry, ...]
    documents: Mapping[str, Document]
    """Title, abstract and year of every document named, by id; nothing that would label it."""
    background: tuple[str, ...] = ()
    """Documents drawn at random from the library, for baselines without retrieval."""

    def list_entries(self, label: Label) -> list[TaskEntry]:
        """Return the entries of a label, in the order of the task."""
        return [entry for entry in self.entries if entry.label == label]

    def list_measured(self) -> list[TaskEntry]:
        """Return the entries that methods are measured on, as the engine ranks them."""
        if self.metadata.setting == "inductive":
            shown = [entry for entry in self.entries if entry.is_measured]
        else:
            shown = self.list_entries("unlabeled")
        last = len(self.entries) + 1
        return sorted(shown, key=lambda entry: (entry.rank or last, entry.id))


@dataclass(frozen=True)
class Truth:
    """Which documents are on topic. Methods never see it."""

    relevant: frozenset[str]
    """All documents of the library that are on topic, even seeds and those outside the pool."""


def describe_task(
    metadata: TaskMetadata, entries: Sequence[TaskEntry], truth: Truth
) -> TaskMetadata:
    """Return metadata with everything that can be counted filled in."""
    labels = Counter(entry.label for entry in entries)
    pool = [entry.id for entry in entries if entry.label == "unlabeled"]
    hidden = len(truth.relevant) - labels["positive"]
    found = len(truth.relevant.intersection(pool))
    return msgspec.structs.replace(
        metadata,
        P_size=len(truth.relevant),
        LP_size=labels["positive"],
        U_size=labels["unlabeled"],
        N_size=labels["negative"],
        precision=found / max(len(pool), 1),
        recall=found / max(hidden, 1),
        fingerprint=fingerprint_task(entries, truth),
        **_count_parts(entries),
    )


def fingerprint_task(entries: Sequence[TaskEntry], truth: Truth) -> str:
    """Return a text that is the same for the same task, and only for it."""
    content = msgspec.json.encode([list(entries), sorted(truth.relevant)])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _count_parts(entries: Sequence[TaskEntry]) -> dict[str, int]:
    """Return the sizes of a task's parts, by the names that the paper's authors gave them."""
    counts = Counter((entry.split, entry.label) for entry in entries)
    sizes = {}
    for split, name in _PARTS.items():
        sizes[f"{name}_LP_size"] = counts[split, "positive"]  # type: ignore[index]
        sizes[f"{name}_U_size"] = counts[split, "unlabeled"]  # type: ignore[index]
        sizes[f"{name}_size"] = sum(n for (of, _), n in counts.items() if of == split)
    return sizes


def name_topic(terms: Sequence[str], uis: Sequence[str] = (), *, within: str = "") -> str:
    """Return a topic's name as a folder's name.

    If characters of the terms are lost, a few digits keep different topics apart.

    >>> name_topic(["Animals", "Brain"], ["D000818", "D001921"])
    'D000818.D001921'
    >>> name_topic(["Heart rate", "C++"])
    'Heart-rate.C-286e'
    """
    parts = list(uis) if uis and all(uis) else list(terms)
    # A hyphen stands for a space, so a term with a hyphen of its own needs the digits.
    is_plain = not any("-" in part for part in (*parts, within))
    if within:
        parts.append(f"within-{within}")
    named = ".".join(re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in parts)[:LONGEST_NAME]
    spelled = ".".join(parts)
    if is_plain and named == spelled.replace(" ", "-"):
        return named
    return f"{named}-{hashlib.blake2b(spelled.encode(), digest_size=2).hexdigest()}"


def name_engine(library: Library) -> str:
    """Return the name and version of a library's engine, and of likewise, which asks it."""
    return f"{library.engine}, likewise {__version__}"


ALL_PER_TRAINING = 2
"""How many documents all parts have together for each document of the training part."""
GROWING = ("seeds", "draws")
"""What may differ between tasks of one folder, to which more seeds and draws can be added."""


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """How tasks are made."""

    seeds: tuple[int, ...] = (20, 50)
    """|LP|: how many seeds are for training; each number makes a task."""
    pool: int = 20_000
    """|U|: how many unlabeled documents the training part, or a transductive task, has."""
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
    keep_references: bool = False
    """Whether methods see what documents cite."""
    test_seeds: bool = True
    """Whether methods are also measured on the seeds of the test part, as in the authors' tasks."""
    number: int = 0
    """The number that all randomness comes from."""
    more_like: MoreLike = field(default_factory=MoreLike)

    def __post_init__(self) -> None:
        for name, least in (("pool", 1), ("draws", 1), ("negatives", 0), ("number", 0)):
            if getattr(self, name) < least:
                raise SettingsError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if not self.seeds or min(self.seeds) < 3:
            raise SettingsError(f"seeds is {self.seeds}; tasks have at least 3 seeds")
        for name, kind in (("scheme", Scheme), ("setting", Setting)):
            if getattr(self, name) not in get_args(kind):
                options = " or ".join(get_args(kind))
                raise SettingsError(f"{name} is {getattr(self, name)!r}; it must be {options}")
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
        kept = {name: value for name, value in values.items() if name not in GROWING}
        plain: dict[str, Any] = msgspec.to_builtins(kept)
        return plain
