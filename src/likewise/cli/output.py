"""What commands print: results on stdout for people and programs, everything else on stderr."""

from __future__ import annotations

import logging
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.errors import Problem, WriteError
from likewise.expansion.wording import format_count
from likewise.progress import make_bar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

# Control characters except tab and newline, and those that change the direction of writing.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# A command in a message, up to its first LIB.
_HINT = re.compile(r"(: likewise [^;:]*?)\bLIB\b")
MOST_PROBLEMS = 10
"""How many problems of each file are shown, unless all are asked for."""
_named = {"LIB": ""}
"""What to put in place of the names that hints leave open."""


def print_json(value: Any) -> None:
    """Print a value as JSON, with each key on a line of its own."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_result(text: str, values: Any, *, as_json: bool) -> None:
    """Print what a command did: a text for people, or its values for programs."""
    if as_json:
        print_json(values)
    else:
        click.echo(text)


def make_console() -> Console:
    """Return the console for results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not is_terminal())


def is_terminal() -> bool:
    """Return whether a person sees the output; a program may have no output at all."""
    return sys.stdout is not None and sys.stdout.isatty()


def clean_text(text: str) -> str:
    r"""Return a text without the control characters that a title may hold.

    >>> clean_text("red \x1b[31m alert")
    'red \ufffd[31m alert'
    """
    return _STEERING.sub("\ufffd", text)


def print_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: drawn on a terminal, tab-separated for a pipe."""
    lines = [[clean_text(" ".join(str(cell).split())) for cell in row] for row in rows]
    if is_terminal():
        make_console().print(_make_table(names, lines))
        return
    for line in lines:
        click.echo("\t".join(line))


def _make_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        last = name == names[-1]
        table.add_column(
            name, justify="left" if last or name == "id" else "right", no_wrap=not last
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def say(message: str) -> None:
    """Say on stderr what is happening."""
    # sys.stderr is read at each call, since a bar puts itself in its place while it is shown.
    click.echo(clean_text(fill_hints(message)), file=sys.stderr, err=True)


def name_library(address: str) -> None:
    """Let hints name this library from now on, in place of LIB; "" for none."""
    _named["LIB"] = address


def fill_hints(message: str) -> str:
    """Return a message whose hints name the command's own library, ready to be copied.

    >>> name_library("my papers")
    >>> fill_hints("check ids with: likewise search LIB WORDS")
    "check ids with: likewise search 'my papers' WORDS"
    >>> name_library("")
    """
    library = shlex.quote(_named["LIB"]) if _named["LIB"] else "LIB"
    return _HINT.sub(lambda found: f"{found[1]}{library}", message)


def tell_warnings() -> None:
    """Show the warnings and errors that packages log in the same way as those of commands."""
    logging.getLogger("likewise").addHandler(_Teller(logging.WARNING))


class _Teller(logging.Handler):
    """Prints the warnings and errors that are logged."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning in one line, and an error with its traceback."""
        try:
            if record.levelno > logging.WARNING:
                say(self.format(record))
            else:
                say(f"warning: {' '.join(record.getMessage().split())}")
        except (OSError, ValueError):  # What can't be said must not end the work.
            self.handleError(record)


def make_waiting_bar(name: str) -> Progress:
    """Return a progress bar for work of unknown length; it vanishes at the end."""
    bar = make_bar()
    bar.add_task(name, total=None)
    return bar


def show_progress_by(bar: Progress, name: str, note: str = "") -> Callable[[int, int, str], None]:
    """Return a function that moves a bar: it takes how many are done, of how many, and a note."""
    shown = bar.add_task(name, total=None, note=note)

    def move(done: int, total: int, note: str) -> None:
        bar.update(shown, completed=done, total=total, note=note)

    return move


def print_above(bar: Progress) -> Callable[[str], None]:
    """Return a function that prints a line to stderr, above a progress bar."""

    def print_line(line: str) -> None:
        if bar.disable:
            say(line)
        else:
            line = clean_text(fill_hints(line))
            bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    return print_line


def format_counts(*counts: tuple[int, str], of: str = "") -> str:
    """Return what happened, and to how many things; what happened to none is left out.

    >>> format_counts((1, "read"), (0, "left"), (3, "passed over"), of="file")
    '1 file read, 3 files passed over'
    >>> format_counts((12000, "added"))
    '12,000 added'
    """
    return ", ".join(
        f"{format_count(number, of) if of else f'{number:,}'} {what}"
        for number, what in counts
        if number
    )


def format_size(size: float) -> str:
    """Return a number of bytes in words.

    >>> format_size(999), format_size(1_500_000)
    ('999 bytes', '1.5 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:.1f} TB"


def spare_file(output: str, kept: str, what: str) -> None:
    """Raise WriteError if an output would replace a file that is to be kept; `what` says which."""
    # A file that does not exist is no other, nor is a list of ids, too long for a file's name.
    with suppress(OSError):
        if Path(output).samefile(kept):
            raise WriteError(f"{output}: {what}; choose another file to write to")


def list_some(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are.

    >>> list_some(["Ann", "Bo", "Cleo"], 2)
    'Ann, Bo and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def limit_lines(
    print_one: Callable[[str], None], *, most: int | None
) -> Callable[[str, str], None]:
    """Return a function that prints a line of a group, and stops, with a note, after `most`."""
    printed: Counter[str] = Counter()

    def print_limited(group: str, line: str) -> None:
        printed[group] += 1
        if most is None or printed[group] <= most:
            print_one(line)
        elif printed[group] == most + 1:
            print_one(f"{group}: more of these are not shown; --all-problems shows them")

    return print_limited


def tell_problems(
    print_one: Callable[[str], None], *, most: int | None = MOST_PROBLEMS
) -> Callable[[Problem], None]:
    """Return a function that prints problems, at most so many of each file."""
    print_limited = limit_lines(print_one, most=most)
    return lambda problem: print_limited(problem.path, str(problem))
