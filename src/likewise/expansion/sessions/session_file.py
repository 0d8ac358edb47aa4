"""The session's file: seeds, marks and expansions of one search, in a file that only ever grows.

A mark is on the disk when `mark_known` returns, and stays there whatever happens next: a kill, a
full disk, a second process that marks at the same time. Nothing is ever changed or deleted; taking
a mark back adds another one. `likewise.expansion.sessions.store` says how the file is kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Self

from likewise.arguments import require_path
from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.marks import (
    DocumentMarks,
    Label,
    Mark,
    Marks,
    Strategy,
    check_conflicts,
    check_reviewer,
    find_reading_order,
    gather_marks,
    is_new_mark,
)
from likewise.expansion.records import Explanations
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions import tables
from likewise.expansion.sessions.records import (
    Audit,
    Change,
    ChosenTarget,
    ExpansionHead,
    MarkCounts,
    SessionLook,
    SessionName,
    SessionStart,
    SessionVersion,
    Threshold,
    check_words,
    read_clock,
)
from likewise.expansion.sessions.review_notes import ReviewNotes
from likewise.expansion.sessions.shelf import ExpansionShelf, find_cut
from likewise.expansion.sessions.store import Store, create_store, open_store
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Target
from likewise.version import __version__


class SessionFile:
    """A session's file, open; to be used in a `with` statement, by one thread.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from likewise.documents import Document
    >>> folder = tempfile.TemporaryDirectory()
    >>> seeds = [Document(id="1", title="On cats")]
    >>> path = Path(folder.name, "cats.likewise")
    >>> with SessionFile.make(path, library="lib", fingerprint="", seeds=seeds) as session:
    ...     session.mark_known({"7": "relevant", "8": "irrelevant"}).new
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
        self.review = ReviewNotes(store)
        """Reasons, tags, notes and criteria."""

    @classmethod
    def make(
        cls,
        path: str | Path,
        *,
        library: str,
        fingerprint: str,
        seeds: Sequence[Document],
        settings: ExpandSettings | None = None,
        name: str = "",
    ) -> Self:
        """Make a session's file; an existing file is never overwritten.

        Args:
            path: The file.
            library: The library's address; a folder is kept with its whole path.
            fingerprint: The library's fingerprint, from `fingerprint_library`.
            seeds: The seeds as they were given.
            settings: How to expand by default.
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
            if name:
                tables.insert_next(connection, "names", start.time, name)

        return cls(create_store(require_path(path), begin=begin))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Self:
        """Open a session; raise SessionError if the file is not one, is damaged or is too new."""
        return cls(open_store(require_path(path), read_only=read_only))

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def discard(self) -> None:
        """Close the session and delete its file, for when nothing came of it."""
        self.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def at_one_moment(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a context in which all reads see one moment, whatever others write meanwhile."""
        return self._store.reading()

    @cached_property
    def start(self) -> SessionStart:
        """What the session began with."""
        return self._store.read(tables.read_start)

    @property
    def name(self) -> str:
        """What people call it; "" if it has no name."""
        names = self.names()
        return names[-1].name if names else ""

    def names(self) -> list[SessionName]:
        """Return every name that it was given, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "names", SessionName))

    def rename(self, name: str) -> None:
        """Give the session another name."""
        with self._store.writing() as connection:
            if name != self.name:
                tables.insert_next(connection, "names", read_clock(), name)

    @contextmanager
    def writing_together(self) -> Iterator[None]:
        """Write everything inside in one transaction: all of it reaches the disk, or nothing.

        A part that fails inside, if its error is caught, is undone alone; the rest is still
        written.
        """
        try:
            with self._store.writing():
                yield
        except BaseException:
            self._shelf.forget()
            raise

    def version(self) -> SessionVersion:
        """Return the latest numbers, which change when something is added."""
        return self._store.read(tables.find_version)

    @property
    def library(self) -> str:
        """Where the library was when it was last used."""
        with self._store.reading() as connection:
            return tables.find_last_library(connection) or self.start.library

    def mark_known(
        self,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
        reviewer: str = "",
        reason: str | None = None,
    ) -> MarkCounts:
        """Label documents as `Session.mark` does, without asking whether the library knows them."""
        check_words(labels.values(), strategy)
        return self._say(labels, strategy=strategy, source=source, reviewer=reviewer, reason=reason)

    def settle(
        self, labels: Mapping[str, Label | None], *, reviewer: str = "", reason: str | None = None
    ) -> MarkCounts:
        """Settle conflicts, all of them or none; None opens a conflict again.

        Args:
            labels: The label that counts from now on for each document, by id.
            reviewer: Who settles it.
            reason: As in `Session.mark`.
        """
        check_words(labels.values(), None)
        with self._store.writing():
            check_conflicts(self.opinions(), labels)
            return self._say(labels, reviewer=reviewer, reason=reason, is_settling=True)

    def undo(self, ids: Sequence[str] = (), *, reviewer: str = "") -> list[Mark]:
        """Take back a reviewer's marks on documents; without ids, the latest that still counts.

        The mark that the reviewer gave before counts again. Returns the marks that were taken back;
        documents without a label are left out.
        """
        with self._store.writing() as connection:
            if ids:
                found = [
                    tables.find_mark(connection, document, reviewer=reviewer)
                    for document in dict.fromkeys(ids)
                ]
            else:
                found = [tables.find_last_standing(connection, reviewer=reviewer)]
            taken = [mark for mark in found if mark]
            before = [tables.find_mark_before(connection, mark) for mark in taken]
            names = {mark.document: None for mark in taken}
            self._add_marks(connection, names, reviewer=check_reviewer(reviewer))
            first = tables.find_last_number(connection, "marks") + 1
            # As they were given then, with their time and rank.
            again = [mark._replace(number=n) for n, mark in enumerate(filter(None, before), first)]
            tables.add_marks(connection, again)
        return taken

    def history(self) -> list[Mark]:
        """Return all marks that were ever given, oldest first."""
        return self._store.read(tables.read_history)

    def opinions(self) -> dict[str, DocumentMarks]:
        """Return the current marks on each document, one per reviewer."""
        return gather_marks(self.history())

    def count_unseen(self) -> int:
        """Return how many documents have marks that the reader may not see: none here."""
        return 0

    def current(self) -> dict[str, Mark]:
        """Return the mark that counts for each document that has a label, in the order given.

        Of one reviewer, that is the latest. Of several, it is the one that they agree on or that
        settled it, and maybe as long as they disagree.
        """
        return {document: given.decision for document, given in self.opinions().items()}

    def marks(self) -> Marks:
        """Return the current labels of documents, with their ranks and the order of reading."""
        with self.at_one_moment():
            history = self.history()
            drawn = {name for audit in self.audits() for name in audit.drawn}
        current = {name: given.decision for name, given in gather_marks(history).items()}
        order = find_reading_order(history)
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
            mark: The number of the last mark that it learned from; by default, the latest.
            library: The library's address, if it is known.
            explanations: Why its documents have their scores.
        """
        address = make_absolute(library)
        return self._shelf.add(saved, mark=mark, library=address, explanations=explanations)

    def expansion(
        self, number: int | None = None, *, as_learned: bool = False
    ) -> SavedExpansion | None:
        """Return an expansion by its number, or the latest; None if there is none.

        Its decisions follow the line where it is now; with `as_learned`, where it was learned.
        """
        with self._store.reading() as connection:
            if as_learned:
                return self._shelf.read_learned(connection, number)
            return self._shelf.read_with_line(connection, number)

    def explanations(self, number: int | None = None) -> Explanations | None:
        """Return the explanations of an expansion, or of the latest; None if they were not kept."""
        with self._store.reading() as connection:
            return self._shelf.read_explanations(connection, number)

    def expansions(self) -> list[ExpansionHead]:
        """Return the head of each expansion, oldest first."""
        return self._store.read(tables.read_heads)

    def move_threshold(self, decided: int | None) -> None:
        """Move the line through the latest expansion; raise SessionError if there is none.

        Args:
            decided: The rank below which it is to lie, at most the last one; None to move it back
                to where it was learned.
        """
        self._shelf.move_line(decided)

    def thresholds(self) -> list[Threshold]:
        """Return every move of the line, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "thresholds", Threshold))

    def cut(self, number: int | None = None) -> int:
        """Return the rank below which the line of an expansion lies; 0 if there is none."""
        return find_cut(self.expansion(number))

    def original_cut(self, number: int | None = None) -> int:
        """Return the rank below which the learner drew the line; 0 if there is no expansion."""
        with self._store.reading() as connection:
            return find_cut(self._shelf.read_learned(connection, number))

    def add_audit(self, ids: Sequence[str], *, population: Sequence[str]) -> Audit:
        """Add an audit: a random sample of a population, to be looked at."""
        if not ids or not set(ids) <= set(population):
            raise SessionError(
                "a document of this audit is not among those it was drawn from; draw it again"
            )
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
        """Return the audits, oldest first."""
        return self._store.read(tables.read_audits)

    def looks(self) -> list[SessionLook]:
        """Return the looks, oldest first."""
        return self._store.read(tables.read_looks)

    def add_look(self, look: SessionLook) -> None:
        """Add a look; raise SessionError if another was added meanwhile."""
        with self._store.writing() as connection:
            if look.number != tables.find_last_number(connection, "looks") + 1:
                raise SessionError(
                    f"{self.path}: another watch of this session has just ended, so this one was "
                    f"given up; see what the other found: likewise watch {self.path} --last"
                )
            tables.insert_rows(connection, "looks", (*look[:-1], tables.pack(look.content)))

    def target(self) -> Target | None:
        """Return the target that was chosen last; None if none ever was."""
        targets = self.targets()
        return Target(*targets[-1][2:]) if targets else None

    def choose_target(self, target: Target) -> None:
        """Keep a target; raise SettingsError if it can't be reached, or is pointless."""
        target.check()
        with self._store.writing() as connection:
            if target != self.target():
                tables.insert_next(connection, "targets", read_clock(), *target)

    def targets(self) -> list[ChosenTarget]:
        """Return every target that was chosen, oldest first."""
        return self._store.read(lambda at: tables.select_rows(at, "targets", ChosenTarget))

    def _say(
        self,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
        reviewer: str,
        reason: str | None,
        is_settling: bool = False,
    ) -> MarkCounts:
        """Add the labels that differ from the reviewer's earlier ones, and count the changes."""
        reviewer = check_reviewer(reviewer)
        if reason and not {"irrelevant", None}.issuperset(labels.values()):
            raise SessionError("a reason is for exclusion; give it only with irrelevant")
        with self._store.writing() as connection:
            given = tables.read_reasons(connection).find(reason).name if reason else reason
            before = {
                document: tables.find_mark(
                    connection, document, reviewer=reviewer, settling=is_settling
                )
                for document in labels
            }
            said = {
                document: label
                for document, label in labels.items()
                if is_new_mark(label, given, before=before[document])
            }
            self._add_marks(
                connection,
                said,
                strategy=strategy,
                source=source,
                reviewer=reviewer,
                reason=given or "",
                is_settling=is_settling,
            )
        changed = [
            Change(document, was.label, label)
            for document, label in said.items()
            if (was := before[document]) and was.label and was.label != label
        ]
        new = sum(before[document] is None for document in said)
        return MarkCounts(new, len(labels) - new - len(changed), tuple(changed))

    def _add_marks(  # noqa: PLR0913  # what marks given in one call share
        self,
        connection: sqlite3.Connection,
        labels: Mapping[str, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
        reviewer: str = "",
        reason: str = "",
        is_settling: bool = False,
    ) -> None:
        """Add a mark for each label, with the rank and the probability that its document has."""
        if not labels:
            return
        first = tables.find_last_number(connection, "marks") + 1
        time, expansion = read_clock(), tables.find_last_number(connection, "expansions")
        places = self._shelf.index_places(connection)
        audits = tables.find_audits(connection, labels)
        marks = []
        for number, (document, label) in enumerate(labels.items(), first):
            place, audit = places.get(document), audits.get(document)
            is_audited = audit is not None and label is not None
            mark = Mark(
                number=number,
                document=document,
                label=label,
                time=time,
                expansion=expansion,
                rank=place.rank if place else None,
                probability=place.probability if place else None,
                strategy=strategy or ("audit" if is_audited else None),
                audit=audit,
                source=source,
                reviewer=reviewer,
                reason=reason if label == "irrelevant" else "",
                is_settling=is_settling,
            )
            marks.append(mark)
        tables.add_marks(connection, marks)


def make_absolute(library: str) -> str:
    """Return a library's address so that it can be found from other folders too."""
    return library if not library or "://" in library else str(Path(library).absolute())
