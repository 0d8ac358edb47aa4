"""What commands print: results on stdout for people and programs, everything else on stderr."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console, RenderableType
    from rich.progress import Progress

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def print_json(value: Any) -> None:
    """Print a value as JSON, a key a line."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def console() -> Console:
    """Return the console for results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def print_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: drawn on a terminal, tab-separated for a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(" ".join(str(cell).split()) for cell in row))
        return
    console().print(_table(names, rows))


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        last = name == names[-1]
        table.add_column(
            name, justify="left" if last or name == "id" else "right", no_wrap=not last
        )
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def say(message: str) -> None:
    """Tell a person what is going on, on stderr."""
    click.echo(message, err=True)


def progress_bar(*columns: str) -> Progress:
    """Return a progress bar on stderr that shows these texts after itself."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        *(TextColumn(column, style="dim") for column in columns),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "file"), counted(50788, "document")
    ('1 file', '50,788 documents')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def sized(size: float) -> str:
    """Return a number of bytes as people say it.

    >>> sized(999), sized(1_500_000)
    ('999 bytes', '1.5 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:.1f} TB"


def limited(print_one: Callable[[str], None], *, most: int | None) -> Callable[[str, str], None]:
    """Return a printer of (group, line) that goes quiet, and says so, after `most` of a group."""
    printed: Counter[str] = Counter()

    def print_limited(group: str, line: str) -> None:
        printed[group] += 1
        if most is None or printed[group] <= most:
            print_one(line)
        elif printed[group] == most + 1:
            print_one(f"{group}: more of these are not shown; --all-problems shows them")

    return print_limited
