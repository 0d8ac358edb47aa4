"""likewise download and fetch: get all of PubMed as files, or single records."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.expanding import budget_options, format_gathering, gather_with_bar
from likewise.cli.options import json_option
from likewise.cli.output import (
    format_counts,
    format_size,
    list_some,
    print_above,
    print_result,
    say,
    show_progress_by,
    tell_problems,
)
from likewise.documents.remote.downloading import DownloadReport, DownloadSettings
from likewise.expansion.wording import format_count
from likewise.progress import make_bar

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from likewise.documents.remote.eutils import Eutils
    from likewise.documents.remote.file_fetcher import DownloadProgress
    from likewise.library.fetching import FetchReport


@click.command("download")
@click.argument("collection", type=click.Choice(["pubmed"]), expose_value=False)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("--baseline", is_flag=True, help="Only the year's baseline.")
@click.option("--updates", is_flag=True, help="Only the daily update files.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
    help="Only files that NLM added on or after this day, such as 2026-01-31.",
)  # fmt: skip
@click.option("--from", "base", envvar="LIKEWISE_PUBMED", metavar="URL",
              help="Where the folders baseline and updatefiles are, if not at NLM.")  # fmt: skip
@click.option(
    "--connections", default=DownloadSettings.connections, show_default=True,
    type=click.IntRange(1, 8), help="Files to fetch at a time.",
)  # fmt: skip
@click.option(
    "--check", is_flag=True, help="Also read the files that are already there, to verify them."
)
@json_option
def download_command(  # noqa: PLR0913  # one parameter per option
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
    Run it again to continue after an interruption, even in the middle of a file, and any day
    to fetch what is new. Then read all of them into a library: likewise index DIR --into LIB.
    The exit code is 1 if a file could not be fetched.
    """
    from likewise.documents.releases import NLM

    settings = DownloadSettings(
        baseline=baseline or not updates,
        updates=updates or not baseline,
        since=since.date() if since else None,
        base=base or NLM,
        connections=connections,
        check=check,
    )
    report = download_with_bar(folder, settings)
    print_result(format_download(report), asdict(report), as_json=as_json)
    return 1 if report.failed or report.left else 0


def download_with_bar(folder: Path, settings: DownloadSettings) -> DownloadReport:
    """Download with a progress bar, and report problems as they occur."""
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


MOST_SHOWN = 20
MOST_RECORDS = 10_000


@click.command("fetch")
@click.argument("library", metavar="LIB")
@click.option("--pmids", "file", metavar="FILE", help="A file with PMIDs in it; - for stdin.")
@click.option("--query", metavar="TEXT", help="A search, as you would type it in PubMed.")
@click.option(
    "--like", "seeds", multiple=True, metavar="SEEDS",
    help="Papers on a topic: gather what may be on it. May be repeated.",
)  # fmt: skip
@click.option(
    "--from", "source", default="pubmed", show_default=True, metavar="SOURCE",
    help="Where --like gathers: pubmed or europepmc.",
)  # fmt: skip
@budget_options
@click.option(
    "--limit", default=MOST_RECORDS, show_default=True, type=click.IntRange(min=1),
    help="How many records a query may find at most.",
)  # fmt: skip
@click.option("--again", is_flag=True, help="Also fetch what the library already has.")
@json_option
def fetch_command(  # noqa: PLR0913  # one parameter per option
    library: str,
    *,
    file: str | None,
    query: str | None,
    seeds: tuple[str, ...],
    source: str,
    limit: int,
    again: bool,
    as_json: bool,
    **budget: float | None,
) -> int:
    """Fetch single records from PubMed into a library.

    The records are fetched from NCBI's E-utilities: those whose PMIDs are in FILE, of any format
    that likewise reads, those that a query finds, or those that may be on the topic of SEEDS.
    The library is made if there is none. Records it already has are skipped, so an interrupted run
    continues where it stopped. NCBI asks for your e-mail address, in NCBI_EMAIL, and allows more
    requests with a key, in NCBI_API_KEY. The exit code is 1 if some records could not be fetched.
    """
    from likewise.documents.remote.eutils import Eutils

    if [file is None, query is None, not seeds].count(False) != 1:
        raise click.UsageError("give one of --pmids, --query and --like")
    if seeds:
        gathered = gather_with_bar(source, seeds, library, budget=budget)
        print_result(format_gathering(gathered), asdict(gathered), as_json=as_json)
        return 1 if gathered.spent else 0
    pmids = _read_pmids(file) if file is not None else None
    with Eutils() as eutils:
        if pmids is None:
            pmids = _find_with_bar(query or "", eutils=eutils, limit=limit)
        report = _fetch_with_bar(pmids, library, eutils=eutils, again=again)
    print_result(format_fetch(report, library), asdict(report), as_json=as_json)
    return 1 if report.missing or report.left_out else 0


def _read_pmids(file: str) -> list[str]:
    """Return the PMIDs in a file, each once, and report records that have none."""
    from likewise.documents.identity import clean_pmid
    from likewise.errors import Problem, ReadError
    from likewise.expansion.seed_sources import read_seeds

    papers = read_seeds([file], on_problem=tell_problems(say))
    # Of a number that was piped in, only the id is known.
    pmids = [p.pmid or ("" if p.is_identifiable else clean_pmid(p.id)) for p in papers]
    wanted = list(dict.fromkeys(filter(None, pmids)))
    shown = "standard input" if file == "-" else file
    if not wanted:
        advice = "give a list of PMIDs, or a file of records that have them"
        raise ReadError(Problem(shown, "no PMID in it", advice=advice))
    if without := pmids.count(""):
        say(f"{shown}: {format_count(without, 'record')} without a PMID skipped")
    return wanted


def _find_with_bar(query: str, *, eutils: Eutils, limit: int) -> list[str]:
    """Return the PMIDs that a query finds, and pass on what PubMed says about the query."""
    from likewise.documents.remote.eutils import find_pmids

    with make_bar("{task.fields[note]}") as bar:
        move = show_progress_by(bar, "searching PubMed")
        found = find_pmids(
            query,
            eutils=eutils,
            limit=limit,
            on_progress=lambda listed, count: move(listed, count, f"{listed:,} found"),
        )
    for note in found.notes:
        say(note)
    say(f"PubMed finds {format_count(found.total, 'record')}")
    return found.pmids


def _fetch_with_bar(
    pmids: Sequence[str], library: str, *, eutils: Eutils, again: bool
) -> FetchReport:
    from likewise.library.fetching import fetch_records
    from likewise.library.sources.pubmed import PubmedSource

    with make_bar("{task.fields[note]}") as bar:
        move = show_progress_by(bar, "fetching from PubMed")
        return fetch_records(
            pmids,
            library,
            source=PubmedSource(eutils),
            again=again,
            on_problem=tell_problems(print_above(bar)),
            on_progress=lambda done, total: move(done, total, f"{done:,} of {total:,} records"),
        )


def format_fetch(report: FetchReport, library: str) -> str:
    """Return what fetching did, in a few lines."""
    counts = report.counts
    records = format_counts(
        (counts.added, "added"),
        (counts.revised, "revised"),
        (counts.merged, "merged with the same paper"),
        (counts.unchanged, "unchanged"),
        (report.skipped, "already there, and not fetched"),
    )
    lines = [
        f"{library}: {format_count(report.documents, 'document')}",
        f"  records  {records or 'none'}",
    ]
    if report.missing:
        lines.append(f"  not in PubMed: {_list_some(report.missing)}")
    if report.left_out:
        lines.append(f"  can't be used: {_list_some(report.left_out)}")
    return "\n".join(lines)


def _list_some(pmids: Sequence[str]) -> str:
    more = "; --json lists them all" if len(pmids) > MOST_SHOWN else ""
    return f"{list_some(pmids, MOST_SHOWN)}{more}"
