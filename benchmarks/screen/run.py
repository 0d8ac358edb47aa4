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
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.labelled import DATA, need_data
from benchmarks.screen.timing import rounds_timed

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = HERE / "work"
TABLES = HERE.parent / "results" / "screen.md"
TIMES = HERE.parent / "results" / "screen-rounds.md"
FIGURES = ROOT / "docs" / "figures"
ASREVIEW = ("asreview==3.0.8", "scikit-learn==1.9.1", "pandas==2.3.3", "numpy==2.4.6")
"""With what its order depends on."""
DRAWS = "2"


class ReviewFile(NamedTuple):
    """A file of reviews, and what is made of it."""

    name: str
    least: int
    """Reviews with fewer records on topic are left out."""

    @property
    def path(self) -> Path:
        """The reviews."""
        return DATA / f"{self.name}.jsonl.gz"

    @property
    def starts(self) -> Path:
        """What replays of them begin with."""
        return WORK / f"{self.name}-starts.jsonl"

    @property
    def orders(self) -> Path:
        """In which order ASReview looks at their records, ..."""
        return WORK / f"{self.name}-asreview.jsonl"

    @property
    def counted(self) -> Path:
        """... and the same with the negatives that it begins with."""
        return WORK / f"{self.name}-asreview-counted.jsonl"


FILES = (ReviewFile("reviews", least=40), ReviewFile("clef", least=20))


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
    for file in FILES:
        likewise(file, "--starts", file.starts)


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
    for file in FILES:
        command = [python, script, file.path, file.starts, file.orders]
        # It leaves a cache where it runs.
        subprocess.run(command, check=True, env=environment, cwd=WORK)
        write_counted(file)


def write_counted(file: ReviewFile) -> None:
    """Write ASReview's orders with the negatives that it begins with: somebody has to read them."""
    starts_of = {(start["review"], start["draw"]): start for start in lines_of(file.starts)}
    orders = [
        order | {"ids": [*starts_of[order["review"], order["draw"]]["negatives"], *order["ids"]]}
        for order in lines_of(file.orders)
    ]
    file.counted.write_text("".join(json.dumps(order) + "\n" for order in orders), encoding="utf-8")


def lines_of(path: Path) -> list[dict]:
    """Return what each line of a file says."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def replays() -> None:
    """Replay with the default method, and write tables and figures of all."""
    drawn: list[dict] = []
    for file in FILES:
        beside = [f"asreview={file.orders}", f"asreview, all counted={file.counted}"]
        words = ["--out", WORK / "replays", "--beside", beside[0], "--beside", beside[1]]
        # Figures are of the first file alone.
        words += [] if drawn else ["--figures", FIGURES]
        made = likewise(file, *words, "-o", WORK / f"{file.name}.md", "--json")
        drawn += json.loads(made)["figures"]
    write_tables(drawn)


def write_tables(drawn: list[dict]) -> None:
    """Write the tables of all files into one, and name the figures there."""
    tables = [(WORK / f"{file.name}.md").read_text(encoding="utf-8") for file in FILES]
    with TABLES.open("w", encoding="utf-8") as stream:
        stream.write("\n".join(tables))
        for one in drawn:
            figure = f"figures/{Path(one['files'][0]).name}"
            stream.write(f"\n![{one['alternative']}]({figure})\n\n*{one['caption']}*\n")
    for path in FIGURES.glob("screen-*.png"):
        path.unlink()


def timing() -> None:
    """Time rounds, and write what they take."""
    lines = list(rounds_timed())
    TIMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def likewise(file: ReviewFile, *words: object) -> bytes:
    """Run the command as a person would, and return what it prints."""
    command = [sys.executable, "-m", "likewise", "bench", "screen", file.path]
    chosen = ["--draws", DRAWS, "--least", file.least]
    told = [*map(str, command), *map(str, chosen), *map(str, words)]
    return subprocess.run(told, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
