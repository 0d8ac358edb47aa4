"""The truth is for the benchmark alone: no code that learns or expands can name it."""

import ast
from pathlib import Path

import likewise

SRC = Path(likewise.__file__).parent


def test_nothing_that_learns_or_expands_can_reach_the_truth():
    for path in (*(SRC / "learn").rglob("*.py"), *(SRC / "expansion").rglob("*.py")):
        named = {
            name.id if isinstance(name, ast.Name) else name.arg
            for name in ast.walk(ast.parse(path.read_text()))
            if isinstance(name, ast.Name | ast.arg)
        }
        assert "truth" not in named, path


def test_what_scores_for_the_benchmark_can_not_reach_it_either():
    for name in ("scorers", "profiles", "spies", "propensities", "energies", "networks", "view"):
        tree = ast.parse((SRC / "bench" / "methods" / f"{name}.py").read_text())
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        named |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        assert named.isdisjoint({"truth", "Truth"}), name
