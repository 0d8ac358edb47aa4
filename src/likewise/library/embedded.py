"""The embedded engine: a folder on disk, searched by tantivy.

Title and abstract are indexed separately, with frequencies but without positions; the whole
document is stored beside them as one value. A commit is atomic: a process killed at any moment
leaves the last commit. One process can write at a time, and any number can read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from likewise.arguments import require_identifiers
from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library.folder import (
    INDEX,
    FolderNotes,
    claim_folder,
    load_states,
    measure_folder,
    save_states,
    share_with_others,
    sweep_folder,
)
from likewise.library.keys import parse_heading, prepare_document
from likewise.library.link_files import FolderLinks, LinkWriter
from likewise.library.paper_notes import PaperNote
from likewise.library.protocol import (
    Field,
    FileState,
    Heading,
    Hits,
    Library,
    LibraryChanges,
    LibraryInfo,
    Query,
    settle_ties,
)
from likewise.library.sources.kept import read_reach
from likewise.library.tantivy_index import (
    ArrivalOrder,
    CommitCounts,
    count_held,
    explain_errors,
    find_additions,
    find_ids,
    find_position,
    find_whole_ties,
    from_engine,
    is_unwritable,
    link_index,
    make_having_query,
    make_limit,
    make_query,
    open_index,
    read_ids,
    to_engine,
    wait_for_merges,
)
from likewise.library.where import ANYWHERE, VALUE_FIELDS, Where
from likewise.machine import count_cores, has_little_memory

_INDEX_AGAIN = (
    "index its files, which sources.json lists, again: likewise index FILES --into NEW-FOLDER"
)
WRITER_MEMORY, LESS_WRITER_MEMORY = 80_000_000, 30_000_000
"""Bytes for each of the writer's threads; the second if memory is short."""


class EmbeddedLibrary(Library):
    """A library in a folder."""

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        """Open a library; with `write`, make it if there is none, and claim it for writing."""
        self.path = Path(path)
        claim_folder(self.path, create=write)
        self._notes = FolderNotes(self.path)
        self._link_writer = LinkWriter(self.path)
        self._writer: tantivy.IndexWriter | None = None
        self._is_settled = True
        self._links: TemporaryDirectory[str] | None = None
        self._commit: tuple[int, int] | None = None
        self._refreshes = 0
        with explain_errors(self.path):
            self._index = open_index(self.path / INDEX, create=True) if write else self._open()
            self._schema = self._index.schema
            self._additions = find_additions(self._schema)
            self._is_ordered = "changed" in self._additions
            self._order = ArrivalOrder(self.path, self._schema, is_kept=self._is_ordered)
            self._counts = CommitCounts(self.path, self._schema)
            if write:
                threads = count_writer_threads()
                each = LESS_WRITER_MEMORY if has_little_memory() else WRITER_MEMORY
                self._writer = self._index.writer(each * threads, threads)
                # Another process may have committed between opening and writing.
                self._index.reload()
                self._order.begin(self._writer.commit_opstamp)
                sweep_folder(self.path)
                # A merge that ran out of space leaves its files behind, which fill the disk.
                self._writer.garbage_collect_files()

    def _open(self) -> tantivy.Index:
        """Open the index for reading, even if its folder can't be written to."""
        try:
            return open_index(self.path / INDEX)
        except (ValueError, OSError) as error:
            if not is_unwritable(error):
                raise
        self._links = TemporaryDirectory(prefix="likewise-")
        link_index(self.path / INDEX, Path(self._links.name))
        return open_index(Path(self._links.name))

    @property
    def engine(self) -> str:
        """The engine's name and version."""
        return f"tantivy {version('tantivy')}"

    @property
    def place(self) -> str:
        """Its folder."""
        return str(self.path)

    # Writing

    def add(
        self, documents: Iterable[Document], *, keys: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add documents, replacing those of the same ids; visible and durable after `commit`."""
        writer = self._require_writer()
        self._is_settled = False
        searcher = self._index.searcher()
        with explain_errors(self.path, writing=True):
            for document in map(prepare_document, documents):
                is_there, order = self._order.place(document.id, searcher)
                own_keys = keys.get(document.id) if keys else None
                stored = to_engine(
                    document, self._schema, additions=self._additions, keys=own_keys, order=order
                )
                try:
                    # A delete costs a search at the next commit.
                    if is_there:
                        self._counts.removed.add(document.id)
                        writer.delete_documents_by_term("id", document.id)
                finally:
                    # Ctrl-C must not come between the two.
                    writer.add_document(stored)
                self._link_writer.note(document)
                self._order.uncommitted[document.id] = order[0]

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents, as of the next `commit`; unknown ids are ignored."""
        writer = self._require_writer()
        self._is_settled = False
        with explain_errors(self.path, writing=True):
            for identifier in ids:
                self._counts.removed.add(identifier)
                writer.delete_documents_by_term("id", identifier)

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        writer = self._require_writer()
        with explain_errors(self.path, writing=True):
            self._link_writer.commit()
            before, has_new = self._index.searcher(), bool(self._order.uncommitted)
            stamps = self._order.stamp, writer.commit()
            self._order.begin(stamps[1])
            self._is_settled = True
            share_with_others(self.path)
            self._index.reload()
            if self._is_ordered:
                after = self._index.searcher()
                self._counts.keep(before, after, stamps=stamps, has_new=has_new)

    def read_reach(self) -> dict[str, bool]:
        """Return, by each seed's id, whether the other seeds would have brought it in."""
        return read_reach(self.path)

    def note_files(self, states: Mapping[str, FileState]) -> None:
        """Note that files were read, durably and at once."""
        self._require_writer()
        save_states(self.path, self.list_files() | dict(states))

    def note_papers(self, notes: Mapping[str, PaperNote | None]) -> None:
        """Keep notes of papers by id, durably and at once; None erases one."""
        self._require_writer()
        self._notes.note_papers(notes)

    def note_rulings(self, rulings: Mapping[str, str]) -> None:
        """Keep rulings, durably and at once; the latest ruling on a record holds."""
        self._require_writer()
        self._notes.note_rulings(rulings)

    def refresh(self) -> int:
        """Show at once what other processes have committed; return how often anything was new.

        The engine notices by itself too, but only some time later.
        """
        try:
            state = (self.path / INDEX / "meta.json").stat()
        except OSError:  # it was taken away; what is open can still be read
            return self._refreshes
        commit = (state.st_ino, state.st_mtime_ns)
        if commit != self._commit:
            with explain_errors(self.path):
                self._index.reload()
            self._commit = commit
            self._refreshes += 1
        return self._refreshes

    def _require_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise LibraryError(f"{self.path}: this library was opened for reading only")
        return self._writer

    # Reading

    def get(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order given; unknown ids are left out."""
        ids = require_identifiers(ids)
        stored = self._read_stored("id", set(ids), limit=len(ids))
        found = {document.id: document for document in stored}
        return [found[identifier] for identifier in ids if identifier in found]

    def find(self, keys: Collection[str]) -> list[Document]:
        """Return the documents that hold any of these identity keys, in the order of their ids."""
        searcher = self._index.searcher()
        # Most keys asked for are new, and a look into the dictionary is far cheaper than a search.
        known = {key: n for key in set(keys) if (n := searcher.doc_freq("key", key))}
        stored = self._read_stored("key", known, limit=sum(known.values()))
        return sorted(stored, key=lambda document: document.id)

    def _read_stored(self, field: str, values: Collection[str], *, limit: int) -> list[Document]:
        if not values:
            return []
        searcher = self._index.searcher()
        query = tantivy.Query.term_set_query(self._schema, field, sorted(values))
        with explain_errors(self.path):
            hits = searcher.search(query, limit=limit, count=False).hits
            return [from_engine(searcher, address) for _, address in hits]

    def document_frequencies(self, field: Field, terms: Collection[str]) -> dict[str, int]:
        """Return how many documents have each term in a field."""
        searcher = self._index.searcher()
        return {term: searcher.doc_freq(field, term) for term in terms}

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best documents for a query, without the excluded ids; ties are in id order."""
        searcher = self._index.searcher()
        self._check_limit(query.where)
        wanted = min(limit + len(exclude), searcher.num_docs)
        if wanted < 1 or not query.terms:
            return Hits([], [])
        with explain_errors(self.path):
            hits = find_whole_ties(searcher, make_query(query, self._schema), wanted=wanted)
            ids = read_ids(searcher, [address for _, address in hits])
        scores = [score for score, _ in hits]
        settle_ties(ids, scores)
        if exclude:
            excluded = set(exclude)
            kept = [row for row, identifier in enumerate(ids) if identifier not in excluded]
            ids, scores = [ids[row] for row in kept], [scores[row] for row in kept]
        return Hits(ids[:limit], scores[:limit])

    def count_headings(self) -> dict[Heading, int]:
        """Return every MeSH heading with the number of documents that have it."""
        self._check_mesh()
        with explain_errors(self.path):
            # Without a query, documents that were deleted since the last merge would count.
            every = tantivy.Query.all_query()
            found = self._index.searcher().terms_with_prefix("mesh", "", every)
        return {parse_heading(term): number for term, number in found}

    def find_having(self, terms: Sequence[Collection[Heading]]) -> list[str]:
        """Return the sorted ids of the documents that have a heading of each of the terms."""
        self._check_mesh()
        with explain_errors(self.path):
            return find_ids(self._index.searcher(), make_having_query(terms, self._schema))

    def _check_mesh(self) -> None:
        if "mesh" not in self._additions:
            raise LibraryError(
                f"{self.path}: made by an earlier likewise, so no MeSH heading is indexed in it; "
                f"{_INDEX_AGAIN}"
            )

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the sorted ids of all documents, or of those within some limits."""
        self._check_limit(where)
        with explain_errors(self.path):
            return find_ids(self._index.searcher(), make_limit(where, self._schema))

    def list_changes(self, since: int | None = None) -> LibraryChanges:
        """Return what has changed since a position; without one, only the library's position."""
        with explain_errors(self.path):
            position = self._find_position()
            return self._order.list_changes(self._index.searcher(), since, position=position)

    def _find_position(self) -> int:
        """Return the position of the latest change."""
        searcher = self._index.searcher()
        if not self._is_ordered:
            return 0
        if held := self._counts.find(searcher, stamp=self._read_stamp()):
            # Searches must see that commit: they may lag behind one of another process.
            self._index.reload()
            return held.position
        return find_position(searcher)

    def _read_stamp(self) -> int:
        """Return the engine's number for the latest commit."""
        folder = Path(self._links.name) if self._links else self.path / INDEX
        return int(json.loads((folder / "meta.json").read_bytes())["opstamp"])

    def count(self, where: Where = ANYWHERE) -> int:
        """Return how many documents there are, or how many are within some limits."""
        searcher = self._index.searcher()
        if not where:
            return searcher.num_docs
        self._check_limit(where)
        with explain_errors(self.path):
            limit = make_limit(where, self._schema)
            found: int = searcher.search(limit, limit=1).count  # type: ignore[attr-defined]
            return found

    def _check_limit(self, where: Where) -> None:
        if where and not self._additions.issuperset(VALUE_FIELDS):
            raise LibraryError(
                f"{self.path}: made by an earlier likewise, which indexed no year, language or "
                f"type to limit a search by; {_INDEX_AGAIN}"
            )

    def info(self) -> LibraryInfo:
        """Return what is known about the library as a whole."""
        searcher = self._index.searcher()
        with explain_errors(self.path):
            state = (self.path / INDEX / "meta.json").stat()
            changed = datetime.fromtimestamp(state.st_mtime, UTC).isoformat(timespec="seconds")
            held = self._counts.find(searcher, stamp=self._read_stamp())
            held = held or count_held(searcher, is_ordered=False)
            return LibraryInfo(
                documents=searcher.num_docs,
                fields=held.fields,
                sources=held.sources,
                bytes=measure_folder(self.path),
                changed=changed if searcher.num_docs else "",
            )

    def list_files(self) -> dict[str, FileState]:
        """Return every file that the library has read to its end, by its path."""
        return load_states(self.path)

    def read_papers(self, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
        """Return notes by the ids of their papers: those of the given papers, or all."""
        return self._notes.read_papers(ids)

    def read_rulings(self) -> dict[str, str]:
        """Return the rulings: the id of a record's paper, by the record's name."""
        return self._notes.read_rulings()

    def open_links(self) -> FolderLinks | None:
        """Return the links of the library, or None if it knows of none."""
        with explain_errors(self.path):
            links = FolderLinks(self.path)
        return links if links.graphs else None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # Whoever presses Ctrl-C does not want to wait for merges.
        self._is_settled = self._is_settled and kind is None
        self.close()

    def close(self) -> None:
        """Close the library; what was not committed is lost."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with explain_errors(self.path, writing=True):
                if not self._is_settled:
                    # This drops merges too, which the next commit begins again. If it were done
                    # each time, small updates would never be merged.
                    writer.rollback()
                wait_for_merges(writer)
                self._link_writer.settle()
        if self._links is not None:
            self._links.cleanup()


def count_writer_threads() -> int:
    """Return how many threads the writer has."""
    # The processes that read files get half of the cores, but rest during commits: so at least 2.
    return max(2, count_cores(most=8) // 2)
