"""likewise download: all of PubMed, as files."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.output import (
    format_count,
    format_counts,
    format_size,
    json_option,
    make_bar,
    print_above,
    print_json,
)

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from likewise.documents.remote.downloading import DownloadReport, DownloadSettings
    from likewise.documents.remote.file_fetcher import DownloadProgress


@click.command("download")
@click.argument("collection", type=click.Choice(["pubmed"]), expose_value=False)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--baseline", is_flag=True, help="Only the year's baseline.")
@click.option("--updates", is_flag=True, help="Only the daily update files.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="Only files that are there since this day, such as 2026-01-31.")  # fmt: skip
@click.option("--from", "base", envvar="LIKEWISE_PUBMED", metavar="URL",
              help="Where the folders baseline and updatefiles are, if not at NLM.")  # fmt: skip
@click.option("--connections", default=2, show_default=True, type=click.IntRange(1, 8),
              help="Files to fetch at a time.")  # fmt: skip
@click.option("--check", is_flag=True, help="Read files that are there again, to see their sums.")
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    folder: Path,
    *,
    baseline: bool,
    updates: bool,
    since: datetime | None,
    base: str | None,
    connections: int,
    check: bool,
    as_json: bool,
) -> int:
    """Fetch PubMed's files: the year's baseline, and the daily updates.

    They come from NLM over HTTPS into DIR/baseline and DIR/updatefiles, each checked by its MD5.
    Run it again to go on where it was broken off, even in the middle of a file, and any day to
    fetch what is new. Then read all of them into a library: likewise index DIR --into LIB. The exit
    code is 1 if a file could not be had.
    """
    from likewise.documents.remote.downloading import DownloadSettings
    from likewise.documents.remote.pubmed_files import NLM

    settings = DownloadSettings(
        baseline=baseline or not updates,
        updates=updates or not baseline,
        since=since.date() if since else None,
        base=base or NLM,
        connections=connections,
        check=check,
    )
    report = download_with_bar(folder, settings)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(format_download(report))
    return 1 if report.failed or report.left else 0


def download_with_bar(folder: Path, settings: DownloadSettings) -> DownloadReport:
    """Download with a progress bar, and with problems told as they are found."""
    from likewise.documents.remote.downloading import download_pubmed

    with make_bar("{task.fields[amount]}", "{task.fields[speed]}") as bar:
        return download_pubmed(
            folder,
            settings=settings,
            on_line=print_above(bar),
            on_progress=_show_download_by(bar),
        )


def format_download(report: DownloadReport) -> str:
    """Return what downloading did, in a few lines."""
    files = format_counts(
        (report.fetched, f"fetched ({format_size(report.bytes)})"),
        (report.there, "already there"),
        (report.failed, "failed"),
        (report.left, "left"),
        of="file",
    )
    lines = [f"{report.folder}: {files or 'nothing to fetch'}"]
    if report.failed or report.left:
        lines.append("  next  run it again: what is here is kept")
    elif report.fetched or report.there:
        lines.append(f"  next  likewise index {shlex.quote(report.folder)} --into LIB")
    return "\n".join(lines)


def _show_download_by(bar: Bar) -> Callable[[DownloadProgress], None]:
    task = bar.add_task("listing", total=None, amount="", speed="")
    started = time.monotonic()

    def show(progress: DownloadProgress) -> None:
        spent = max(time.monotonic() - started, 0.1)
        left = spent * (progress.total_bytes / max(progress.bytes, 1) - 1)
        bar.update(
            task,
            total=progress.total_bytes or None,
            completed=progress.bytes,
            description=progress.file,
            amount=f"{progress.files:,} of {format_count(progress.total_files, 'file')}",
            speed=f"{format_size(progress.bytes / spent)}/s, {timedelta(seconds=round(left))} left",
        )

    return show
