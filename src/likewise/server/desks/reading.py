"""Reading a session: every answer is kept until something changes it, and so are the texts of pools."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

from likewise.documents import Document
from likewise.expansion.cuts import Curve, trace_curve
from likewise.expansion.display import Highlighter
from likewise.expansion.records import Explanations
from likewise.expansion.saved import Changes, compare_expansions
from likewise.expansion.seeds import Seeds, match_seeds
from likewise.expansion.sessions.records import SessionVersion
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import Status, read_status
from likewise.learn.stopping.target import Target
from likewise.library.protocol import Library
from likewise.server.desks.state import RankedPool, RankedRow, SessionState
from likewise.server.failures import NoExpansion, NothingBefore
from likewise.server.models.rankings import View

T = TypeVar("T")

MOST_KEPT = 16
MOST_MOVES = 10
"""How many documents are told that rose the most, and that fell."""


MOST_POOLS = 2
BATCH = 1_000


class SessionReader:
    """A session that is read by one thread; other processes may add to it meanwhile."""

    def __init__(self, session: Session, *, library: Library, texts: Texts) -> None:
        self.session = session
        self.library = library
        self.highlighter = Highlighter(lambda words: library.analyze_all("abstract", words))
        self._texts = texts
        self.last: SessionState | None = None
        """How the session stood at the last look."""
        self._answers: OrderedDict[Hashable, object] = OrderedDict()

    @property
    def identifier(self) -> str:
        """The session's id."""
        return self.session.path.stem

    def look(self) -> SessionState:
        """Return how the session stands now; until the next look, answers are of this moment.

        Another process may add to it while an answer is made, whose parts must fit together, and
        which is kept as the answer of one version.
        """
        if self.last is None or self.session.version() != self.last.version:
            self.last = self._read_state()
        return self.last

    def standing(self) -> SessionState:
        """Return how the session stood at the last look."""
        return self.last or self.look()

    def ranked(self) -> RankedPool:
        """Return the latest expansion; raise NoExpansion if there is none."""
        ranked = self.standing().ranked
        if ranked is None:
            raise NoExpansion(self.identifier)
        return ranked

    def rows(self, view: View, words: str) -> Sequence[RankedRow]:
        """Return the documents of a view that have all of the words."""
        ranked, standing = self.ranked(), self.standing()
        spelled = " ".join(words.casefold().split())

        def found() -> Sequence[RankedRow]:
            rows = ranked.select_rows(view, standing.marks)
            if not spelled:
                return rows
            ids = [row.id for row in rows]
            having = self._texts.having(spelled, ids, pool=PoolKey(self.identifier, ranked.number))
            return [row for row in rows if row.id in having]

        return self._kept(("rows", standing.version, view, spelled), found)

    def status(self, target: Target) -> Status:
        """Return where the session stands, and what to do to reach a target."""
        self.ranked()
        key = ("status", self.standing().version, target)
        return self._kept(key, lambda: read_status(self.session, target=target))

    def curve(self) -> Curve:
        """Return expected precision and recall along the ranking, by the marks of now."""
        ranked, standing = self.ranked(), self.standing()
        key = ("curve", standing.version)
        return self._kept(key, lambda: trace_curve(ranked.saved, standing.labels))

    def changes(self) -> Changes:
        """Return what the latest expansion says otherwise than the one before it."""
        standing = self.standing()
        if standing.ranked is None or len(standing.heads) < 2:
            raise NothingBefore(self.identifier)
        latest = standing.ranked.saved

        def compared() -> Changes:
            before = self.session.expansion(standing.heads[-2].number)
            assert before is not None, "an expansion is never taken back"  # noqa: S101
            return compare_expansions(before, latest, most=MOST_MOVES)

        return self._kept(("changes", standing.version), compared)

    def explanations(self) -> Explanations | None:
        """Return why documents of the latest expansion are where they are."""
        number = self.ranked().number
        return self._kept(("explanations", number), lambda: self.session.explanations(number))

    def match_seeds(self) -> Seeds:
        """Return the seeds as the library has them now."""
        given = self.session.start.seeds
        return self._kept(("seeds", self.library.count()), lambda: match_seeds(self.library, given))

    def _read_state(self) -> SessionState:
        with self.session.at_one_moment():
            version = self.session.version()
            return SessionState(
                version,
                name=self.session.name or self.identifier,
                heads=self.session.expansions(),
                marks=self.session.current(),
                ranked=self._ranked(version),
                target=self.session.target(),
            )

    def _ranked(self, version: SessionVersion) -> RankedPool | None:
        """Arrange the latest expansion, unless it is arranged already."""
        before = self.last
        if before and _ranking_version(before.version) == _ranking_version(version):
            return before.ranked
        saved, learned = self.session.expansion(), self.session.original_cut()
        return RankedPool(version.expansion, saved, learned=learned) if saved else None

    def _kept(self, key: Hashable, answer: Callable[[], T]) -> T:
        """Return an answer that was given before, or give it."""
        if key not in self._answers:
            self._answers[key] = answer()
            while len(self._answers) > MOST_KEPT:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]  # type: ignore[return-value]


def _ranking_version(version: SessionVersion) -> tuple[int, int]:
    """Return what a ranking, and the line through it, change with."""
    return version.expansion, version.threshold


class PoolKey(NamedTuple):
    """Whose texts they are."""

    session: str
    expansion: int


class Texts:
    """What documents say; what was read for the two latest pools is kept."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._kept: OrderedDict[PoolKey, dict[str, str]] = OrderedDict()

    def having(self, words: str, ids: Sequence[str], *, pool: PoolKey) -> set[str]:
        """Return which documents have all of the words, whatever their case, or as parts of words.

        Args:
            words: What to look for in title, abstract, authors, journal and year.
            ids: Of the documents to look into.
            pool: What they are of.
        """
        texts = self._texts(ids, pool=pool)
        found = list(dict.fromkeys(ids))
        for word in words.casefold().split():
            found = [identifier for identifier in found if word in texts[identifier]]
        return set(found)

    def _texts(self, ids: Sequence[str], *, pool: PoolKey) -> dict[str, str]:
        with self._lock:
            texts = self._kept.setdefault(pool, {})
            self._kept.move_to_end(pool)
            while len(self._kept) > MOST_POOLS:
                self._kept.popitem(last=False)
        # A pool is read by one thread, so that nobody else adds to its texts.
        texts |= self._read([identifier for identifier in ids if identifier not in texts])
        return texts

    def _read(self, ids: Sequence[str]) -> dict[str, str]:
        found = dict.fromkeys(ids, "")
        for start in range(0, len(ids), BATCH):
            for document in self._library.get(ids[start : start + BATCH]):
                found[document.id] = join_texts(document)
        return found


def join_texts(document: Document) -> str:
    r"""Return what of a document is looked into.

    >>> from likewise.documents import Document
    >>> searched(Document(title="On Cats", year=1999, authors=("Li, X", "Wu, Y")))
    'on cats\n\nli, x\nwu, y\n\n1999'
    """
    authors = "\n".join(document.authors)
    year = "" if document.year is None else document.year
    parts = (document.title, document.abstract, authors, document.journal, year)
    return "\n".join(map(str, parts)).casefold()
