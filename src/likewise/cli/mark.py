"""likewise mark: say of documents whether they are relevant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import json_option, library_option, open_session_library, session_argument
from likewise.cli.output import format_count, limit_lines, print_json, say
from likewise.errors import Problem
from likewise.expansion.marks import Label, Mark, Marks
from likewise.expansion.sessions.marking import Marking, Statement
from likewise.expansion.sessions.session import Session

Tell = Callable[[str, str], None]


def _make_label_option(label: str, what: str) -> Callable[..., Any]:
    return click.option(f"--{label}", cls=Several, metavar="ID...", help=what)


@click.command("mark", cls=SeveralCommand)
@session_argument
@click.argument("files", nargs=-1, metavar="[FILE]...")
@_make_label_option("relevant", "Documents that are on the topic.")
@_make_label_option("irrelevant", "Documents that are not.")
@_make_label_option("maybe", "Documents that were looked at and left open.")
@click.option("--undo", is_flag=True, help="Take back the marks of the ids given, or the latest.")
@click.option("--column", default="", metavar="NAME", help="The column of FILE with the labels.")
@library_option
@click.option("--all-problems", is_flag=True, help="Show every problem, not ten of a kind.")
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    session: str,
    files: tuple[str, ...],
    *,
    undo: bool,
    column: str,
    library: str | None,
    all_problems: bool,
    as_json: bool,
    **labels: Sequence[str],
) -> int:
    """Mark documents as relevant or irrelevant.

    ID is a document's id in the library, its PMID, DOI or PMCID, or a file of papers that all get
    the label. FILE has a column of labels (mark, included, label, asreview_label, ...; with yes,
    no, 1, 0, maybe, ...), or the notes of Rayyan, ASReview or likewise. The latest mark counts,
    and no earlier one is ever lost.
    """
    from likewise.expansion.sessions.session import Session

    given = {label: values for label, values in labels.items() if values}
    if undo and given:
        raise click.UsageError("--undo takes ids alone: likewise mark SESSION --undo 123 456")
    if not (undo or given or files):
        raise click.UsageError("nothing to mark; give --relevant ID, --irrelevant ID or a file")
    told = _MarkReport(most=None if all_problems else 10)
    with Session.open(session) as opened:
        if undo:
            return _undo(opened, files, library=library, as_json=as_json)
        statements = [*_read_files(files, column, told=told), *_read_given(given, told=told)]
        with open_session_library(opened, library) as held:
            from likewise.expansion.sessions.marking import mark_papers

            marking = mark_papers(opened, statements, library=held)
        marks = opened.marks()
    told.tell_of(marking)
    if as_json:
        print_json(_list_values(marking, marks))
    else:
        click.echo(_describe_marking(marking, marks, session=session))
    return int(told.has_failed)


class _MarkReport:
    """What was said to the person on the way, and whether something could not be marked."""

    def __init__(self, *, most: int | None) -> None:
        self.tell: Tell = limit_lines(say, most=most)
        self.has_failed = False

    def problem(self, problem: Problem) -> None:
        self.has_failed = True
        self.tell(problem.path, str(problem))

    def tell_of(self, marking: Marking) -> None:
        for twice in marking.contradictions:
            before, now = twice.before, twice.now
            self.tell("contradictions", f"{twice.document}: {before.label} ({before.place}) and "
                      f"{now.label} ({now.place}); the last counts")  # fmt: skip
        for change in marking.changed:
            line = f"{change.document}: was {change.before}, is {change.now} now"
            self.tell("changed marks", line)
        for seed in marking.seeds:
            line = f"{seed}: one of your seeds until now; irrelevant, it is no longer one"
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
        for document, label, line in found.marks:
            place = f"{path}:{line}" if line else path
            yield Statement(document, label, place, source=Path(path).name)


def _read_given(given: dict[str, Sequence[str]], *, told: _MarkReport) -> Iterator[Statement]:
    from likewise.expansion.marks import LABELS
    from likewise.expansion.seed_sources import read_seeds
    from likewise.expansion.sessions.marking import Statement

    # Labels come in the order of the command line.
    for name, values in given.items():
        label: Label = next(label for label in LABELS if label == name)
        for value in values:
            source = Path(value).name if _is_file(value) else ""
            for paper in read_seeds([value], on_problem=told.problem):
                yield Statement(paper, label, value if source else f"--{label}", source=source)


def _undo(session: Session, ids: Sequence[str], *, library: str | None, as_json: bool) -> int:
    chosen = list(dict.fromkeys(_find_meant(session, ids, library=library)))
    taken = session.undo(chosen) if chosen or not ids else []
    missing = [name for name in chosen if name not in {mark.document for mark in taken}]
    for name in missing:
        say(f"{name}: not marked, so there is nothing to take back")
    if not taken and not ids:
        say("no mark is left to take back")
    if as_json:
        print_json(
            {
                "undone": [mark._asdict() for mark in taken],
                "not_marked": missing,
                "marks": _count_marks(session.marks()),
            }
        )
    else:
        for mark in taken:
            click.echo(f"{mark.document}: no longer {mark.label}{_name_source(mark)}")
    return int(bool(missing) or not taken)


def _find_meant(session: Session, ids: Sequence[str], *, library: str | None) -> Iterator[str]:
    """Yield the ids of marked documents; what is no such id is asked of the library."""
    from likewise.documents import Document
    from likewise.expansion.sessions.marking import find_documents

    current = session.current()
    others = [name for name in ids if name not in current]
    found: dict[str, str | None] = {}
    if others:
        papers = [Document(id=name) for name in others]
        with open_session_library(session, library) as held:
            meant = find_documents(papers, session=session, library=held)
        found = dict(zip(others, meant, strict=True))
    for name in ids:
        yield found.get(name) or name


def _name_source(mark: Mark) -> str:
    return f" (from {mark.source})" if mark.source else ""


def _describe_marking(marking: Marking, marks: Marks, *, session: str) -> str:
    told = f"{format_count(len(marking.labels), 'document')} marked"
    if marking.labels:
        told += f": {_list_counts(Counter(marking.labels.values()))}"
    if marking.same:
        told += f"; {format_count(marking.same, 'mark')} of them were there before"
    return (
        f"{told}.\nMarked so far: {_list_counts(_count_marks(marks)) or 'nothing'}. "
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
