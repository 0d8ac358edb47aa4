"""likewise show: documents, whole."""

from __future__ import annotations

from collections.abc import Iterator

import click

from likewise.cli.options import fields_option, library_argument, open_with_bar
from likewise.cli.output import clean_text, json_option, make_console, print_json
from likewise.documents import Document


@click.command("show")
@library_argument
@click.argument("identifiers", nargs=-1, required=True, metavar="ID...")
@fields_option
@json_option
def command(library: str, identifiers: tuple[str, ...], *, as_json: bool) -> None:
    """Show documents, whole.

    ID is a document's id in the library, or its PMID, DOI or PMCID.
    """
    from likewise.library.keys import look_up_documents

    with open_with_bar(library) as opened:
        documents = look_up_documents(opened, identifiers)
    if as_json:
        print_json(documents)
        return
    screen = make_console()
    for place, document in enumerate(documents):
        if place:
            screen.print()
        for line in _format_document(document):
            screen.print(clean_text(line), markup=True)


def _format_document(document: Document) -> Iterator[str]:
    from rich.markup import escape

    yield f"[bold]{escape(document.title or '(no title)')}[/bold]"
    if document.authors:
        yield escape("; ".join(document.authors))
    where = ", ".join(filter(None, (document.journal, str(document.year or ""))))
    if where:
        yield f"[italic]{escape(where)}[/italic]"
    yield ""
    if document.abstract:
        yield escape(document.abstract)
        yield ""
    for name, value in _list_facts(document):
        yield f"[dim]{name:10}[/dim]{escape(value)}"


def _list_facts(document: Document) -> Iterator[tuple[str, str]]:
    mesh = (heading.name or heading.ui for heading in document.mesh)
    major = {h.name or h.ui for h in document.mesh if h.major}
    facts = {
        "id": document.id,
        "pmid": document.pmid,
        "doi": document.doi,
        "pmcid": document.pmcid,
        "other ids": ", ".join(document.other_ids),
        "mesh": "; ".join(f"{name}*" if name in major else name for name in mesh),
        "keywords": "; ".join(document.keywords),
        "types": "; ".join(document.publication_types),
        "language": document.language,
        "source": document.source,
    }
    return ((name, value) for name, value in facts.items() if value)
