"""Run the tasks of a benchmark in two processes, and print a table of their outcomes."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def run_all(
    expand: Callable[[Task], Outcome], tasks: Iterable[Task], *, start: str = "spawn"
) -> list[Outcome]:
    """Run tasks in two processes, and return their outcomes in the same order.

    Args:
        expand: What is run on each task.
        tasks: The tasks.
        start: How processes are started: "spawn", since the engine's threads do not survive a
            fork, or "fork" if they need what this process has in memory.
    """
    outcomes = []
    with multiprocessing.get_context(start).Pool(2) as workers:
        for outcome in workers.imap(expand, tasks):
            outcomes.append(outcome)
            print(f"\r{len(outcomes)} tasks ", end="", file=sys.stderr, flush=True)
    return outcomes


def print_table(
    first: str, names: list[str], rows: dict[str, list[float]], *, means: bool = True
) -> None:
    """Print a Markdown table, with a last row of means."""
    print(f"\r| {first:50} | " + " | ".join(f"{name:>10}" for name in names) + " |")
    print("|---|" + "---:|" * len(names))
    if means:
        rows = {**rows, "mean": [fmean(column) for column in zip(*rows.values(), strict=True)]}
    for name, values in rows.items():
        cells = (f"{v:10.3f}" if abs(v) < 2 else f"{v:10,.0f}" for v in values)
        print(f"| {name:50} | " + " | ".join(cells) + " |")
