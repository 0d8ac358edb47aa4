"""likewise fetch: single records of PubMed into a library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli.output import (
    format_count,
    format_counts,
    json_option,
    limit_lines,
    make_bar,
    print_above,
    print_json,
    say,
    show_progress_by,
)

if TYPE_CHECKING:
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
    pmids = _read_pmids(file) if file is not None else None
    with Eutils() as eutils:
        if pmids is None:
            pmids = _find_with_bar(query or "", eutils=eutils, limit=limit)
        settings = FetchSettings(again=again)
        report = _fetch_with_bar(pmids, library, eutils=eutils, settings=settings)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(format_fetch(report, library))
    return 1 if report.missing or report.left_out else 0


def _read_pmids(file: str) -> list[str]:
    """Return the PMIDs in a file, each once; records without one are told of."""
    from likewise.documents.identity import clean_pmid
    from likewise.errors import Problem, ReadError
    from likewise.expansion.seed_sources import read_seeds

    tell = limit_lines(say, most=MOST_PROBLEMS)
    papers = read_seeds([file], on_problem=lambda problem: tell(problem.path, str(problem)))
    # Of a number that was piped in, nothing but an id is known.
    pmids = [p.pmid or ("" if p.is_identifiable else clean_pmid(p.id)) for p in papers]
    wanted = list(dict.fromkeys(filter(None, pmids)))
    shown = "standard input" if file == "-" else file
    if not wanted:
        advice = "give a list of PMIDs, or a file of records that have them"
        raise ReadError(Problem(shown, "no PMID in it", advice=advice))
    if without := pmids.count(""):
        say(f"{shown}: {format_count(without, 'record')} without a PMID passed over")
    return wanted


def _find_with_bar(query: str, *, eutils: Eutils, limit: int) -> list[str]:
    """Return the PMIDs that a query finds, and tell what PubMed says about it."""
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
    pmids: Sequence[str], library: str, *, eutils: Eutils, settings: FetchSettings
) -> FetchReport:
    from likewise.library.fetching import fetch_records

    with make_bar("{task.fields[note]}") as bar:
        tell = limit_lines(print_above(bar), most=MOST_PROBLEMS)
        move = show_progress_by(bar, "fetching from PubMed")
        return fetch_records(
            pmids,
            library,
            eutils=eutils,
            settings=settings,
            on_problem=lambda problem: tell(problem.path, str(problem)),
            on_progress=_show_fetch_by(move),
        )


def _show_fetch_by(move: Callable[[int, int, str], None]) -> Callable[[int, int], None]:
    return lambda done, total: move(done, total, f"{done:,} of {total:,} records")


def format_fetch(report: FetchReport, library: str) -> str:
    """Return what fetching did, in a few lines."""
    counts = report.counts
    records = format_counts(
        (counts.added, "added"),
        (counts.revised, "revised"),
        (counts.merged, "merged with the same paper"),
        (counts.unchanged, "unchanged"),
        (report.skipped, "there already, and not fetched"),
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
    some = ", ".join(pmids[:MOST_SHOWN])
    more = len(pmids) - MOST_SHOWN
    return f"{some} and {more:,} more; --json lists them all" if more > 0 else some
