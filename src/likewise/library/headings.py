"""The MeSH headings of documents as a library keeps them: what a document has, as one term each.

A heading is the term "ui:name", or ":name" where its identifier is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.library.protocol import Heading

if TYPE_CHECKING:
    from likewise.documents import Document

# No heading is nearly as long, and engines keep no endless terms.
MAX_HEADING = 1000


def headings_of(document: Document) -> list[Heading]:
    """Return the headings that a document is found by, each once and in order.

    >>> from likewise.documents import Document, MeshHeading
    >>> headings_of(Document(mesh=(MeshHeading("Rats", "D051381", True), MeshHeading("Brain"))))
    [Heading(name='Brain', ui=''), Heading(name='Rats', ui='D051381')]
    """
    found = {Heading(given.name, _identifier(given.ui)) for given in document.mesh}
    return sorted(heading for heading in found if 0 < len("".join(heading)) <= MAX_HEADING)


def _identifier(ui: str) -> str:
    # What MeSH identifies things by has no colon, and a colon ends it in a term.
    return "" if ":" in ui else ui


def to_term(heading: Heading) -> str:
    """Return the term of a heading."""
    return f"{heading.ui}:{heading.name}"


def from_term(term: str) -> Heading:
    """Return the heading of a term.

    >>> from_term("D000818:Animals"), from_term(":Fatty Acids, 18:1")
    (Heading(name='Animals', ui='D000818'), Heading(name='Fatty Acids, 18:1', ui=''))
    """
    ui, _, name = term.partition(":")
    return Heading(name, ui)
