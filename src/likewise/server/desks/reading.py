"""Reading a session, with a cache of answers and of the texts of pools."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from likewise.expansion.cuts import Curve, trace_curve
from likewise.expansion.display import Highlighter
from likewise.expansion.marks import Mark, show_marks
from likewise.expansion.records import Explanations
from likewise.expansion.saved import Changes, compare_expansions
from likewise.expansion.searching import FilteredText, ListFilter, parse_filter
from likewise.expansion.seeds import Seeds, match_seeds
from likewise.expansion.sessions.agreement import SeenSession
from likewise.expansion.sessions.reasons import make_key
from likewise.expansion.sessions.records import SessionLook, SessionVersion
from likewise.expansion.sessions.review_notes import RemarkSet
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import Status, read_status
from likewise.learn.estimates import Target
from likewise.library.protocol import Library
from likewise.server.desks.state import (
    RankedPool,
    RankedRow,
    SessionState,
    Sorting,
    View,
    sort_rows,
)
from likewise.server.failures import NoExpansion, NothingBefore

T = TypeVar("T")

MOST_ANSWERS = 32
"""How many answers are kept; each reviewer has some of their own."""
MOST_MOVES = 10
"""How many documents are listed of those that rose the most, and of those that fell the most."""
MOST_POOLS = 2
"""How many pools have their texts kept."""
BATCH = 1_000


class SessionReader:
    """A session that is read by one thread; other processes may add to it meanwhile."""

    def __init__(
        self, session: Session, *, library: Library, texts: Texts, library_id: str = ""
    ) -> None:
        self.session = session
        self.library = library
        self.library_id = library_id
        self.highlighter = Highlighter(lambda words: library.analyze_all("abstract", words))
        self._texts = texts
        self.last: SessionState | None = None
        """The state of the session at the last look."""
        self._edition = 0  # of the library
        self._answers: OrderedDict[Hashable, object] = OrderedDict()

    @property
    def identifier(self) -> str:
        """The session's id."""
        return self.session.path.stem

    @property
    def state(self) -> SessionState:
        """The state of the session at the last look."""
        return self.last or self.look()

    def look(self) -> SessionState:
        """Return the state of the session now; all answers describe it until the next look.

        Another process may add to the session while an answer is made. The parts of an answer must
        fit together nonetheless, and the answer is kept for one version.
        """
        self._edition = self.library.refresh()
        if self.last is None or self.session.version() != self.last.version:
            self.last = self._read_state()
        return self.last

    def get_pool(self) -> RankedPool:
        """Return the latest expansion; raise NoExpansion if there is none."""
        if self.state.pool is None:
            raise NoExpansion(self.identifier)
        return self.state.pool

    def find_rows(
        self, view: View, words: str, sorting: Sorting = "rank", *, reviewer: str = ""
    ) -> Sequence[RankedRow]:
        """Return the documents of a view that a filter keeps, as a reviewer may see it, sorted."""
        pool, version = self.get_pool(), (self.state.version, self._edition)
        spelled = " ".join(words.split())

        def find() -> Sequence[RankedRow]:
            rows: Sequence[RankedRow] = pool.select_rows(view, self.show_marks(reviewer))
            if not spelled and sorting == "rank":
                return rows
            key = PoolKey(self.identifier, pool.number, self._edition)
            texts = self._texts.read([row.id for row in rows], pool=key)
            if spelled:
                wanted, look_up = self.read_filter(spelled), self._add_remarks(texts, reviewer)
                rows = [row for row in rows if wanted.keeps(look_up(row.id))]
            return sort_rows(rows, sorting, texts=texts)

        return self._remember(("rows", version, view, spelled, sorting, make_key(reviewer)), find)

    def count_values(self) -> ListedValues:
        """Return the years, sources and types that the list can be limited to."""
        pool = self.get_pool()
        key = PoolKey(self.identifier, pool.number, self._edition)

        def count() -> ListedValues:
            ids = [row.id for row in pool.rows]
            texts = self._texts.read(ids, pool=key)
            listed = [texts[name] for name in ids]
            return ListedValues(
                years=Counter(one.year for one in listed if one.year is not None),
                sources=Counter(one.source for one in listed if one.source),
                types=Counter(kind for one in listed for kind in one.types.splitlines()),
            )

        return self._remember(("values", key), count)

    def read_filter(self, words: str) -> ListFilter:
        """Return the filter that the words stand for."""
        return self._remember(("filter", words), lambda: parse_filter(words))

    def show_marks(self, reviewer: str) -> dict[str, Mark]:
        """Return the mark of each document that a reviewer may see."""
        key = ("marks", self.state.version, make_key(reviewer))
        return self._remember(key, lambda: show_marks(self.state.opinions, reviewer))

    def find_new(self, reviewer: str) -> dict[str, str]:
        """Return the documents that are new to a reviewer, each with the time when it was found."""
        marks = self.show_marks(reviewer)
        found = ((find.id, look.time) for look in self.find_looks() for find in look.content.finds)
        return {name: time for name, time in found if name not in marks}

    def find_looks(self) -> list[SessionLook]:
        """Return the looks for what is new, the oldest first."""
        return self._remember(("looks", self.state.version.look), self.session.looks)

    def find_remarks(self, reviewer: str) -> RemarkSet:
        """Return the tags and notes that a reviewer may see."""
        key = ("remarks", self.state.version, make_key(reviewer))
        review, opinions = self.session.review, self.state.opinions
        return self._remember(key, lambda: review.remarks_for(reviewer, opinions))

    def _add_remarks(
        self, texts: Mapping[str, FilteredText], reviewer: str
    ) -> Callable[[str], FilteredText]:
        """Return a function that looks up texts, with the remarks that a reviewer may see."""
        remarks, marks = self.find_remarks(reviewer), self.show_marks(reviewer)
        new = self.find_new(reviewer)

        def look_up(name: str) -> FilteredText:
            reason = marks[name].reason if name in marks else ""
            notes = remarks.describe_notes(name)
            text = texts[name].add_state("new") if name in new else texts[name]
            return text.add_remarks(remarks.tags.get(name, ()), reason, notes)

        return look_up

    def see_as(self, viewer: str | None) -> Session:
        """Return the session as a viewer may see it, or all of it for None; only for reading."""
        return self.session if viewer is None else SeenSession(self.session, viewer)

    def find_decisions(self, viewer: str | None) -> dict[str, Mark]:
        """Return the mark that counts for each document whose marks a viewer may see."""
        if viewer is None:
            return self.state.marks
        key = ("decisions", self.state.version, make_key(viewer))
        return self._remember(key, self.see_as(viewer).current)

    def find_status(self, target: Target, *, viewer: str | None = None) -> Status:
        """Return where the session stands for a viewer, and what to do to reach a target."""
        self.get_pool()
        key = ("status", self.state.version, target, viewer and make_key(viewer))
        return self._remember(key, lambda: read_status(self.see_as(viewer), target=target))

    def find_curve(self, viewer: str | None = None) -> Curve:
        """Return expected precision and recall along the ranking, given the current marks."""
        pool, marks = self.get_pool(), self.find_decisions(viewer)
        key = ("curve", self.state.version, viewer and make_key(viewer))
        labels = {name: mark.label for name, mark in marks.items() if mark.label}
        return self._remember(key, lambda: trace_curve(pool.saved, labels))

    def find_changes(self) -> Changes:
        """Return what the latest expansion changed from the one before; raise NothingBefore.

        Both are compared as they were learned: a line that somebody moved does not count.
        """
        state = self.state
        if state.pool is None or len(state.heads) < 2:
            raise NothingBefore(self.identifier)

        def compare() -> Changes:
            before, latest = (
                self.session.expansion(head.number, as_learned=True) for head in state.heads[-2:]
            )
            assert before, "an expansion is never taken back"  # noqa: S101
            assert latest, "nor is this one"  # noqa: S101
            return compare_expansions(before, latest, most=MOST_MOVES)

        return self._remember(("changes", state.version.expansion), compare)

    def find_explanations(self) -> Explanations | None:
        """Return why documents of the latest expansion are where they are, if that was kept."""
        number = self.get_pool().number
        return self._remember(("explanations", number), lambda: self.session.explanations(number))

    def match_seeds(self) -> Seeds:
        """Return the seeds as the library has them now."""
        key, given = ("seeds", self._edition, self.library.count()), self.session.start.seeds
        return self._remember(key, lambda: match_seeds(self.library, given))

    def _read_state(self) -> SessionState:
        with self.session.at_one_moment():
            version = self.session.version()
            return SessionState(
                version=version,
                name=self.session.name or self.identifier,
                heads=self.session.expansions(),
                opinions=self.session.opinions(),
                pool=self._arrange_pool(version),
                target=self.session.target(),
            )

    def _arrange_pool(self, version: SessionVersion) -> RankedPool | None:
        """Arrange the latest expansion, unless neither it nor its line has changed."""
        before = self.last
        if before and (before.version.expansion, before.version.threshold) == (
            version.expansion,
            version.threshold,
        ):
            return before.pool
        saved, learned = self.session.expansion(), self.session.original_cut()
        return RankedPool(version.expansion, saved, learned=learned) if saved else None

    def _remember(self, key: Hashable, answer: Callable[[], T]) -> T:
        """Return the answer that is kept for a key; if there is none, find it and keep it."""
        if key not in self._answers:
            self._answers[key] = answer()
            while len(self._answers) > MOST_ANSWERS:
                self._answers.popitem(last=False)
        self._answers.move_to_end(key)
        return self._answers[key]  # type: ignore[return-value]


class ListedValues(NamedTuple):
    """How many documents of a list have each year, source and type, as filters see them."""

    years: Counter[int]
    sources: Counter[str]
    types: Counter[str]


class PoolKey(NamedTuple):
    """The expansion whose texts are kept."""

    session: str
    expansion: int
    edition: int = 0
    """The edition of the library that they were read from."""


class Texts:
    """The texts that filters look at; those of the last two pools are kept."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._kept: OrderedDict[PoolKey, dict[str, FilteredText]] = OrderedDict()

    def read(self, ids: Sequence[str], *, pool: PoolKey) -> dict[str, FilteredText]:
        """Return the texts of documents, and perhaps of others in their pool, by their ids.

        Args:
            ids: The documents; those that the library does not hold have an empty text.
            pool: The expansion that they belong to.
        """
        with self._lock:
            texts = self._kept.setdefault(pool, {})
            self._kept.move_to_end(pool)
            while len(self._kept) > MOST_POOLS:
                self._kept.popitem(last=False)
        # Only one thread reads a pool, so nobody else adds to its texts.
        texts |= self._read([identifier for identifier in ids if identifier not in texts])
        return texts

    def _read(self, ids: Sequence[str]) -> dict[str, FilteredText]:
        found = dict.fromkeys(ids, FilteredText(""))
        for start in range(0, len(ids), BATCH):
            for document in self._library.get(ids[start : start + BATCH]):
                found[document.id] = FilteredText.of(document)
        return found
