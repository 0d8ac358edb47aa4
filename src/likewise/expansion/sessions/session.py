"""The session: one search from its seeds to the list that is handed in, kept in a file.

Commands, server and notebooks work with this one object. Its methods load what they need when they
are called: marking needs none of what learning needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from likewise.arguments import check_count, require_identifier
from likewise.documents import Document
from likewise.documents.notebook import DocumentList, render_sentences, wrap_html
from likewise.errors import SessionError
from likewise.expansion.marks import Label, Strategy
from likewise.expansion.sessions.records import MarkCounts, check_words
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.sessions.store import Store
from likewise.expansion.settings import NEXT_COUNT, ExpandSettings, choose_settings
from likewise.expansion.wording import format_count
from likewise.library import Library, open_library, remember_address

if TYPE_CHECKING:
    from likewise.expansion.expansion import Expansion, OnProgress, OnSeeds
    from likewise.expansion.seed_sources import GivenPapers
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.sessions.digests import Digest
    from likewise.expansion.sessions.exporting import ExportResult, Which
    from likewise.expansion.sessions.status import Status
    from likewise.expansion.sessions.watching import BroughtRecords
    from likewise.learn.estimates import Target

DECIDED = "decisions in the files of seeds"
"""The source of marks that come with the seeds."""
IRRELEVANT: Label = "irrelevant"


class Session(SessionFile):
    """A search that is kept in a file: its seeds, its marks, and what was learned from them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from likewise import Document, Session
    >>> from likewise.library.memory import MemoryLibrary
    >>> library = MemoryLibrary()
    >>> pairs = [(topic, n) for topic in ("insulin", "sleep") for n in range(20)]
    >>> library.add(Document(id=f"{topic}{n}", title=f"On {topic}, part {n}") for topic, n in pairs)
    >>> library.commit()
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "sleep.likewise")
    >>> with Session.create(path, library, ["sleep0", "sleep1", "sleep2"]) as session:
    ...     found = session.expand()
    ...     first = session.next(2)
    ...     _ = session.mark({first[0].id: "relevant", first[1].id: "irrelevant"})
    ...     session.status().looked_at, session.export(path.with_suffix(".ris")).documents > 3
    (2, True)
    >>> folder.cleanup()
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._held: Library | None = None

    @classmethod
    def create(
        cls,
        path: str | Path,
        library: Library | str | Path,
        seeds: Iterable[Document | str | int | Path] | GivenPapers,
        *,
        settings: ExpandSettings | None = None,
        name: str | Callable[[Seeds], str] = "",
        **chosen: Any,
    ) -> Self:
        """Begin a session from seeds; call `expand` next.

        Raises SeedsError if there are too few seeds to learn from, and SessionError if the file is
        there already.

        Args:
            path: The session's file.
            library: A library, or its address.
            seeds: Documents, files of documents, or identifiers. Papers that a file says were
                excluded are marked irrelevant.
            settings: How to expand.
            name: Its name, or a function that makes one from the seeds as the library has them.
            **chosen: Settings by name, which override `settings`.
        """
        settings = choose_settings(settings, chosen, default=ExpandSettings())
        if isinstance(library, str | Path):
            with open_library(library) as opened:
                return cls._begin(path, opened, seeds, settings=settings, name=name)
        session = cls._begin(path, library, seeds, settings=settings, name=name)
        session._held = library  # noqa: SLF001  # one of its own
        return session

    @classmethod
    def _begin(
        cls,
        path: str | Path,
        library: Library,
        seeds: Iterable[Document | str | int | Path] | GivenPapers,
        *,
        settings: ExpandSettings,
        name: str | Callable[[Seeds], str],
    ) -> Self:
        from likewise.expansion.saved import fingerprint_library
        from likewise.expansion.seed_sources import gather_seeds
        from likewise.expansion.seeds import find_irrelevant, resolve_seeds

        given = gather_seeds(seeds)
        matched = resolve_seeds(library, given.seeds)
        besides = {seed.id for seed in matched.documents}
        irrelevant = find_irrelevant(library, given.irrelevant, besides=besides)
        if library.place:
            remember_address(path, library.place)
        session = cls.make(
            path,
            library=library.place,
            fingerprint=fingerprint_library(library.info()),
            seeds=given.seeds,
            settings=settings,
            name=name if isinstance(name, str) else name(matched),
        )
        if irrelevant:
            session.mark_known(dict.fromkeys(irrelevant, IRRELEVANT), source=DECIDED)
        return session

    @classmethod
    def open(
        cls, path: str | Path, *, read_only: bool = False, library: Library | None = None
    ) -> Self:
        """Open a session; raise SessionError if the file is not one, is damaged or is too new.

        Args:
            path: The session's file.
            read_only: Whether to forbid writing to it.
            library: Its library, if that is open; else it is opened when it is needed.
        """
        session = super().open(path, read_only=read_only)
        session._held = library  # noqa: SLF001  # one of its own
        return session

    def expand(
        self,
        library: Library | str | Path | None = None,
        *,
        settings: ExpandSettings | None = None,
        any_library: bool = False,
        on_seeds: OnSeeds | None = None,
        on_progress: OnProgress | None = None,
        progress: bool = True,
        **chosen: Any,
    ) -> Expansion:
        """Learn from the seeds and marks, and keep the ranked and decided list in the session.

        A library that has changed since is used, with a warning. One that holds few of the
        session's seeds and marked documents is another library, and raises SessionError.

        Args:
            library: A library or its address; by default, the session's own.
            settings: How to expand; by default, as when the session was made.
            any_library: Whether to accept even another library.
            on_seeds: Called before the long work, with the seeds and what may be wrong with them.
            on_progress: Called with the running stage, the share of it that is done, and a note.
            progress: Whether to show a bar where a person can see it, if `on_progress` is None.
            **chosen: Settings by name, which override `settings`.
        """
        from likewise.expansion.expansion import show_stages
        from likewise.expansion.sessions.expanding import expand_session

        with show_stages(on_progress, progress=progress) as told:
            return expand_session(
                self,
                library=self._held if library is None else library,
                settings=choose_settings(settings, chosen, default=self.start.settings),
                any_library=any_library,
                on_seeds=on_seeds,
                on_progress=told,
            )

    def mark(
        self,
        labels: Mapping[str, Label | None] | Mapping[int, Label | None],
        *,
        strategy: Strategy | None = None,
        source: str = "",
        reviewer: str = "",
        reason: str | None = None,
    ) -> MarkCounts:
        """Label documents, all of them or none; None takes a label back.

        Raises UnknownDocumentError for an id that neither the session nor its library knows. If the
        library is not where it was or can't be asked, nobody can tell, and all ids are taken.

        Args:
            labels: The label of each document, by id.
            strategy: How they were chosen to be looked at, if likewise chose them.
            source: The file that brought the marks, or who gives them.
            reviewer: Who marks; names that differ only in case and spaces are one person's.
            reason: Why documents are irrelevant, by its name in the list of reasons; "" for no
                reason, and None to leave it as it is.
        """
        if not isinstance(labels, Mapping):
            raise SessionError('give labels by id, such as {"123": "relevant"}')
        check_words(labels.values(), strategy)
        said = {require_identifier(document): label for document, label in labels.items()}
        self._check_known([document for document, label in said.items() if label])
        return self.mark_known(
            said, strategy=strategy, source=source, reviewer=reviewer, reason=reason
        )

    def next(
        self,
        count: int = NEXT_COUNT,
        strategy: Strategy = "likely",
        *,
        reviewer: str = "",
        library: Library | str | Path | None = None,
        seed: int = 0,
    ) -> DocumentList:
        """Return documents to look at next; none that the reviewer has marked or that were settled.

        Args:
            count: How many, at most.
            strategy: `likely`, the best ones; `uncertain`, those nearest to where the decision
                falls; `calibrate`, some around the cut and far below it, which tell how large the
                topic is; `audit`, a random sample of all that was not looked at.
            reviewer: Who looks; what only others have marked is still to be looked at.
            library: A library or its address; by default, the session's own.
            seed: The number that all randomness comes from.
        """
        import numpy as np

        from likewise.expansion.sessions.looking import choose_next

        check_count(seed, name="seed")
        rng = np.random.default_rng([seed, len(self.audits())])
        with self._open_library(library) as (opened, _):
            places = choose_next(self, count, strategy, rng=rng, reviewer=reviewer)
            return DocumentList(opened.get([place.id for place in places]))

    def status(self, *, target: Target | None = None) -> Status:
        """Return where the session stands, and what to do to reach a target.

        Args:
            target: The target; by default the one kept with the session, or else `Target()`.
        """
        from likewise.expansion.sessions.status import read_status

        return read_status(self, target=target)

    def export(
        self,
        path: str | Path,
        *,
        which: Which = "listed",
        library: Library | str | Path | None = None,
    ) -> ExportResult:
        """Write the session to a file, in the form that its suffix asks for; .json is everything.

        Args:
            path: The file, which appears whole or not at all.
            which: `listed` is the seeds, what is marked and what is decided to be on topic;
                `relevant` only the seeds and what is marked relevant; `all` the whole ranking.
            library: A library or its address; by default, the session's own.
        """
        from likewise.expansion.sessions.exporting import export_session

        with self._open_library(library) as (opened, _):
            return export_session(self, path, library=opened, which=which)

    def watch(
        self,
        source: str = "",
        *,
        library: Library | str | Path | None = None,
        on_progress: OnProgress | None = None,
        progress: bool = True,
    ) -> Digest:
        """Return what came into the library since the last look and is likely on topic.

        Args:
            source: Where to bring new records from first, such as "pubmed"; "" for nowhere.
            library: A library or its address; by default, the session's own.
            on_progress: Called with the running stage, the share of it that is done, and a note.
            progress: Whether to show a bar where a person can see it, if `on_progress` is None.
        """
        from likewise.expansion.expansion import show_stages
        from likewise.expansion.sessions.digests import make_digest
        from likewise.expansion.sessions.watching import look_for_new

        given = self._held if library is None else library
        brought = self.bring_new(source, library=given) if source else None
        if source and given is not None:
            # Only a library that is opened after this sees what was brought.
            given = given if isinstance(given, str | Path) else given.place
        with (
            self._open_library(given) as (opened, address),
            show_stages(on_progress, progress=progress) as told,
        ):
            look = look_for_new(self, opened, address=address, brought=brought, on_progress=told)
            return make_digest(self, opened, look)

    def bring_new(
        self, source: str, *, library: Library | str | Path | None = None
    ) -> BroughtRecords:
        """Bring new records that are like the topic from a source into the session's library."""
        from likewise.expansion.sessions.watching import bring_new
        from likewise.library.sources import open_source

        # If the library is missing, or must not be opened, this fails before the source is asked.
        with self._open_library(library) as (opened, _):
            address = opened.place
        with closing(open_source(source)) as remote:
            return bring_new(self, address, name=source, source=remote)

    def _open_library(
        self, library: Library | str | Path | None
    ) -> AbstractContextManager[tuple[Library, str]]:
        from likewise.expansion.sessions.marking import open_own_library

        return open_own_library(self, self._held if library is None else library)

    def _check_known(self, ids: Sequence[str]) -> None:
        """Raise UnknownDocumentError if some ids are unknown."""
        with self._store.reading() as connection:
            places = self._shelf.index_places(connection)
        if unranked := [name for name in ids if name not in places]:
            from likewise.expansion.sessions.marking import check_known

            check_known(self, unranked, library=self._held)

    def __repr__(self) -> str:
        return f"<Session {self.path}>"

    def _repr_html_(self) -> str:
        from likewise.expansion.sessions.status_words import describe_status

        unexpanded = f"{format_count(len(self.start.seeds), 'seed')}; nothing was expanded yet."
        told = describe_status(self.status()) if self.expansions() else [unexpanded]
        return wrap_html(*render_sentences([f"{self.name or self.path.stem}:", *told]))
