"""A session as one of its reviewers may see it: without what only others have marked.

What another reviewer marked is hidden until one has marked the document too, or two others have;
`DocumentMarks.is_open_to` says so of a document. Counts and files would tell what lists hide: who
sees one more exclusion after each record that the other passes knows what was said of it. So all
that reads a session reads this one in its place, and finds nothing that it should not count.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from likewise.expansion.cuts import find_cut
from likewise.expansion.marks import Mark, Marks
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.reasons import is_same_name
from likewise.expansion.sessions.records import DocumentNote, TagChange
from likewise.expansion.sessions.review_notes import RemarkSet, ReviewNotes
from likewise.expansion.sessions.reviewers import gather_marks
from likewise.expansion.sessions.session import Session


class SeenSession(Session):
    """What a reviewer may see of a session, to be read in its place; the session stays its owner.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from likewise.documents import Document
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "cats.likewise")
    >>> seeds = [Document(id="1", title="On cats")]
    >>> with Session.create(path, library="lib", fingerprint="", seeds=seeds) as session:
    ...     _ = session.mark({"7": "relevant", "8": "irrelevant"}, reviewer="Ann")
    ...     _ = session.mark({"8": "relevant"}, reviewer="Bo")
    ...     SeenSession(session, "Bo").marks().maybe, SeenSession(session, "Bo").count_unseen()
    (('8',), 1)
    >>> folder.cleanup()
    """

    def __init__(self, session: Session, reviewer: str) -> None:
        """See a session.

        Args:
            session: The session, which is open.
            reviewer: Who looks.
        """
        super().__init__(session._store)  # noqa: SLF001  # it is a session itself
        # What was unpacked once need not be unpacked for each reviewer.
        self._shelf = session._shelf  # noqa: SLF001  # as above
        self.reviewer = reviewer
        self.review = _SeenNotes(self)

    def history(self) -> list[Mark]:
        """Return all marks that were ever given to documents whose marks may be seen."""
        history = super().history()
        seen = self._find_seen(history)
        return [mark for mark in history if mark.document in seen]

    def expansion(
        self, number: int | None = None, *, as_learned: bool = False
    ) -> SavedExpansion | None:
        """Return an expansion, in which what may not be seen stands as if nobody had marked it."""
        saved = super().expansion(number, as_learned=as_learned)
        return hide_marks(saved, self._find_seen(super().history())) if saved else None

    def count_unseen(self) -> int:
        """Return how many documents only others have marked."""
        history = super().history()
        return len(gather_marks(history)) - len(self._find_seen(history))

    def _find_seen(self, history: Collection[Mark]) -> set[str]:
        opinions = gather_marks(history)
        return {name for name, given in opinions.items() if given.is_open_to(self.reviewer)}


class _SeenNotes(ReviewNotes):
    """The tags and notes of a session that a reviewer may see."""

    def __init__(self, seen: SeenSession) -> None:
        super().__init__(seen._store)  # noqa: SLF001  # as a session's own
        self._seen = seen

    def remarks(self) -> RemarkSet:
        """Return the tags and notes that may be seen."""
        return self.remarks_for(self._seen.reviewer, self._seen.opinions())

    def tag_history(self) -> list[TagChange]:
        """Return the tags that were given or taken off where that may be seen."""
        return [one for one in super().tag_history() if self._is_visible(one)]

    def note_history(self) -> list[DocumentNote]:
        """Return the notes that were ever written where they may be seen."""
        return [one for one in super().note_history() if self._is_visible(one)]

    def _is_visible(self, one: TagChange | DocumentNote) -> bool:
        is_own = is_same_name(one.reviewer, self._seen.reviewer)
        return is_own or one.document in self._seen.opinions()


def hide_marks(saved: SavedExpansion, seen: Collection[str]) -> SavedExpansion:
    """Return an expansion that tells no mark but those of documents that may be seen.

    What is marked lies on the side that its mark says, wherever the line is; here it lies where its
    rank does, as all that is not marked.
    """
    hidden = {place.id for place in saved.ranking if place.mark and place.id not in seen}
    if not hidden and not _list_hidden(saved.marks, seen):
        return saved
    cut = find_cut(saved)

    def show(place: Place) -> Place:
        if place.id not in hidden:
            return place
        return replace(place, mark=None, decision=place.rank <= cut)

    return replace(saved, ranking=tuple(map(show, saved.ranking)), marks=_keep(saved.marks, seen))


def _list_hidden(marks: Marks, seen: Collection[str]) -> list[str]:
    given = (*marks.relevant, *marks.irrelevant, *marks.maybe)
    return [name for name in given if name not in seen]


def _keep(marks: Marks, seen: Collection[str]) -> Marks:
    relevant, irrelevant, maybe, read = (
        tuple(name for name in names if name in seen)
        for names in (marks.relevant, marks.irrelevant, marks.maybe, marks.read)
    )
    ranks = {name: rank for name, rank in marks.ranks.items() if name in seen}
    return Marks(relevant, irrelevant, maybe, ranks, read)
