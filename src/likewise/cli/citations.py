"""likewise links, likewise cited: who cites whom, read from a file, and asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from likewise.cli.options import fields_option, json_option, library_argument, open_with_bar
from likewise.cli.output import format_count, print_json, print_rows, say
from likewise.progress import make_bar

if TYPE_CHECKING:
    from likewise.library.links import Neighbour


@click.command("links")
@library_argument
@click.argument("file", metavar="FILE")
@fields_option
@json_option
def links_command(library: str, file: str, *, as_json: bool) -> None:
    """Read a file of citations, to use beside those in the documents.

    FILE is a table of two columns, the PMIDs of a citing and of a cited paper, such as NIH's Open
    Citation Collection (open_citation_collection.csv, also packed as .gz or .zip). It may be larger
    than memory. It replaces an earlier file as a whole. If it is interrupted, run the same
    command again to continue.
    """
    from likewise.library.link_imports import LinksListener, import_links, refuse_cluster

    refuse_cluster(library)
    with make_bar() as bar:
        task = bar.add_task("links", total=None)

        def show(rows: int, merged: int) -> None:
            done = f"{format_count(rows, 'row')} read"
            bar.update(task, description=f"{done}, {merged:,} sorted" if merged else done)

        listener = LinksListener(lambda problem: say(str(problem)), show)
        report = import_links(library, file, listener=listener)
    if as_json:
        print_json(report)
        return
    left = {"by papers to themselves": report.own, "that could not be read": report.unread}
    told = "; ".join(f"{format_count(count, 'row')} {why}" for why, count in left.items() if count)
    say(
        f"{library}: {format_count(report.links, 'link')} from {format_count(report.rows, 'row')}"
        + (f", left out: {told}" if told else "")
    )


@click.command("cited")
@library_argument
@click.argument("identifier", metavar="ID")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000),
              help="How many papers of each kind to list.")  # fmt: skip
@fields_option
@json_option
def cited_command(library: str, identifier: str, *, limit: int, as_json: bool) -> None:
    """Show what a paper cites, what cites it, and what is cited with it.

    ID is a document's id in the library, or its PMID, DOI or PMCID. Papers that the library does
    not hold are named by their PMID or DOI.
    """
    from likewise.library.keys import look_up_documents
    from likewise.library.links import find_neighbours, require_links

    with open_with_bar(library) as opened:
        links = require_links(opened, where=library)
        (document,) = look_up_documents(opened, [identifier])
        found = find_neighbours(opened, links, document, limit=limit)
    if as_json:
        kinds = found._asdict().items()
        print_json(
            {"id": document.id, **{kind: list(map(_describe, some)) for kind, some in kinds}}
        )
        return

    def show(title: str, neighbours: list[Neighbour]) -> None:
        say(f"{title}: {len(neighbours):,}")
        held = sorted(neighbours, key=lambda one: (-one.times, one.document is None))
        rows = [
            (one.times, one.name, one.document.year or "", one.document.title)
            if one.document
            else (one.times, one.name, "", "(not in the library)")
            for one in held[:limit]
        ]
        if rows:
            print_rows(("times", "id", "year", "title"), rows)

    show("cites", found.cites)
    show("cited by", found.cited_by)
    show("most often cited with", found.cited_with)


def _describe(neighbour: Neighbour) -> dict[str, object]:
    held = neighbour.document
    return {
        "name": neighbour.name,
        "times": neighbour.times,
        "id": held.id if held else None,
        "year": held.year if held else None,
        "title": held.title if held else None,
    }
