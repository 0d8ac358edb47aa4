"""What an attack tried and how often something fell over: the rows of `make bench-attacks`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Tries(NamedTuple):
    """All tries of one kind."""

    attack: str
    """What was attacked, as in "mutated files" or "hostile HTTP"."""
    kind: str
    tries: int
    failures: int
    slowest: float = 0.0
    """The seconds that the slowest try took."""
    first_failure: str = ""


def format_table(rows: Iterable[Tries]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| attack | kind | tries | failures | slowest, s |", "|---|---|---:|---:|---:|"]
    lines += [
        f"| {row.attack} | {row.kind} | {row.tries:,} | {row.failures:,} | {row.slowest:.2f} |"
        for row in rows
    ]
    return "\n".join(lines)


def report_tries(rows: Sequence[Tries]) -> None:
    """Print the rows and what failed first in each, and exit with 1 if anything fell over."""
    print(format_table(rows))
    for row in rows:
        if row.first_failure:
            print(f"\n{row.attack}, {row.kind}: {row.first_failure}")
    sys.exit(any(row.failures for row in rows))
