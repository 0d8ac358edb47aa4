"""Documents in a notebook: one line each, or a table in the notebook's own colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from likewise.documents.document import Document, describe_warning

MOST_AUTHORS = 3
MOST_LINES = 20
"""How many documents of a list are printed, or shown in its table."""
LONGEST_TITLE = 120
LONGEST_LINE = 80
"""How many characters of a title are shown in a line about its document."""
_PMID = re.compile(r"[0-9]{1,9}")
_PMCID = re.compile(r"PMC[0-9]{1,9}")
_DOI = re.compile(r"10\.[^/\s]+/\S+")

STYLE = """
.likewise { font: inherit; max-width: 60em; --line: color-mix(in srgb, currentColor 22%, transparent); }
.likewise.likewise table { border-collapse: collapse; table-layout: auto; margin: .5em 0; }
.likewise.likewise th, .likewise.likewise td { background: none; border-bottom: 1px solid var(--line); padding: .25em .6em; text-align: left; vertical-align: top; }
.likewise.likewise .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.likewise.likewise p { margin: .4em 0; }
.likewise .warning { font-weight: bold; }
.likewise a { color: inherit; }
.likewise figure { margin: 1em 0; max-width: 30em; }
.likewise figcaption { opacity: .75; }
.likewise svg text { fill: currentColor; font-size: 12px; }
.likewise svg .grid { stroke: var(--line); }
.likewise svg .bar { fill: color-mix(in srgb, currentColor 35%, transparent); }
.likewise svg .bar.above { fill: #2f9c8f; }
.likewise svg .threshold { stroke: currentColor; stroke-dasharray: 3 3; }
"""  # noqa: E501  # a rule of a style sheet is one line
"""Colours are those of the notebook, light or dark; a class named twice outweighs the notebook's
own style of tables."""


class DocumentList(list[Document]):
    """A list of documents, which a notebook shows as a table.

    >>> DocumentList([Document(id="7", title="On cats", year=1999), Document(id="8")])
    [<Document 7: On cats (1999)>,
     <Document 8>]
    """

    def __repr__(self) -> str:
        lines = [repr(document) for document in self[:MOST_LINES]]
        if len(self) > MOST_LINES:
            lines.append(f"... {len(self) - MOST_LINES:,} more")
        return "[" + ",\n ".join(lines) + "]"

    def _repr_html_(self) -> str:
        shown = enumerate(self[:MOST_LINES], 1)
        rows = [(row, each.id, each.year or "", render_title(each)) for row, each in shown]
        table = render_table(("", "id", "year", "document"), rows, numbers=(0,))
        more = len(self) - MOST_LINES
        return wrap_html(table, *(render_sentences([f"{more:,} more."]) if more > 0 else []))


def describe_document(document: Document) -> str:
    """Return one line that identifies a document.

    >>> describe_document(Document(id="7", title="On cats", year=1999))
    '<Document 7: On cats (1999)>'
    """
    title = shorten_text(document.title or document.abstract, LONGEST_LINE)
    year = f" ({document.year})" if document.year else ""
    said = f": {title}{year}" if title else year
    return f"<Document {document.id}{said}>" if document.id else f"<Document{said}>"


def render_document(document: Document) -> str:
    """Return a document as HTML for a notebook: title, authors, journal, abstract and links."""
    warning = describe_warning(document)
    where = ", ".join(
        str(part)
        for part in (shorten_authors(document.authors), document.journal, document.year)
        if part
    )
    links = Markup(" · ").join(
        Markup('<a href="{}">{}</a>').format(link.address, link.name)
        for link in find_links(document)
    )
    parts = [
        Markup("<p><strong>{}</strong></p>").format(document.title or "(no title)"),
        Markup('<p class="warning">{}</p>').format(warning) if warning else "",
        Markup("<p>{}</p>").format(where) if where else "",
        Markup("<p>{}</p>").format(document.abstract) if document.abstract else "",
        Markup("<p><small>id {}{}{}</small></p>").format(
            document.id, " · " if links else "", links
        ),
    ]
    return wrap_html(*parts)


def wrap_html(*parts: str) -> str:
    """Join parts of HTML into one, with the style that they share."""
    style = Markup(STYLE)  # noqa: S704  # a constant
    whole = Markup('<div class="likewise"><style>{}</style>{}</div>')
    return str(whole.format(style, Markup("").join(parts)))


def render_sentences(sentences: Iterable[str]) -> list[Markup]:
    """Return a paragraph for each sentence."""
    return [Markup("<p>{}</p>").format(sentence) for sentence in sentences]


def render_table(
    names: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()
) -> Markup:
    """Return a table; cells that are not Markup are escaped.

    Args:
        names: The headings of the columns.
        rows: The cells of each row.
        numbers: The columns to align to the right.
    """
    kinds = [
        Markup(' class="number"') if column in numbers else Markup("")
        for column in range(len(names))
    ]
    head = Markup("").join(map(Markup("<th{}>{}</th>").format, kinds, names))
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(map(Markup("<td{}>{}</td>").format, kinds, row))
        )
        for row in rows
    )
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(head, body)


def render_title(document: Document) -> Markup:
    """Return a document's title, with a link if there is one, and its authors below it."""
    title = shorten_text(document.title or document.id, LONGEST_TITLE)
    links = find_links(document)
    shown = Markup('<a href="{}">{}</a>').format(links[0].address, title) if links else title
    return Markup("{}<br><small>{}</small>").format(shown, shorten_authors(document.authors))


def shorten_text(text: str, most: int) -> str:
    """Return a text as one line of at most `most` characters, cut after a word.

    >>> shorten_text("Insulin in obese rats", 10), shorten_text("Hyperinsulinemia", 10)
    ('Insulin…', 'Hyperinsu…')
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    begun = line[: most - 1]
    whole = begun if line[most - 1] == " " else begun.rpartition(" ")[0] or begun
    return f"{whole.rstrip(' ,;:')}…"


def shorten_authors(authors: Sequence[str]) -> str:
    """Return the first authors' family names.

    >>> shorten_authors(["Curie, Marie", "Curie, Pierre"])
    'Curie, Curie'
    >>> shorten_authors(["Curie, Marie", "Dog Study Group", "Li, X", "Wu, Y"])
    'Curie, Dog Study Group, Li et al.'
    """
    families = ", ".join(author.split(",")[0].strip() for author in authors[:MOST_AUTHORS])
    return f"{families} et al." if len(authors) > MOST_AUTHORS else families


class Link(NamedTuple):
    """A place where a document can be read."""

    name: str
    address: str


def find_links(document: Document) -> tuple[Link, ...]:
    """Return links to where a document can be read, made from its well-formed identifiers.

    >>> [link.address for link in find_links(Document(pmid="7", doi="10.1/a<b"))]
    ['https://pubmed.ncbi.nlm.nih.gov/7/', 'https://doi.org/10.1/a%3Cb']
    """
    links = []
    if _PMID.fullmatch(document.pmid):
        links.append(Link("PubMed", f"https://pubmed.ncbi.nlm.nih.gov/{document.pmid}/"))
    if _PMCID.fullmatch(document.pmcid):
        links.append(Link("PMC", f"https://pmc.ncbi.nlm.nih.gov/articles/{document.pmcid}/"))
    if _DOI.fullmatch(document.doi):
        links.append(Link("DOI", f"https://doi.org/{quote(document.doi, safe='/:;()')}"))
    return tuple(links)
