"""likewise next: show what to look at next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from likewise.cli.options import (
    json_option,
    library_option,
    open_session_library,
    reviewer_option,
    seed_option,
    session_argument,
)
from likewise.cli.output import format_count, print_json, print_rows, say
from likewise.documents import Document
from likewise.errors import WriteError
from likewise.expansion.marks import STRATEGIES, Strategy
from likewise.expansion.records import Place
from likewise.expansion.settings import NEXT_COUNT


@click.command("next")
@session_argument
@click.option(
    "--count", default=NEXT_COUNT, show_default=True, type=click.IntRange(min=1),
    help="How many documents to show.",
)  # fmt: skip
@click.option(
    "--strategy", default=STRATEGIES[0], show_default=True, type=click.Choice(STRATEGIES),
    help="Show the most likely documents; those that teach the most; ranks around and far below "
    "the line, which tell how large the topic is; or a random sample, which tells how many are "
    "left.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE",
    help='Write them to a file, with a column "mark" to fill in for likewise mark.',
)  # fmt: skip
@reviewer_option
@library_option
@seed_option
@json_option
def command(  # noqa: PLR0913  # one parameter an option
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
    marked: mark all of it, and likewise status can tell how many documents on topic are left at
    most.
    """
    import numpy as np

    from likewise.expansion.sessions.looking import choose_next
    from likewise.expansion.sessions.session import Session

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
    from likewise.documents.document import AnnotatedDocument
    from likewise.documents.files import write_annotated

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
