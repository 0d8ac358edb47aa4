import re

import pytest

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def operations(api):
    """Every operation of the schema, by what it is called."""
    paths = api.get("/api/openapi.json").json()["paths"]
    return {
        f"{method.upper()} {path}": operation
        for path, of_path in paths.items()
        for method, operation in of_path.items()
        if method in METHODS
    }


def test_every_operation_says_what_it_does(operations):
    for name, operation in operations.items():
        assert operation["summary"], name
        assert operation["description"].endswith("."), name
        assert operation["tags"], name


def test_operations_have_short_names_that_differ(operations):
    names = [operation["operationId"] for operation in operations.values()]
    assert len(set(names)) == len(names) == 63
    assert not [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)?", name)]


def test_every_answer_that_is_no_stream_or_file_has_a_shape(operations):
    streams = {"watch_job", "export", "draw_prisma", "get_problems", "report"}
    for name, operation in operations.items():
        (answer,) = [one for status, one in operation["responses"].items() if status[0] == "2"]
        schema = answer["content"].get("application/json", {}).get("schema", {})
        has_shape = bool(schema) and schema.get("format") != "binary"
        assert has_shape != (operation["operationId"] in streams), name


def test_every_refusal_has_the_one_shape(operations):
    for name, operation in operations.items():
        for status, answer in operation["responses"].items():
            if status[0] == "4":
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/RefusalAnswer"}, (name, status)
