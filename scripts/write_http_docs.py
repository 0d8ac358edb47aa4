"""Write docs/reference/http.md from the schema of the HTTP API, each operation with an example."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from likewise.errors import LikewiseError

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "reference" / "http.md"
INTRODUCTION = (ROOT / "scripts" / "http_introduction.md").read_text(encoding="utf-8").strip()
EXAMPLES = Path(__file__).with_name("http_examples.toml")
METHODS = ("get", "post", "put", "patch", "delete")


class Operation(NamedTuple):
    """An operation of the API."""

    method: str
    path: str
    content: dict[str, Any]


def main() -> None:
    """Write the page."""
    TARGET.write_text(make_http_docs(), encoding="utf-8")


def make_http_docs() -> str:
    """Return the page: what to know, every operation, every shape."""
    schema = read_schema()
    parts = [INTRODUCTION, _format_refusals()]
    for tag in schema["tags"]:
        parts += [f"## {tag['name'].capitalize()}", tag["description"]]
        for operation in list_operations(schema):
            if tag["name"] in operation.content["tags"]:
                parts += _format_operation(operation)
    parts += ["## Shapes", *_format_shapes(schema)]
    return "\n\n".join(parts) + "\n"


def read_schema() -> dict[str, Any]:
    """Return the schema that the server answers with."""
    from likewise.server import ServerSettings
    from likewise.server.app import make_app

    with tempfile.TemporaryDirectory() as folder:
        return make_app(ServerSettings(library=folder, sessions=Path(folder))).openapi()


def list_refusals() -> Iterator[tuple[int, str, str]]:
    """Yield the status and the kind of every refusal, and what is refused by it."""
    from likewise.server.failures import KINDS, NOT_OURS, ServerError

    for how, told in NOT_OURS.items():
        yield *how, told
    for error, how in KINDS.items():
        if error is not LikewiseError:
            yield *how, _read_first_line(error)
    for refusal in _list_derived(ServerError):
        # Those that others derive from are never said themselves; tests have refusals of their own.
        if not refusal.__subclasses__() and refusal.__module__.startswith("likewise."):
            yield refusal.status, refusal.kind, _read_first_line(refusal)


def list_operations(schema: dict[str, Any]) -> list[Operation]:
    """Return every operation of a schema."""
    return [
        Operation(method.upper(), path, content[method])
        for path, content in schema["paths"].items()
        for method in METHODS
        if method in content
    ]


def read_examples() -> list[dict[str, Any]]:
    """Return the examples, in the order in which they can be run."""
    found: list[dict[str, Any]] = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))["example"]
    return found


def _list_derived(kind: type[Any]) -> Iterator[type[Any]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from _list_derived(derived)


def _read_first_line(kind: type[Any]) -> str:
    return (kind.__doc__ or "").split("\n", 1)[0]


def _format_refusals() -> str:
    rows = [
        f"| {status} | `{kind}` | {told} |" for status, kind, told in sorted(set(list_refusals()))
    ]
    return "\n".join(["## Refusals", "", "| status | kind | what |", "|---|---|---|", *rows])


def _format_operation(operation: Operation) -> Iterator[str]:
    content = operation.content
    yield f"### {content['summary']}\n\n`{operation.method} {operation.path}`"
    if described := content.get("description"):
        yield described
    for example in read_examples():
        if example["operation"] == content["operationId"]:
            yield f"```\n{example['command'].strip()}\n```"
    if given := content.get("parameters"):
        yield "\n".join(
            ["| parameter | type | what |", "|---|---|---|", *map(_format_parameter, given)]
        )
    if "requestBody" in content:
        yield f"Takes {_describe_body(content['requestBody'])}."
    yield f"Answers {_describe_answers(content['responses'])}."


def _format_parameter(given: dict[str, Any]) -> str:
    told = given.get("description", "")
    default = given["schema"].get("default")
    if default not in (None, ""):
        told = f"{told} Default: `{str(default).lower()}`.".strip()
    return f"| `{given['name']}` | {_name_type(given['schema'])} | {told} |"


def _describe_body(body: dict[str, Any]) -> str:
    ((kind, content),) = body["content"].items()
    return (
        _name_type(content["schema"])
        if kind == "application/json"
        else f"a file's bytes, as `{kind}`"
    )


def _describe_answers(responses: dict[str, Any]) -> str:
    good = {status: answer for status, answer in responses.items() if status < "400"}
    bad = sorted(status for status in responses if status >= "400" and status.isdigit())
    told = " or ".join(
        f"{status} with {_describe_answer(answer)}" for status, answer in good.items()
    )
    refused = (
        f"; refused, {', '.join(bad)} with [RefusalAnswer](#shape-refusalanswer)" if bad else ""
    )
    return told + refused


def _describe_answer(answer: dict[str, Any]) -> str:
    kinds = answer.get("content", {})
    if "application/json" in kinds:
        return _name_type(kinds["application/json"]["schema"])
    return f"`{next(iter(kinds))}`" if kinds else "nothing"


def _format_shapes(schema: dict[str, Any]) -> Iterator[str]:
    for name, shape in sorted(schema["components"]["schemas"].items()):
        needed = set(shape.get("required", ()))
        rows = [
            f"| `{field}` | {_name_type(kind)} | {_describe_field(kind, needed=field in needed)} |"
            for field, kind in shape.get("properties", {}).items()
        ]
        described = shape.get("description", "").split("\n\n")[0]
        table = "\n".join(["| field | type | what |", "|---|---|---|", *rows])
        yield f"### Shape: {name}\n\n{described}"
        if rows:
            yield table


def _describe_field(kind: dict[str, Any], *, needed: bool) -> str:
    default = kind.get("default")
    left_out = "" if needed or default in (None, "", [], {}) else f"Default: `{default}`."
    return " ".join(filter(None, (kind.get("description", ""), left_out)))


def _name_type(schema: dict[str, Any]) -> str:
    """Name a type as a person would."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#shape-{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_name_type, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_name_type(schema['items'])}"
    if schema.get("type") == "object" and "additionalProperties" in schema:
        return f"by name, {_name_type(schema['additionalProperties'])}"
    words = {"integer": "number, whole", "null": "null", "string": "text", "boolean": "yes or no"}
    return words.get(schema.get("type", ""), schema.get("type", "anything"))


if __name__ == "__main__":
    main()
