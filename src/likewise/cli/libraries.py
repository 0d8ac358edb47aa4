"""likewise search, show, info and duplicates: look into a library, and correct what was merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click

from likewise.cli import Several, SeveralCommand
from likewise.cli.options import (
    fields_option,
    json_option,
    library_argument,
    open_with_bar,
    setting_option,
)
from likewise.cli.output import (
    clean_text,
    format_size,
    make_console,
    print_json,
    print_rows,
    say,
    show_progress_by,
)
from likewise.documents import Document
from likewise.expansion.wording import format_count
from likewise.library.protocol import SEARCH_LIMIT, Library
from likewise.progress import make_bar


@click.command("search")
@library_argument
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", default=SEARCH_LIMIT, show_default=True, type=click.IntRange(min=1),
    help="How many documents at most.",
)  # fmt: skip
@setting_option("where")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the documents; the suffix chooses the format."
)
@fields_option
@json_option
def search_command(  # one parameter per option
    library: str,
    words: tuple[str, ...],
    *,
    limit: int,
    where: str,
    output: str | None,
    as_json: bool,
) -> None:
    """Search a library for words.

    A document scores higher if it has more of the words, if they are rare, and if they are in its
    title. With "phrases", NOT, OR or fields (year:2010.., journal:, type:, title:, author:,
    source:), the words are a filter, and all of it must hold for a document to be found.
    """
    from likewise.documents import write
    from likewise.expansion.searching import search_library
    from likewise.library.where import Where

    limits = Where.parse(where)
    with open_with_bar(library) as opened:
        result = search_library(opened, " ".join(words), limit=limit, where=limits)
    if result.complaint:
        say(result.complaint)
    documents = [one.document for one in result.found]
    if output:
        write(documents, output)
        if as_json:
            print_json({"path": output, "documents": len(documents)})
        else:
            say(f"{output}: {format_count(len(documents), 'document')} written")
    elif as_json:
        print_json([{"score": round(score, 4), "document": d} for d, score in result.found])
    elif documents:
        rows = [
            (rank, d.id, f"{score:.2f}", d.year or "", d.title or d.abstract)
            for rank, (d, score) in enumerate(result.found, 1)
        ]
        print_rows(("rank", "id", "score", "year", "title"), rows)
    else:
        say(f"nothing found; try fewer or other words{', or wider limits' if limits else ''}")


@click.command("show")
@library_argument
@click.argument("identifiers", nargs=-1, required=True, metavar="ID...")
@fields_option
@json_option
def show_command(library: str, identifiers: tuple[str, ...], *, as_json: bool) -> None:
    """Show whole documents.

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
        yield f"[dim]{name:12}[/dim]{escape(value)}"


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
        "references": f"{len(document.references):,}" if document.references else "",
        "language": document.language,
        "source": document.source,
    }
    return ((name, value) for name, value in facts.items() if value)


MOST_SOURCES = 15


@click.command("info")
@library_argument
@fields_option
@json_option
def info_command(library: str, *, as_json: bool) -> None:
    """Show what a library holds: documents, fields, sources, size, last change."""
    from rich.markup import escape

    with open_with_bar(library) as opened:
        info = opened.info()
    if as_json:
        print_json(asdict(info))
        return
    screen = make_console()
    size = f"{format_count(info.documents, 'document')}, {format_size(info.bytes)}"
    # It is not known when an index that others made has changed.
    known = info.changed or not info.documents
    changed = f", last changed {info.changed or 'never'}" if known else ""
    screen.print(f"[bold]{escape(clean_text(library))}[/bold]: {size}{changed}")
    screen.print("\n[dim]documents that have[/dim]")
    for name, number in info.fields.items():
        screen.print(f"  {name.replace('_', ' '):18}{number:>12,}  {number / info.documents:6.1%}")
    screen.print("\n[dim]documents from[/dim]")
    for source, number in list(info.sources.items())[:MOST_SOURCES]:
        screen.print(f"  {number:>12,}  {clean_text(source) or '(unknown)'}", markup=False)
    if len(info.sources) > MOST_SOURCES:
        screen.print(f"  and {len(info.sources) - MOST_SOURCES:,} more; --json lists them all")


@click.command("duplicates", cls=SeveralCommand)
@library_argument
@click.option("--near", is_flag=True, help="List papers that may be the same, but are not merged.")
@click.option("--split", cls=Several, metavar="ID...", help="Take papers apart into their records.")
@click.option(
    "--join", nargs=2, multiple=True, metavar="ID ID",
    help="Make one paper of two; it keeps the id of the first.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write the list as a table (CSV).")
@fields_option
@json_option
def duplicates_command(  # one parameter per option
    library: str,
    *,
    near: bool,
    split: Sequence[str],
    join: Sequence[tuple[str, str]],
    output: str | None,
    as_json: bool,
) -> None:
    """List records that were merged, and take them apart or join others.

    Each line shows a paper, a record that was merged into it, and what both have in common. With
    --near, it lists papers with nearly the same title, and the same year and first author;
    they stay apart unless you join them. ID is a document's id in the library, or its PMID,
    DOI or PMCID. What you split or join stays that way when files are read again.
    """
    if bool(split or join) and (near or output):
        raise click.UsageError(
            "--split and --join change a library; list its duplicates after that"
        )
    if split or join:
        _correct(library, split, join, as_json=as_json)
    else:
        _list_pairs(library, near=near, output=output, as_json=as_json)


def _correct(
    library: str, split: Sequence[str], join: Sequence[tuple[str, str]], *, as_json: bool
) -> None:
    from likewise.library import open_library
    from likewise.library.duplicates import join_papers, split_papers

    # A writer makes a library if there is none.
    open_library(library).close()
    with open_library(library, write=True) as opened:
        parted = split_papers(opened, split) if split else []
        joined = [join_papers(opened, *pair) for pair in join]
    if as_json:
        papers = [
            {"kept": paper.id, "joined": pair} for paper, pair in zip(joined, join, strict=True)
        ]
        print_json({"split": [each._asdict() for each in parted], "joined": papers})
        return
    for each in parted:
        click.echo(f"{each.paper}: split into {', '.join(each.into)}")
    for paper, (_, other) in zip(joined, join, strict=True):
        click.echo(f"{paper.id}: joined with {other}")


def _list_pairs(library: str, *, near: bool, output: str | None, as_json: bool) -> None:
    from likewise.library.duplicates import DuplicatePair, NearPair, list_duplicates, write_pairs

    with open_with_bar(library) as opened:
        pairs: Sequence[Any] = _find_near(opened) if near else list_duplicates(opened)
    if output:
        write_pairs(pairs, output, names=(NearPair if near else DuplicatePair)._fields)
        say(f"{output}: {format_count(len(pairs), 'pair')} written")
    elif as_json:
        print_json([pair._asdict() for pair in pairs])
    elif not pairs:
        what = "no two papers look the same" if near else "no record was merged with another"
        say(f"{library}: {what}")
    elif near:
        rows = [(p.one_id, p.other_id, f"{p.likeness:.2f}", p.year, p.one_title) for p in pairs]
        print_rows(("id", "other", "likeness", "year", "title"), rows)
    else:
        rows = [
            (p.kept_id, p.other_id, p.matched_by, p.other_place or p.other_source, p.other_title)
            for p in pairs
        ]
        print_rows(("id", "other", "matched by", "file", "title"), rows)


def _find_near(library: Library) -> Sequence[Any]:
    from likewise.library.duplicates import find_near_duplicates

    with make_bar() as bar:
        move = show_progress_by(bar, "reading titles")
        return find_near_duplicates(library, on_progress=lambda done, total: move(done, total, ""))
