"""Attacks on everything that takes input: `make bench-attacks`.

There are broken and slow files for all readers (`files.py`), kills of commands and of the server at
random moments (`kills.py`), and hostile requests to a real server (`http.py`). They take about 20
minutes on two cores. Arguments choose some of them; the table of all is kept in
benchmarks/results/attacks.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.attacks import files, http, kills
from benchmarks.attacks.tries import format_table, report_tries

ATTACKS = {
    "files": (files.attack, 300_000),
    "kills": (kills.attack, 100),
    "http": (http.attack, 10_000),
}
"""Each attack by name, and how many tries it gets."""
TABLE = Path(__file__).parents[1] / "results" / "attacks.md"


def main() -> None:
    """Attack, and print what was tried and what fell over; exit 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    chosen = parser.parse_args().attacks or list(ATTACKS)
    if unknown := set(chosen) - set(ATTACKS):
        parser.error(f"no attack is called {min(unknown)!r}; choose from {', '.join(ATTACKS)}")
    rows = []
    for name in chosen:
        attack, tries = ATTACKS[name]
        started = time.perf_counter()
        rows += attack(tries)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    if set(chosen) == set(ATTACKS):
        TABLE.write_text(f"{format_table(rows)}\n", encoding="utf-8")
    report_tries(rows)


if __name__ == "__main__":
    main()
