"""Write docs/reference/api.md from the docstrings of the public names.

Examples of docstrings are tested where they stand; here they are shown as code to copy, with what
they print as comments.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from doctest import DocTestParser, Example
from itertools import pairwise
from pathlib import Path

import likewise
from likewise import learn
from likewise.library.protocol import Library

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "api.md"
INTRODUCTION = """\
The public names of `likewise`, from their docstrings; [Work from Python](../how-to/python.md) shows
them in use."""
_SECTIONS = re.compile(r"^(Args|Returns|Yields|Raises):\n((?:[ ]{4}.*\n?|\n)*)", re.MULTILINE)
_ANNOTATION = re.compile(r"(: |-> )(['\"])(.*?)\2")
_ARGUMENT = re.compile(r"^([*\w]+): ((?:.*\n?)(?:[ ]+.*\n?)*)", re.MULTILINE)


def main() -> None:
    """Write the page."""
    TARGET.write_text(make_api_docs(), encoding="utf-8")


def make_api_docs() -> str:
    """Return the page: functions, then classes with what they offer, then what learning has."""
    named = [(name, getattr(likewise, name)) for name in likewise.__all__ if name[0] != "_"]
    functions = [pair for pair in named if inspect.isfunction(pair[1])]
    classes = [*(pair for pair in named if inspect.isclass(pair[1])), ("Library", Library)]
    parts = ["# Python", INTRODUCTION, "## Functions"]
    for name, function in functions:
        parts += describe_function(f"likewise.{name}", function, level=3)
    parts.append("## Classes")
    for name, kind in classes:
        parts += describe_class(name, kind)
    parts += [
        "## likewise.learn",
        "The parts to build with; [Learning](learning.md) has formulas and examples.",
    ]
    parts.append("\n".join(["| name | is |", "|---|---|", *list_learning()]))
    return "\n\n".join(parts) + "\n"


def describe_function(name: str, function: object, *, level: int) -> Iterator[str]:
    """Yield the heading, the signature and the docstring of a function or a method."""
    yield f"{'#' * level} `{name.removeprefix('likewise.')}`"
    yield f"```python\n{format_call(name, function)}\n```"
    yield format_docstring(inspect.getdoc(function) or "")


def format_call(name: str, function: object) -> str:
    """Return a signature without `self`, a parameter on each line if it is long."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    kept = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    told = _ANNOTATION.sub(r"\1\3", str(signature.replace(parameters=kept))).replace("~", "")
    line = f"{name}{told}"
    if len(line) <= 100:
        return line
    inner = ",\n".join(f"    {one}" for one in map(_format_parameter, _with_star(kept)))
    back = told.rpartition(" -> ")[2] if " -> " in told else ""
    return f"{name}(\n{inner},\n)" + (f" -> {back}" if back else "")


def _with_star(parameters: list[inspect.Parameter]) -> Iterator[inspect.Parameter | str]:
    """Yield parameters, with the star before those that are given by name only."""
    has_star = False
    for one in parameters:
        has_star |= one.kind is one.VAR_POSITIONAL
        if one.kind is one.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        yield one


def _format_parameter(parameter: inspect.Parameter | str) -> str:
    return _ANNOTATION.sub(r"\1\3", str(parameter))


def describe_class(name: str, kind: type) -> Iterator[str]:
    """Yield the heading, the docstring, the fields and the public methods of a class."""
    yield f"### `{name}`"
    if kind is Library:
        yield "What `open_library` returns (`likewise.library.protocol.Library`)."
    yield format_docstring(inspect.getdoc(kind) or "")
    if rows := list(list_fields(kind)):
        yield "\n".join(["| field | is |", "|---|---|", *rows])
    for method, function in list_methods(kind):
        if isinstance(function, property):
            yield f"#### `{name}.{method}`"
            yield format_docstring(inspect.getdoc(function) or "")
        else:
            yield from describe_function(f"{name}.{method}", function, level=4)


def list_fields(kind: type) -> Iterator[str]:
    """Yield a row for each field of a class that has a text below it."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for field, text in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            told = " ".join(str(text.value.value).split()).replace("|", "\\|")
            yield f"| `{field.target.id}` | {told} |"


def list_methods(kind: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of a class, those of its bases of ours too."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("likewise"):
            continue
        for name, member in vars(base).items():
            found = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            is_public = not name.startswith("_") and name not in seen
            if is_public and (inspect.isfunction(found) or isinstance(found, property)):
                seen.add(name)
                yield name, found


def format_docstring(text: str) -> str:
    """Return a docstring as Markdown: arguments as a list, examples as code to copy."""
    text = _SECTIONS.sub(_format_section, f"{text}\n")
    parts: list[str] = []
    code: list[str] = []
    for part in DocTestParser().parse(text):
        if isinstance(part, Example):
            code.append(part.source + "".join(f"# {line}\n" for line in part.want.splitlines()))
        elif part.strip() or not code:
            parts += [_fence(code), part.strip()]
            code = []
    return "\n\n".join(filter(None, [*parts, _fence(code)]))


def _fence(code: list[str]) -> str:
    return f"```python\n{''.join(code)}```" if code else ""


def _format_section(section: re.Match[str]) -> str:
    body = textwrap.dedent(section[2])
    if section[1] != "Args":
        return f"*{section[1]}:* {' '.join(body.split())}\n"
    rows = (f"- `{one[1]}`: {' '.join(one[2].split())}" for one in _ARGUMENT.finditer(body))
    return "\n".join(rows) + "\n"


def list_learning() -> Iterator[str]:
    """Yield a row for each public name of likewise.learn: its name and its first sentence."""
    for name in sorted(learn.__all__, key=str.lower):
        found = getattr(learn, name)
        has_own = inspect.isclass(found) or inspect.isfunction(found)
        first = (inspect.getdoc(found) or "").partition("\n")[0] if has_own else ""
        yield f"| `{name}` | {first.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    main()
