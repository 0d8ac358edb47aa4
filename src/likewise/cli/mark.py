"""likewise mark: mark documents as relevant or irrelevant, and take marks back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from likewise.cli.output import format_count, limit_lines, print_json, say
from likewise.errors import Problem
from likewise.expansion.marks import Label, Mark, Marks
from likewise.expansion.sessions.marking import Marking, Statement
from likewise.expansion.sessions.reasons import ReasonList
from likewise.expansion.sessions.session import Session

Tell = Callable[[str, str], None]


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
def command(  # noqa: PLR0913  # one parameter an option
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
    from likewise.expansion.sessions.session import Session

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
            from likewise.expansion.sessions.marking import mark_papers

            known = opened.review.reasons()
            marking = mark_papers(
                opened, statements, library=held, reviewer=reviewer, is_settling=settle
            )
        marks = opened.marks()
        told.tell_of_reasons(known, opened.review.reasons())
    told.tell_of(marking)
    if as_json:
        print_json(_list_values(marking, marks))
    else:
        click.echo(_describe_marking(marking, marks, session=session))
    return int(told.has_failed)


class _MarkReport:
    """Reports what happened, and remembers whether something could not be marked."""

    def __init__(self, *, most: int | None) -> None:
        self.tell: Tell = limit_lines(say, most=most)
        self.has_failed = False

    def problem(self, problem: Problem) -> None:
        self.has_failed = True
        self.tell(problem.path, str(problem))

    def tell_of_reasons(self, before: ReasonList, now: ReasonList) -> None:
        for name in now.names[len(before.names) :]:
            self.tell("reasons", f"{name}: a new reason, added to the session's list")

    def tell_of(self, marking: Marking) -> None:
        for twice in marking.contradictions:
            before, now = twice.before, twice.now
            self.tell("contradictions", f"{twice.document}: {before.label} ({before.place}) and "
                      f"{now.label} ({now.place}); the last one counts")  # fmt: skip
        for change in marking.changed:
            line = f"{change.document}: was {change.before}, is {change.now} now"
            self.tell("changed marks", line)
        for seed in marking.seeds:
            line = f"{seed}: was one of your seeds; marked irrelevant, it no longer is"
            self.tell("seeds", line)
        for said in marking.unknown:
            self.has_failed = True
            self.tell(said.source or "unknown ids", _describe_unknown(said))


def _read_files(files: Sequence[str], column: str, *, told: _MarkReport) -> Iterator[Statement]:
    from likewise.expansion.mark_files import read_marks
    from likewise.expansion.sessions.marking import Statement

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
    from likewise.expansion.marks import LABELS
    from likewise.expansion.seed_sources import read_seeds
    from likewise.expansion.sessions.marking import Statement

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
    from likewise.expansion.sessions.marking import take_back_marks

    done = take_back_marks(
        session,
        ids,
        open_library=lambda: open_session_library(session, library),
        **whose,
    )
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
            click.echo(f"{mark.document}: no longer {mark.label}{_name_source(mark)}{now}")
    return int(bool(done.unmarked) or not done.marks)


def _name_source(mark: Mark) -> str:
    return f" (from {mark.source})" if mark.source else ""


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
    from likewise.expansion.marks import LABELS

    return ", ".join(f"{counts[label]:,} {label}" for label in LABELS if counts.get(label))


def _count_marks(marks: Marks) -> dict[Label, int]:
    from likewise.expansion.marks import LABELS

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
        return (f"{paper.id}: not in the library, so not marked; "
                "find the right id with: likewise search LIB WORDS")  # fmt: skip
    name = paper.title[:60] or paper.pmid or paper.doi or paper.id
    return f"{said.place}: not in the library, so not marked: {name}"


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except OSError:  # A list of ids may be too long for a file's name.
        return False
