"""Sizes and names that keep the code readable; a limit that is made wider needs a reason."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import median

import likewise

SRC = Path(likewise.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(SRC.rglob("*.py"))

HEAVY = {
    "altair",
    "asyncio",
    "botocore",
    "click",
    "concurrent",
    "fastapi",
    "h11",
    "http",
    "ir_measures",
    "jinja2",
    "lxml",
    "multiprocessing",
    "numpy",
    "openpyxl",
    "pydantic",
    "rich",
    "safetensors",
    "scipy",
    "sklearn",
    "starlette",
    "tantivy",
    "torch",
    "transformers",
    "urllib3",
    "uvicorn",
}
"""Packages that take long to load, and may be asked for by name for types alone."""

BARE_PARTICIPLES = {
    "told",
    "said",
    "given",
    "begun",
    "done",
    "found",
    "asked",
    "known",
    "gone",
    "made",
}
"""Words that say nothing about what a function does or a class is."""
IRREGULAR = BARE_PARTICIPLES | {
    "kept",
    "taken",
    "drawn",
    "written",
    "seen",
    "shown",
    "held",
    "sent",
    "built",
    "dealt",
    "met",
    "lost",
    "chosen",
    "grown",
    "hidden",
    "heard",
    "laid",
    "led",
    "meant",
    "paid",
    "proven",
    "sold",
    "spoken",
    "spent",
    "stood",
    "taught",
    "thought",
    "thrown",
    "torn",
    "won",
}
NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed"}

SPELLED_BY_USERS = {"cited_command", "squared"}
"""Names of mathematics that users write, as in `cnn(loss=squared)`."""

LARGE_TUPLES = {
    # rows of tables: of a session's file, of lists of duplicates, of the paper
    *("Audit", "ChosenTarget", "DocumentNote", "ExpansionHead", "Mark", "SessionLook"),
    *("SessionStart", "TagChange", "Threshold", "DuplicatePair", "NearPair", "_Card"),
    *(f"Published{number}" for number in range(1, 7)),
    # taken apart, sorted or gone through by whoever gets them
    *("DecisionCounts", "DownloadProgress", "ExpectedByScores", "Fields", "IndexField"),
    *("ReplayJob", "SeedGroups", "SeedLinks", "SessionVersion", "TaskKey"),
    # made for each record of millions
    *("Fragment", "Identifiers", "_Issue"),
}
"""Tuples of over three fields."""

SHARED_CLASS_NAMES: set[str] = set()
"""Class names that may stand for two things, each with its reason here."""


@cache
def parsed(path):
    return ast.parse(path.read_text())


def name_of(path):
    return ".".join(path.relative_to(SRC).with_suffix("").parts)


def definitions(*kinds):
    """Yield every definition of these kinds with the name of its module."""
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, kinds):
                yield name_of(path), node


def functions():
    return definitions(ast.FunctionDef, ast.AsyncFunctionDef)


def body_length(node):
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def lines_of(path):
    return len(path.read_text().splitlines())


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def header_length(path):
    """Return how many lines a module's docstring and imports take."""
    tree, last = parsed(path), 0
    for node in tree.body:
        is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom) or is_for_types(node):
            last = node.end_lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            break
    return last


def importers():
    """Return which modules import each module, when they are loaded or later."""
    names = {name_of(path).removesuffix("__init__").rstrip("."): path for path in MODULES}
    found = {name: set() for name in names}
    for name, path in names.items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("likewise"):
                for alias in node.names:
                    package = node.module.removeprefix("likewise").removeprefix(".")
                    whole = f"{package}.{alias.name}".lstrip(".")
                    found[whole if whole in names else package].add(name)
    return {name: by - {name} for name, by in found.items()}


def test_there_are_at_most_300_modules():
    """A new noun is welcome if another one goes into the chapter that it belongs to."""
    assert len(MODULES) <= 300


def test_few_modules_have_a_single_importer():
    """One that has is a piece of its importer, unless it is a noun of its own."""
    assert sum(len(by) == 1 for by in importers().values()) <= 52


def test_no_module_is_over_500_lines():
    assert not [name_of(path) for path in MODULES if lines_of(path) > 500]


def test_most_modules_are_under_300_lines():
    """A fifth may be longer: paragraphs that moved into the chapter they belong to had to fit."""
    assert sum(lines_of(path) <= 300 for path in MODULES) / len(MODULES) >= 0.8


def test_a_module_is_a_chapter_and_not_a_paragraph():
    assert median(lines_of(path) for path in MODULES) >= 200


def test_headers_are_at_most_12_percent_of_all_lines():
    """Their share rises when code is taken out of modules that need the same imports still."""
    headers = sum(header_length(path) for path in MODULES)
    assert headers / sum(lines_of(path) for path in MODULES) <= 0.12


def test_no_function_body_is_over_40_lines():
    assert not [f"{module}:{node.name}" for module, node in functions() if body_length(node) > 40]


def test_nearly_all_function_bodies_are_at_most_20_lines():
    lengths = [body_length(node) for _, node in functions()]
    assert sum(length <= 20 for length in lengths) / len(lengths) >= 0.9


def test_imports_for_types_alone_are_of_heavy_packages_or_of_modules_that_load_them():
    """All others are plain imports, in one block."""
    light = []
    for path in MODULES:
        for block in filter(is_for_types, parsed(path).body):
            asked = {
                part.split(".")[0]
                for node in block.body
                if isinstance(node, ast.Import | ast.ImportFrom)
                for part in (
                    [node.module]
                    if isinstance(node, ast.ImportFrom)
                    else [a.name for a in node.names]
                )
            }
            if not asked & (HEAVY | {"likewise"}):
                light.append(name_of(path))
    assert light == []


def test_few_modules_import_for_types_alone():
    assert sum(any(map(is_for_types, parsed(path).body)) for path in MODULES) <= 25


def test_one_class_name_is_one_thing():
    places = defaultdict(list)
    for module, node in definitions(ast.ClassDef):
        places[node.name.strip("_")].append(module)
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if name not in SHARED_CLASS_NAMES} == {}


def test_a_named_tuple_has_three_fields_or_really_is_a_tuple():
    """A larger record is a frozen dataclass, or a struct if it is stored or sent."""
    large = {
        node.name
        for _, node in definitions(ast.ClassDef)
        if "NamedTuple" in map(ast.unparse, node.bases)
        and sum(isinstance(line, ast.AnnAssign) for line in node.body) > 3
    }
    assert large == LARGE_TUPLES


def is_participle(name):
    first = name.strip("_").split("_")[0]
    return first in IRREGULAR or (first.endswith("ed") and first not in NO_PARTICIPLES)


def test_functions_are_named_by_verbs():
    named = [
        f"{module}:{node.name}"
        for module, node in functions()
        if is_participle(node.name)
        and node.name not in SPELLED_BY_USERS
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    assert named == []


def test_no_class_is_named_by_a_bare_participle():
    named = [
        module
        for module, node in definitions(ast.ClassDef)
        if node.name.strip("_").lower() in BARE_PARTICIPLES
    ]
    assert named == []


def test_there_is_as_much_test_as_source():
    tests = sum(lines_of(path) for path in (ROOT / "tests").rglob("*.py"))
    assert tests >= sum(map(lines_of, MODULES)) * 0.75


def test_nothing_is_left_for_later_or_printed_past_the_command_line():
    later = re.compile(r"\b(TODO|FIXME|XXX)\b|NotImplementedError|(?<![.\w])print\(")
    assert not [name_of(path) for path in MODULES if later.search(path.read_text())]


def test_every_module_says_what_it_is_for():
    assert not [name_of(path) for path in MODULES if not ast.get_docstring(parsed(path))]
