"""Reviews replayed, beside ASReview, and how long a round takes: `make bench-screen`.

1. starts: what all replays begin with is drawn, and written for others.
2. others: ASReview's default model looks at the same records, in an environment of its own.
3. replays: likewise looks at them too; all tables, and the figures of the docs.
4. timing: a round on 5,000 records, and on 20,000, beside one fit of the plain regression.

Everything is resumable: what is there, under benchmarks/screen/work, is not made again. Arguments
choose parts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.labelled import DATA, need_data
from benchmarks.screen.timing import rounds_timed

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = HERE / "work"
STARTS, ORDERS = WORK / "starts.jsonl", WORK / "asreview.jsonl"
COUNTED = WORK / "asreview-counted.jsonl"
TABLES = HERE.parent / "results" / "screen.md"
TIMES = HERE.parent / "results" / "screen-rounds.md"
FIGURES = ROOT / "docs" / "figures"
ASREVIEW = ("asreview==3.0.8", "scikit-learn==1.9.1", "pandas==2.3.3", "numpy==2.4.6")
"""With what its order depends on."""
REVIEWS = DATA / "reviews.jsonl.gz"
DRAWS = "2"


def main() -> None:
    """Run the parts asked for, or all."""
    need_data()
    WORK.mkdir(exist_ok=True)
    parts: dict[str, Callable[[], object]] = {
        "starts": starts, "others": others, "replays": replays, "timing": timing,
    }  # fmt: skip
    for name in sys.argv[1:] or parts:
        parts[name]()


def starts() -> None:
    """Draw what all replays begin with."""
    likewise("--starts", STARTS)


def others() -> None:
    """Let ASReview look at the same records."""
    python, is_made = WORK / "asreview" / "bin" / "python", WORK / "asreview.done"
    if not is_made.exists():
        venv.create(python.parents[1], with_pip=True, clear=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *ASREVIEW]
        subprocess.run([python, *install], check=True)
        is_made.touch()
    script = HERE / "asreview_orders.py"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([python, script, REVIEWS, STARTS, ORDERS], check=True, env=environment)
    write_counted()


def write_counted() -> None:
    """Write ASReview's orders with the negatives that it begins with: somebody has to read them."""
    given = {(start["review"], start["draw"]): start["negatives"] for start in lines_of(STARTS)}
    orders = [
        order | {"ids": [*given[order["review"], order["draw"]], *order["ids"]]}
        for order in lines_of(ORDERS)
    ]
    COUNTED.write_text("".join(json.dumps(order) + "\n" for order in orders), encoding="utf-8")


def lines_of(path: Path) -> list[dict]:
    """Return what each line of a file says."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def replays() -> None:
    """Replay with the default method, and write tables and figures of all."""
    beside = ["--beside", f"asreview={ORDERS}", "--beside", f"asreview, all counted={COUNTED}"]
    made = likewise("--out", WORK / "replays", *beside,
                    "--figures", FIGURES, "-o", TABLES, "--json")  # fmt: skip
    with TABLES.open("a", encoding="utf-8") as stream:
        for drawn in json.loads(made)["figures"]:
            file = f"figures/{Path(drawn['files'][0]).name}"
            stream.write(f"\n![{drawn['alternative']}]({file})\n\n*{drawn['caption']}*\n")
    for path in FIGURES.glob("screen-*.png"):
        path.unlink()


def timing() -> None:
    """Time rounds, and write what they take."""
    lines = list(rounds_timed())
    TIMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def likewise(*words: object) -> bytes:
    """Run the command as a person would, and return what it prints."""
    command = [sys.executable, "-m", "likewise", "bench", "screen", REVIEWS, "--draws", DRAWS]
    told = [*map(str, command), *map(str, words)]
    return subprocess.run(told, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
