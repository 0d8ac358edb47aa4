"""likewise fetch: single records of PubMed into a library."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli.output import (
    bar_safe,
    counted,
    json_option,
    limited,
    noted_progress,
    print_json,
    progress_bar,
    say,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likewise.documents.remote.eutils import Eutils
    from likewise.library.fetching import FetchReport, FetchSettings

MOST_SHOWN = 20
MOST_PROBLEMS = 10
MOST_RECORDS = 10_000


@click.command("fetch")
@click.argument("library", metavar="LIB")
@click.option("--pmids", "file", metavar="FILE", help="A file with PMIDs in it; - for stdin.")
@click.option("--query", metavar="TEXT", help="A search, as you would type it into PubMed.")
@click.option(
    "--limit",
    default=MOST_RECORDS,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many records a query may find.",
)
@click.option("--again", is_flag=True, help="Fetch what is in the library already, too.")
@json_option
def command(
    library: str,
    *,
    file: str | None,
    query: str | None,
    limit: int,
    again: bool,
    as_json: bool,
) -> int:
    """Bring single records of PubMed into a library.

    The records are fetched from NCBI's E-utilities: those whose PMIDs are in FILE, of any format
    that likewise reads, or those that a query finds. The library is made where there is none. What
    is in it already is passed over, so a run that was broken off goes on where it was. NCBI asks
    for an address to write to, in NCBI_EMAIL, and answers faster with a key, in NCBI_API_KEY. The
    exit code is 1 if some records could not be had.
    """
    from likewise.documents.remote.eutils import Eutils
    from likewise.library.fetching import FetchSettings

    if (file is None) == (query is None):
        raise click.UsageError("give either --pmids or --query")
    pmids = _pmids_in(file) if file is not None else None
    with Eutils() as eutils:
        if pmids is None:
            pmids = _found(query or "", eutils=eutils, limit=limit)
        settings = FetchSettings(again=again)
        report = _fetched(pmids, library, eutils=eutils, settings=settings)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(summary(report, library))
    return 1 if report.missing or report.left_out else 0


def _pmids_in(file: str) -> list[str]:
    """Return the PMIDs in a file, each once; records without one are told of."""
    from likewise.documents.identity import clean_pmid
    from likewise.errors import Problem, ReadError
    from likewise.expansion.seed_arguments import read_seeds

    tell = limited(say, most=MOST_PROBLEMS)
    papers = read_seeds([file], on_problem=lambda problem: tell(problem.path, str(problem)))
    # Of a number that was piped in, nothing but an id is known.
    pmids = [p.pmid or ("" if p.says_something else clean_pmid(p.id)) for p in papers]
    wanted = list(dict.fromkeys(filter(None, pmids)))
    shown = "standard input" if file == "-" else file
    if not wanted:
        advice = "give a list of PMIDs, or a file of records that have them"
        raise ReadError(Problem(shown, "no PMID in it", advice=advice))
    if without := pmids.count(""):
        say(f"{shown}: {counted(without, 'record')} without a PMID passed over")
    return wanted


def _found(query: str, *, eutils: Eutils, limit: int) -> list[str]:
    """Return the PMIDs that a query finds, and tell what PubMed says about it."""
    from likewise.documents.remote.pubmed_queries import find_pmids

    with progress_bar("{task.fields[note]}") as bar:
        move = noted_progress(bar, "searching PubMed")
        found = find_pmids(
            query,
            eutils=eutils,
            limit=limit,
            on_progress=lambda listed, count: move(listed, count, f"{listed:,} found"),
        )
    for note in found.notes:
        say(note)
    say(f"PubMed finds {counted(found.total, 'record')}")
    return found.pmids


def _fetched(
    pmids: Sequence[str], library: str, *, eutils: Eutils, settings: FetchSettings
) -> FetchReport:
    from likewise.library.fetching import fetch_records

    with progress_bar("{task.fields[note]}") as bar:
        tell = limited(bar_safe(bar), most=MOST_PROBLEMS)
        move = noted_progress(bar, "fetching from PubMed")
        return fetch_records(
            pmids,
            library,
            eutils=eutils,
            settings=settings,
            on_problem=lambda problem: tell(problem.path, str(problem)),
            on_progress=_shown_by(move),
        )


def _shown_by(move: Callable[[int, int, str], None]) -> Callable[[int, int], None]:
    return lambda done, total: move(done, total, f"{done:,} of {total:,} records")


def summary(report: FetchReport, library: str) -> str:
    """Return what fetching did, in a few lines."""
    counts = report.counts
    records = told(
        (counts.added, "added"),
        (counts.revised, "revised"),
        (counts.merged, "merged with the same paper"),
        (counts.unchanged, "unchanged"),
        (report.skipped, "there already, and not fetched"),
    )
    lines = [
        f"{library}: {counted(report.documents, 'document')}",
        f"  records  {records or 'none'}",
    ]
    if report.missing:
        lines.append(f"  not in PubMed: {_shown(report.missing)}")
    if report.left_out:
        lines.append(f"  can't be used: {_shown(report.left_out)}")
    return "\n".join(lines)


def _shown(pmids: Sequence[str]) -> str:
    some = ", ".join(pmids[:MOST_SHOWN])
    more = len(pmids) - MOST_SHOWN
    return f"{some} and {more:,} more; --json lists them all" if more > 0 else some
