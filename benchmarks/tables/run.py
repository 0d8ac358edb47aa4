"""The tables of docs/benchmark.md: `make bench-tables`; with networks `make bench-tables-neural`.

`experiments.toml` says which tasks are made and which methods are run on them. Everything is
resumable: tasks and results that are there, under benchmarks/tables/work, are not made again.
Arguments name runs; `quick` and `costly` stand for all of their kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.labelled import DATA, need_data

HERE = Path(__file__).parent
WORK = HERE / "work"
SUMMARIES = HERE.parent / "results"
EXPERIMENTS: dict[str, Any] = tomllib.loads((HERE / "experiments.toml").read_text())
FIGURES = HERE.parents[1] / "docs" / "figures"
DESCRIBED = {"wide", "dense"}
"""The tasks whose Table 6 is in the docs."""


class DrawnTask(NamedTuple):
    """A task whose scores are drawn, of a folder of tasks."""

    tasks: str
    task: str


DRAWN = DrawnTask("dense", "L20/D000818.D001921.D051381/draw-0")
"""Animals + Brain + Rats, as Figure 2."""


def main() -> None:
    """Go through the runs asked for."""
    need_data()
    for name in list_runs(sys.argv[1:] or ["quick"]):
        run_experiment(name, EXPERIMENTS["runs"][name])


def list_runs(asked: list[str]) -> list[str]:
    """Return the names of the runs, those of a kind spelled out."""
    kinds = {
        "quick": [name for name, run in EXPERIMENTS["runs"].items() if not run.get("costly")],
        "costly": [name for name, run in EXPERIMENTS["runs"].items() if run.get("costly")],
    }
    return [name for one in asked for name in kinds.get(one, [one])]


def run_experiment(name: str, wanted: dict[str, Any]) -> None:
    """Make the tasks of a run, run the methods, and write the summary."""
    started = time.perf_counter()
    runs = []
    for tasks in wanted["tasks"]:
        make_tasks(tasks)
        out = WORK / "runs" / tasks
        options = ["--draws", wanted["draws"]] if "draws" in wanted else []
        for encoder in wanted.get("encoders", [""]):
            run_likewise("bench", "run", WORK / "tasks" / tasks, "--methods", *wanted["methods"],
                     *options, "--encoder", encoder, "--out", out)  # fmt: skip
        runs.append(out)
    SUMMARIES.mkdir(exist_ok=True)
    run_likewise("bench", "table", *runs, "--methods", *wanted["methods"], "--like", "methods",
             "--summary", SUMMARIES / f"{name}.json")  # fmt: skip
    for tasks in DESCRIBED.intersection(wanted["tasks"]):
        run_likewise("bench", "table", WORK / "tasks" / tasks, "--like", "table6",
                 "-o", SUMMARIES / f"table6-{tasks}.md")  # fmt: skip
    if DRAWN.tasks in wanted["tasks"]:
        draw_scores()
    print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


def draw_scores() -> None:
    """Draw the scores of a task's pool, and write what the docs say of the figure."""
    tasks = WORK / "tasks" / DRAWN.tasks
    made = run_likewise("bench", "figures", tasks, "--only", "scores", "--task", DRAWN.task,
                    "--format", "svg", "--out", FIGURES, "--json", capture=True)  # fmt: skip
    (figure,) = json.loads(made)["figures"]
    image = f"![{figure['alternative']}](figures/{Path(figure['files'][0]).name})"
    (SUMMARIES / "figure2.md").write_text(f"{image}\n\n*{figure['caption']}*\n", encoding="utf-8")


def make_tasks(name: str) -> None:
    """Make tasks, and before them the library, unless they are there."""
    library = WORK / "library"
    run_likewise("index", DATA / "mesh.jsonl.gz", "--into", library)
    options = []
    for option, value in EXPERIMENTS["tasks"][name].items():
        spelled = option.replace("_", "-")
        if option == "seeds_bias":
            options += ["--bias", f"seeds={value}"]
        elif value is True:
            options.append(f"--{spelled}")
        else:
            options += [f"--{spelled}", *(value if isinstance(value, list) else [value])]
    run_likewise("bench", "make", library, *options, "--out", WORK / "tasks" / name)


def run_likewise(*words: object, capture: bool = False) -> str:
    """Run a command of ours; what it prints is shown, or returned if it is captured."""
    command = [sys.executable, "-m", "likewise", *map(str, words)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    printed = subprocess.PIPE if capture else None
    # A method that failed is said, and the rest is worth a table.
    done = subprocess.run(command, check=False, env=environment, stdout=printed, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)
    return done.stdout or ""


if __name__ == "__main__":
    main()
