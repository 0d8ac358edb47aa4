"""The session: seeds, marks and expansions of one search, in a file that only ever grows.

What was marked is on the disk when `mark` returns, and stays there whatever happens after: a kill,
a full disk, a second process that marks at the same time. Nothing is ever changed or deleted; what
is taken back is a mark too. How the file is kept: `likewise.expansion.sessions.store`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.marks import Label, Mark, Marks, Strategy, find_reading_order
from likewise.expansion.records import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions import tables
from likewise.expansion.sessions.records import (
    Audit,
    Change,
    ChosenTarget,
    ExpansionHead,
    MarkBatch,
    MarkCounts,
    SessionName,
    SessionStart,
    SessionVersion,
    Threshold,
    check_words,
    read_clock,
)
from likewise.expansion.sessions.shelf import ExpansionShelf, find_cut
from likewise.expansion.sessions.store import Store, create_store, open_store
from likewise.expansion.settings import ExpandSettings
from likewise.learn.stopping.target import Target
from likewise.version import __version__


class Session:
    """A session's file, open; to be used in a `with` statement, by one thread.

    >>> import tempfile
    >>> from pathlib import Path
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
        self._shelf = ExpansionShelf(store)

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        library: str,
        fingerprint: str,
        seeds: Sequence[Document],
        settings: ExpandSettings | None = None,
        name: str = "",
    ) -> Self:
        """Create a session's file; one that is there is never overwritten.

        Args:
            path: The file.
            library: Where the library lies; a folder is kept with its whole path.
            fingerprint: What `fingerprint_library` says of the library.
            seeds: The seeds as they were given.
            settings: How to expand, if nothing else is said.
            name: What people call it.
        """
        start = SessionStart(
            likewise=__version__,
            time=read_clock(),
            library=make_absolute(library),
            fingerprint=fingerprint,
            settings=settings or ExpandSettings(),
            seeds=tuple(seeds),
        )

        def begin(connection: sqlite3.Connection) -> None:
            tables.add_start(connection, start)
            tables.add_name(connection, name, time=start.time)

        return cls(create_store(Path(path), begin=begin))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Self:
        """Open a session; raise SessionError if the file is none, or is damaged or too new."""
        return cls(open_store(Path(path), read_only=read_only))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def discard(self) -> None:
        """Close the session and delete its file, if nothing came of it."""
        self.close()
        self.path.unlink(missing_ok=True)

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
        """Let all that is read inside come from one moment, whatever others write meanwhile."""
        return self._store.reading()

    @cached_property
    def start(self) -> SessionStart:
        """What the session began with."""
        with self._store.reading() as connection:
            return tables.read_start(connection, path=self.path)

    @property
    def name(self) -> str:
        """What people call it; "" if nothing was said."""
        with self._store.reading() as connection:
            names = tables.read_names(connection)
        return names[-1].name if names else ""

    def names(self) -> list[SessionName]:
        """Return what it was ever called, the first name first."""
        with self._store.reading() as connection:
            return tables.read_names(connection)

    def rename(self, name: str) -> None:
        """Call it something else."""
        with self._store.writing() as connection:
            tables.add_name(connection, name, time=read_clock())

    @contextmanager
    def writing_together(self) -> Iterator[None]:
        """Write all inside in one transaction: it reaches the disk at the end, or not at all.

        What is written inside is no less whole for it: what fails alone, and is caught, is taken
        back alone.
        """
        try:
            with self._store.writing():
                yield
        except BaseException:
            self._shelf.forget()
            raise

    def version(self) -> SessionVersion:
        """Return the latest numbers, which change when something is added."""
        with self._store.reading() as connection:
            return SessionVersion(
                expansion=tables.find_last_number(connection, "expansions"),
                mark=tables.find_last_number(connection, "marks"),
                threshold=tables.find_last_number(connection, "thresholds"),
                name=tables.find_last_number(connection, "names"),
                audit=tables.find_last_number(connection, "audits"),
                target=tables.find_last_number(connection, "targets"),
            )

    @property
    def library(self) -> str:
        """Where the library lay when it was last used."""
        with self._store.reading() as connection:
            return tables.find_last_library(connection) or self.start.library

    def mark(
        self,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
    ) -> MarkCounts:
        """Label documents, all of them or none; None takes a label back.

        Args:
            labels: The label of each document, by id.
            strategy: By what they were chosen to be looked at, if by anything of ours.
            source: The file that brought the marks, or the name of who gives them.
        """
        check_words(labels.values(), strategy)
        with self._store.writing() as connection:
            marks = {document: tables.find_mark(connection, document) for document in labels}
            before = {document: mark and mark.label for document, mark in marks.items()}
            said = {
                document: label for document, label in labels.items() if label != before[document]
            }
            self._add_marks(connection, said, strategy=strategy, source=source)
        changed = [
            Change(document, was, label)
            for document, label in said.items()
            if (was := before[document]) is not None
        ]
        return MarkCounts(len(said) - len(changed), len(labels) - len(said), tuple(changed))

    def undo(self, ids: Sequence[str] = ()) -> list[Mark]:
        """Take back the labels of documents; without ids, the latest mark that still stands.

        Returns what was taken back; documents that have no label are not in it.
        """
        with self._store.writing() as connection:
            if ids:
                found = [tables.find_mark(connection, document) for document in dict.fromkeys(ids)]
            else:
                found = [tables.find_last_standing(connection)]
            taken = [mark for mark in found if mark]
            self._add_marks(connection, {mark.document: None for mark in taken})
        return taken

    def history(self) -> list[Mark]:
        """Return all marks that were ever given, the first one first."""
        with self._store.reading() as connection:
            return tables.read_history(connection)

    def current(self) -> dict[str, Mark]:
        """Return the latest mark of each document that still has a label, in the order given."""
        with self._store.reading() as connection:
            return {mark.document: mark for mark in tables.read_standing(connection)}

    def marks(self) -> Marks:
        """Return the documents of each label, as it is now."""
        with self.at_one_moment():
            current, order = self.current(), find_reading_order(self.history())
            drawn = {name for audit in self.audits() for name in audit.drawn}
        return Marks.of(
            {document: mark.label for document, mark in current.items() if mark.label},
            ranks={name: mark.rank for name, mark in current.items() if mark.rank is not None},
            read=[name for name in order if name in current and name not in drawn],
        )

    def add_expansion(
        self,
        saved: SavedExpansion,
        *,
        mark: int | None = None,
        library: str = "",
        explanations: Explanations | None = None,
    ) -> int:
        """Add an expansion and return its number, from 1.

        Args:
            saved: The expansion.
            mark: The number of the last mark that it knew; the latest, if not given.
            library: Where the library lies, if that is known.
            explanations: Why its documents have their scores.
        """
        address = make_absolute(library)
        return self._shelf.add(saved, mark=mark, library=address, explanations=explanations)

    def expansion(self, number: int | None = None) -> SavedExpansion | None:
        """Return an expansion by its number, or the latest; None if there is none.

        Its decisions are those of the line where it is by now.
        """
        with self._store.reading() as connection:
            return self._shelf.read_with_line(connection, number)

    def explanations(self, number: int | None = None) -> Explanations | None:
        """Return the explanations of an expansion, or of the latest; None if they were not kept."""
        with self._store.reading() as connection:
            return self._shelf.read_explanations(connection, number)

    def expansions(self) -> list[ExpansionHead]:
        """Return what is known of each expansion, the first one first."""
        with self._store.reading() as connection:
            return tables.read_heads(connection)

    def move_threshold(self, decided: int | None) -> None:
        """Move the line through the latest expansion; raise SessionError if there is none.

        Args:
            decided: The rank below which it is to lie, at most the last one; None for back to where
                it was learned.
        """
        self._shelf.move_line(decided)

    def thresholds(self) -> list[Threshold]:
        """Return every line that was moved, the first one first."""
        with self._store.reading() as connection:
            return tables.read_thresholds(connection)

    def cut(self, number: int | None = None) -> int:
        """Return the rank below which the line of an expansion lies; 0 if there is none."""
        return find_cut(self.expansion(number))

    def original_cut(self, number: int | None = None) -> int:
        """Return the rank below which the learner drew the line; 0 if there is no expansion."""
        with self._store.reading() as connection:
            return find_cut(self._shelf.read_learned(connection, number))

    def add_audit(self, ids: Sequence[str], *, population: Sequence[str]) -> Audit:
        """Add a random sample that was drawn from a population, to be looked at."""
        if not ids or not set(ids) <= set(population):
            raise SessionError("an audit is drawn from its population; draw it again")
        with self._store.writing() as connection:
            audit = Audit(
                number=tables.find_last_number(connection, "audits") + 1,
                time=read_clock(),
                expansion=tables.find_last_number(connection, "expansions"),
                drawn=tuple(ids),
                population=tuple(population),
            )
            tables.add_audit(connection, audit)
        return audit

    def audits(self) -> list[Audit]:
        """Return the audits, the first one first."""
        with self._store.reading() as connection:
            return tables.read_audits(connection, path=self.path)

    def target(self) -> Target | None:
        """Return the target that was chosen last; None if none ever was."""
        with self._store.reading() as connection:
            return tables.find_target(connection)

    def choose_target(self, target: Target) -> None:
        """Keep a target; raise SettingsError if it can't be reached, or says nothing."""
        target.check()
        with self._store.writing() as connection:
            tables.add_target(connection, target, time=read_clock())

    def targets(self) -> list[ChosenTarget]:
        """Return every target that was chosen, the first one first."""
        with self._store.reading() as connection:
            return tables.read_targets(connection)

    def _add_marks(
        self,
        connection: sqlite3.Connection,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
    ) -> None:
        """Add a mark for each label, with the rank and the probability that its document has."""
        batch = MarkBatch(
            first=tables.find_last_number(connection, "marks") + 1,
            time=read_clock(),
            expansion=tables.find_last_number(connection, "expansions"),
            places=self._shelf.index_places(connection) if labels else {},
            audits=tables.find_audits(connection, labels),
            strategy=strategy,
            source=source,
        )
        tables.add_marks(connection, batch.make_marks(labels))


def make_absolute(library: str) -> str:
    """Return where a library lies so that it is found from other folders too."""
    return library if not library or "://" in library else str(Path(library).absolute())
