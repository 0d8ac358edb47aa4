"""Tables of results, with the shapes of the paper's, and what it published beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.tables.ablations import table2, table3
from likewise.bench.tables.columns import TableSettings
from likewise.bench.tables.comparison import table1
from likewise.bench.tables.formats import FORMATS
from likewise.bench.tables.methods import methods_table
from likewise.bench.tables.negatives import table4, table5
from likewise.bench.tables.pretrained import pretrained_table
from likewise.bench.tables.statistics import table6
from likewise.bench.tables.table import Table
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from likewise.bench.runs.summary import Summary

__all__ = ["FORMATS", "TABLES", "Table", "TableSettings", "make_tables", "table6"]

_FIXED: dict[str, Callable[[Summary], list[Table]]] = {
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
}
TABLES = ("methods", "table1", *_FIXED, "pretrained")
"""Every table of results by name; `table6` is one of tasks."""


def make_tables(
    summary: Summary, like: str, *, settings: TableSettings, rng: np.random.Generator
) -> list[Table]:
    """Return the tables of a name, one for each sort of task, and the paper's where it has one.

    Args:
        summary: The results.
        like: One of `TABLES`.
        settings: Which measures are shown, and what is compared.
        rng: Draws the samples of bootstraps.
    """
    if not summary.cells:
        failed = f"all {len(summary.failures)} results failed" if summary.failures else "no results"
        raise RunError(f"{failed}, so there is nothing to show; see: likewise bench run --help")
    if like in _FIXED:
        return _FIXED[like](summary)
    if like == "table1":
        return table1(summary, settings)
    make = pretrained_table if like == "pretrained" else methods_table
    return make(summary, settings, rng=rng)
