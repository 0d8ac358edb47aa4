"""Progress as a person sees it: a bar on a terminal or in a notebook, and nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress

Move = Callable[[str, float, str], None]
"""Moves a bar: takes the name of the task, the share that is done, and a short note."""
PAUSE = 0.1
"""Seconds between two updates of a notebook's bar, since each is sent to the browser."""
BESIDE = 48
"""How many columns of a terminal the name, the bar and the share take, beside the note."""


@contextmanager
def show_progress(name: str, *, show: bool = True) -> Iterator[Move]:
    """Show a bar during a long task, if a person would see it; it vanishes at the end."""
    if show and is_notebook():
        with closing(NotebookBar(name)) as bar:
            yield bar.move
    elif show and is_terminal():
        with make_bar("{task.fields[note]}") as terminal_bar:
            yield move_by(terminal_bar, name)
    else:
        yield lambda _name, _share, _note: None


def is_terminal() -> bool:
    """Return whether stderr is a terminal; a process may have no stderr at all."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_notebook() -> bool:
    """Return whether this runs in a notebook's kernel."""
    # Without IPython imported, this is not a notebook.
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found else None
    return getattr(shell, "kernel", None) is not None


def make_bar(*columns: str) -> Progress:
    """Return a progress bar on stderr, with these columns of text after it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        *(TextColumn(column, style="dim", markup=False) for column in columns),
        console=Console(stderr=True),
        transient=True,
        disable=not is_terminal(),
    )


def move_by(bar: Progress, name: str) -> Move:
    """Return a function that moves a terminal's bar, which needs a column for notes."""
    task = bar.add_task(name, total=1.0, note="")
    # A note that is too long would squeeze the name, the bar and the share.
    room = max(0, bar.console.width - BESIDE)

    def move(name: str, share: float, note: str) -> None:
        bar.update(task, description=f"{name:9}", completed=share, note=note[:room])

    return move


class NotebookBar:
    """A bar in the output of a notebook's cell; it needs no widgets, so any notebook shows it."""

    def __init__(self, name: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        self._shown_at = time.monotonic()
        self._handle = display(_render_bar(name, 0.0, ""), raw=True, display_id=True)

    def move(self, name: str, share: float, note: str) -> None:
        """Update the bar, unless it was updated a moment ago."""
        now = time.monotonic()
        if now - self._shown_at >= PAUSE:
            self._shown_at = now
            self._handle.update(_render_bar(name, share, note), raw=True)

    def close(self) -> None:
        """Remove the bar."""
        self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


def _render_bar(name: str, share: float, note: str) -> dict[str, Any]:
    """Return a bar as HTML, and as plain text for notebooks that show no HTML."""
    text = f"{name} {share:.0%} {note}".rstrip()
    bar = f'<progress max="1" value="{share:.3f}" aria-label="{escape(name)}"></progress>'
    return {"text/html": f"<div>{bar} <small>{escape(text)}</small></div>", "text/plain": text}
