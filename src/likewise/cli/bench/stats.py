"""likewise bench stats: what tasks hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.output import json_option, print_json, print_rows

if TYPE_CHECKING:
    from likewise.bench.tables.statistics import TaskStatistics


@click.command("stats")
@click.argument("tasks", type=click.Path(path_type=Path))
@json_option
def command(tasks: Path, *, as_json: bool) -> None:
    """Tell what tasks hold: seeds, pool, precision and recall of the pool, over all draws.

    TASKS is a folder made by "likewise bench make", or one in the format that the authors of the
    paper published.
    """
    from likewise.bench.tables.statistics import compute_statistics, read_task_metadata

    rows = compute_statistics(read_task_metadata(tasks))
    if as_json:
        print_json([row._asdict() for row in rows])
    else:
        print_statistics(rows)


def print_statistics(rows: Sequence[TaskStatistics]) -> None:
    """Print the paper's Table 6: precision and recall in percent."""
    print_rows(
        ("|LP|", "|U|", "precision", "recall", "on topic", "draws", "topic"),
        [
            (
                row.seeds,
                f"{row.pool:,.0f}",
                f"{100 * row.precision:.2f}",
                f"{100 * row.recall:.2f}",
                f"{row.on_topic:,}",
                row.draws,
                row.topic,
            )
            for row in rows
        ],
    )
