import ast
from pathlib import Path

import pytest

import likewise

SRC = Path(likewise.__file__).parent
LAYERS = [
    "errors",
    "extras",
    "documents",
    "library",
    "features",
    "learn",
    "expansion",
    "bench",
    "server",
    "cli",
]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("likewise."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("likewise."))


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda p: str(p.relative_to(SRC)))
def test_imports_point_left(path):
    here = path.relative_to(SRC).parts[0].removesuffix(".py")
    if here in ("__init__", "__main__"):
        here = LAYERS[-1]
    upward = [name for name in imports(path) if LAYERS.index(name) > LAYERS.index(here)]
    assert not upward, f"{path} is in layer '{here}' and may not import {upward}"


def test_every_package_is_a_layer():
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert packages <= set(LAYERS)
