"""How documents and queries look to tantivy: schema, errors, and the order documents came in."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import tantivy

from likewise.documents import Document
from likewise.errors import LibraryBusyError, LibraryError, NotALibraryError, RecordError
from likewise.library.analysis import build_analyzer
from likewise.library.folder import HeldCounts, load_counts, read_identity, save_counts
from likewise.library.keys import (
    COLUMN_NAMES,
    list_filled_fields,
    list_headings,
    list_keys,
    pack_id,
    spell_heading,
    unpack_ids,
)
from likewise.library.protocol import Heading, LibraryChanges, Query
from likewise.library.where import VALUE_FIELDS, Where, list_values

EngineHits = list[tuple[float, tantivy.DocAddress]]

ORDER_FIELDS = ("first", "changed")
"""When a document came and when it last changed: one more than the stamp of the commit before."""
_ANALYZER = "likewise_english"
_MOST_VALUES = 10_000
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Document).decode

_NO_PERMISSION = re.compile(r"PermissionDenied|ReadOnlyFilesystem|code: (13|30)\b")
_NO_SPACE = re.compile(r"No space left|StorageFull|File too large|FileTooLarge|code: (27|28)\b")


def open_index(path: Path, *, create: bool = False) -> tantivy.Index:
    """Open the index in a folder, or with `create` make one there if there is none yet."""
    is_unmade = not tantivy.Index.exists(str(path)) and not any(path.glob("*.store"))
    if is_unmade and not create:
        raise NotALibraryError(
            f"{path.parent}: this library was begun, but nothing is in it yet; "
            f"finish it with: likewise index FILES --into {path.parent}"
        )
    if is_unmade:
        index = tantivy.Index(_make_schema(), path=str(path))
    else:
        index = tantivy.Index.open(str(path))
    # An index does not remember its analyzers.
    index.register_tokenizer(_ANALYZER, build_analyzer())
    return index


def is_unwritable(error: BaseException) -> bool:
    """Return whether an error of the engine means that a folder can't be written to."""
    return bool(_NO_PERMISSION.search(str(error)))


def link_index(path: Path, folder: Path) -> None:
    """Put links to the files of an index into another folder, where the engine can lock it.

    Readers lock an index too, which takes a file. The list of its files is copied, not linked:
    otherwise the engine would follow its changes to files that are not here.
    """
    for entry in path.iterdir():
        if entry.name == "meta.json":
            shutil.copyfile(entry, folder / entry.name)
        elif not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry.absolute())


def _make_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in COLUMN_NAMES:
        builder.add_unsigned_field(name, fast=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name=_ANALYZER, index_option="freq")
    for name in ("has", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("mesh", *VALUE_FIELDS):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("year", indexed=True)
    for name in ORDER_FIELDS:
        builder.add_unsigned_field(name, indexed=True, fast=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


def find_additions(schema: tantivy.Schema) -> frozenset[str]:
    """Return the fields of an index that were added to the schema since format 1.

    Libraries of format 1 have no field for headings, those of format 2 none for limits, and those
    of format 3 none for when documents came.
    """
    texts = [name for name in ("mesh", *VALUE_FIELDS) if _has_field(schema, name, "")]
    return frozenset([*texts, *(name for name in ORDER_FIELDS if _has_field(schema, name, 0))])


def _has_field(schema: tantivy.Schema, name: str, value: str | int) -> bool:
    try:
        tantivy.Query.term_query(schema, name, value)
    except ValueError:
        return False
    return True


def to_engine(
    document: Document,
    schema: tantivy.Schema,
    *,
    additions: Collection[str],
    keys: Sequence[str] | None = None,
    order: tuple[int, int] = (0, 0),
) -> tantivy.Document:
    """Return a document in the engine's form, with everything that the index has fields for.

    Raise RecordError if the engine refuses it.
    """
    try:
        values = _list_engine_values(document, additions=additions, keys=keys)
        if "changed" in additions:
            values |= zip(ORDER_FIELDS, order, strict=True)
        return tantivy.Document.from_dict(values, schema)
    except UnicodeError as error:
        found = f"half a character in the document {document.id!r} ({error})"
        raise RecordError(f"{found}; nothing was lost") from error
    except (ValueError, TypeError, OverflowError) as error:
        found = " ".join(str(error).split())[:200]
        raise RecordError(f"the document {document.id!r} can't be kept ({found})") from error


def _list_engine_values(
    document: Document, *, additions: Collection[str], keys: Sequence[str] | None
) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": document.id,
        "key": keys or list_keys(document),
        "title": document.title,
        "abstract": document.abstract,
        "has": list_filled_fields(document),
        "source": document.source,
        "stored": _encode(document),
        **pack_id(document.id),
    }
    if "mesh" in additions and document.mesh:
        values["mesh"] = [spell_heading(heading) for heading in list_headings(document)]
    for name in VALUE_FIELDS:
        if name in additions and (found := list_values(document, name)):
            values[name] = found
    if "type" in additions and document.year:
        values["year"] = document.year
    return values


def from_engine(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> Document:
    """Return the document that the engine keeps at an address."""
    return _decode(searcher.doc(address)["stored"][0])


def make_query(query: Query, schema: tantivy.Schema) -> tantivy.Query:
    """Return a query in the engine's form."""
    clauses = []
    for term in query.terms:
        clause = tantivy.Query.term_query(schema, term.field, term.text, "freq")
        if term.weight != 1.0:
            clause = tantivy.Query.boost_query(clause, term.weight)
        clauses.append((tantivy.Occur.Should, clause))
    minimum = query.minimum if query.minimum > 1 else None
    made = tantivy.Query.boolean_query(clauses, minimum_number_should_match=minimum)
    if not query.where:
        return made
    limit = tantivy.Query.const_score_query(make_limit(query.where, schema), 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, made), (tantivy.Occur.Must, limit)])


def make_limit(where: Where, schema: tantivy.Schema) -> tantivy.Query:
    """Return the query for all documents within a limit."""
    clauses = [(tantivy.Occur.Must, tantivy.Query.all_query())]
    if where.has_years:
        years = _make_range_query(schema, "year", first=where.first_year, last=where.last_year)
        clauses = [(tantivy.Occur.Must, years)]
    for limit in where.limits:
        found = tantivy.Query.term_set_query(schema, limit.field, list(limit.values))
        occur = tantivy.Occur.MustNot if limit.is_excluded else tantivy.Occur.Must
        clauses.append((occur, found))
    return tantivy.Query.boolean_query(clauses)


def make_having_query(
    terms: Sequence[Collection[Heading]], schema: tantivy.Schema
) -> tantivy.Query:
    """Return the query for all documents that have a heading of each of the terms."""
    clauses = []
    for term in terms:
        known = sorted(map(spell_heading, term))
        # Sets of terms are not scored, so this costs no more than walking through their documents.
        clauses.append((tantivy.Occur.Must, tantivy.Query.term_set_query(schema, "mesh", known)))
    return tantivy.Query.boolean_query(clauses) if clauses else tantivy.Query.all_query()


def find_whole_ties(searcher: tantivy.Searcher, query: tantivy.Query, *, wanted: int) -> EngineHits:
    """Return at least the wanted hits, with all that tie with the last of them.

    The engine cuts a tie wherever it likes; only a whole tie can be cut by id.
    """
    limit = wanted + 200
    while True:
        hits: EngineHits = searcher.search(query, limit=limit, count=False).hits
        if len(hits) < limit or hits[wanted - 1][0] != hits[-1][0]:
            return hits
        limit *= 2


def read_ids(searcher: tantivy.Searcher, addresses: list[tantivy.DocAddress]) -> list[str]:
    """Return the ids of the documents at these addresses."""

    def column(name: str, rows: Sequence[int]) -> Sequence[int]:
        asked = addresses if len(rows) == len(addresses) else [addresses[row] for row in rows]
        return searcher.fast_field_values(name, asked)  # type: ignore[return-value]

    def whole(row: int) -> str:
        return from_engine(searcher, addresses[row]).id

    return unpack_ids(len(addresses), column=column, whole=whole)


def find_ids(searcher: tantivy.Searcher, query: tantivy.Query) -> list[str]:
    """Return the sorted ids of all documents that a query finds."""
    if not searcher.num_docs:
        return []
    hits = searcher.search(query, limit=searcher.num_docs, count=False).hits
    return sorted(read_ids(searcher, [address for _, address in hits]))


def wait_for_merges(writer: tantivy.IndexWriter) -> None:
    """Wait until the engine has merged segments; Ctrl-C ends this, and drops unfinished merges."""
    failures: list[Exception] = []

    def wait() -> None:
        try:
            writer.wait_merging_threads()
        except Exception as error:  # noqa: BLE001  # raised below
            failures.append(error)

    # A signal has to wait until a call of the engine returns, but not until another thread ends.
    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join()
    if failures:
        raise failures[0]


@contextmanager
def explain_errors(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Raise a LibraryError for whatever goes wrong in the engine."""
    try:
        yield
    except LibraryError:
        raise
    except BaseException as error:
        # A panic in the engine's Rust is not an Exception, and its class can't be imported.
        is_panic = type(error).__name__ == "PanicException"
        if is_panic or isinstance(error, ValueError | OSError):
            raise _explain_error(path, error, writing=writing) from error
        raise


def _explain_error(path: Path, error: BaseException, *, writing: bool) -> LibraryError:
    said = " ".join(str(error).split())
    safe = "what was committed before is safe: make room and run the command again"
    if "LockBusy" in said:
        return LibraryBusyError(
            f"{path}: another process is writing to this library; "
            "wait until it is done (searching still works meanwhile)"
        )
    if _NO_PERMISSION.search(said):
        trouble = "no permission to write there; get write permission for the folder"
    elif _NO_SPACE.search(said):
        trouble = f"no space left to write; {safe}"
    elif writing:
        trouble = f"could not be written, perhaps for lack of space ({said[:200]}); {safe}"
    else:
        advice = "index its files, which sources.json lists, into a new folder"
        trouble = f"the index is damaged ({said[:200]}); {advice}"
    return LibraryError(f"{path}: {trouble}")


class ArrivalOrder:
    """The order in which the documents of a library came; libraries of earlier formats have none.

    The engine stamps each commit with a number that rises with every addition and deletion, in this
    process and in later ones. A document holds when it came and when it last changed: one more than
    the stamp of the commit before. So whoever has seen everything up to a position finds what came
    after it, whatever the clock says. What was never committed has no place in that order.
    """

    def __init__(self, folder: Path, schema: tantivy.Schema, *, is_kept: bool) -> None:
        """Open the order of a library, which `is_kept` if its index has the fields for it."""
        self._folder = folder
        self._schema = schema
        self._is_kept = is_kept
        self.uncommitted: dict[str, int] = {}
        """When the first document came of each id that was added since the latest commit."""
        self.stamp = 0
        """The stamp of the latest commit."""

    def begin(self, stamp: int) -> None:
        """Note the stamp of the latest commit; what comes next comes after it."""
        self.stamp = stamp
        self.uncommitted.clear()

    def place(self, identifier: str, searcher: tantivy.Searcher) -> tuple[bool, tuple[int, int]]:
        """Return whether a document with this id is there, and the order fields of a new one."""
        now = self.stamp + 1
        first = self.uncommitted.get(identifier)
        # Most documents are new, and a look into the dictionary is far cheaper than a search.
        is_there = first is not None or searcher.doc_freq("id", identifier) > 0
        if first is None and is_there and self._is_kept:
            first = self._find_first(identifier, searcher)
        return is_there, (now if first is None else first, now)

    def _find_first(self, identifier: str, searcher: tantivy.Searcher) -> int | None:
        asked = tantivy.Query.term_query(self._schema, "id", identifier)
        hits = searcher.search(asked, limit=1, count=False).hits
        found = searcher.fast_field_values("first", [hits[0][1]]) if hits else [None]
        return found[0]  # type: ignore[return-value]

    def list_changes(
        self, searcher: tantivy.Searcher, since: int | None, *, position: int
    ) -> LibraryChanges:
        """Return what has changed since a position, up to the one that a searcher has reached."""
        identity = read_identity(self._folder)
        if not identity or not self._is_kept:
            return LibraryChanges("", 0)
        if since is None or position <= since:
            return LibraryChanges(identity, max(position, since or 0))
        added, changed = (
            find_ids(
                searcher, _make_range_query(self._schema, name, first=since + 1, last=position)
            )
            for name in ORDER_FIELDS
        )
        new = set(added)
        revised = tuple(name for name in changed if name not in new)
        return LibraryChanges(identity, position, tuple(added), revised)


class CommitCounts:
    """What a library holds, kept with each commit, since counting all of it takes ever longer.

    Only what a commit has changed is counted: what it removed, as seen by the searcher before it,
    and what it added, as seen by the one after it. If a process is killed between a commit and its
    counts, those of an earlier commit remain; their stamp gives them away, and they are not used.
    """

    def __init__(self, folder: Path, schema: tantivy.Schema) -> None:
        self._folder = folder
        self._schema = schema
        self.removed: set[str] = set()
        """The ids of documents that the next commit removes or replaces, if they are there."""

    def find(self, searcher: tantivy.Searcher, *, stamp: int) -> HeldCounts | None:
        """Return the counts of the commit with this stamp, unless a searcher sees another one."""
        kept = load_counts(self._folder)
        is_seen = kept and (kept.stamp, kept.documents) == (stamp, searcher.num_docs)
        return kept if is_seen else None

    def keep(
        self,
        before: tantivy.Searcher,
        after: tantivy.Searcher,
        *,
        stamps: tuple[int, int],
        has_new: bool,
    ) -> None:
        """Keep what a library holds after a commit.

        Args:
            before: Sees what was there before it.
            after: Sees what is there now.
            stamps: The stamps of the commit before this one, and of this one.
            has_new: Whether documents were added or replaced.
        """
        stamp, now = stamps[0], stamps[0] + 1
        removed, self.removed = self.removed, set()
        held = self.find(before, stamp=stamp) or count_held(before, stamp=stamp, is_ordered=True)
        fields, sources = Counter(held.fields), Counter(held.sources)
        if removed:
            gone = tantivy.Query.term_set_query(self._schema, "id", sorted(removed))
            fields.subtract(_count_values(before, "has", gone))
            sources.subtract(_count_values(before, "source", gone))
        if has_new:
            come = _make_range_query(self._schema, "changed", first=now, last=now)
            fields.update(_count_values(after, "has", come))
            sources.update(_count_values(after, "source", come))
        # A document has one source. If there are too many, the engine does not count them all.
        if sources.total() == after.num_docs and len(+sources) < _MOST_VALUES:
            position = now if has_new else held.position
            counts = dict((+fields).most_common()), dict((+sources).most_common())
            save_counts(self._folder, HeldCounts(stamps[1], position, after.num_docs, *counts))


def count_held(searcher: tantivy.Searcher, *, stamp: int = 0, is_ordered: bool) -> HeldCounts:
    """Count what a searcher sees, which takes longer the more there is."""
    every = tantivy.Query.all_query()
    return HeldCounts(
        stamp,
        find_position(searcher) if is_ordered else 0,
        searcher.num_docs,
        _count_values(searcher, "has", every),
        _count_values(searcher, "source", every),
    )


def find_position(searcher: tantivy.Searcher) -> int:
    """Return the position of the latest change that a searcher sees; 0 if there is no document."""
    wanted = {"last": {"max": {"field": "changed"}}}
    return int(searcher.aggregate(tantivy.Query.all_query(), wanted)["last"]["value"] or 0)


def _count_values(searcher: tantivy.Searcher, field: str, among: tantivy.Query) -> dict[str, int]:
    """Return how many of some documents have each value of a field, most frequent first."""
    wanted = {"counts": {"terms": {"field": field, "size": _MOST_VALUES}}}
    buckets = searcher.aggregate(among, wanted)["counts"]["buckets"]
    return {bucket["key"]: bucket["doc_count"] for bucket in buckets}


def _make_range_query(
    schema: tantivy.Schema, field: str, *, first: int | None, last: int | None
) -> tantivy.Query:
    kind = tantivy.FieldType.Unsigned
    return tantivy.Query.range_query(schema, field, kind, first, last, use_inverted_index=True)
