"""likewise index, links and cited: read files into a library, and show who cites whom in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from likewise.cli import FormatsCommand
from likewise.cli.options import fields_option, json_option, library_argument, open_with_bar
from likewise.cli.output import (
    format_counts,
    print_above,
    print_json,
    print_result,
    print_rows,
    say,
    tell_problems,
)
from likewise.expansion.wording import format_count
from likewise.progress import make_bar

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from likewise.library.indexing import IndexProgress, IndexReport, IndexSettings
    from likewise.library.links import Neighbour
    from likewise.library.shelf import Duplicate


@click.command("index", cls=FormatsCommand)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--into", "library", required=True, metavar="LIB",
    help="The library: a folder, or an address, such as opensearch://HOST:9200/papers.",
)  # fmt: skip
@click.option("--format", metavar="NAME", help="The files' format, if it can't be told from them.")
@click.option("--again", is_flag=True, help="Also read files that have not changed.")
@click.option("--workers", type=click.IntRange(min=1), help="Files to read at a time.")
@click.option(
    "--shards", type=click.IntRange(min=1), show_default="1",
    help="For a new index on a cluster: how many parts it has.",
)  # fmt: skip
@click.option(
    "--replicas", type=click.IntRange(min=0), show_default="1, or 0 while there is one node",
    help="For a new index on a cluster: how many further copies each part has.",
)  # fmt: skip
@click.option(
    "--report", metavar="FILE",
    help="Write a table (CSV) of the records that were merged with another, and why.",
)  # fmt: skip
@click.option("--all-problems", is_flag=True, help="Show every problem, not only ten of each file.")
@json_option
def index_command(  # one parameter per option
    sources: tuple[str, ...],
    library: str,
    *,
    report: str | None,
    all_problems: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Read files or folders into a library.

    SOURCE is a file of any format that likewise reads ({formats}; gzip or not), or a folder of such
    files. The library is made if there is none. Running it again reads only files that are new
    or changed, and continues where an interrupted run stopped. The exit code is 1 if a file
    could not be read to its end, or held no usable record.
    """
    from likewise.library.duplicates import DuplicatePair, write_pairs
    from likewise.library.indexing import IndexSettings

    settings = IndexSettings(**chosen)
    pairs: list[DuplicatePair] = []
    if report:
        # If the file can't be written, that should be known before hours of work.
        write_pairs(pairs, report)
    try:
        done = index_with_bar(
            sources,
            library,
            settings=settings,
            most_problems=None if all_problems else 10,
            on_duplicate=lambda found: pairs.append(DuplicatePair.of(found)) if report else None,
        )
    finally:
        if report:
            write_pairs(pairs, report)
            say(f"{report}: {format_count(len(pairs), 'duplicate')} written")
    print_result(format_index(done, library), asdict(done), as_json=as_json)
    return 1 if done.failed else 0


def index_with_bar(
    sources: Sequence[str],
    library: str,
    *,
    settings: IndexSettings | None = None,
    most_problems: int | None = 10,
    on_duplicate: Callable[[Duplicate], None] | None = None,
) -> IndexReport:
    """Index with a progress bar, and report problems as they are found."""
    from likewise.library.indexing import index_files

    with make_bar("{task.fields[documents]:,} documents", "{task.fields[speed]}") as bar:
        return index_files(
            sources,
            library,
            settings=settings,
            on_problem=tell_problems(print_above(bar), most=most_problems),
            on_progress=_show_progress_by(bar),
            on_duplicate=on_duplicate,
        )


def format_index(report: IndexReport, library: str) -> str:
    """Return what indexing did, in a few lines."""
    if not report.has_library:
        return f"{library}: there was nothing to read, so no library was made"
    counts = report.counts
    files = format_counts(
        (report.read, "read"),
        (report.skipped, "unchanged since the last time"),
        (report.reread, "read again for deletions"),
        (report.failed, "not read to the end, or without records"),
        (report.passed_over, "with other suffixes skipped"),
        of="file",
    )
    records = format_counts(
        (counts.added, "added"),
        (counts.revised, "revised"),
        (counts.merged, "merged with the same paper"),
        (counts.unchanged, "already there"),
        (counts.deleted, "deleted"),
        (counts.renamed, "under an id made for them"),
    )
    lines = [
        f"{library}: {format_count(report.documents, 'document')}",
        f"  files    {files}",
        f"  records  {records or 'none'}",
    ]
    if report.problems:
        lines.append(f"  problems {report.problems:,}, listed above")
    return "\n".join(lines)


def _show_progress_by(bar: Bar) -> Callable[[IndexProgress], None]:
    task = bar.add_task("indexing", total=None, documents=0, speed="")
    started = time.monotonic()

    def show(progress: IndexProgress) -> None:
        spent = time.monotonic() - started
        left = spent * (progress.total_bytes / max(progress.bytes, 1) - 1)
        bar.update(
            task,
            total=progress.total_bytes,
            completed=progress.bytes,
            description=progress.file.name,
            documents=progress.documents,
            speed=f"{progress.documents / max(spent, 0.1):,.0f}/s, {_format_time(left)} left",
        )

    return show


def _format_time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


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
    from likewise.library.link_imports import LinksListener, import_links

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
            {
                "id": document.id,
                **{kind: list(map(_describe_neighbour, some)) for kind, some in kinds},
            }
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


def _describe_neighbour(neighbour: Neighbour) -> dict[str, object]:
    held = neighbour.document
    return {
        "name": neighbour.name,
        "times": neighbour.times,
        "id": held.id if held else None,
        "year": held.year if held else None,
        "title": held.title if held else None,
    }
