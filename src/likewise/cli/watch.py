"""likewise watch: find what is new on the topic of a session."""

from __future__ import annotations

from collections.abc import Sequence

import click

from likewise.cli import FormatsCommand
from likewise.cli.options import json_option, library_option, session_argument
from likewise.cli.output import (
    clean_text,
    list_some,
    make_waiting_bar,
    print_json,
    print_rows,
    say,
    spare_file,
)
from likewise.errors import LikewiseError, SessionError, WriteError
from likewise.expansion.expansion import show_stages
from likewise.expansion.sessions.digests import Digest, check_digest, make_digest, write_digest
from likewise.expansion.sessions.marking import open_own_library
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.watching import find_last_news, look_for_new
from likewise.expansion.wording import format_count

NOTHING_NEW = 3
"""The exit code if nothing is new."""


@click.command("watch", cls=FormatsCommand)
@session_argument
@click.argument("source", required=False, metavar="[SOURCE]")
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help=(
        "Write a digest, if there is anything new; the suffix chooses the format. May be "
        "repeated."
    ),
)  # fmt: skip
@click.option(
    "--last", "is_last", is_flag=True,
    help="Do not look: repeat the latest digest.",
)  # fmt: skip
@library_option
@json_option
def command(  # one parameter per option
    session: str,
    source: str | None,
    *,
    outputs: tuple[str, ...],
    is_last: bool,
    library: str | None,
    as_json: bool,
) -> int:
    """Find what came into the library since the last look, and is likely on the session's topic.

    What is found is kept in the session, marked as new, to be looked at and marked like the rest.
    It lists records that were revised, and warns of retractions among seeds and finds.

    SOURCE is pubmed or europepmc: new records that resemble the topic are brought into the
    library first, and known ones are updated. Without it, add new records with likewise index.

    The suffix of FILE is .html (a page that opens offline), .txt (for a mail), .json, .xml or
    .atom (a feed), or one of {suffixes} (the new records).

    The exit code is 0 if something is new, 3 if nothing is, and 1 if something failed.
    """
    for output in outputs:
        check_digest(output)
        spare_file(output, session, "this is the session")
    digest = _make_digest(session, library, source=source, is_last=is_last)
    has_news = digest.look.content.has_news
    for output in outputs if has_news else ():
        try:
            write_digest(digest, output)
        except (LikewiseError, OSError) as error:
            raise WriteError(
                f"{' '.join(str(error).split())}; what was found is kept: likewise watch "
                f"{session} --last -o FILE"
            ) from error
    if as_json:
        print_json({**digest.list_values(), "outputs": outputs if has_news else ()})
    else:
        _print_digest(digest, outputs if has_news else ())
    return 0 if has_news else NOTHING_NEW


def _make_digest(path: str, library: str | None, *, source: str | None, is_last: bool) -> Digest:
    with Session.open(path, read_only=is_last) as session:
        brought = None
        if source and not is_last:
            with make_waiting_bar(source):
                brought = session.bring_new(source, library=library)
        with open_own_library(session, library) as (opened, address):
            if is_last:
                look = find_last_news(session.looks())
                if look is None:
                    raise SessionError(
                        f"{path}: no look has found anything yet; look with: likewise watch {path}"
                    )
                return make_digest(session, opened, look)
            with show_stages(None, progress=True) as move:
                look = look_for_new(
                    session, opened, address=address, brought=brought, on_progress=move
                )
            return make_digest(session, opened, look)


def _print_digest(digest: Digest, outputs: Sequence[str]) -> None:
    for alarm in digest.alarms:
        say(f"warning: {alarm}")
    rows = [
        (
            entry.find.rank,
            "" if entry.find.probability is None else f"{entry.find.probability:.2f}",
            entry.document.id,
            entry.document.year or "",
            entry.headline,
        )
        for entry in digest.new
    ]
    if rows:
        print_rows(("rank", "probability", "id", "year", "title"), rows)
    title = digest.title[0].upper() + digest.title[1:]
    click.echo(clean_text(f"{title}. {' '.join(digest.sentences)}"))
    if digest.revised:
        names = list_some([document.id for document in digest.revised], 10)
        records = format_count(len(digest.revised), "record")
        say(f"revised among your seeds and your list: {records}: {names}")
    if outputs:
        say(f"written: {', '.join(outputs)}")
