"""likewise export, agree and prisma: a session as files, and what a paper reports on a review."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

import click

from likewise.cli import FormatsCommand
from likewise.cli.options import json_option, library_option, open_session_library, session_argument
from likewise.cli.output import clean_text, print_json, print_rows, say, spare_file
from likewise.documents.formats import suffix_of
from likewise.expansion.marks import NAMELESS
from likewise.expansion.sessions.agreement import Agreement, PairAgreement, read_agreement
from likewise.expansion.sessions.exporting import EVERYTHING, Which, check_export, export_session
from likewise.expansion.sessions.session import Session
from likewise.expansion.wording import format_count


@click.command("export", cls=FormatsCommand)
@session_argument
@click.option(
    "-o", "--output", "outputs", multiple=True, required=True, metavar="FILE",
    help="The file to write; its suffix chooses the format. May be repeated.",
)  # fmt: skip
@click.option("--all", "which", flag_value="all", help="Write the whole ranking.")
@click.option(
    "--relevant", "which", flag_value="relevant",
    help="Write only the seeds and what is marked relevant.",
)  # fmt: skip
@library_option
@json_option
def export_command(
    session: str,
    *,
    outputs: tuple[str, ...],
    which: Which | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Write a session to files.

    A .json holds everything: seeds, every mark ever given, expansions and audits. Any
    format of documents ({noted_suffixes}) holds the documents with their marks, in a form that
    likewise mark reads back.
    """
    for output in outputs:
        check_export(output)
        spare_file(output, session, "this is the session")
    written: dict[str, int] = {}
    with Session.open(session, read_only=True) as opened:
        needs_library = any(suffix_of(Path(output)) != EVERYTHING for output in outputs)
        held = open_session_library(opened, library) if needs_library else nullcontext(None)
        with held as found:
            for output in outputs:
                done = export_session(opened, output, library=found, which=which or "listed")
                written[output] = done.documents
                if done.missing:
                    say(f"{output}: {format_count(len(done.missing), 'document')} left out, which "
                        "the library no longer holds")  # fmt: skip
    if as_json:
        print_json({"outputs": written})
        return
    for output, documents in written.items():
        is_whole = suffix_of(Path(output)) == EVERYTHING
        say(f"{output}: {'everything' if is_whole else format_count(documents, 'document')}")


@click.command("agree")
@session_argument
@click.option("--conflicts", is_flag=True, help="Show only the conflicts, and who said what.")
@json_option
def agree_command(session: str, *, conflicts: bool, as_json: bool) -> None:
    """Show how far reviewers agree, and what they disagree on.

    What counts for agreement is what each said before they could see what the other said. A
    conflict counts as maybe until a third person, or both, settle it: likewise mark SESSION
    --relevant ID --settle --reviewer NAME.
    """
    with Session.open(session, read_only=True) as opened:
        found = read_agreement(opened)
    if as_json:
        print_json(list_agreement_values(found))
        return
    if not conflicts:
        _print_agreement(found)
    _print_conflicts(found, session=session)


def list_agreement_values(found: Agreement) -> Mapping[str, object]:
    """Return what the JSON output says about agreement."""
    return {
        "reviewers": [asdict(one) for one in found.reviewers],
        "pairs": [{**asdict(pair), "share": pair.share} for pair in found.pairs],
        "conflicts": [
            {
                "document": one.document,
                "marks": [
                    {"reviewer": m.reviewer, "label": m.label, "reason": m.reason, "time": m.time}
                    for m in one.marks
                ],
            }
            for one in found.conflicts
        ],
        "settled": found.settled,
    }


def _print_agreement(found: Agreement) -> None:
    names = ("relevant", "irrelevant", "maybe", "settled", "from", "until", "reviewer")
    rows = [
        (w.relevant, w.irrelevant, w.maybe, w.settled, w.first[:10], w.last[:10], _name(w.reviewer))
        for w in found.reviewers
    ]
    print_rows(names, rows)
    if not found.pairs:
        say("only one reviewer; another can mark with: likewise mark SESSION ... --reviewer NAME")
    for line in map(describe_pair, found.pairs):
        click.echo(clean_text(line))


def describe_pair(pair: PairAgreement) -> str:
    """Return how far two reviewers agree, in a sentence."""
    names = f"{_name(pair.first)} and {_name(pair.second)}"
    if pair.share is None:
        return f"{names} have marked no document in common."
    kappa = "not defined: only one label was used" if pair.kappa is None else f"{pair.kappa:.2f}"
    return (
        f"{names} agree on {pair.agreed:,} of {format_count(pair.both, 'document')} "
        f"({100 * pair.share:.1f} %); Cohen's kappa is {kappa}."
    )


def _print_conflicts(found: Agreement, *, session: str) -> None:
    settled = f" {format_count(found.settled, 'conflict')} settled." if found.settled else ""
    if not found.conflicts:
        say(f"no conflict to settle.{settled}")
        return
    rows = [
        (one.document, "; ".join(f"{_name(mark.reviewer)}: {mark.label}" for mark in one.marks))
        for one in found.conflicts
    ]
    print_rows(("id", "who said what"), rows)
    say(
        f"{format_count(len(found.conflicts), 'conflict')} to settle: likewise mark {session} "
        f"--relevant ID --settle --reviewer NAME.{settled}"
    )


def _name(reviewer: str) -> str:
    return reviewer or NAMELESS


_NUMBER = click.IntRange(min=0, max=999_999_999)


@click.command("prisma")
@session_argument
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help=(
        "Where to write: .svg, .png or .html for the diagram, .json or .csv for its numbers. May "
        "be repeated."
    ),
)  # fmt: skip
@click.option(
    "--identified", multiple=True, metavar="NAME=NUMBER",
    help="Records of a source, in place of what the library knows. May be repeated.",
)  # fmt: skip
@click.option(
    "--duplicates", type=_NUMBER, help="Duplicates removed, in place of what the library knows."
)
@click.option("--sought", type=_NUMBER, help="Reports sought for retrieval.")
@click.option("--not-retrieved", type=_NUMBER, help="Reports not retrieved.")
@click.option("--assessed", type=_NUMBER, help="Reports assessed for eligibility.")
@click.option(
    "--excluded", multiple=True, metavar="REASON=NUMBER",
    help="Reports excluded for a reason. May be repeated.",
)  # fmt: skip
@click.option("--included", type=_NUMBER, help="Studies included in the review.")
@click.option(
    "--keep", is_flag=True,
    help="Keep these numbers with the session, for the page and for this command.",
)  # fmt: skip
@library_option
@json_option
def prisma_command(  # noqa: PLR0913  # one parameter per option
    session: str,
    *,
    outputs: tuple[str, ...],
    identified: tuple[str, ...],
    excluded: tuple[str, ...],
    keep: bool,
    library: str | None,
    as_json: bool,
    **numbers: int | None,
) -> None:
    """Draw the PRISMA 2020 flow diagram of a review, or show its numbers.

    Records that likewise ranked and nobody read are shown as not screened by a person. The
    stages after screening show the numbers that you give, here or in the page; the rest is
    shown as not given.
    """
    from likewise.expansion.sessions.prisma import read_prisma
    from likewise.expansion.sessions.prisma_diagram import format_number, list_rows
    from likewise.expansion.sessions.reasons import GivenNumbers, parse_count
    from likewise.expansion.sessions.reporting import RENDERERS, check_prisma, write_prisma

    for output in outputs:
        check_prisma(output)
        spare_file(output, session, "this is the session")
    given = GivenNumbers(
        identified=tuple(map(parse_count, identified)),
        excluded=tuple(map(parse_count, excluded)),
        **numbers,
    )
    with (
        Session.open(session, read_only=not keep) as opened,
        open_session_library(opened, library) as held,
    ):
        if keep:
            opened.review.give_numbers(opened.review.read_numbers().add(given))
        found = read_prisma(opened, held, given=given)
    for output in outputs:
        write_prisma(found, output)
        say(f"{output}: written")
    if as_json:
        click.echo(RENDERERS[".json"](found).decode(), nl=False)
    elif not outputs:
        rows = [(row.stage, format_number(row.number), row.item) for row in list_rows(found)]
        print_rows(("stage", "number", "what"), rows)
    for remark in found.remarks:
        say(clean_text(remark))
