"""Run the notebooks in examples/, and keep what their cells put out.

They run cell by cell, without Jupyter: docs/decisions/0029-notebooks.md says why.

    python scripts/write_notebooks.py FOLDER [NAME...]

FOLDER is where they run, and where the sample is fetched to once.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SHOWN = {"text/html": "_repr_html_", "text/plain": "__repr__"}
"""What a result is kept as, and what makes it so."""


def main(folder: str, *names: str) -> None:
    """Run notebooks, by default all, and write them with what they put out."""
    os.chdir(folder)
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        if not names or path.stem in names:
            made = run_notebook(json.loads(path.read_text(encoding="utf-8")))
            path.write_text(spell(made), encoding="utf-8")


def run_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with what its cells put out when they are run here, in the order given."""
    names: dict[str, Any] = {"__name__": "notebook"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = run_cell("".join(cell["source"]), names, number=number)
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def run_cell(source: str, names: dict[str, Any], *, number: int) -> list[dict[str, Any]]:
    """Run a cell, and return what it printed and what its last expression comes to."""
    tree, last = ast.parse(source), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    printed, result = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)  # noqa: S102  # what notebooks are for
        if last is not None:
            result = eval(compile(last, f"cell {number}", "eval"), names)  # noqa: S307  # as above
    outputs = []
    if printed.getvalue():
        text = split_lines(printed.getvalue())
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if result is not None:
        shown = {"data": show(result), "execution_count": number, "metadata": {}}
        outputs.append({**shown, "output_type": "execute_result"})
    return outputs


def show(result: object) -> dict[str, list[str]]:
    """Return a result in every form that it has."""
    makers = {kind: getattr(result, name, None) for kind, name in SHOWN.items()}
    made = {kind: make() for kind, make in makers.items() if make}
    return {kind: split_lines(text) for kind, text in made.items() if text}


def split_lines(text: str) -> list[str]:
    """Return the lines of a text as notebooks keep them."""
    return text.splitlines(keepends=True)


def spell(notebook: dict[str, Any]) -> str:
    """Return a notebook as it is written, so that a change shows as few lines."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
