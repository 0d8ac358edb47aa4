"""likewise mark, tag, note, reasons and criteria: what reviewers say about documents, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from likewise.cli import Several, SeveralCommand
from likewise.cli.options import (
    json_option,
    library_option,
    open_session_library,
    reviewer_option,
    session_argument,
)
from likewise.cli.output import clean_text, limit_lines, print_json, print_result, print_rows, say
from likewise.documents import Document
from likewise.errors import Problem, ReadError
from likewise.expansion.marks import LABELS, Label, Marks
from likewise.expansion.sessions.marking import (
    Marking,
    Statement,
    describe_unknown,
    find_documents,
    mark_papers,
    take_back_marks,
)
from likewise.expansion.sessions.reasons import ReasonList
from likewise.expansion.sessions.session import Session
from likewise.expansion.wording import format_count


def _make_label_option(label: str, what: str) -> Callable[..., Any]:
    return click.option(f"--{label}", cls=Several, metavar="ID...", help=what)


@click.command("mark", cls=SeveralCommand)
@session_argument
@click.argument("files", nargs=-1, metavar="[FILE]...")
@_make_label_option("relevant", "Documents that are on the topic.")
@_make_label_option("irrelevant", "Documents that are not.")
@_make_label_option("maybe", "Documents you have looked at and can't decide on yet.")
@click.option("--undo", is_flag=True, help="Take back the marks of these ids, or the latest mark.")
@click.option(
    "--reason", default="", metavar="NAME",
    help="Why the documents of --irrelevant are excluded; added to the session's reasons if new.",
)  # fmt: skip
@reviewer_option
@click.option(
    "--settle", is_flag=True,
    help="Settle what reviewers disagree on (likewise agree), as --reviewer.",
)  # fmt: skip
@click.option("--column", default="", metavar="NAME", help="The column of FILE with the labels.")
@library_option
@click.option("--all-problems", is_flag=True, help="Show every problem, not only ten of each kind.")
@json_option
def mark_command(  # noqa: PLR0913  # one parameter per option
    session: str,
    files: tuple[str, ...],
    *,
    undo: bool,
    reason: str,
    reviewer: str,
    settle: bool,
    column: str,
    library: str | None,
    all_problems: bool,
    as_json: bool,
    **labels: Sequence[str],
) -> int:
    """Mark documents as relevant or irrelevant.

    ID is a document's id in the library, its PMID, DOI or PMCID, or a file of papers that all get
    the same label. FILE has a column of labels (mark, included, label, asreview_label, ...; with
    yes, no, 1, 0, maybe, ...), or notes written by Rayyan, ASReview or likewise. The latest mark of
    a document counts; earlier ones are kept, and --undo restores the one before.
    """
    given = {label: values for label, values in labels.items() if values}
    if undo and given:
        raise click.UsageError("--undo takes only ids: likewise mark SESSION --undo 123 456")
    if reason and not given.get("irrelevant"):
        raise click.UsageError("--reason says why documents are irrelevant: give --irrelevant ID")
    if not (undo or given or files):
        raise click.UsageError("nothing to mark; give --relevant ID, --irrelevant ID or a file")
    told = _MarkReport(most=None if all_problems else 10)
    with Session.open(session) as opened:
        if undo:
            whose = {"reviewer": reviewer, "is_settling": settle}
            return _undo(opened, files, library=library, as_json=as_json, **whose)
        statements = [
            *_read_files(files, column, told=told),
            *_read_given(given, reason, told=told),
        ]
        with open_session_library(opened, library) as held:
            known = opened.review.reasons()
            marking = mark_papers(
                opened, statements, library=held, reviewer=reviewer, is_settling=settle
            )
        marks = opened.marks()
        told.tell_of_reasons(known, opened.review.reasons())
    told.tell_of(marking)
    text = _describe_marking(marking, marks, session=session)
    print_result(text, _list_values(marking, marks), as_json=as_json)
    return int(told.has_failed)


class _MarkReport:
    """Reports what happened, and remembers whether something could not be marked."""

    def __init__(self, *, most: int | None) -> None:
        self.tell = limit_lines(say, most=most)
        self.has_failed = False

    def problem(self, problem: Problem) -> None:
        self.has_failed = True
        self.tell(problem.path, str(problem))

    def tell_of_reasons(self, before: ReasonList, now: ReasonList) -> None:
        for name in now.names[len(before.names) :]:
            self.tell("reasons", f"{name}: a new reason, added to the session's list")

    def tell_of(self, marking: Marking) -> None:
        for document, first, last in marking.contradictions:
            self.tell("contradictions", f"{document}: {first.label} ({first.place}) and "
                      f"{last.label} ({last.place}); the last one counts")  # fmt: skip
        for document, before, now in marking.changed:
            self.tell("changed marks", f"{document}: was {before}, is {now} now")
        for seed in marking.seeds:
            line = f"{seed}: was one of your seeds; marked irrelevant, it no longer is"
            self.tell("seeds", line)
        for said in marking.unknown:
            self.has_failed = True
            self.tell(said.source or "unknown ids", _describe_unknown(said))


def _read_files(files: Sequence[str], column: str, *, told: _MarkReport) -> Iterator[Statement]:
    from likewise.expansion.mark_files import read_marks

    for path in files:
        if not Path(path).exists():
            raise click.UsageError(f"{path}: no such file; mark a document with --relevant {path}")
        found = read_marks(path, column=column, on_problem=told.problem)
        without = f"; {format_count(found.unmarked, 'record')} without" if found.unmarked else ""
        say(f"{path}: {format_count(len(found.marks), 'label')} in {found.column!r}{without}")
        for mark in found.marks:
            place = f"{path}:{mark.line}" if mark.line else path
            yield Statement(
                mark.document,
                mark.label,
                place,
                source=Path(path).name,
                reason=mark.reason,
                tags=mark.tags,
                note=mark.note,
            )


def _read_given(
    given: dict[str, Sequence[str]], reason: str, *, told: _MarkReport
) -> Iterator[Statement]:
    from likewise.expansion.seed_sources import read_seeds

    # Labels come in the order of the command line.
    for name, values in given.items():
        label: Label = next(label for label in LABELS if label == name)
        for value in values:
            source = Path(value).name if _is_file(value) else ""
            place = value if source else f"--{label}"
            why = reason if label == "irrelevant" else ""
            for paper in read_seeds([value], on_problem=told.problem):
                yield Statement(paper, label, place, source=source, reason=why)


def _undo(
    session: Session, ids: Sequence[str], *, library: str | None, as_json: bool, **whose: Any
) -> int:
    opening = partial(open_session_library, session, library)
    done = take_back_marks(session, ids, open_library=opening, **whose)
    for name in done.unmarked:
        say(f"{name}: not marked, so there is nothing to take back")
    if not done.marks and not ids:
        say("no mark is left to take back")
    if as_json:
        print_json(
            {
                "undone": [mark._asdict() for mark in done.marks],
                "labels": done.labels,
                "not_marked": done.unmarked,
                "marks": _count_marks(session.marks()),
            }
        )
    else:
        for mark in done.marks:
            before = done.labels.get(mark.document)
            now = f", {before} again" if before else ""
            source = f" (from {mark.source})" if mark.source else ""
            click.echo(f"{mark.document}: no longer {mark.label}{source}{now}")
    return int(bool(done.unmarked) or not done.marks)


def _describe_marking(marking: Marking, marks: Marks, *, session: str) -> str:
    told = f"{format_count(len(marking.labels), 'document')} marked"
    if marking.labels:
        told += f": {_list_counts(Counter(marking.labels.values()))}"
    if marking.same:
        was = "was" if marking.same == 1 else "were"
        told += f"; {marking.same:,} of them {was} already marked that way"
    seeds = f", {format_count(marking.marked_seeds, 'seed')} among them"
    return (
        f"{told}.\nMarked so far: {_list_counts(_count_marks(marks)) or 'nothing'}"
        f"{seeds if marking.marked_seeds else ''}. "
        f"Learn from these marks with: likewise expand --session {session}"
    )


def _list_counts(counts: Mapping[Label, int]) -> str:
    return ", ".join(f"{counts[label]:,} {label}" for label in LABELS if counts.get(label))


def _count_marks(marks: Marks) -> dict[Label, int]:
    return {label: len(getattr(marks, label)) for label in LABELS}


def _list_values(marking: Marking, marks: Marks) -> dict[str, Any]:
    return {
        "labels": marking.labels,
        "same": marking.same,
        "changed": [change._asdict() for change in marking.changed],
        "contradictions": [twice.document for twice in marking.contradictions],
        "unknown": [said.paper.id for said in marking.unknown],
        "seeds": marking.seeds,
        "marks": _count_marks(marks),
    }


def _describe_unknown(said: Statement) -> str:
    paper = said.paper
    if not said.source:
        return describe_unknown([paper.id])
    name = paper.title[:60] or paper.pmid or paper.doi or paper.id
    return f"{said.place}: not in the library, so not marked: {name}"


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except OSError:  # A list of ids may be too long for a file's name.
        return False


@click.command("tag", cls=SeveralCommand)
@session_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--add", cls=Several, metavar="TAG...", help="Tags to add.")
@click.option("--remove", cls=Several, metavar="TAG...", help="Tags to remove.")
@reviewer_option
@library_option
@json_option
def tag_command(  # noqa: PLR0913  # one parameter per option
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
        if not counts:
            say("no tags that you may see; those of others are hidden until you have marked too")
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
    help="Rename a reason, also in the marks that carry it.",
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
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = getattr(error, "strerror", None) or "not a text in UTF-8"
        raise ReadError(Problem(path, str(found).lower(), advice="name another file")) from error


def _find_documents(
    session: Session, ids: Sequence[str], *, library: str | None
) -> tuple[list[str], list[str]]:
    """Return the documents that have these ids, and the ids that no document has; say which."""
    if not ids:
        return [], []
    papers = [Document(id=name) for name in ids]
    with open_session_library(session, library) as held:
        found = find_documents(papers, session=session, library=held)
    unknown = [name for name, document in zip(ids, found, strict=True) if document is None]
    if unknown:
        say(f"{format_count(len(unknown), 'id')} not in the library: {', '.join(unknown[:10])}")
    return [document for document in dict.fromkeys(found) if document], unknown
