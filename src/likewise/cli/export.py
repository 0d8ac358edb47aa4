"""likewise export: write a session to files that other programs read."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from likewise.cli.commands import FormatsCommand
from likewise.cli.options import json_option, library_option, open_session_library, session_argument
from likewise.cli.output import format_count, is_same_file, print_json, say
from likewise.errors import WriteError
from likewise.expansion.sessions.exporting import Which


@click.command("export", cls=FormatsCommand)
@session_argument
@click.option(
    "-o", "--output", "outputs", multiple=True, required=True, metavar="FILE",
    help="The file to write; its suffix says the format. May be repeated.",
)  # fmt: skip
@click.option("--all", "which", flag_value="all", help="Write the whole ranking.")
@click.option(
    "--relevant", "which", flag_value="relevant",
    help="Write only the seeds and what is marked relevant.",
)  # fmt: skip
@library_option
@json_option
def command(
    session: str,
    *,
    outputs: tuple[str, ...],
    which: Which | None,
    library: str | None,
    as_json: bool,
) -> None:
    """Write a session to files.

    A .json holds everything: seeds, every mark that was ever given, expansions and audits. Any
    format of documents ({noted_suffixes}) holds the documents with their marks, as likewise mark
    reads them back.
    """
    from likewise.documents.formats import suffix_of
    from likewise.expansion.sessions.exporting import EVERYTHING, check_export, export_session
    from likewise.expansion.sessions.session import Session

    for output in outputs:
        check_export(output)
        if is_same_file(output, session):
            raise WriteError(f"{output}: this is the session; choose another file to write to")
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
