"""The documents of a session, with what is noted on each.

ASReview takes the labels of a table from the column "label_included" (1, 0, or nothing), and those
of a RIS file from the words ASReview_relevant and ASReview_irrelevant in its notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from likewise.documents.annotations import Annotated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from likewise.documents import Document
    from likewise.documents.annotations import Note
    from likewise.expansion.marks import Label, Mark
    from likewise.expansion.saved import SavedExpansion, SavedPlace
    from likewise.expansion.sessions.session import Session
    from likewise.library.protocol import Library

Which = Literal["listed", "relevant", "all"]
"""What is listed: what is decided or marked, only what is relevant, or the whole ranking."""
TABLES = frozenset({".csv", ".tsv", ".xlsx"})
RIS = ".ris"

_INCLUDED: Mapping[Label | None, int] = {"relevant": 1, "irrelevant": 0}


class Listing(NamedTuple):
    """The documents of a session."""

    annotated: list[Annotated]
    missing: tuple[str, ...]
    """The ids of those that the library does not hold any more."""


class _Entry(NamedTuple):
    """What is known of a document: its place in the latest expansion, and the mark it has."""

    id: str
    place: SavedPlace | None
    mark: Mark | None
    is_seed: bool

    @property
    def label(self) -> Label | None:
        return self.mark.label if self.mark else None

    @property
    def decision(self) -> bool:
        """Whether it is on topic: what was said counts more than what was learned."""
        if self.label in ("relevant", "irrelevant"):
            return self.label == "relevant"
        return self.is_seed or bool(self.place and self.place.decision)

    def notes(self, suffix: str) -> dict[str, Note]:
        """Return what is noted on it in a file of this suffix."""
        place, mark, included = self.place, self.mark, _INCLUDED.get(self.label, "")
        notes: dict[str, Note] = {
            "rank": place.rank if place else "",
            "score": _known(place.score if place else None),
            "probability": _known(place.probability if place else None),
            "decision": self.decision,
            "seed": self.is_seed,
            "mark": self.label or "",
            "marked_at": mark.time if mark else "",
        }
        if suffix in TABLES:
            notes["label_included"] = included
        elif suffix == RIS:
            notes["asreview"] = "" if included == "" else f"ASReview_{self.label}"
        return notes


def listed(session: Session, *, library: Library, suffix: str, which: Which = "listed") -> Listing:
    """Return seeds, marked and decided documents in the order of the latest ranking.

    Those that are not in it come last. `relevant` leaves only seeds and what is
    marked relevant, `all` is the whole ranking.
    """
    with session.at_one_moment():
        latest, current = session.expansion(), session.current()
    outside = _outside(session, latest)
    entries = _entries(latest, current, outside=outside)
    chosen = [entry for entry in entries if _BELONGS[which](entry)]
    documents = {document.id: document for document in library.get([e.id for e in chosen])}
    documents = outside | documents
    return Listing(
        [
            Annotated(documents[entry.id], entry.notes(suffix))
            for entry in chosen
            if entry.id in documents
        ],
        tuple(entry.id for entry in chosen if entry.id not in documents),
    )


def _outside(session: Session, latest: SavedExpansion | None) -> dict[str, Document]:
    """Return the seeds that the library does not hold; before any expansion, all of them."""
    seeds = latest.seeds.text_only if latest else session.start.seeds
    return {seed.id: seed for seed in seeds}


def _entries(
    latest: SavedExpansion | None, current: Mapping[str, Mark], *, outside: Mapping[str, Document]
) -> list[_Entry]:
    ranking: Sequence[SavedPlace] = latest.ranking if latest else ()
    places = {place.id: place for place in ranking}
    seeds = {place.id for place in ranking if place.seed} or set(outside)
    ids = dict.fromkeys([*places, *(() if latest else outside), *current])
    return [
        _Entry(identifier, places.get(identifier), current.get(identifier), identifier in seeds)
        for identifier in ids
    ]


def _is_listed(entry: _Entry) -> bool:
    return entry.is_seed or entry.mark is not None or entry.decision


def _is_relevant(entry: _Entry) -> bool:
    return entry.label == "relevant" or (entry.is_seed and entry.label is None)


_BELONGS: Mapping[Which, Callable[[_Entry], bool]] = {
    "listed": _is_listed,
    "relevant": _is_relevant,
    "all": lambda _: True,
}


def _known(value: float | None) -> Note:
    return "" if value is None else value
