"""likewise next and status: what to look at next, and where a session stands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from likewise.cli.options import (
    json_option,
    library_option,
    open_session_library,
    reviewer_option,
    seed_option,
    session_argument,
)
from likewise.cli.output import clean_text, print_json, print_rows, say
from likewise.documents import Document
from likewise.errors import WriteError
from likewise.expansion.marks import STRATEGIES, Strategy
from likewise.expansion.records import Place
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import NEXT_COUNT
from likewise.expansion.wording import format_count
from likewise.learn.estimates import BASES, Basis, Target

if TYPE_CHECKING:
    from likewise.expansion.sessions.status import RuleVerdict, Status


@click.command("next")
@session_argument
@click.option(
    "--count", default=NEXT_COUNT, show_default=True, type=click.IntRange(min=1),
    help="How many documents to show.",
)  # fmt: skip
@click.option(
    "--strategy", default=STRATEGIES[0], show_default=True, type=click.Choice(STRATEGIES),
    help=(
        "Show the most likely documents; those that teach the most; ranks around and far below "
        "the line, which show how large the topic is; or a random sample, which shows how many "
        "are left."
    ),
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE",
    help='Write them to a file, with a column "mark" to fill in for likewise mark.',
)  # fmt: skip
@reviewer_option
@library_option
@seed_option
@json_option
def next_command(  # noqa: PLR0913  # one parameter per option
    session: str,
    *,
    count: int,
    strategy: Strategy,
    output: str | None,
    reviewer: str,
    library: str | None,
    number: int,
    as_json: bool,
) -> None:
    """Show what to look at next.

    Documents you have marked are not shown again. An audit is a random sample of what is not
    marked: mark all of it, and likewise status can say how many documents on topic are left at
    most.
    """
    import numpy as np

    from likewise.expansion.sessions.looking import choose_next

    if output:
        _check_output(Path(output))
    with Session.open(session) as opened, open_session_library(opened, library) as held:
        rng = np.random.default_rng([number, len(opened.audits())])
        places = choose_next(opened, count, strategy, rng=rng, reviewer=reviewer)
        documents = {document.id: document for document in held.get([p.id for p in places])}
        where = library or opened.library
    if output:
        _write_places(places, documents, output)
    if as_json:
        print_json([
            {"rank": p.rank, "probability": p.probability, "document": documents.get(p.id)}
            for p in places
        ])  # fmt: skip
    elif not places:
        say("nothing is left to look at: every document of the pool is marked")
    elif output:
        say(f"{output}: {format_count(len(places), 'document')}; fill in the column mark, then: "
            f"likewise mark {session} {output}")  # fmt: skip
    else:
        names = ("rank", "probability", "id", "year", "title")
        print_rows(names, list_places(places, documents))
        say(f"read one with: likewise show {shlex.quote(where)} ID; mark them with: "
            f"likewise mark {session} --relevant ID... --irrelevant ID...")  # fmt: skip


def _check_output(path: Path) -> None:
    from likewise.documents.formats import format_for_writing

    format_for_writing(path)
    if not path.parent.is_dir():
        raise WriteError(f"{path}: can't be written: there is no folder {path.parent}")
    if path.exists():
        raise WriteError(
            f"{path}: there already, and it may hold marks; give them to likewise mark and move "
            "it away, or choose another name"
        )


def _write_places(places: Sequence[Place], documents: Mapping[str, Document], output: str) -> None:
    from likewise.documents import write_annotated
    from likewise.documents.document import AnnotatedDocument

    annotated = [
        AnnotatedDocument(
            documents[place.id],
            {
                "rank": place.rank,
                "probability": "" if place.probability is None else place.probability,
                "mark": "",
            },
        )
        for place in places
        if place.id in documents
    ]
    write_annotated(annotated, output)


def list_places(
    places: Sequence[Place], documents: Mapping[str, Document]
) -> list[tuple[object, ...]]:
    """Return rows of rank, probability, id, year and title."""
    rows: list[tuple[object, ...]] = []
    for place in places:
        document = documents.get(place.id)
        probability = "" if place.probability is None else f"{place.probability:.2f}"
        year = document.year or "" if document else ""
        title = document.title or document.abstract if document else "(no longer in the library)"
        rows.append((place.rank, probability, place.id, year, title))
    return rows


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
def status_command(  # noqa: PLR0913  # one parameter per option
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
    """Show how many are found, how many are left, and whether you can stop.

    Whether you can stop is judged by the documents that you have read in order, and by replays of
    other reviews. Audits (likewise next --strategy audit) prove it, with the confidence asked for,
    however good the ranking is, once every document in them is marked. With --proof audits, only
    audits count, and the command says when to draw one.
    """
    from likewise.expansion.sessions.looking import read_looking, require_expansion
    from likewise.expansion.sessions.status import aim, consult_rules, read_status
    from likewise.expansion.sessions.status_words import describe_methods

    if keep_target and all(given is None for given in (recall, confidence, by)):
        raise click.UsageError("nothing to keep; give --recall, --confidence or --proof too")
    with Session.open(session, read_only=not keep_target) as opened:
        target = aim(opened.target(), recall=recall, confidence=confidence, by=by)
        if keep_target:
            opened.choose_target(target)
            say(f"Kept with the session: a recall of {target.recall:g}, a confidence of "
                f"{target.confidence:g}, by {target.by}.")  # fmt: skip
        status = read_status(opened, target=target)
        said = consult_rules(read_looking(opened).looked, target, rules=rules)
        saved = require_expansion(opened)
    paragraph = describe_methods(status, saved=saved) if methods else ""
    if as_json:
        asked = {"rules": {one.rule: one.stops for one in said}}
        print_json(
            _list_status_values(status) | asked | ({"methods": paragraph} if methods else {})
        )
    elif methods:
        click.echo(clean_text(paragraph))
    else:
        _print_status(status, said, session=session)


def _print_status(status: Status, said: Sequence[RuleVerdict], *, session: str) -> None:
    from likewise.expansion.sessions.status_words import describe_status

    click.echo(clean_text("\n".join(describe_status(status, session=session))))
    if said:
        click.echo()
        rows = [(one.rule, one.verdict, one.description) for one in said]
        print_rows(("rule", "says", "when it stops"), rows)


def _list_status_values(status: Status) -> dict[str, Any]:
    """Return a status for programs."""
    names = (*status.__dataclass_fields__, "found", "outside")
    return {name: _name_parts(getattr(status, name)) for name in names}


def _name_parts(value: Any) -> Any:
    """Return a value as a dictionary if its parts have names."""
    if isinstance(value, msgspec.Struct):
        return {name: _name_parts(part) for name, part in msgspec.structs.asdict(value).items()}
    if hasattr(value, "_asdict"):
        return {name: _name_parts(part) for name, part in value._asdict().items()}
    if is_dataclass(value):
        return {name: _name_parts(part) for name, part in vars(value).items()}
    return [_name_parts(part) for part in value] if isinstance(value, tuple) else value
