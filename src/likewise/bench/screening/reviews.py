"""Reviews that people screened, and what is known when a replay of one begins.

Two sorts of files hold them. JSON lines may name several reviews in a field of each record,

    {"id": "7", "title": ..., "abstract": ..., "reviews": {"X": {"abstract": 1, "included": 0}}}

and a record belongs only to the reviews that it names. Any other file that marks can be read from,
such as ASReview's public datasets, is one review, named after the file.

A start is the same for every tool that is measured: what is drawn depends only on the number of all
randomness, the review's name and the draw. Negatives are drawn too, for tools that can't start
without them; likewise gets none.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from likewise.bench import make_generator
from likewise.bench.topics.labels import DECISIONS, YES, LabelRow, read_label_rows
from likewise.documents import Document, read, replace_file
from likewise.documents.sources import Source
from likewise.errors import RunError
from likewise.expansion.mark_files import read_marks

Level = Literal["abstract", "included"]
"""Which decision counts: passing the screening of abstracts, the default, or being included."""
SEVERAL = "reviews"
"""The field that names the reviews of a record."""
LEAST = 40
"""Reviews with fewer records on topic are left out, since single records would weigh too much."""
SEEDS = 10
NEGATIVES = 10


@dataclass(frozen=True)
class Review:
    """The records of a review, and the truth about them."""

    name: str
    documents: tuple[Document, ...]
    on_topic: frozenset[str]
    kind: str = ""
    """The name of the file, which reviews of one file have in common."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash that is the same for the same records with the same decisions."""
        lines = sorted(f"{one.id}\t{one.id in self.on_topic}" for one in self.documents)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def read_reviews(
    paths: Sequence[Path],
    *,
    level: Level = "abstract",
    least: int = LEAST,
    names: Sequence[str] = (),
) -> list[Review]:
    """Return the reviews of files that have enough records on topic, sorted by name.

    Args:
        paths: The files.
        level: Which decision counts, if a file has both.
        least: How many records on topic are enough; reviews named in `names` may have fewer.
        names: The reviews to return; all if it is empty.
    """
    found = [review for path in paths for review in _read_file(path, level=level)]
    known = {review.name: review for review in found}
    if len(known) < len(found):
        raise RunError("two reviews have the same name; rename one of the files")
    for name in names:
        if name not in known:
            raise RunError(
                f"there is no review {name!r}; choose one of: {', '.join(sorted(known))}"
            )
    chosen = names or [name for name, review in known.items() if len(review.on_topic) >= least]
    if not chosen:
        raise RunError(
            f"no review has {least} records on topic; ask for fewer with --least, "
            f"or name some of: {', '.join(sorted(known))}"
        )
    return [known[name] for name in sorted(set(chosen))]


def _read_file(path: Path, *, level: Level) -> list[Review]:
    source = Source(path)
    if not _has_several(source):
        return [_read_marked(path, name=_stem(source))]
    decisions: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for row in read_label_rows(source, field=SEVERAL):
        identifier = next(key[3:] for key in row.keys if key.startswith("id:"))
        for name, is_on_topic in _read_decisions(row, source, level=level).items():
            # A record that is there twice is on topic if one of the two is.
            decisions[name][identifier] = is_on_topic or decisions[name].get(identifier, False)
    documents = {document.id: document for document in read(path)}
    kind = _stem(source)
    return [
        _make_review(name, decided, documents, kind=kind) for name, decided in decisions.items()
    ]


def _stem(source: Source) -> str:
    return source.name.removesuffix(".gz").rpartition(".")[0]


def _has_several(source: Source) -> bool:
    first = next((line.text for line in source.lines() if line.text.strip()), "")
    return first.lstrip().startswith("{") and f'"{SEVERAL}"' in first


def _read_marked(path: Path, *, name: str) -> Review:
    """Return the only review of a file, without records that are undecided or marked maybe."""
    marks = [mark for mark in read_marks(path).marks if mark.label != "maybe"]
    decided: dict[str, bool] = {}
    for mark in marks:
        name_of = mark.document.id
        decided[name_of] = mark.label == "relevant" or decided.get(name_of, False)
    return _make_review(name, decided, {mark.document.id: mark.document for mark in marks})


def _make_review(
    name: str, decided: dict[str, bool], documents: dict[str, Document], *, kind: str = ""
) -> Review:
    records = tuple(documents[identifier] for identifier in decided)
    return Review(name, records, frozenset(one.id for one in records if decided[one.id]), kind)


def _read_decisions(row: LabelRow, source: Source, *, level: Level) -> dict[str, bool]:
    """Return what was decided about a record in each review that it belongs to."""
    if not isinstance(row.value, dict):
        raise source.fail(
            f"{row.field} is not an object",
            line=row.line,
            advice='write {"NAME": {"abstract": 1, "included": 0}}',
        )
    decided = {}
    for name, levels in row.value.items():
        if not isinstance(levels, dict) or level not in levels:
            raise source.fail(f"{name} has no {level!r} here", line=row.line, advice="give both")
        text = str(levels[level]).strip().casefold()
        if text not in DECISIONS:
            found = f"{text[:40]!r} in {row.field!r}"
            raise source.fail(found, line=row.line, advice="write 1 or 0")
        decided[name] = text in YES
    return decided


class ReplayStart(msgspec.Struct, frozen=True):
    """The records that are known when a replay begins."""

    review: str
    draw: int
    """The number of the draw, from 1."""
    seeds: tuple[str, ...]
    """Records on topic."""
    negatives: tuple[str, ...]
    """Records off topic, for tools that need some."""


def draw_start(review: Review, draw: int, *, number: int = 0, seeds: int = SEEDS) -> ReplayStart:
    """Draw the records that are known when a replay begins."""
    rng = make_generator(number, "screen", review.name, draw)
    negatives = sorted({one.id for one in review.documents} - review.on_topic)
    if len(review.on_topic) <= seeds or not negatives:
        raise RunError(
            f"{review.name}: {len(review.on_topic)} records on topic and {len(negatives)} off "
            f"topic; a replay from {seeds} seeds needs more than {seeds} on topic, and some off"
        )
    chosen = _draw_ids(sorted(review.on_topic), seeds, rng)
    return ReplayStart(review.name, draw, chosen, _draw_ids(negatives, NEGATIVES, rng))


def draw_starts(
    reviews: Sequence[Review], *, draws: int, number: int = 0, seeds: int = SEEDS
) -> list[ReplayStart]:
    """Return a start of each review for each draw, the first draw of all reviews first."""
    return [
        draw_start(review, draw, number=number, seeds=seeds)
        for draw in range(1, draws + 1)
        for review in reviews
    ]


def write_starts(starts: Sequence[ReplayStart], path: Path) -> None:
    """Write starts as JSON lines, for other tools to begin from."""
    with replace_file(path) as stream:
        stream.write(msgspec.json.Encoder().encode_lines(starts))


def _draw_ids(ids: Sequence[str], count: int, rng: np.random.Generator) -> tuple[str, ...]:
    chosen = rng.choice(len(ids), size=min(count, len(ids)), replace=False)
    return tuple(ids[place] for place in chosen)
