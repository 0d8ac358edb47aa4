"""The session: seeds, marks and expansions of one search, in a file that only ever grows.

What was marked is on the disk when `mark` returns, and stays there whatever happens after: a kill,
a full disk, a second process that marks at the same time. Nothing is ever changed or deleted; what
is taken back is a mark too. How the file is kept: `likewise.expansion.sessions.store`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from likewise.errors import SessionError
from likewise.expansion.marks import Marks, reading_order
from likewise.expansion.sessions import (
    audit_rows,
    expansion_rows,
    mark_rows,
    name_rows,
    target_rows,
    threshold_rows,
)
from likewise.expansion.sessions.clock import now
from likewise.expansion.sessions.entries import Audit, Change, Marked, Version
from likewise.expansion.sessions.given import Given, check_words
from likewise.expansion.sessions.session_file import SessionFile, whole_address
from likewise.expansion.sessions.shelf import Shelf

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from likewise.expansion.explanations import Explanations
    from likewise.expansion.marks import Label, Mark, Strategy
    from likewise.expansion.saved import SavedExpansion
    from likewise.expansion.sessions.entries import ChosenTarget, ExpansionHead, Threshold
    from likewise.expansion.sessions.store import Store
    from likewise.learn.stopping.target import Target


class Session(SessionFile):
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
        super().__init__(store)
        self._shelf = Shelf(store)

    @contextmanager
    def writing_together(self) -> Iterator[None]:
        """Let all that is written inside reach the disk at once, when it ends; or none of it.

        What is written inside is no less whole for it: what fails alone, and is caught, is taken
        back alone.
        """
        try:
            with self._store.writing():
                yield
        except BaseException:
            self._shelf.forget()
            raise

    def version(self) -> Version:
        """Return what says, without reading the rest, whether anything was added."""
        with self._store.reading() as connection:
            return Version(
                expansion=expansion_rows.last_number(connection),
                mark=mark_rows.last_number(connection),
                threshold=threshold_rows.last_number(connection),
                name=name_rows.last_number(connection),
                audit=audit_rows.last_number(connection),
                target=target_rows.last_number(connection),
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
        check_words(labels.values(), strategy)
        with self._store.writing() as connection:
            marks = {document: mark_rows.mark_of(connection, document) for document in labels}
            before = {document: mark and mark.label for document, mark in marks.items()}
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
            if ids:
                found = [mark_rows.mark_of(connection, document) for document in dict.fromkeys(ids)]
            else:
                found = [mark_rows.last_standing(connection)]
            taken = [mark for mark in found if mark]
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
        with self.at_one_moment():
            current, order = self.current(), reading_order(self.history())
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
        address = whole_address(library)
        return self._shelf.add(saved, mark=mark, library=address, explanations=explanations)

    def expansion(self, number: int | None = None) -> SavedExpansion | None:
        """Return an expansion by its number, or the latest; None if there is none.

        Its decisions are those of the line where it is by now.
        """
        with self._store.reading() as connection:
            return self._shelf.with_line(connection, number)

    def explanations(self, number: int | None = None) -> Explanations | None:
        """Return why documents of an expansion stand where they do; None if it was not kept."""
        with self._store.reading() as connection:
            return self._shelf.explanations(connection, number)

    def expansions(self) -> list[ExpansionHead]:
        """Return what is known of each expansion, the first one first."""
        with self._store.reading() as connection:
            return expansion_rows.all_heads(connection)

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
            return threshold_rows.all_thresholds(connection)

    def cut(self, number: int | None = None) -> int:
        """Return the rank below which the line of an expansion lies; 0 if there is none."""
        return _cut(self.expansion(number))

    def learned_cut(self, number: int | None = None) -> int:
        """Return the rank below which the line lay that was learned; 0 if there is none."""
        with self._store.reading() as connection:
            return _cut(self._shelf.learned(connection, number))

    def add_audit(self, ids: Sequence[str], *, population: Sequence[str]) -> Audit:
        """Add a random sample that was drawn from a population, to be looked at."""
        if not ids or not set(ids) <= set(population):
            raise SessionError("an audit is drawn from its population; draw it again")
        with self._store.writing() as connection:
            audit = Audit(
                number=audit_rows.last_number(connection) + 1,
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

    def target(self) -> Target | None:
        """Return the target that was chosen last; None if none ever was."""
        with self._store.reading() as connection:
            return target_rows.last_target(connection)

    def choose_target(self, target: Target) -> None:
        """Keep a target; raise SettingsError if it can't be reached, or says nothing."""
        target.check()
        with self._store.writing() as connection:
            target_rows.add_target(connection, target, time=now())

    def targets(self) -> list[ChosenTarget]:
        """Return every target that was chosen, the first one first."""
        with self._store.reading() as connection:
            return target_rows.all_targets(connection)

    def _add(
        self,
        connection: sqlite3.Connection,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
    ) -> None:
        """Add a mark for each label, with where its document stands."""
        given = Given(
            first=mark_rows.last_number(connection) + 1,
            time=now(),
            expansion=expansion_rows.last_number(connection),
            places=self._shelf.places(connection) if labels else {},
            audits=audit_rows.audits_of(connection, labels),
            strategy=strategy,
            source=source,
        )
        mark_rows.add_marks(connection, given.marks(labels))


def _cut(saved: SavedExpansion | None) -> int:
    from likewise.expansion.cuts import cut_of

    return cut_of(saved) if saved else 0
