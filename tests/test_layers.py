import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import likewise

SRC = Path(likewise.__file__).parent
LAYERS = [
    "version",
    "errors",
    "arguments",
    "extras",
    "machine",
    "parameters",
    "progress",
    "web",
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


def layer_of(path):
    here = path.relative_to(SRC).parts[0].removesuffix(".py")
    return LAYERS[-1] if here in ("__init__", "__main__") else here


def test_imports_point_left():
    upward = [
        f"{path} is in layer {layer_of(path)!r} and may not import {name!r}"
        for path in sorted(SRC.rglob("*.py"))
        for name in imports(path)
        if LAYERS.index(name) > LAYERS.index(layer_of(path))
    ]
    assert not upward


def test_every_package_is_a_layer():
    packages = {path.parent.name for path in SRC.glob("*/__init__.py")}
    assert packages <= set(LAYERS)


def module_graph():
    """Return which modules each module imports when it is loaded, or for types."""
    names = {
        ".".join(["likewise", *path.relative_to(SRC).with_suffix("").parts]).removesuffix(
            ".__init__"
        ): path
        for path in SRC.rglob("*.py")
    }
    graph = {}
    for name, path in names.items():
        graph[name] = set(imported_modules(ast.parse(path.read_text()), names)) - {name}
    return graph


def imported_modules(tree, names):
    blocks = [node.body for node in tree.body if isinstance(node, ast.If)]
    for node in [*tree.body, *(inner for block in blocks for inner in block)]:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("likewise"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in names else node.module


def test_no_module_leads_back_to_itself_through_its_imports_those_for_types_included():
    graph = module_graph()
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(" → ".join(error.args[1])) from None
