"""What tasks say of themselves: counts, precision, recall and a fingerprint."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.tasks.task import Entry, TaskMetadata, Truth

_PARTS = {"train": "train", "validation": "valid", "test": "test"}


def described(metadata: TaskMetadata, entries: Sequence[Entry], truth: Truth) -> TaskMetadata:
    """Return metadata with all that can be counted."""
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
        fingerprint=fingerprint(entries, truth),
        **_sizes(entries),
    )


def fingerprint(entries: Sequence[Entry], truth: Truth) -> str:
    """Return a text that is the same for the same task, and only for it."""
    told = msgspec.json.encode([list(entries), sorted(truth.relevant)])
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def _sizes(entries: Sequence[Entry]) -> dict[str, int]:
    """Count the parts of a task that has some, under the names that the authors gave them."""
    counts = Counter((entry.split, entry.label) for entry in entries)
    sizes = {}
    for split, name in _PARTS.items():
        sizes[f"{name}_LP_size"] = counts[split, "positive"]  # type: ignore[index]
        sizes[f"{name}_U_size"] = counts[split, "unlabeled"]  # type: ignore[index]
        sizes[f"{name}_size"] = sum(n for (of, _), n in counts.items() if of == split)
    return sizes
