"""likewise index: files and folders into a library."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli import FormatsCommand
from likewise.cli.options import json_option
from likewise.cli.output import (
    format_count,
    format_counts,
    limit_lines,
    print_above,
    print_json,
    say,
)
from likewise.progress import make_bar

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from likewise.library.indexing import IndexProgress, IndexReport, IndexSettings
    from likewise.library.shelf import Duplicate


@click.command("index", cls=FormatsCommand)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--into", "library", required=True, metavar="LIB",
    help="The library: a folder, or an address, such as opensearch://HOST:9200/papers.",
)  # fmt: skip
@click.option(
    "--format", "format_", metavar="NAME", help="The files' format, if it can't be told from them."
)
@click.option("--again", is_flag=True, help="Read files that have not changed, too.")
@click.option("--workers", type=click.IntRange(min=1), help="Files to read at a time.")
@click.option(
    "--shards", type=click.IntRange(min=1), show_default="1",
    help="Of a new index on a cluster: how many parts it has.",
)  # fmt: skip
@click.option(
    "--replicas", type=click.IntRange(min=0), show_default="1, or 0 while there is one node",
    help="Of a new index on a cluster: how many further copies of each part.",
)  # fmt: skip
@click.option(
    "--report", metavar="FILE",
    help="Write a table (CSV) of the records that were merged with another, and why.",
)  # fmt: skip
@click.option("--all-problems", is_flag=True, help="Show every problem, not only ten of each file.")
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    sources: tuple[str, ...],
    library: str,
    *,
    format_: str | None,
    again: bool,
    workers: int | None,
    shards: int | None,
    replicas: int | None,
    report: str | None,
    all_problems: bool,
    as_json: bool,
) -> int:
    """Read files or folders into a library.

    SOURCE is a file of any format that likewise reads ({formats}; gzip or not), or a folder of such
    files. The library is made if there is none. Running it again reads only files that are new
    or changed, and continues where an interrupted run stopped. The exit code is 1 if a file
    could not be read to its end, or held no usable record.
    """
    from likewise.library.duplicates import DuplicatePair, write_pairs
    from likewise.library.indexing import IndexSettings

    settings = IndexSettings(
        workers=workers, format=format_, again=again, shards=shards, replicas=replicas
    )
    pairs: list[DuplicatePair] = []
    if report:
        # A file that can't be written should be known before hours of work.
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
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(format_index(done, library))
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
        tell = limit_lines(print_above(bar), most=most_problems)
        return index_files(
            sources,
            library,
            settings=settings,
            on_problem=lambda problem: tell(problem.path, str(problem)),
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
