"""likewise bench: make tasks, run methods on them, and show the results."""

from __future__ import annotations

import click

from likewise.cli import LazyGroup

COMMANDS = {
    "suggest": "Suggest topics that make good tasks.",
    "make": "Make tasks from topics of a library.",
    "import": "Make tasks from files in other formats.",
    "export": "Write tasks in other formats.",
    "stats": "Show what tasks hold: seeds, pool, precision, recall.",
    "run": "Run methods on tasks.",
    "table": "Print the results of runs as a table.",
    "figures": "Draw the results of runs.",
    "screen": "Replay reviews that people screened.",
}
"""Every command, in the order of the help page."""
TOGETHER = {
    "tasks": ("suggest", "make", "import", "export", "stats"),
    "runs": ("run", "screen"),
    "results": ("table", "figures"),
}
"""The modules, and the commands in each."""


@click.command("bench", cls=LazyGroup, commands_in=__name__, described=COMMANDS, together=TOGETHER)
def command() -> None:
    """Measure methods on tasks made from a labelled collection.

    A task is the seeds and the pool of a topic; the truth about them is kept in a separate file.
    """
