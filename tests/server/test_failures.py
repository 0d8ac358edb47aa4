import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import errors
from likewise.errors import LikewiseError
from likewise.server.failures import (
    KINDS,
    MOST_MESSAGE,
    ErrorKind,
    classify_error,
    clean_line,
    describe_problems,
    make_refusal,
)
from server.guarded import error_of

OF_BENCHMARKS = (errors.TopicError, errors.TaskError, errors.RunError)
CLASSES = [
    one
    for one in vars(errors).values()
    if isinstance(one, type) and issubclass(one, LikewiseError) and one not in OF_BENCHMARKS
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_and_a_kind(kind):
    ancestors = [one for one in kind.__mro__ if one in KINDS]
    assert kind is LikewiseError or ancestors[0] is not LikewiseError


@pytest.mark.parametrize("how", KINDS.values(), ids=lambda how: how.kind)
def test_kinds_are_words_with_hyphens(how):
    assert how.kind == "-".join(how.kind.lower().replace("_", "-").split())
    assert 400 <= how.status < 600


def test_a_class_of_its_own_counts_before_what_it_derives_from():
    assert classify_error(errors.LibraryBusyError("busy")) == ErrorKind(503, "library-busy")


def test_an_error_is_told_in_one_line_without_the_servers_folder(client):
    error = error_of(client.get("/api/broken"))
    assert error["message"] == "abc.likewise: damaged; use a copy"
    assert (error["status"], error["kind"]) == (409, "session")


def test_who_must_wait_is_told_how_long(client):
    answer = client.get("/api/busy")
    assert error_of(answer)["kind"] == "busy"
    assert answer.headers["Retry-After"] == "7"


def test_an_unknown_address_is_told(client):
    error = error_of(client.get("/api/nothing"))
    assert error["kind"] == "unknown-address"
    assert error["message"].startswith("/api/nothing: nothing is here")


def test_an_unknown_method_is_told_with_those_that_are_known(client):
    answer = client.patch("/api/seeds", json={})
    assert error_of(answer)["message"] == "/api/seeds takes no PATCH"
    assert answer.headers["Allow"] == "POST"


def test_a_wrong_field_is_named_with_what_was_found(client):
    error = error_of(client.get("/api/looked?limit=many"))
    assert error["kind"] == "not-valid"
    assert error["message"].startswith("limit: input should be a valid integer")
    assert error["message"].endswith("; found 'many'")


def test_the_first_of_several_problems_is_told():
    problems = [{"loc": ("body", "papers", 3, "id"), "msg": "Too long", "input": 5}] * 3
    assert describe_problems(problems) == "papers.3.id: too long; found 5 (and 2 more)"


def test_a_field_that_is_not_ours_is_refused(client):
    error = error_of(client.post("/api/seeds", json={"texts": "a"}))
    assert error["message"] == "texts: extra inputs are not permitted; found 'a'"


def test_a_missing_body_is_told(client):
    answer = client.post("/api/seeds", headers={"Content-Type": "application/json"})
    assert error_of(answer)["message"] == "the body: field required"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b"[" * 200_000,
        b"9" * 5_000,
        b'{"text": "\\ud800"}',
        b"NaN",
        b'{"a": NaN}',
    ],
    ids=["cut", "bytes", "deep", "digits", "surrogate", "nan", "nan-inside"],
)
def test_a_garbled_body_is_refused_in_the_one_shape(client, body):
    answer = client.post("/api/seeds", content=body, headers={"Content-Type": "application/json"})
    assert error_of(answer)["status"] in (400, 422)


@given(st.text(st.characters(), max_size=200))
def test_whatever_a_message_holds_it_can_be_sent_as_one_line(text):
    line = clean_line(text)
    assert len(line.encode().splitlines()) <= 1


def test_a_long_message_is_cut():
    body = make_refusal(ErrorKind(400, "refused"), "a" * 5_000).body
    assert len(body) < MOST_MESSAGE + 100
