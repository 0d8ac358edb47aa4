"""Sizes that keep the code readable; the limits only ever go down."""

import ast
import re
from functools import cache
from pathlib import Path

import likewise

SRC = Path(likewise.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(SRC.rglob("*.py"))


@cache
def parsed(path):
    return ast.parse(path.read_text())


@cache
def functions():
    return list(_functions())


def _functions():
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body
                if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                    body = body[1:]
                length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                yield f"{path.relative_to(SRC)}:{node.name}", length


def test_no_module_is_over_500_lines():
    assert not [str(path) for path in MODULES if len(path.read_text().splitlines()) > 500]


def test_most_modules_are_under_300_lines():
    short = sum(len(path.read_text().splitlines()) <= 300 for path in MODULES)
    assert short / len(MODULES) >= 0.75


def test_no_function_body_is_over_40_lines():
    assert not [name for name, length in functions() if length > 42]


def test_nearly_all_function_bodies_are_at_most_20_lines():
    lengths = [length for _, length in functions()]
    assert sum(length <= 20 for length in lengths) / len(lengths) >= 0.9


def test_there_is_as_much_test_as_source():
    tests = sum(len(path.read_text().splitlines()) for path in (ROOT / "tests").rglob("*.py"))
    assert tests >= sum(len(path.read_text().splitlines()) for path in MODULES) * 0.75


def test_nothing_is_left_for_later_or_printed_past_the_command_line():
    later = re.compile(r"\b(TODO|FIXME|XXX)\b|NotImplementedError|(?<![.\w])print\(")
    assert not [str(path) for path in MODULES if later.search(path.read_text())]


def test_every_module_says_what_it_is_for():
    assert not [str(path) for path in MODULES if not ast.get_docstring(parsed(path))]
