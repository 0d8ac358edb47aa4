"""likewise agree: how far reviewers agree, and what they are to settle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from likewise.cli.options import json_option, session_argument
from likewise.cli.output import clean_text, format_count, print_json, print_rows, say
from likewise.expansion.sessions.agreement import Agreement, PairAgreement
from likewise.expansion.sessions.reviewers import NAMELESS


@click.command("agree")
@session_argument
@click.option("--conflicts", is_flag=True, help="Show the conflicts alone, with who said what.")
@json_option
def command(session: str, *, conflicts: bool, as_json: bool) -> None:
    """Show how far reviewers agree, and what they disagree on.

    What counts for agreement is what each said before they could see what the other said. A
    conflict is maybe until it is settled, by a third person or together: likewise mark SESSION
    --relevant ID --settle --reviewer NAME.
    """
    from likewise.expansion.sessions.agreement import read_agreement
    from likewise.expansion.sessions.session import Session

    with Session.open(session, read_only=True) as opened:
        found = read_agreement(opened)
    if as_json:
        print_json(list_values(found))
        return
    if not conflicts:
        _print_agreement(found)
    _print_conflicts(found, session=session)


def list_values(found: Agreement) -> Mapping[str, object]:
    """Return agreement for programs."""
    return {
        "reviewers": [one._asdict() for one in found.reviewers],
        "pairs": [{**pair._asdict(), "share": pair.share} for pair in found.pairs],
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
        say("one reviewer alone; another marks with: likewise mark SESSION ... --reviewer NAME")
    for line in map(describe_pair, found.pairs):
        click.echo(clean_text(line))


def describe_pair(pair: PairAgreement) -> str:
    """Return how far two reviewers agree, in a sentence."""
    names = f"{_name(pair.first)} and {_name(pair.second)}"
    if pair.share is None:
        return f"{names} have marked no document in common."
    kappa = "not defined, for one label" if pair.kappa is None else f"{pair.kappa:.2f}"
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
        (one.document, "; ".join(_list_opinions((m.reviewer, m.label) for m in one.marks)))
        for one in found.conflicts
    ]
    print_rows(("id", "who said what"), rows)
    say(
        f"{format_count(len(found.conflicts), 'conflict')} to settle: likewise mark {session} "
        f"--relevant ID --settle --reviewer NAME.{settled}"
    )


def _list_opinions(marks: Iterable[tuple[str, str | None]]) -> list[str]:
    return [f"{_name(reviewer)}: {label}" for reviewer, label in marks]


def _name(reviewer: str) -> str:
    return reviewer or NAMELESS
