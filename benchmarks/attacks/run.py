"""Attacks on everything that takes in something: `make bench-attacks`.

Broken and slow files over all readers (`files.py`), kills of commands and of the server at random
moments (`kills.py`), hostile requests to a real server (`http.py`). Bounded: some 20 minutes on two
cores. Arguments choose some of them; the table is kept in benchmarks/results/attacks.md.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.attacks import files, http, kills
from benchmarks.attacks.tries import format_table

ATTACKS = {
    "files": (files.attack, 300_000),
    "kills": (kills.attack, 100),
    "http": (http.attack, 10_000),
}
"""What attacks, and how often."""
TABLE = Path(__file__).parents[1] / "results" / "attacks.md"


def main() -> None:
    """Attack, and print what was tried and what fell over; exit 1 if anything did."""
    chosen = sys.argv[1:] or list(ATTACKS)
    rows = []
    for name in chosen:
        attack, tries = ATTACKS[name]
        started = time.perf_counter()
        rows += attack(tries)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    table = format_table(rows)
    print(table)
    for row in rows:
        if row.first_failure:
            print(f"\n{row.attack}, {row.kind}: {row.first_failure}")
    if set(chosen) == set(ATTACKS):
        TABLE.write_text(f"{table}\n", encoding="utf-8")
    sys.exit(any(row.failures for row in rows))


if __name__ == "__main__":
    main()
