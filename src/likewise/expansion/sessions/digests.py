"""Digests: what a look found, as a page, a mail, JSON, a feed or records.

A page opens offline and loads nothing. The feed is Atom, and holds what the latest looks found: its
entries keep their ids, so that a reader shows each once.
"""

from __future__ import annotations

import textwrap
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from likewise.documents import Document, replace_file, write_annotated
from likewise.documents.document import AnnotatedDocument, Note, describe_warning
from likewise.documents.formats import format_for_writing, list_written_suffixes, suffix_of
from likewise.documents.notebook import (
    DocumentList,
    Link,
    find_links,
    render_sentences,
    shorten_authors,
    wrap_html,
)
from likewise.errors import UnknownFormatError, WriteError
from likewise.expansion.display import spell_terms_in
from likewise.expansion.outputs import load_template, read_resource
from likewise.expansion.sessions.records import NewFind, SessionLook
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.wording import format_count
from likewise.library.protocol import Library
from likewise.version import __version__

PAGE, MAIL, EVERYTHING = ".html", ".txt", ".json"
FEEDS = (".atom", ".xml")
MOST_IN_FEED = 200
WORDS = 8
WIDTH = 76
_ATOM = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class DigestEntry:
    """A new document, with its place when it was found."""

    document: Document
    find: NewFind
    look: SessionLook
    """The one that found it."""
    words: tuple[str, ...] = ()
    """Terms that spoke for it, the strongest first."""

    @property
    def links(self) -> tuple[Link, ...]:
        """Where it can be read."""
        return find_links(self.document)

    @property
    def about(self) -> str:
        """Authors, journal and year in a line."""
        one = self.document
        facts = (shorten_authors(one.authors), one.journal, str(one.year or ""))
        return ", ".join(filter(None, facts))

    @property
    def warning(self) -> str:
        """A warning to readers, such as that it was retracted; else ""."""
        return describe_warning(self.document)

    @property
    def headline(self) -> str:
        """The title, after the warning, if there is one."""
        title = _name(self.document)
        return f"[{self.warning}] {title}" if self.warning else title

    def make_notes(self) -> dict[str, Note]:
        """Return the notes on it for a file of records; `mark` is left to be filled in."""
        likely = self.find.probability
        return {
            "rank": self.find.rank,
            "probability": "" if likely is None else likely,
            "words": " ".join(self.words),
            "notice": self.warning,
            "mark": "",
        }

    def list_values(self) -> dict[str, Any]:
        """Return its values, as JSON has them."""
        return {
            "rank": self.find.rank,
            "probability": self.find.probability,
            "is_revised": self.find.is_revised,
            "words": self.words,
            "warning": self.warning,
            "links": [link.address for link in self.links],
            "document": self.document,
        }


@dataclass(frozen=True)
class Digest:
    """What a look found, with the documents."""

    session: str
    name: str
    """What people call the session."""
    identity: str
    """What tells the session from others, in the ids of a feed."""
    since: str
    """The time of the look before; "" if there was none."""
    look: SessionLook
    new: tuple[DigestEntry, ...]
    earlier: tuple[DigestEntry, ...] = ()
    """What earlier looks found, the latest first, for the feed."""
    revised: tuple[Document, ...] = ()
    """Seeds and documents on the list whose records were revised since the last news."""
    noticed: tuple[Document, ...] = ()
    """Seeds and finds with new warnings to readers."""

    @property
    def title(self) -> str:
        """What it says in one line, such as for the subject of a mail."""
        found = format_count(len(self.new), "new document") if self.new else "nothing new"
        since = f" since {self.since[:10]}" if self.since else ""
        return f"{found} on “{self.name}”{since}"

    @property
    def sentences(self) -> list[str]:
        """What else the look saw."""
        content, new = self.look.content, len(self.new)
        likely = f"{new:,} {'is' if new == 1 else 'are'} likely on your topic"
        if content.added < 0:
            first = f"Of documents that the session had not ranked before, {likely}."
        elif content.added:
            first = f"{format_count(content.added, 'document')} came into the library; {likely}."
        else:
            first = "No document came into the library."
        changed = f"Revised: {format_count(content.changed, 'record')}."
        return [first, changed] if content.changed else [first]

    @property
    def alarms(self) -> list[str]:
        """Warnings of what was retracted or doubted, each with its paper."""
        return [f"{self.look.content.notices[one.id]}: {_name(one)}" for one in self.noticed]

    def __repr__(self) -> str:
        return f"<Digest: {self.title}>"

    def _repr_html_(self) -> str:
        table = DocumentList(entry.document for entry in self.new)._repr_html_()
        told = [f"{self.title[0].upper()}{self.title[1:]}.", *self.sentences, *self.alarms]
        return wrap_html(*render_sentences(told)) + (table if self.new else "")

    def list_values(self) -> dict[str, Any]:
        """Return its values, as JSON has them."""
        content = self.look.content
        return {
            "kind": "likewise digest",
            "format": 1,
            "session": self.session,
            "name": self.name,
            "since": self.since,
            "time": self.look.time,
            "added": None if content.added < 0 else content.added,
            "changed": content.changed,
            "new": [entry.list_values() for entry in self.new],
            "revised": [{"id": one.id, "title": one.title} for one in self.revised],
            "warnings": [
                {"id": one.id, "title": one.title, "warning": content.notices[one.id]}
                for one in self.noticed
            ],
        }


def make_digest(session: SessionFile, library: Library, look: SessionLook) -> Digest:
    """Return what a look found, with the documents as the library has them now."""
    with session.at_one_moment():
        looks = [one for one in session.looks() if one.number < look.number]
        name, explanations = session.name or session.path.stem, session.explanations()
    # Revised records are listed with the next news: looks without news made no digest.
    quiet = takewhile(lambda one: not one.content.has_news, reversed(looks))
    revised = dict.fromkeys(n for one in (look, *quiet) for n in one.content.revised)
    found = [(find, one) for one in (look, *reversed(looks)) for find in one.content.finds]
    found = found[: max(MOST_IN_FEED, len(look.content.finds))]
    notices = look.content.notices
    wanted = {find.id for find, _ in found} | revised.keys() | notices.keys()
    documents = {seed.id: seed for seed in session.start.seeds}
    documents |= {document.id: document for document in library.get(sorted(wanted))}

    def make_entry(find: NewFind, by: SessionLook) -> DigestEntry:
        why = explanations.explain(find.id) if explanations else None
        words = spell_terms_in(documents[find.id].text, why.up[:WORDS] if why else ())
        return DigestEntry(documents[find.id], find, by, tuple(words))

    entries = [make_entry(find, by) for find, by in found if find.id in documents]
    return Digest(
        session=str(session.path),
        name=name,
        identity=f"{session.start.time} {session.start.fingerprint}",
        since=looks[-1].time if looks else "",
        look=look,
        new=tuple(entry for entry in entries if entry.look is look),
        earlier=tuple(entry for entry in entries if entry.look is not look),
        revised=tuple(documents[n] for n in revised if n in documents),
        noticed=tuple(documents[n] for n in notices if n in documents),
    )


def check_digest(path: str | Path) -> None:
    """Raise an error if a digest can't be written there; call it before the long work."""
    path = Path(path)
    if suffix_of(path) not in (PAGE, MAIL, EVERYTHING, *FEEDS):
        try:
            format_for_writing(path)
        except UnknownFormatError as error:
            offered = " ".join(sorted({PAGE, MAIL, EVERYTHING, *FEEDS, *list_written_suffixes()}))
            found = f"{path}: a digest can't be written in this format; use one of: {offered}"
            raise UnknownFormatError(found) from error
    if not path.parent.is_dir():
        raise WriteError(f"{path}: can't be written: there is no folder {path.parent}")


def write_digest(digest: Digest, path: str | Path) -> None:
    """Write a digest in the form that the suffix asks for; it appears whole or not at all."""
    path = Path(path)
    suffix = suffix_of(path)
    if suffix == PAGE:
        content = render_digest(digest).encode()
    elif suffix == MAIL:
        content = "".join(f"{line}\n" for line in format_mail(digest)).encode()
    elif suffix == EVERYTHING:
        encoded = msgspec.json.encode(digest.list_values())
        content = msgspec.json.format(encoded, indent=1) + b"\n"
    elif suffix in FEEDS:
        content = make_feed(digest)
    else:
        annotated = [AnnotatedDocument(one.document, one.make_notes()) for one in digest.new]
        write_annotated(annotated, path)
        return
    with replace_file(path) as stream:
        stream.write(content)


def render_digest(digest: Digest) -> str:
    """Return a digest as an HTML page."""
    return load_template("digest.html.jinja").render(
        digest=digest,
        style=read_resource("report.css"),
        name_document=_name,
        version=__version__,
    )


def format_mail(digest: Digest) -> Iterator[str]:
    """Yield the lines of a digest as the text of a mail; the first one can be its subject."""
    yield digest.title[0].upper() + digest.title[1:]
    yield ""
    yield from _wrap(digest.sentences)
    for alarm in digest.alarms:
        yield from _wrap([f"WARNING: {alarm}"])
    for number, entry in enumerate(digest.new, 1):
        likely = entry.find.probability
        yield ""
        yield from _wrap([f"{number}. {entry.headline}"])
        revised = ", revised since" if entry.find.is_revised else ""
        yield from _wrap([entry.about, f"probability {likely or 0:.2f}{revised}"], indent=3)
        yield from (f"   {link.address}" for link in entry.links[:1])
    if digest.revised:
        yield from ("", f"Revised among your seeds and your list: {len(digest.revised):,}")
        yield from _wrap(f"- {_name(document)}" for document in digest.revised)


def _wrap(texts: Iterable[str], *, indent: int = 0) -> Iterator[str]:
    first, others = " " * indent, " " * max(indent, 3)
    for text in texts:
        yield from textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=others)


def make_feed(digest: Digest) -> bytes:
    """Return an Atom feed of what was found lately, the latest first."""
    feed = ET.Element("feed", {"xmlns": _ATOM})
    _add(feed, "title", f"New on “{digest.name}”")
    _add(feed, "id", _make_urn(digest.identity))
    _add(feed, "updated", digest.look.time)
    _add(feed, "generator", "likewise", version=__version__)
    _add(_add(feed, "author"), "name", "likewise")
    for entry in (*digest.new, *digest.earlier):
        item = _add(feed, "entry")
        _add(item, "title", entry.headline)
        _add(item, "id", _make_urn(f"{digest.identity} {entry.document.id} {entry.look.number}"))
        _add(item, "updated", entry.look.time)
        for link in entry.links[:1]:
            _add(item, "link", href=link.address)
        _add(item, "summary", "\n".join(filter(None, (entry.about, entry.document.abstract))))
    ET.indent(feed)
    written: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, tag, attributes)
    # XML has no way to write most control characters.
    child.text = "".join(c if c >= " " or c in "\t\n" else " " for c in text)
    return child


def _make_urn(said: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"likewise {said}").urn


def _name(document: Document) -> str:
    return " ".join((document.title or document.id).split())
