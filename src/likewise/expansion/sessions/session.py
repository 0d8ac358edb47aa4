"""The session: seeds, marks and expansions of one search, in a file that only ever grows.

What was marked is on the disk when `mark` returns, and stays there whatever happens after: a kill,
a full disk, a second process that marks at the same time. Nothing is ever changed or deleted; what
is taken back is a mark too. How the file is kept: `likewise.expansion.sessions.store`.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from likewise import __version__
from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.marks import LABELS, STRATEGIES, Marks
from likewise.expansion.sessions import audit_rows, expansion_rows, mark_rows
from likewise.expansion.sessions.clock import now
from likewise.expansion.sessions.entries import Audit, Change, ExpansionHead, Marked, Start
from likewise.expansion.sessions.given import Given
from likewise.expansion.sessions.packing import packed, unpacked
from likewise.expansion.sessions.store import new_store, opened_store
from likewise.expansion.settings import ExpandSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from likewise.expansion.marks import Label, Mark, Strategy
    from likewise.expansion.saved import SavedExpansion
    from likewise.expansion.sessions.store import Store


class Session:
    """A session's file, open; to be used in a `with` statement, by one thread.

    >>> import tempfile
    >>> from likewise.documents import Document
    >>> folder = tempfile.TemporaryDirectory()
    >>> seeds = [Document(id="1", title="On cats")]
    >>> path = Path(folder.name, "cats.likewise")
    >>> with Session.create(path, library="lib", fingerprint="", seeds=seeds) as session:
    ...     session.mark({"7": "relevant", "8": "irrelevant"}).new
    ...     session.undo()[0].document
    ...     session.marks().relevant
    2
    '8'
    ('7',)
    >>> folder.cleanup()
    """

    def __init__(self, store: Store) -> None:
        self.path = store.path
        self._store = store
        self._latest: tuple[int, SavedExpansion] | None = None

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        library: str,
        fingerprint: str,
        seeds: Sequence[Document],
        settings: ExpandSettings | None = None,
    ) -> Session:
        """Make a session; a file that is there is never written over.

        Args:
            path: The file.
            library: Where the library lies; a folder is kept with its whole path.
            fingerprint: What `library_fingerprint` says of the library.
            seeds: The seeds as they were given.
            settings: How to expand, if nothing else is said.
        """
        row = (
            *(1, __version__, now(), whole_address(library), fingerprint),
            *(packed(settings or ExpandSettings()), packed(tuple(seeds))),
        )
        begin = "INSERT INTO start VALUES (?, ?, ?, ?, ?, ?, ?)"
        return cls(new_store(Path(path), begin=lambda connection: connection.execute(begin, row)))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Session:
        """Open a session; raise SessionError if the file is none, or is damaged or too new."""
        return cls(opened_store(Path(path), read_only=read_only))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def at_one_moment(self) -> AbstractContextManager[sqlite3.Connection]:
        """Let all that is read inside be of the same moment, whatever others write meanwhile."""
        return self._store.reading()

    @cached_property
    def start(self) -> Start:
        """What the session began with."""
        with self._store.reading() as connection:
            _, *texts, settings, seeds = connection.execute("SELECT * FROM start").fetchone()
        version, time, library, fingerprint = texts
        return Start(
            likewise=version,
            time=time,
            library=library,
            fingerprint=fingerprint,
            settings=unpacked(settings, ExpandSettings, path=self.path),
            seeds=unpacked(seeds, tuple[Document, ...], path=self.path),
        )

    @property
    def library(self) -> str:
        """Where the library lay when it was last used."""
        with self._store.reading() as connection:
            return expansion_rows.last_library(connection) or self.start.library

    def mark(
        self,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
    ) -> Marked:
        """Say of documents what they are, all or none; None takes back what was said.

        Args:
            labels: The label of each document, by id.
            strategy: By what they were chosen to be looked at, if by anything of ours.
            source: The file that brought the marks, or the name of who gives them.
        """
        _check_words(labels.values(), strategy)
        with self._store.writing() as connection:
            before = {document: mark_rows.label_now(connection, document) for document in labels}
            said = {
                document: label for document, label in labels.items() if label != before[document]
            }
            self._add(connection, said, strategy=strategy, source=source)
        changed = [
            Change(document, was, label)
            for document, label in said.items()
            if (was := before[document]) is not None
        ]
        return Marked(len(said) - len(changed), len(labels) - len(said), tuple(changed))

    def undo(self, ids: Sequence[str] = ()) -> list[Mark]:
        """Take back the labels of documents; without ids, the latest mark that still stands.

        Returns what was taken back; documents that have no label are not in it.
        """
        with self._store.writing() as connection:
            standing = {mark.document: mark for mark in mark_rows.standing_marks(connection)}
            chosen = dict.fromkeys(ids or list(standing)[-1:])
            taken = [standing[document] for document in chosen if document in standing]
            self._add(connection, {mark.document: None for mark in taken})
        return taken

    def history(self) -> list[Mark]:
        """Return everything that was ever said, in the order in which it was."""
        with self._store.reading() as connection:
            return mark_rows.all_marks(connection)

    def current(self) -> dict[str, Mark]:
        """Return the latest mark of each document that still has a label, in the order given."""
        with self._store.reading() as connection:
            return {mark.document: mark for mark in mark_rows.standing_marks(connection)}

    def marks(self) -> Marks:
        """Return which documents have which label by now."""
        current = self.current().items()
        return Marks.of(
            {document: mark.label for document, mark in current if mark.label},
            ranks={document: mark.rank for document, mark in current if mark.rank is not None},
        )

    def add_expansion(
        self, saved: SavedExpansion, *, mark: int | None = None, library: str = ""
    ) -> int:
        """Add an expansion and return its number, from 1.

        Args:
            saved: The expansion.
            mark: The number of the last mark that it knew; the latest, if not given.
            library: Where the library lies, if that is known.
        """
        pool = [place.decision for place in saved.ranking if not place.seed]
        content = packed(saved)
        with self._store.writing() as connection:
            head = ExpansionHead(
                number=expansion_rows.last_number(connection) + 1,
                time=now(),
                mark=mark_rows.last_number(connection) if mark is None else mark,
                pool=len(pool),
                decided=sum(pool),
            )
            address = whole_address(library)
            expansion_rows.add_expansion(connection, head, library=address, content=content)
        self._latest = head.number, saved
        return head.number

    def expansion(self, number: int | None = None) -> SavedExpansion | None:
        """Return an expansion by its number, or the latest; None if there is none."""
        with self._store.reading() as connection:
            latest = expansion_rows.last_number(connection)
            if number is None or number == latest:
                return self._latest_expansion(connection)
            return expansion_rows.expansion_numbered(connection, number, path=self.path)

    def expansions(self) -> list[ExpansionHead]:
        """Return what is known of each expansion, the first one first."""
        with self._store.reading() as connection:
            return expansion_rows.all_heads(connection)

    def add_audit(self, ids: Sequence[str], *, population: Sequence[str]) -> Audit:
        """Add a random sample that was drawn from a population, to be looked at."""
        if not ids or not set(ids) <= set(population):
            raise SessionError("an audit is drawn from its population; draw it again")
        with self._store.writing() as connection:
            audit = Audit(
                number=audit_rows.next_number(connection),
                time=now(),
                expansion=expansion_rows.last_number(connection),
                drawn=tuple(ids),
                population=tuple(population),
            )
            audit_rows.add_audit(connection, audit)
        return audit

    def audits(self) -> list[Audit]:
        """Return the audits, the first one first."""
        with self._store.reading() as connection:
            return audit_rows.all_audits(connection, path=self.path)

    def _add(
        self,
        connection: sqlite3.Connection,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
    ) -> None:
        """Add a mark for each label, with where its document stands."""
        saved = self._latest_expansion(connection) if labels else None
        ranking = saved.ranking if saved else ()
        given = Given(
            first=mark_rows.last_number(connection) + 1,
            time=now(),
            expansion=expansion_rows.last_number(connection),
            places={place.id: place for place in ranking if place.id in labels},
            audits=audit_rows.audits_of(connection, labels),
            strategy=strategy,
            source=source,
        )
        mark_rows.add_marks(connection, given.marks(labels))

    def _latest_expansion(self, connection: sqlite3.Connection) -> SavedExpansion | None:
        """Return the latest expansion, which is asked for again and again, and so is kept."""
        number = expansion_rows.last_number(connection)
        if self._latest is None or self._latest[0] != number:
            saved = expansion_rows.expansion_numbered(connection, number, path=self.path)
            self._latest = None if saved is None else (number, saved)
        return self._latest and self._latest[1]


def whole_address(library: str) -> str:
    """Return where a library lies so that it is found from other folders too."""
    return library if not library or "://" in library else str(Path(library).absolute())


def _check_words(labels: Iterable[Label | None], strategy: Strategy | None) -> None:
    for label in set(labels):
        if label is not None and label not in LABELS:
            raise SessionError(f"no label {label!r}; use one of: {', '.join(LABELS)}")
    if strategy is not None and strategy not in STRATEGIES:
        raise SessionError(f"no strategy {strategy!r}; use one of: {', '.join(STRATEGIES)}")
