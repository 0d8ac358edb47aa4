"""The notes of papers in a notebook: which records make them, and rulings about them.

Each note is an entry of its own, named after a digest of what it is about. Entries are listed by a
field that says of which kind they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from likewise.library.opensearch.bulk import make_delete_lines, make_put_lines
from likewise.library.opensearch.notebook import Notebook
from likewise.library.paper_notes import PaperNote

PAGE = 500
_PAPER, _RULING = "paper", "ruling"
_encode = msgspec.json.Encoder().encode


class NotedPaper(msgspec.Struct, frozen=True):
    """The note of a paper, as an entry of a notebook."""

    paper: str
    note: PaperNote
    listed: str


class NotedRuling(msgspec.Struct, frozen=True):
    """A ruling, as an entry of a notebook."""

    record: str
    paper: str
    listed: str


def read_papers(notebook: Notebook, ids: Collection[str] | None = None) -> dict[str, PaperNote]:
    """Return the notes of papers by id: of these, as far as there are any, or of all."""
    entries = _list_entries(notebook, _PAPER) if ids is None else _get_entries(notebook, ids)
    noted = [notebook.convert_note(entry, NotedPaper) for entry in entries]
    return {each.paper: each.note for each in noted}


def note_papers(notebook: Notebook, notes: Mapping[str, PaperNote | None]) -> None:
    """Keep notes of papers by id, durably and at once; None erases one."""
    changes = {}
    for name, note in notes.items():
        listed = _name_entry(_PAPER, name)
        kept = _encode(NotedPaper(name, note, listed)) if note else None
        changes[listed] = make_put_lines(listed, kept) if kept else make_delete_lines(listed)
    _send_pages(notebook, changes)


def read_rulings(notebook: Notebook) -> dict[str, str]:
    """Return the id of the paper that each ruling gives a record to, by the record's name."""
    entries = _list_entries(notebook, _RULING)
    noted = [notebook.convert_note(entry, NotedRuling) for entry in entries]
    return {each.record: each.paper for each in noted}


def note_rulings(notebook: Notebook, rulings: Mapping[str, str]) -> None:
    """Keep rulings, durably and at once; the latest on a record holds."""
    changes = {}
    for record, paper in rulings.items():
        listed = _name_entry(_RULING, record)
        changes[listed] = make_put_lines(listed, _encode(NotedRuling(record, paper, listed)))
    _send_pages(notebook, changes)


def _name_entry(kind: str, about: str) -> str:
    return f"{kind}-{hashlib.blake2b(about.encode(), digest_size=16).hexdigest()}"


def _send_pages(notebook: Notebook, changes: Mapping[str, bytes]) -> None:
    names = list(changes)
    for start in range(0, len(names), PAGE):
        some = {name: changes[name] for name in names[start : start + PAGE]}
        notebook.send(some, refresh=True)


def _get_entries(notebook: Notebook, ids: Collection[str]) -> Iterator[object]:
    names = [_name_entry(_PAPER, name) for name in sorted(ids)]
    for start in range(0, len(names), PAGE):
        body = {"ids": names[start : start + PAGE]}
        answer = notebook.ask("POST", f"{notebook.path}/_mget", body=body, missing={})
        yield from (each["_source"] for each in answer.get("docs", ()) if each.get("found"))


def _list_entries(notebook: Notebook, kind: str) -> Iterator[object]:
    by_name = {"listed": {"order": "asc", "unmapped_type": "keyword"}}
    asked: dict[str, Any] = {
        "size": PAGE,
        "sort": [by_name],
        "query": {"prefix": {"listed": {"value": f"{kind}-"}}},
    }
    params = {"allow_partial_search_results": "false"}
    while True:
        path = f"{notebook.path}/_search"
        answer = notebook.ask("POST", path, body=asked, params=params, missing={})
        hits = answer["hits"]["hits"] if answer else []
        yield from (hit["_source"] for hit in hits)
        if len(hits) < PAGE:
            return
        asked["search_after"] = hits[-1]["sort"]
