import asyncio
import json
import logging

import pytest
from fastapi.responses import StreamingResponse

from likewise.server import ServerSettings
from likewise.server.safety.guards import Bodies
from server.guarded import FOLDER, client_of, error_of, guarded_app

BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def small():
    """Ask an app that takes little."""
    with client_of(guarded_app(most_body=100, most_upload=1000)) as asking:
        yield asking


def test_a_body_of_the_most_bytes_is_taken(small):
    body = {"text": "a" * (100 - len('{"text":""}'))}
    assert small.post("/api/seeds", json=body).json() == body


def test_a_body_of_one_byte_more_is_refused(small):
    body = {"text": "a" * (101 - len('{"text":""}'))}
    answer = small.post("/api/seeds", json=body)
    assert error_of(answer)["kind"] == "too-large"
    assert answer.status_code == 413


def test_a_file_may_be_larger_than_other_bodies(small):
    answer = small.post("/api/seeds/file", content=b"a" * 1000, headers=BYTES)
    assert answer.json() == {"size": 1000}


def test_a_file_of_one_byte_more_is_refused(small):
    answer = small.post("/api/seeds/file", content=b"a" * 1001, headers=BYTES)
    assert "0.001 MB" in error_of(answer)["message"]


def test_a_body_that_does_not_say_its_length_is_counted(small):
    parts = (b"a" * 300 for _ in range(4))
    answer = small.post("/api/seeds/file", content=parts, headers=BYTES)
    assert answer.status_code == 413


def test_who_is_not_known_yet_can_send_no_more_than_a_token(stranger):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = stranger.post("/enter", content=b"token=" + b"a" * 20_000, headers=headers)
    assert answer.status_code == 413


def asked(messages, *, headers=(), waits=0.0, **settings):
    """Send messages through the guard to an app that reads them all; return what came back."""
    sent, read = [], []

    async def receive():
        if not messages:
            await asyncio.sleep(waits)
            return {"type": "http.disconnect"}
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    async def app(scope, receive, send):
        read.append(await receive())
        read.append(await receive())

    settings = ServerSettings(library="lib", sessions=FOLDER, **settings)
    scope = {"type": "http", "path": "/api/seeds", "method": "POST", "headers": list(headers)}
    asyncio.run(Bodies(app, settings=settings)(scope, receive, send))
    return sent, read


def test_a_body_that_announces_too_much_is_refused_before_it_is_read():
    messages = [{"type": "http.request", "body": b"", "more_body": True}]
    sent, _ = asked(messages, headers=[(b"content-length", b"9999999999")])
    assert sent[0]["status"] == 413
    assert len(messages) == 1


def test_a_slow_body_is_cut_off():
    messages = [{"type": "http.request", "body": b"a", "more_body": True}]
    sent, read = asked(messages, waits=5.0, slowest_body=0.01)
    assert json.loads(sent[1]["body"])["error"]["kind"] == "too-slow"
    assert not read


def test_who_leaves_in_the_middle_of_a_body_is_not_answered():
    messages = [{"type": "http.request", "body": b"a", "more_body": True}]
    assert asked(messages) == ([], [])


def test_a_body_in_parts_comes_to_the_app_whole_and_leaving_comes_after_it():
    messages = [
        {"type": "http.request", "body": b"ab", "more_body": True},
        {"type": "http.request", "body": b"c"},
    ]
    _, read = asked(messages)
    assert [message["type"] for message in read] == ["http.request", "http.disconnect"]
    assert read[0]["body"] == b"abc"


def held_bodies(sizes, **settings):
    """Send files of these sizes one after the other, none of which is answered before the last."""
    statuses = []

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def sent_all():
        last = asyncio.Event()

        async def app(*_):
            await last.wait()
            statuses.append(200)

        bodies = Bodies(app, settings=ServerSettings(library="lib", sessions=FOLDER, **settings))
        scope = {"type": "http", "path": "/api/seeds/file", "method": "POST", "headers": []}
        tasks = []
        for size in sizes:
            message = {"type": "http.request", "body": b"a" * size}
            tasks.append(asyncio.create_task(bodies(scope, _at_once(message), send)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        last.set()
        await asyncio.gather(*tasks)
        await bodies(scope, _at_once({"type": "http.request", "body": b"a" * 100}), send)

    asyncio.run(sent_all())
    return statuses


def _at_once(message):
    async def receive():
        return message

    return receive


def test_of_large_files_only_so_many_are_held_at_once_and_none_after_their_answers():
    assert held_bodies([100] * 5, most_upload=100) == [503, 200, 200, 200, 200, 200]


PATHS = ["/", "/static/base.css", "/api/looked", "/api/nothing", "/api/mistaken"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_forbids_scripts_of_others(client, path):
    policy = client.get(path).headers["Content-Security-Policy"].split("; ")
    assert policy[:3] == ["default-src 'none'", "script-src 'self'", "style-src 'self'"]
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_what_its_type_says(client, path):
    assert client.get(path).headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_tells_where_a_reader_comes_from(client, path):
    assert client.get(path).headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_can_be_had_by_pages_of_others(client, path):
    headers = client.get(path).headers
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_refused_host_has_the_headers_too(client):
    answer = client.get("/", headers={"Host": "evil.example"})
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/api/looked", "/api/nothing"])
def test_what_may_change_is_not_kept(client, path):
    assert client.get(path).headers["Cache-Control"] == "no-store"


def test_files_of_the_page_are_kept_and_asked_for_anew(client):
    assert client.get("/static/base.css").headers["Cache-Control"] == "no-cache"


def test_nothing_tells_what_serves(client):
    assert "Server" not in client.get("/static/base.css").headers


def test_a_mistake_is_answered_in_the_one_shape(client):
    error = error_of(client.get("/api/mistaken"))
    assert error["kind"] == "mistake"
    assert error["message"] == ("ZeroDivisionError: this is a bug in likewise; please report it")


def test_where_a_mistake_happened_is_for_the_log_alone(client, caplog):
    with caplog.at_level(logging.ERROR):
        answer = client.get("/api/mistaken")
    assert "Traceback" not in answer.text
    assert "Traceback" in caplog.text


def test_what_the_system_refuses_is_told_without_paths(client):
    error = error_of(client.get("/api/full"))
    assert error["message"] == "the server's system says: no space left on device"


def test_half_an_answer_is_broken_off():
    def pieces():
        yield b"half"
        raise ValueError("no more")

    app = guarded_app()
    app.get("/api/half")(lambda: StreamingResponse(pieces()))
    with client_of(app) as client, pytest.raises(ValueError, match="no more"):
        client.get("/api/half")
