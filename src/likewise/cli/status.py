"""likewise status: show what is found and what is left, and whether to go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from likewise.cli.options import json_option, session_argument
from likewise.cli.output import clean_text, print_json, print_rows, say
from likewise.expansion.sessions.session import Session
from likewise.learn.stopping.target import BASES, Basis, Target

if TYPE_CHECKING:
    from likewise.expansion.sessions.status import RuleVerdict, Status

_KEPT = "[default: what is kept with the session, else {}]"


@click.command("status")
@session_argument
@click.option(
    "--recall", type=float, metavar="SHARE",
    help=f"The share of the topic that you want to have found.  {_KEPT.format(Target().recall)}",
)  # fmt: skip
@click.option(
    "--confidence", type=float, metavar="SHARE",
    help=f"How sure of it you want to be.  {_KEPT.format(Target().confidence)}",
)  # fmt: skip
@click.option(
    "--proof", "by", type=click.Choice(BASES),
    help="What has to show it: reading, which is less work, and holds for that share of reviews "
    "like those it was calibrated on; or audits, random samples that prove it in any case.  "
    f"{_KEPT.format(Target().by)}",
)  # fmt: skip
@click.option(
    "--keep-target", is_flag=True,
    help="Save these three options, as far as they are given, in the session.",
)  # fmt: skip
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME",
    help='Also ask a stopping rule, such as "callaghan(recall=0.9)", or "all" of them.',
)  # fmt: skip
@click.option(
    "--methods", is_flag=True,
    help="Print a paragraph for the methods section of a paper, and nothing else.",
)  # fmt: skip
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    session: str,
    *,
    recall: float | None,
    confidence: float | None,
    by: Basis | None,
    keep_target: bool,
    rules: tuple[str, ...],
    methods: bool,
    as_json: bool,
) -> None:
    """Show how many are found, how many are left, and whether to go on.

    Whether you can stop is judged by the documents that you have read in order, and by replays of
    other reviews. Audits (likewise next --strategy audit) prove it, with the confidence asked for,
    however good the ranking is, once every document in them is marked. With --proof audits only
    they count, and you are told when to draw one.
    """
    from likewise.expansion.sessions.looking import read_looking
    from likewise.expansion.sessions.session import Session
    from likewise.expansion.sessions.status import aim, consult_rules, read_status

    if keep_target and all(given is None for given in (recall, confidence, by)):
        raise click.UsageError("nothing to keep; give --recall, --confidence or --proof too")
    with Session.open(session, read_only=not keep_target) as opened:
        target = aim(opened.target(), recall=recall, confidence=confidence, by=by)
        if keep_target:
            _keep(target, session=opened)
        status = read_status(opened, target=target)
        said = consult_rules(read_looking(opened).looked, target, rules=rules)
        paragraph = _write_paragraph(status, session=opened) if methods else ""
    if as_json:
        asked = {"rules": {one.rule: one.stops for one in said}}
        print_json(_list_values(status) | asked | ({"methods": paragraph} if methods else {}))
    elif methods:
        click.echo(clean_text(paragraph))
    else:
        _print(status, said, session=session)


def _keep(target: Target, *, session: Session) -> None:
    session.choose_target(target)
    say(
        f"Kept with the session: a recall of {target.recall:g}, a confidence of "
        f"{target.confidence:g}, by {target.by}."
    )


def _write_paragraph(status: Status, *, session: Session) -> str:
    from likewise.expansion.sessions.status_words import describe_methods

    saved = session.expansion()
    assert saved is not None, "without an expansion there is no status"  # noqa: S101
    return describe_methods(status, saved=saved)


def _print(status: Status, said: Sequence[RuleVerdict], *, session: str) -> None:
    from likewise.expansion.sessions.status_words import describe_status

    click.echo(clean_text("\n".join(describe_status(status, session=session))))
    if said:
        click.echo()
        rows = [(one.rule, one.verdict, one.description) for one in said]
        print_rows(("rule", "says", "when it stops"), rows)


def _list_values(status: Status) -> dict[str, Any]:
    """Return a status for programs."""
    names = (*status.__dataclass_fields__, "found", "outside")
    return {name: _name_parts(getattr(status, name)) for name in names}


def _name_parts(value: Any) -> Any:
    """Return a value as a dictionary if its parts have names."""
    if isinstance(value, msgspec.Struct):
        return {name: _name_parts(part) for name, part in msgspec.structs.asdict(value).items()}
    if hasattr(value, "_asdict"):
        return {name: _name_parts(part) for name, part in value._asdict().items()}
    return [_name_parts(part) for part in value] if isinstance(value, tuple) else value
