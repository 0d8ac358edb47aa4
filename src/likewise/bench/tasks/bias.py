"""Bias: which of some documents are likelier to be labelled than others.

People label what is short, what stands first, what is recent or famous, or what they know: a corner
of the topic. Documents are put into an order of which tasks take the first. Without a bias it is
random. With one, the third that the bias favours most comes first, in random order, and after it
the others, the more favoured the earlier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from likewise.bench.tasks.corners import by_corner
from likewise.errors import SettingsError, TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from likewise.documents import Document
    from likewise.features.terms import AnalyzeAll

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
"""What each favours."""
FAVOURED = 1 / 3
"""The share of the documents that is drawn from."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What biases may ask about the documents that are drawn from."""

    documents: Callable[[], Sequence[Document]]
    ranks: Callable[[], Mapping[str, int]]
    """Their places in what the engine found, from 1; those that it did not find are missing."""
    analyze_all: AnalyzeAll
    citations: Mapping[str, int] | None = None


def check_bias(bias: str) -> str:
    """Return a bias as it is, or raise SettingsError if there is none of its name."""
    if bias and bias not in BIASES:
        raise SettingsError(f"no bias is called {bias!r}; it is one of {', '.join(BIASES)}")
    return bias


def drawing_order(
    ids: Sequence[str], bias: str, *, known: Known, rng: np.random.Generator
) -> list[str]:
    """Return documents in the order in which they are drawn."""
    # Whatever order they came in, the same documents are drawn in the same order.
    ordered = sorted(ids)
    shuffled = [ordered[row] for row in rng.permutation(len(ordered))]
    if not check_bias(bias):
        return shuffled
    if bias == "cluster":
        return by_corner(shuffled, known.documents(), analyze_all=known.analyze_all, rng=rng)
    disfavour = _disfavour(bias, known)
    # Documents that are favoured alike stay in random order.
    favoured = sorted(shuffled, key=lambda identifier: disfavour.get(identifier, math.inf))
    first = math.ceil(FAVOURED * len(favoured))
    return [favoured[row] for row in rng.permutation(first)] + favoured[first:]


def _disfavour(bias: str, known: Known) -> dict[str, float]:
    """Return a number for each document, the lower the more it is favoured; some may be missing."""
    if bias == "length":
        texts = {document.id: document.abstract for document in known.documents()}
        return {identifier: len(text) for identifier, text in texts.items() if text}
    if bias.startswith("rank"):
        sign = -1 if bias == "rank-low" else 1
        return {identifier: sign * rank for identifier, rank in known.ranks().items()}
    if bias.startswith("year"):
        sign = 1 if bias == "year-old" else -1
        return {
            document.id: sign * document.year for document in known.documents() if document.year
        }
    if known.citations is None:
        raise TaskError(
            "how often documents are cited is not known; "
            "give a file with an id and a count a line: --citations FILE"
        )
    return {identifier: -count for identifier, count in known.citations.items()}
