"""Whatever the schema allows, and what it does not, is asked of the whole app."""

import hashlib
import os
from http import HTTPStatus
from pathlib import Path

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.python.asgi import shutdown_lifespans
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
)

from cli.screening import ON_TOPIC, SEEDS, begin, copied
from likewise.server import ServerSettings
from likewise.server.app import make_app
from likewise.server.jobs.jobs import Jobs
from likewise.server.jobs.records import Job, JobRecord, JobRecords
from likewise.server.models import RefusalAnswer

SESSION = "review"
ENDED = Job(id="1", session=SESSION, state="done", created="2020-01-01T00:00:00Z")
KNOWN = {"session": [SESSION], "id": [*SEEDS, *ON_TOPIC], "job": [ENDED.id]}
"""What there is, by what addresses call it."""

EXAMPLES = int(os.environ.get("LIKEWISE_TEST_EXAMPLES", "8"))
"""How many requests each operation is sent, of those it should take and of those it should not."""


def operations():
    """Yield every operation with each way to ask it; what takes nothing can't be asked wrongly."""
    app = make_app(ServerSettings(library="lib", sessions=Path("sessions")))
    for path, methods in app.openapi()["paths"].items():
        for method, described in methods.items():
            yield f"{method} {path}", GenerationMode.POSITIVE
            if "parameters" in described or "requestBody" in described:
                yield f"{method} {path}", GenerationMode.NEGATIVE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a library and, among the sessions, one that was expanded."""
    path = tmp_path_factory.mktemp("schema")
    (path / "sessions").mkdir()
    copied(begin(path), path / "sessions")
    JobRecords(path / "sessions").write(JobRecord(job=ENDED))
    return path


@pytest.fixture(scope="module")
def asked(folder):
    """Return the schema of an app that takes jobs, and never begins one."""

    async def start(jobs, asked, *, library):
        return msgspec.structs.replace(ENDED, session=Path(asked.path).stem, state="waiting")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "start", start)
        app = make_app(
            ServerSettings(
                library=str(folder / "lib"), sessions=folder / "sessions", names=("testserver",)
            )
        )
        found = schemathesis.openapi.from_asgi("/api/openapi.json", app)
        found.hook(map_path_parameters)
        found.hook(map_body)
        yield found
        shutdown_lifespans()


def is_known_asked(value):
    """Tell whether to put something that there is in place of a value: of half of them."""
    return hashlib.sha256(repr(value).encode()).digest()[0] % 2


def map_path_parameters(context, path_parameters):
    """Ask for what there is as often as for what there is not; what there is is not deleted."""
    if not path_parameters or context.operation.method == "delete":
        return path_parameters
    return {
        name: KNOWN[name][len(str(value)) % len(KNOWN[name])]
        if name in KNOWN and is_known_asked(value)
        else value
        for name, value in path_parameters.items()
    }


def map_body(context, body):
    """Mark documents that there are as often as others."""
    labels = body.get("labels") if isinstance(body, dict) else None
    if not isinstance(labels, dict) or not is_known_asked(body):
        return body
    return {**body, "labels": dict(zip(ON_TOPIC, labels.values(), strict=False))}


def unchecked(path):
    """Yield checks that ask too much."""
    # Papers may be too few to learn from.
    yield positive_data_acceptance
    # Where something that there is was put in place of a wrong id, nothing need be wrong.
    if "{" in path:
        yield negative_data_rejection
    # The schema can say that a stream is text, but not what each of its events is.
    if path.endswith("/events"):
        yield response_schema_conformance


@pytest.mark.parametrize(("operation", "mode"), list(operations()))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=st.data())
def test_every_operation_answers_as_the_schema_says(asked, operation, mode, drawn):
    method, path = operation.split()
    case = drawn.draw(asked[path][method].as_strategy(generation_mode=mode))
    answer = case.call()
    # A body may be too large before anything else is wrong with it, which no schema can say.
    if answer.status_code != HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        case.validate_response(answer, excluded_checks=list(unchecked(path)))
    if answer.status_code >= 400:
        assert RefusalAnswer.model_validate_json(answer.content).error.status == answer.status_code
