"""likewise tag, note, reasons and criteria: what reviewers write beside their marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from likewise.cli import Several, SeveralCommand
from likewise.cli.options import (
    json_option,
    library_option,
    open_session_library,
    reviewer_option,
    session_argument,
)
from likewise.cli.output import clean_text, format_count, print_json, print_rows, say
from likewise.errors import ReadError
from likewise.expansion.sessions.session import Session


@click.command("tag", cls=SeveralCommand)
@session_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--add", cls=Several, metavar="TAG...", help="Tags to add.")
@click.option("--remove", cls=Several, metavar="TAG...", help="Tags to remove.")
@reviewer_option
@library_option
@json_option
def tag_command(  # noqa: PLR0913  # one parameter an option
    session: str,
    ids: tuple[str, ...],
    *,
    add: Sequence[str],
    remove: Sequence[str],
    reviewer: str,
    library: str | None,
    as_json: bool,
) -> int:
    """Add tags to documents, remove them, or list the tags in use.

    ID is a document's id in the library, its PMID, DOI or PMCID. Without options, the
    documents' tags are shown; without documents, all tags with their counts.
    """
    from likewise.expansion.sessions.session import Session

    is_change = bool(add or remove)
    if is_change and not ids:
        raise click.UsageError("no document to tag: likewise tag SESSION ID... --add TAG")
    with Session.open(session, read_only=not is_change) as opened:
        found, unknown = _find_documents(opened, ids, library=library)
        if is_change:
            opened.review.tag(found, add=add, remove=remove, reviewer=reviewer)
        tags = opened.review.remarks_for(reviewer, opened.opinions()).tags
    shown = {name: list(tags.get(name, ())) for name in found} if ids else tags
    if as_json:
        print_json({"tags": shown, "unknown": unknown})
    elif ids:
        print_rows(("id", "tags"), [(name, "; ".join(of)) for name, of in shown.items()])
    else:
        counts = {one: sum(one in of for of in tags.values()) for of in tags.values() for one in of}
        print_rows(("documents", "tag"), [(number, one) for one, number in counts.items()])
    return int(bool(unknown))


@click.command("note")
@session_argument
@click.argument("document", metavar="ID")
@click.argument("text", required=False)
@reviewer_option
@library_option
@json_option
def note_command(
    session: str,
    document: str,
    text: str | None,
    *,
    reviewer: str,
    library: str | None,
    as_json: bool,
) -> int:
    """Write a note on a document, replacing your last one, or show the notes on it.

    An empty TEXT removes the note; without TEXT, the notes are shown.
    """
    from likewise.expansion.sessions.session import Session

    with Session.open(session, read_only=text is None) as opened:
        found, unknown = _find_documents(opened, [document], library=library)
        if unknown:
            return 1
        if text is not None:
            opened.review.note(found[0], text, reviewer=reviewer)
        remarks = opened.review.remarks_for(reviewer, opened.opinions())
    if as_json:
        notes = [one._asdict() for one in remarks.notes.get(found[0], ())]
        print_json({"document": found[0], "notes": notes})
    elif told := remarks.describe_notes(found[0]):
        click.echo(clean_text(told))
    else:
        say(f"{found[0]}: no note on it")
    return 0


@click.command("reasons")
@session_argument
@click.option("--add", multiple=True, metavar="NAME", help="Add a reason to the end of the list.")
@click.option(
    "--rename", nargs=2, multiple=True, metavar="NAME NEW",
    help="Rename a reason, for the marks that carry it too.",
)  # fmt: skip
@click.option("--remove", multiple=True, metavar="NAME", help="Remove a reason.")
@click.option(
    "--replace-by", default="", metavar="NAME",
    help="The reason that marks carry instead of the removed one.",
)  # fmt: skip
@click.option(
    "--order",
    multiple=True,
    metavar="NAME",
    help="The order of the reasons: repeat it for each, first to last.",
)
@json_option
def reasons_command(  # noqa: PLR0913  # as above
    session: str,
    *,
    add: tuple[str, ...],
    rename: tuple[tuple[str, str], ...],
    remove: tuple[str, ...],
    replace_by: str,
    order: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show or change a session's reasons for exclusion, and show how many marks carry each.

    A mark carries one with: likewise mark SESSION --irrelevant ID --reason NAME.
    """
    from likewise.expansion.sessions.session import Session

    if replace_by and not remove:
        raise click.UsageError("--replace-by goes with --remove NAME")
    changes = bool(add or rename or remove or order)
    with Session.open(session, read_only=not changes) as opened:
        if changes:
            with opened.writing_together():
                for name in add:
                    opened.review.add_reason(name)
                for name, new in rename:
                    opened.review.rename_reason(name, new)
                for name in remove:
                    opened.review.remove_reason(name, replacement=replace_by)
                if order:
                    opened.review.order_reasons(order)
        names = opened.review.reasons().names
        given = [mark.reason for mark in opened.current().values()]
    counts = {name: given.count(name) for name in names}
    if as_json:
        print_json({"reasons": counts})
    elif names:
        print_rows(("documents", "reason"), [(number, name) for name, number in counts.items()])
    else:
        say(f"no reason yet; add one with: likewise reasons {session} --add NAME")


@click.command("criteria")
@session_argument
@click.argument("text", required=False)
@click.option("--file", "path", metavar="FILE", help="Read them from a text file.")
@json_option
def criteria_command(session: str, text: str | None, *, path: str | None, as_json: bool) -> None:
    """Keep a review's inclusion criteria with its session, or show them.

    An empty TEXT removes them; without TEXT and FILE, they are shown.
    """
    from likewise.expansion.sessions.session import Session

    if text is not None and path:
        raise click.UsageError("give the criteria as TEXT or as --file FILE, not as both")
    written = _read_text(path) if path else text
    with Session.open(session, read_only=written is None) as opened:
        if written is not None:
            opened.review.write_criteria(written)
        kept = opened.review.criteria()
    if as_json:
        print_json({"criteria": kept})
    elif kept:
        click.echo(clean_text(kept))
    else:
        say("no criteria are kept with this session")


def _read_text(path: str) -> str:
    from likewise.errors import Problem

    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = getattr(error, "strerror", None) or "not a text in UTF-8"
        raise ReadError(Problem(path, str(found).lower(), advice="name another file")) from error


def _find_documents(
    session: Session, ids: Sequence[str], *, library: str | None
) -> tuple[list[str], list[str]]:
    """Return the documents that ids are of, and say which ids are of none."""
    from likewise.documents import Document
    from likewise.expansion.sessions.marking import find_documents

    if not ids:
        return [], []
    papers = [Document(id=name) for name in ids]
    with open_session_library(session, library) as held:
        found = find_documents(papers, session=session, library=held)
    unknown = [name for name, document in zip(ids, found, strict=True) if document is None]
    if unknown:
        say(f"{format_count(len(unknown), 'id')} not in the library: {', '.join(unknown[:10])}")
    return [document for document in dict.fromkeys(found) if document], unknown
