"""Bias: which documents are more likely to be labelled than others.

People label what is short, what comes first, what is recent or famous, or what they know: a corner
of the topic. Documents are put into an order, and tasks take the first ones. Without a bias the
order is random. With one, the third that the bias favours most comes first, in random order, and
then the others, the most favoured first.

A corner is a group of similar documents of a topic, found by k-means over latent topics. How often
documents are cited comes from a file beside the library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.documents.sources import Source
from likewise.errors import SettingsError, TaskError
from likewise.features import AnalyzeAll
from likewise.features.terms import TermCounter
from likewise.features.words import find_latent_topics, make_word_features

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
FAVOURED = 1 / 3
"""The share of the documents that is drawn from first."""
CORNERS = 5
FEWEST_IN_CORNER = 20
"""If corners would have fewer documents than this, there are fewer corners."""
DIMENSIONS = 50
MOST_CLUSTERED = 5_000
"""Of more documents, this many are drawn at random and clustered, and the others come last."""
MOST_TURNS = 50
_BETWEEN = re.compile(r"[\t,;]|\s+")


@dataclass(frozen=True, kw_only=True)
class DrawFacts:
    """What biases need to know about the documents that are drawn from."""

    documents: Callable[[], Sequence[Document]]
    ranks: Callable[[], Mapping[str, int]]
    """Their ranks in what the engine found, from 1; those that it did not find are missing."""
    analyze_all: AnalyzeAll
    citations: Mapping[str, int] | None = None


def order_by_bias(
    ids: Sequence[str], bias: str, *, known: DrawFacts, rng: np.random.Generator
) -> list[str]:
    """Return documents in the order in which they are drawn."""
    # Whatever order they came in, the same documents are drawn in the same order.
    ordered = sorted(ids)
    shuffled = [ordered[row] for row in rng.permutation(len(ordered))]
    if not check_bias(bias):
        return shuffled
    if bias == "cluster":
        return order_by_corner(shuffled, known.documents(), analyze_all=known.analyze_all, rng=rng)
    disfavour = _rate_disfavour(bias, known)
    # Documents that are equally favoured stay in random order.
    favoured = sorted(shuffled, key=lambda identifier: disfavour.get(identifier, math.inf))
    first = math.ceil(FAVOURED * len(favoured))
    return [favoured[row] for row in rng.permutation(first)] + favoured[first:]


def _rate_disfavour(bias: str, known: DrawFacts) -> dict[str, float]:
    """Return a number for each document, the lower the more favoured; some may be missing."""
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
            "give a file with an id and a count on each line: --citations FILE"
        )
    return {identifier: -count for identifier, count in known.citations.items()}


def order_by_corner(
    ids: Sequence[str],
    documents: Sequence[Document],
    *,
    analyze_all: AnalyzeAll,
    rng: np.random.Generator,
) -> list[str]:
    """Return documents with those of one corner first, then those of the nearest corners.

    Args:
        ids: The documents in random order, which they keep within a corner.
        documents: Their texts.
        analyze_all: The engine's analysis.
        rng: Chooses the corner: that of a document drawn at random.
    """
    texts = {document.id: document for document in documents}
    clustered = [identifier for identifier in ids if identifier in texts][:MOST_CLUSTERED]
    if len(clustered) < 2 * FEWEST_IN_CORNER:
        return list(ids)
    counter = TermCounter(analyze_all)
    counter.add(texts[identifier] for identifier in clustered)
    weighted = make_word_features(counter.counts(clustered)).weighted
    vectors = find_latent_topics(weighted, rng=rng, dimensions=DIMENSIONS).vectors.astype(float)
    centres = _find_centres(vectors, min(CORNERS, len(clustered) // FEWEST_IN_CORNER), rng=rng)
    nearest = _measure_distances(vectors, centres).argmin(axis=1)
    chosen = centres[nearest[rng.integers(len(clustered))]]
    distance = np.linalg.norm(centres - chosen, axis=1)[nearest]
    first = [clustered[row] for row in np.argsort(distance, kind="stable")]
    return first + [identifier for identifier in ids if identifier not in set(first)]


def _find_centres(
    vectors: NDArray[np.float64], count: int, *, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the centres of clusters, starting from centres far apart (k-means++)."""
    centres = vectors[[rng.integers(len(vectors))]]
    while len(centres) < count:
        squares = _measure_distances(vectors, centres).min(axis=1)
        chances = squares / squares.sum() if squares.sum() > 0 else None
        centres = np.vstack([centres, vectors[rng.choice(len(vectors), p=chances)]])
    for _ in range(MOST_TURNS):
        nearest = _measure_distances(vectors, centres).argmin(axis=1)
        # A cluster that lost all its rows stays where it is.
        moved = [
            vectors[nearest == number].mean(axis=0) if (nearest == number).any() else centre
            for number, centre in enumerate(centres)
        ]
        if np.allclose(moved, centres):
            break
        centres = np.array(moved)
    return centres


def _measure_distances(
    vectors: NDArray[np.float64], centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances, with a row for each vector and a column for each centre."""
    squares = (vectors**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * vectors @ centres.T, 0.0))


def read_citations(path: Path) -> dict[str, int]:
    """Return how often each document is cited, from a file with an id and a count per line."""
    source = Source(path)
    counts: dict[str, int] = {}
    for line in source.lines():
        cells = [cell.strip(' "') for cell in _BETWEEN.split(line.text.strip()) if cell]
        if not cells:
            continue
        if len(cells) == 2 and cells[1].isdecimal():
            counts[cells[0]] = int(cells[1])
        # The first line may name the columns.
        elif line.number > 1:
            raise source.fail(
                f"{line.text[:60]!r} is not an id with a count",
                line=line.number,
                advice="write the id, a tab or comma, and how often it is cited",
            )
    if not counts:
        raise source.fail("no count in it", advice="write an id and a count on each line")
    return counts


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
    """Return a bias unchanged; raise SettingsError if there is no such bias."""
    if bias and bias not in BIASES:
        raise SettingsError(f"there is no bias {bias!r}; use one of {', '.join(BIASES)}")
    return bias
