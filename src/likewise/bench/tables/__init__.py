"""Tables of results, with the shapes of the paper's, and what it published beside them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from likewise.bench.runs.summary import Summary
from likewise.bench.tables.columns import TableSettings
from likewise.bench.tables.comparison import make_table1, make_table2, make_table3
from likewise.bench.tables.methods import make_methods_table, make_pretrained_table
from likewise.bench.tables.negatives import make_table4, make_table5
from likewise.bench.tables.statistics import make_table6
from likewise.bench.tables.table import FORMATS, Table
from likewise.errors import RunError

__all__ = ["FORMATS", "TABLES", "Table", "TableSettings", "make_table6", "make_tables"]

_FIXED: dict[str, Callable[[Summary], list[Table]]] = {
    "table2": make_table2,
    "table3": make_table3,
    "table4": make_table4,
    "table5": make_table5,
}
TABLES = ("methods", "table1", *_FIXED, "pretrained")
"""The names of all tables of results; Table 6 is made of tasks."""


def make_tables(
    summary: Summary, like: str, *, settings: TableSettings, rng: np.random.Generator
) -> list[Table]:
    """Return the tables of a name: one for each kind of task, and the paper's if it has one.

    Args:
        summary: The results.
        like: One of `TABLES`.
        settings: Which measures are shown, and what is compared.
        rng: Draws bootstrap samples.
    """
    if not summary.cells:
        failed = f"all {len(summary.failures)} results failed" if summary.failures else "no results"
        raise RunError(f"{failed}, so there is nothing to show; see: likewise bench run --help")
    if like in _FIXED:
        return _FIXED[like](summary)
    if like == "table1":
        return make_table1(summary, settings)
    make = make_pretrained_table if like == "pretrained" else make_methods_table
    return make(summary, settings, rng=rng)
