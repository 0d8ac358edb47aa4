"""The order in which ASReview's default model looks at records; run by `make bench-screen`.

It runs in an environment of its own, where ASReview is installed and likewise is not. It starts
with what `likewise bench screen --starts` wrote: the same seeds, and the negatives that it needs.
An order is written as soon as it is complete; orders that are there already are not made again.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config
from asreview.simulation.simulate import Simulate


def main() -> None:
    """Replay the reviews of a file from each start, and add the orders to another file."""
    reviews, starts, orders = map(Path, sys.argv[1:4])
    level = sys.argv[4] if len(sys.argv) > 4 else "abstract"
    rows = read_rows(reviews)
    known = {(order["review"], order["draw"]) for order in read_rows(orders)}
    for start in read_rows(starts):
        if (start["review"], start["draw"]) not in known:
            began = time.monotonic()
            order = find_order(
                start, rows=[row for row in rows if start["review"] in row["reviews"]], level=level
            )
            with orders.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(order) + "\n")
            took = time.monotonic() - began
            print(start["review"], start["draw"], len(order["ids"]), f"{took:.1f} s", flush=True)


def find_order(start: dict[str, Any], *, rows: list[dict[str, Any]], level: str) -> dict[str, Any]:
    """Return the records in the order in which ASReview asks for them, until all is found."""
    labels = np.array([int(row["reviews"][start["review"]][level]) for row in rows])
    number = {row["id"]: index for index, row in enumerate(rows)}
    known = [number[identifier] for identifier in start["seeds"] + start["negatives"]]
    # As its own command does with --seed.
    np.random.seed(start["draw"])  # noqa: NPY002
    cycle = ActiveLearningCycle.from_meta(get_ai_config()["value"])
    texts = pd.DataFrame([{"title": row["title"], "abstract": row["abstract"]} for row in rows])
    simulation = Simulate(texts, labels, [cycle], print_progress=False)
    simulation.label(known)
    simulation.review()
    looked_at = simulation._collect_results["record_id"].tolist()[len(known) :]  # noqa: SLF001
    ids = [rows[index]["id"] for index in looked_at]
    return {"review": start["review"], "draw": start["draw"], "ids": ids}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON Lines file, if it is there, without a last one cut short."""
    if not path.exists():
        return []
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


if __name__ == "__main__":
    main()
