"""Reviews replayed, beside ASReview, and what they teach about stopping: `make bench-screen`.

1. starts: the starts of all replays are drawn, and written for other tools.
2. others: ASReview's default model looks at the same records, in an environment of its own.
3. replays: likewise looks at them too, and at pseudo-reviews made from MeSH topics.
4. calibrate: the calibration of stopping rules that is shipped is fitted to these replays.
5. report: all tables, and the figures of the docs.
6. timing: a round on 5,000 records, and on 20,000, beside one fit of the plain regression.

Everything is resumable: what is there, under benchmarks/screen/work, is not made again. Arguments
choose parts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.labelled import DATA, need_data
from benchmarks.screen.calibrate import write_calibration
from benchmarks.screen.pseudo_reviews import write_pseudo_reviews
from benchmarks.screen.timing import time_rounds

from likewise.bench.figures import write_figures
from likewise.bench.figures.look import CaptionedChart
from likewise.bench.runs.crew import CrewProgress
from likewise.bench.screening import screen_reviews
from likewise.bench.screening.figures import draw_recall, draw_rules
from likewise.bench.screening.results import ScreenResult, ScreenSettings, read_orders
from likewise.bench.screening.reviews import (
    ReplayStart,
    Review,
    draw_starts,
    read_reviews,
    write_starts,
)
from likewise.bench.screening.stops import find_stops
from likewise.bench.screening.tables import (
    make_estimates_table,
    make_order_tables,
    make_rules_table,
)
from likewise.bench.tables.table import as_markdown
from likewise.learn.estimates import Target
from likewise.learn.stopping.reading import FILE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORK = HERE / "work"
REPLAYS = WORK / "replays"
TABLES = HERE.parent / "results" / "screen.md"
TIMES = HERE.parent / "results" / "screen-rounds.md"
FIGURES = ROOT / "docs" / "figures"
SHIPPED = ROOT / "src" / "likewise" / "learn" / "stopping" / FILE
ASREVIEW = ("asreview==3.0.8", "scikit-learn==1.9.1", "pandas==2.3.3", "numpy==2.4.6")
"""ASReview, and the packages that its order depends on."""
METHOD = "linear"
LEAST = 20
"""Reviews with fewer records on topic are left out."""
OTHER_TARGETS = (0.8, 0.9, 0.99)
OUR_RULES = ("calibrated", "audited")
"""The rules that are asked for other targets too."""


class ReviewFile(NamedTuple):
    """A file of reviews, and how they are replayed."""

    path: Path
    draws: int
    rounds: int

    @property
    def kind(self) -> str:
        """The name that its reviews have in common."""
        return self.path.name.partition(".")[0]

    @property
    def settings(self) -> ScreenSettings:
        """How they are replayed."""
        return ScreenSettings(rounds=self.rounds)

    def read_reviews(self) -> list[Review]:
        """Return the reviews that have enough on topic."""
        return read_reviews([self.path], least=LEAST)

    def draw_starts(self) -> list[ReplayStart]:
        """Draw the starts of their replays."""
        return draw_starts(self.read_reviews(), draws=self.draws)

    def locate(self, name: str) -> Path:
        """Return the path at which something about it is kept."""
        return WORK / f"{self.kind}-{name}.jsonl"


REAL = tuple(
    ReviewFile(DATA / f"{name}.jsonl.gz", draws=2, rounds=100) for name in ("reviews", "clef")
)
PSEUDO = ReviewFile(WORK / "mesh.jsonl.gz", draws=1, rounds=25)
"""There are many of them, so each is read in fewer rounds."""


def main() -> None:
    """Run the parts asked for, or all."""
    need_data()
    WORK.mkdir(exist_ok=True)
    parts: dict[str, Callable[[], object]] = {
        "starts": write_all_starts,
        "others": run_asreview,
        "replays": run_replays,
        "calibrate": calibrate,
        "report": write_report,
        "timing": write_timing,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


def write_all_starts() -> None:
    """Write the starts of all replays, and the pseudo-reviews."""
    for file in REAL:
        write_starts(file.draw_starts(), file.locate("starts"))
    if not PSEUDO.path.exists():
        write_pseudo_reviews(PSEUDO.path)


def run_asreview() -> None:
    """Let ASReview look at the same records."""
    python, is_made = WORK / "asreview" / "bin" / "python", WORK / "asreview.done"
    if not is_made.exists():
        venv.create(python.parents[1], with_pip=True, clear=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *ASREVIEW]
        subprocess.run([python, *install], check=True)
        is_made.touch()
    script = HERE / "asreview_orders.py"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    for file in REAL:
        command = [python, script, file.path, file.locate("starts"), file.locate("asreview")]
        # It leaves a cache where it runs.
        subprocess.run(command, check=True, env=environment, cwd=WORK)
        write_counted(file)


def write_counted(file: ReviewFile) -> None:
    """Write ASReview's orders and the negatives that it begins with: somebody has to read them."""
    begun = {(start["review"], start["draw"]): start for start in read_lines(file.locate("starts"))}
    orders = [
        order | {"ids": [*begun[order["review"], order["draw"]]["negatives"], *order["ids"]]}
        for order in read_lines(file.locate("asreview"))
    ]
    lines = "".join(json.dumps(order) + "\n" for order in orders)
    file.locate("asreview-counted").write_text(lines, encoding="utf-8")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return what each line of a file says."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run_replays() -> None:
    """Replay everything that was not replayed yet."""
    for file in (*REAL, PSEUDO):
        replay_file(file)


def replay_file(file: ReviewFile) -> list[ScreenResult]:
    """Return the replays of a file, which are made if they are not there."""

    def tell(at: CrewProgress) -> None:
        print(f"\r{file.kind}: {at.done} of {at.total}, {at.note:80.80}", end="", file=sys.stderr)

    made = screen_reviews(
        file.read_reviews(),
        [METHOD],
        out=REPLAYS,
        draws=file.draws,
        settings=file.settings,
        on_progress=tell,
    )
    for line in made.failed:
        print(line, file=sys.stderr)
    return made.results


def read_asreview(file: ReviewFile) -> list[ScreenResult]:
    """Return the results of ASReview."""
    reviews, starts = file.read_reviews(), file.draw_starts()
    tools = {"asreview": "asreview", "asreview, all counted": "asreview-counted"}
    return [
        result
        for tool, name in tools.items()
        for result in read_orders(file.locate(name), tool=tool, reviews=reviews, starts=starts)
    ]


def calibrate() -> None:
    """Fit the calibration that is shipped to the replays."""
    results = [result for file in (*REAL, PSEUDO) for result in replay_file(file)]
    write_calibration(results, SHIPPED, pseudo=PSEUDO.kind)


def write_report() -> None:
    """Write all tables, and draw the figures of the docs."""
    by_file = {file: replay_file(file) for file in (*REAL, PSEUDO)}
    beside = {file: read_asreview(file) for file in REAL}
    tables = []
    for file in REAL:
        rng = np.random.default_rng(0)
        tables += make_order_tables([*by_file[file], *beside[file]], rng=rng, against="asreview")
    ours = [result for results in by_file.values() for result in results]
    free = [one for results in beside.values() for one in results if one.method == "asreview"]
    stops = find_stops([*ours, *free])
    tables.append(make_rules_table(stops, target=Target()))
    for recall in OTHER_TARGETS:
        target = Target(recall)
        tables.append(make_rules_table(find_stops(ours, OUR_RULES, target=target), target=target))
    tables.append(make_estimates_table(ours))
    first = REAL[0]
    drawn = [
        draw_recall([*by_file[first], *beside[first]]),
        draw_rules([stop for stop in stops if stop.result.kind == first.kind], recall=0.95),
    ]
    write_figures(drawn, FIGURES, formats=("svg",))
    TABLES.write_text(as_markdown(tables) + "".join(map(format_figure, drawn)), encoding="utf-8")


def format_figure(figure: CaptionedChart) -> str:
    """Return a figure as the docs show it."""
    alternative, path = figure.alternative, f"figures/{figure.name}.svg"
    return f"\n![{alternative}]({path})\n\n*{figure.caption}*\n"


def write_timing() -> None:
    """Time rounds, and write what they take."""
    lines = list(time_rounds())
    TIMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
