"""Duplicates: records that were merged into one paper, papers that may be one, and rulings on both.

`split_papers` takes papers apart into their records; `join_papers` makes one paper of two. Both are
kept as rulings, so that reading files again does not undo them. A ruling is written before the
library is changed, so that a command that was killed in between can just be run again.

Near duplicates are papers that may be the same, though nothing proves it. Their titles are nearly
the same, and they have the same year and first author. Only papers of one year and author are
compared, each with its neighbours when titles are sorted from the front and from the back. So the
cost grows with the number of documents, not with its square.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from likewise.documents import Document, replace_file
from likewise.documents.formats.cells import guard_cell
from likewise.documents.identity import MIN_TITLE_LETTERS, normalise_title
from likewise.errors import LibraryError
from likewise.library.keys import look_up_documents
from likewise.library.paper_notes import (
    PaperNote,
    PaperNotebook,
    TakenRecord,
    give_ruled_id,
    keep_identifiers,
    list_identifiers,
    merge_records,
    name_record,
    require_notebook,
    restore_id,
)
from likewise.library.protocol import Library
from likewise.library.shelf import Duplicate


class DuplicatePair(NamedTuple):
    """Two records of one paper, as shown to people; a row of a report."""

    kept_id: str
    """The id of the paper."""
    kept_title: str
    kept_source: str
    other_id: str
    """The id that the other record came with."""
    other_title: str
    other_source: str
    other_place: str
    """Its file and line, if they are known."""
    matched_by: str
    """What both have in common: pmid, doi, pmcid, title or id; or ruling if a person said so."""

    @classmethod
    def of(cls, duplicate: Duplicate) -> DuplicatePair:
        """Return a duplicate as it is shown to people."""
        kept, other = duplicate.kept, duplicate.other
        return cls(
            *(kept.id, kept.title, kept.source),
            *(other.id, other.title, other.source),
            *(duplicate.place, duplicate.matched),
        )


def list_duplicates(library: Library) -> list[DuplicatePair]:
    """Return every record that was merged into a paper, paired with the paper's first record."""
    pairs = []
    for name, note in require_notebook(library).read_papers().items():
        first, *others = note.records
        for other in others:
            duplicate = Duplicate(first.document, other.document, other.matched, other.place)
            pairs.append(DuplicatePair.of(duplicate)._replace(kept_id=name))
    return pairs


def write_pairs(
    pairs: Iterable[Sequence[object]],
    path: str | Path,
    *,
    names: Sequence[str] = DuplicatePair._fields,
) -> None:
    """Write pairs as a table, comma-separated; the file appears whole or not at all."""
    with replace_file(Path(path)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="", errors="backslashreplace")
        rows = csv.writer(text)
        rows.writerow(names)
        rows.writerows([guard_cell(" ".join(str(cell).split())) for cell in pair] for pair in pairs)
        text.flush()
        text.detach()


class SplitPaper(NamedTuple):
    """A paper that was taken apart."""

    paper: str
    into: tuple[str, ...]
    """The ids of the papers that its records became; the first keeps the paper's id."""


def split_papers(library: Library, identifiers: Sequence[str]) -> list[SplitPaper]:
    """Take papers apart into their records, so that each is a paper of its own.

    Args:
        library: Open for writing.
        identifiers: Ids, PMIDs, DOIs or PMCIDs; if one can't be taken apart, none is.
    """
    notebook = require_notebook(library)
    papers = look_up_documents(library, identifiers)
    notes = notebook.read_papers([paper.id for paper in papers])
    groups = {paper.id: _group_records(paper, notes.get(paper.id)) for paper in papers}
    return [_split_paper(library, paper, records) for paper, records in groups.items()]


def _group_records(paper: Document, note: PaperNote | None) -> list[list[TakenRecord]]:
    """Return the records of a paper in groups; records that can't be told apart share one."""
    groups: defaultdict[str, list[TakenRecord]] = defaultdict(list)
    for record in note.records if note else ():
        groups[name_record(record.document)].append(record)
    if len(groups) > 1:
        return list(groups.values())
    if note:
        why = "its records have the same identifiers, title, year, journal and first author"
    elif any(other.startswith("id:") for other in paper.other_ids):
        why = "an earlier likewise merged its records; index its files into a new library"
    else:
        why = "it is made of one record only"
    raise LibraryError(f"{paper.id}: can't be split: {why}")


def _split_paper(library: Library, paper: str, groups: list[list[TakenRecord]]) -> SplitPaper:
    notebook = require_notebook(library)
    parts = dict(zip(_choose_ids(library, paper, groups), groups, strict=True))
    shared = Counter(
        name
        for group in groups
        for name in {name for record in group for name in list_identifiers(record.document)}
    )
    rulings: dict[str, str] = {}
    for identifier, group in parts.items():
        for record in group:
            rulings[name_record(record.document)] = identifier
            for name in list_identifiers(record.document):
                rulings[name] = identifier if shared[name] == 1 else ""
    notebook.note_rulings(rulings)
    merged = {
        identifier: reduce(merge_records, (record.document for record in group))
        for identifier, group in parts.items()
    }
    # The records of the other papers may have come with the id of the first.
    library.add(give_ruled_id(merged[name], name, is_taken=name != paper) for name in parts)
    library.commit()
    notebook.note_papers({name: PaperNote(tuple(group)) for name, group in parts.items()})
    return SplitPaper(paper, tuple(parts))


def _choose_ids(library: Library, paper: str, groups: list[list[TakenRecord]]) -> list[str]:
    """Return an id for each group of records: the paper's for the first, free ones for others."""
    rulings = require_notebook(library).read_rulings()
    ids = [paper]
    for group in groups[1:]:
        record = group[0].document
        name = name_record(record)
        # First the id that a killed run had chosen, then the record's own if it is free.
        ruled = rulings.get(name, "")
        own = record.id if not library.get([record.id]) else ""
        choices = (choice for choice in (ruled, own) if choice and choice not in ids)
        ids.append(next(choices, f"made-{name[:16]}"))
    return ids


def join_papers(library: Library, kept: str, other: str) -> Document:
    """Make one paper of two, under the id of the first, and return it.

    Args:
        library: Open for writing.
        kept: An id, PMID, DOI or PMCID.
        other: Another one; the joined paper is still found under it.
    """
    notebook = require_notebook(library)
    one, two = look_up_documents(library, [kept])[0], look_up_documents(library, [other])[0]
    if one.id == two.id:
        raise LibraryError(f"{kept} and {other}: both are the document {one.id} already")
    notes = {paper.id: PaperNote((TakenRecord(restore_id(paper)),)) for paper in (one, two)}
    notes |= notebook.read_papers([one.id, two.id])
    first, *others = notes[two.id].records
    ruled = TakenRecord(first.document, first.place, "ruling")
    joined = [*notes[one.id].records, ruled, *others]
    documents = [record.document for record in joined]
    names = [*map(name_record, documents), *chain(*map(list_identifiers, documents))]
    notebook.note_rulings(dict.fromkeys(names, one.id))
    # The records must not be lost: without them, the paper can't be taken apart again.
    notebook.note_papers({one.id: PaperNote(tuple(joined))})
    result = keep_identifiers(merge_records(one, two), one, two)
    library.add([result])
    library.delete([two.id])
    library.commit()
    notebook.note_papers({two.id: None})
    return result


LIKENESS = 0.8
"""How alike titles must be: the least share of three-letter runs that they have in common."""
ALL_COMPARED = 20
"""Up to this many papers of one year and author, each is compared with all others."""
NEIGHBOURS = 10
"""Beyond that, each is compared with this many neighbours."""
REPORTED_EVERY = 1000


class NearPair(NamedTuple):
    """Two papers that may be the same."""

    one_id: str
    one_title: str
    one_source: str
    other_id: str
    other_title: str
    other_source: str
    year: int
    author: str
    likeness: float
    """How alike their titles are, from 0 to 1."""


class _Card(NamedTuple):
    """The parts of a paper that are compared."""

    id: str
    title: str
    source: str
    year: int
    author: str
    letters: str
    """Those of its title."""


def find_near_duplicates(
    library: Library, *, on_progress: Callable[[int, int], None] | None = None
) -> list[NearPair]:
    """Return the pairs of papers that may be the same, most alike first.

    A pair is left out if a person has ruled on both papers, such as by splitting them.
    `on_progress` is called with how many documents were read, and how many there are.
    """
    ruled = set(library.read_rulings().values()) if isinstance(library, PaperNotebook) else set()
    blocks: defaultdict[int, list[_Card]] = defaultdict(list)
    for card in _read_cards(library, on_progress=on_progress):
        blocks[hash((card.year, normalise_title(card.author)))].append(card)
    found = {
        (one.id, other.id): NearPair(*one[:3], *other[:3], one.year, one.author, round(likeness, 3))
        for cards in blocks.values()
        for one, other in _list_neighbours(cards)
        if not {one.id, other.id} <= ruled
        and (likeness := _measure_likeness(one, other)) >= LIKENESS
    }
    return sorted(found.values(), key=lambda pair: (-pair.likeness, pair.one_id, pair.other_id))


def _read_cards(
    library: Library, *, on_progress: Callable[[int, int], None] | None
) -> Iterator[_Card]:
    total = library.count()
    for number, document in enumerate(library, 1):
        author = document.authors[0].partition(",")[0] if document.authors else ""
        letters = normalise_title(document.title)
        # "Reply" by the same author in the same year is no evidence of anything.
        if document.year and author and len(letters) >= MIN_TITLE_LETTERS:
            names = document.id, document.title, document.source
            yield _Card(*names, document.year, author, letters)
        if on_progress and (number % REPORTED_EVERY == 0 or number == total):
            on_progress(number, total)


def _list_neighbours(cards: Sequence[_Card]) -> Iterator[tuple[_Card, _Card]]:
    """Yield the pairs of papers to compare, each pair in the order of its ids."""
    reach = NEIGHBOURS if len(cards) > ALL_COMPARED else len(cards)
    orders = [sorted(cards, key=lambda card: card.letters)]
    if reach < len(cards):
        orders.append(sorted(cards, key=lambda card: card.letters[::-1]))
    for ordered in orders:
        for place, card in enumerate(ordered):
            for other in ordered[place + 1 : place + 1 + reach]:
                yield (card, other) if card.id < other.id else (other, card)


def _measure_likeness(one: _Card, other: _Card) -> float:
    """Return how alike two titles are, from 0 to 1.

    It is 1 if one title begins with the other, since subtitles are often left out.
    """
    if one.letters.startswith(other.letters) or other.letters.startswith(one.letters):
        return 1.0
    ours, theirs = _list_threes(one.letters), _list_threes(other.letters)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))


@lru_cache(maxsize=1000)
def _list_threes(letters: str) -> frozenset[str]:
    """Return the runs of three letters; each title is compared with several others in turn."""
    return frozenset(letters[end - 3 : end] for end in range(3, len(letters) + 1))
