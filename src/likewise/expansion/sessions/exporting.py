"""Exporting: a session as one JSON document, or its documents in any format that we write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.documents.files import write_annotated, written_aside
from likewise.documents.formats import format_for_writing, suffix_of, written_suffixes
from likewise.errors import SessionError, UnknownFormatError
from likewise.expansion.sessions.listing import listed

if TYPE_CHECKING:
    from likewise.expansion.sessions.listing import Which
    from likewise.expansion.sessions.session import Session
    from likewise.library.protocol import Library

EVERYTHING = ".json"
KIND = "likewise exported session"
FORMAT = 1
"""Of the JSON document; rises when readers of older ones could not make sense of it."""


class Exported(NamedTuple):
    """What was written."""

    documents: int
    """How many documents; 0 if everything was written as JSON."""
    missing: tuple[str, ...]
    """The ids of those that the library does not hold any more, which are not in the file."""


def export_session(
    session: Session,
    path: str | Path,
    *,
    library: Library | None = None,
    which: Which = "listed",
) -> Exported:
    """Write a session to a file, in the form that its suffix asks for.

    As .json it is everything there is. Any format of documents holds the seeds, what is marked and
    what is decided to be on topic, with the notes on each; "mark" is what `likewise mark` reads.

    Args:
        session: The session.
        path: The file, which appears whole or not at all.
        library: The library that the documents are in; for .json, none is needed.
        which: `listed` is as above, `relevant` only the seeds and what is marked relevant, `all`
            the whole ranking.
    """
    path = Path(path)
    check_export(path)
    if suffix_of(path) == EVERYTHING:
        with written_aside(path) as stream:
            stream.write(msgspec.json.format(_as_json(session), indent=1) + b"\n")
        return Exported(0, ())
    if library is None:
        raise SessionError(f"{path}: the documents are in the library; give it, or write .json")
    listing = listed(session, library=library, suffix=suffix_of(path), which=which)
    write_annotated(listing.annotated, path)
    return Exported(len(listing.annotated), listing.missing)


def check_export(path: str | Path) -> None:
    """Raise if a session is not written in the form that a path's suffix asks for."""
    suffix = suffix_of(Path(path))
    if suffix == EVERYTHING:
        return
    try:
        format_for_writing(Path(path))
    except UnknownFormatError as error:
        offered = sorted([EVERYTHING, *written_suffixes()])
        raise UnknownFormatError(
            f"{path}: a session is not written as {suffix or 'a file without a suffix'!r}; "
            f"use one of: {' '.join(offered)} (and .gz after it)"
        ) from error


def _as_json(session: Session) -> bytes:
    with session.at_one_moment():
        heads = session.expansions()
        contents = [session.expansion(head.number) for head in heads]
        marks, audits = session.history(), session.audits()
        names, thresholds = session.names(), session.thresholds()
        targets = session.targets()
    return msgspec.json.encode(
        {
            "kind": KIND,
            "format": FORMAT,
            "start": session.start._asdict(),
            "names": [name._asdict() for name in names],
            "marks": [mark._asdict() for mark in marks],
            "expansions": [
                {**head._asdict(), "content": content}
                for head, content in zip(heads, contents, strict=True)
            ],
            "thresholds": [threshold._asdict() for threshold in thresholds],
            "audits": [audit._asdict() for audit in audits],
            "targets": [target._asdict() for target in targets],
        }
    )
