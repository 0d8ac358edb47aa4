"""likewise status: what is found, what is left, and whether to go on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.output import harmless, json_option, print_json, print_rows
from likewise.cli.sessions import session_argument

if TYPE_CHECKING:
    from likewise.expansion.sessions.status import Status
    from likewise.learn.stopping.rules import Rule
    from likewise.learn.stopping.target import Basis, Target


@click.command("status")
@session_argument
@click.option(
    "--recall", default=0.95, show_default=True, type=float, metavar="SHARE",
    help="The share of the topic that you want to have found.",
)  # fmt: skip
@click.option(
    "--confidence", default=0.95, show_default=True, type=float, metavar="SHARE",
    help="How sure of it you want to be.",
)  # fmt: skip
@click.option(
    "--proof", "by", default="reading", show_default=True,
    type=click.Choice(["reading", "audits"]),
    help="What is to show it: reading, which is less work, so long as the topic thins out down "
    "the ranking as topics do; or random samples, which prove it in any case.",
)  # fmt: skip
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME",
    help='What another stopping rule says, such as "callaghan(recall=0.9)"; "all" for every one.',
)  # fmt: skip
@json_option
def command(
    session: str,
    *,
    recall: float,
    confidence: float,
    by: Basis,
    rules: tuple[str, ...],
    as_json: bool,
) -> None:
    """Tell how many are found, how many are left, and whether to go on.

    How many are left at most is first told by what was read, which takes for granted that the topic
    thins out down the ranking as topics do. Audits (likewise next --strategy audit) that were
    marked whole prove it in any case, with the confidence asked for; with --proof audits they alone
    count, and you are told when to draw one.
    """
    from likewise.expansion.sessions.looking import looking_of
    from likewise.expansion.sessions.session import Session
    from likewise.expansion.sessions.status import status_of, status_sentences
    from likewise.learn.stopping.target import Target

    target = Target(recall, confidence, by)
    asked = _rules(rules, target)
    with Session.open(session, read_only=True) as opened:
        status = status_of(opened, target=target)
        looked = looking_of(opened).looked()
    stops = {rule: rule.stops(looked) for rule in asked}
    if as_json:
        print_json({**_values(status), "rules": {str(rule): stops[rule] for rule in stops}})
        return
    click.echo(harmless("\n".join(status_sentences(status, session=session))))
    if stops:
        click.echo()
        print_rows(("rule", "says", "when to stop"), list(map(_row, stops, stops.values())))


def _rules(names: tuple[str, ...], target: Target) -> list[Rule]:
    """Return the rules asked for, aiming at the target so far as nothing else is said of them."""
    from likewise.learn.stopping.rules import RULES, parse_rule

    spelled = [rule for name in names for rule in (RULES if name == "all" else [name])]
    rules = []
    for rule in map(parse_rule, spelled):
        known = {parameter.name for parameter in RULES[rule.name].parameters}
        aims = {name: value for name, value in target._asdict().items() if name in known}
        rules.append(replace(rule, parameters=tuple((aims | dict(rule.parameters)).items())))
    return rules


def _row(rule: Rule, stops: bool) -> tuple[str, str, str]:  # noqa: FBT001  # mapped over both
    from likewise.learn.stopping.rules import RULES

    return str(rule), "stop" if stops else "go on", RULES[rule.name].description


def _values(status: Status) -> dict[str, Any]:
    """Return a status for programs."""
    values = {name: getattr(status, name) for name in status.__dataclass_fields__}
    named = {name: values[name]._asdict() for name in ("left", "recall", "target")}
    return values | named
