"""Reading: what is asked of a session, each answer kept until something changes it."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar

from likewise.expansion.changes import changes_between
from likewise.expansion.curve import curve_of
from likewise.expansion.highlight import Highlighter
from likewise.expansion.seeds import match_seeds
from likewise.expansion.sessions.status import status_of
from likewise.server.desks.ranked import Ranked
from likewise.server.desks.refusals import NoExpansion, NothingBefore
from likewise.server.desks.standing import Standing
from likewise.server.desks.texts import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from likewise.expansion.changes import Changes
    from likewise.expansion.curve import Curve
    from likewise.expansion.explanations import Explanations
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.sessions.entries import Version
    from likewise.expansion.sessions.session import Session
    from likewise.expansion.sessions.status import Status
    from likewise.learn.stopping.target import Target
    from likewise.library.protocol import Library
    from likewise.server.desks.ranked import Row
    from likewise.server.desks.texts import Texts
    from likewise.server.models.rankings import View

T = TypeVar("T")

MOST_KEPT = 16
MOST_MOVES = 10
"""How many documents are told that rose the most, and that fell."""


class Reading:
    """A session that is read by one thread; other processes may add to it meanwhile."""

    def __init__(self, session: Session, *, library: Library, texts: Texts) -> None:
        self.session = session
        self.library = library
        self.highlighter = Highlighter(lambda words: library.analyze_all("abstract", words))
        self._texts = texts
        self.last: Standing | None = None
        """How the session stood at the last look."""
        self._answers: OrderedDict[Hashable, object] = OrderedDict()

    @property
    def identifier(self) -> str:
        """The session's id."""
        return self.session.path.stem

    def look(self) -> Standing:
        """Return how the session stands now; until the next look, answers are of this moment.

        Another process may add to it while an answer is made, whose parts must fit together, and
        which is kept as the answer of one version.
        """
        if self.last is None or self.session.version() != self.last.version:
            self.last = self._stands()
        return self.last

    def standing(self) -> Standing:
        """Return how the session stood at the last look."""
        return self.last or self.look()

    def ranked(self) -> Ranked:
        """Return the latest expansion; raise NoExpansion if there is none."""
        ranked = self.standing().ranked
        if ranked is None:
            raise NoExpansion(self.identifier)
        return ranked

    def rows(self, view: View, words: str) -> Sequence[Row]:
        """Return the documents of a view that have all of the words."""
        ranked, standing = self.ranked(), self.standing()
        spelled = " ".join(words.casefold().split())

        def found() -> Sequence[Row]:
            rows = ranked.viewed(view, standing.marks)
            if not spelled:
                return rows
            ids = [row.id for row in rows]
            having = self._texts.having(spelled, ids, pool=Pool(self.identifier, ranked.number))
            return [row for row in rows if row.id in having]

        return self._kept(("rows", standing.version, view, spelled), found)

    def status(self, target: Target) -> Status:
        """Return where the session stands, and what to do to reach a target."""
        self.ranked()
        key = ("status", self.standing().version, target)
        return self._kept(key, lambda: status_of(self.session, target=target))

    def curve(self) -> Curve:
        """Return expected precision and recall along the ranking, by the marks of now."""
        ranked, standing = self.ranked(), self.standing()
        key = ("curve", standing.version)
        return self._kept(key, lambda: curve_of(ranked.saved, standing.labels))

    def changes(self) -> Changes:
        """Return what the latest expansion says otherwise than the one before it."""
        standing = self.standing()
        if standing.ranked is None or len(standing.heads) < 2:
            raise NothingBefore(self.identifier)
        latest = standing.ranked.saved

        def compared() -> Changes:
            before = self.session.expansion(standing.heads[-2].number)
            assert before is not None, "an expansion is never taken back"  # noqa: S101
            return changes_between(before, latest, most=MOST_MOVES)

        return self._kept(("changes", standing.version), compared)

    def explanations(self) -> Explanations | None:
        """Return why documents of the latest expansion are where they are."""
        number = self.ranked().number
        return self._kept(("explanations", number), lambda: self.session.explanations(number))

    def matched_seeds(self) -> Seeds:
        """Return the seeds as the library has them now."""
        given = self.session.start.seeds
        return self._kept(("seeds", self.library.count()), lambda: match_seeds(self.library, given))

    def _stands(self) -> Standing:
        with self.session.at_one_moment():
            version = self.session.version()
            return Standing(
                version,
                name=self.session.name or self.identifier,
                heads=self.session.expansions(),
                marks=self.session.current(),
                ranked=self._ranked(version),
                target=self.session.target(),
            )

    def _ranked(self, version: Version) -> Ranked | None:
        """Arrange the latest expansion, unless it is arranged already."""
        before = self.last
        if before and _lines(before.version) == _lines(version):
            return before.ranked
        saved, learned = self.session.expansion(), self.session.learned_cut()
        return Ranked(version.expansion, saved, learned=learned) if saved else None

    def _kept(self, key: Hashable, answer: Callable[[], T]) -> T:
        """Return an answer that was given before, or give it."""
        if key not in self._answers:
            self._answers[key] = answer()
            while len(self._answers) > MOST_KEPT:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]  # type: ignore[return-value]


def _lines(version: Version) -> tuple[int, int]:
    """Return what a ranking, and the line through it, change with."""
    return version.expansion, version.threshold
