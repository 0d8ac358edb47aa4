"""Connections of those who ask nothing, or no HTTP, or are too many."""

import json
import resource
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn

from likewise.errors import SettingsError
from likewise.server import ServerSettings
from likewise.server import app as app_module
from likewise.server.app import Visit, bind_socket, format_address, limit_connections

HERE = "127.0.0.1"


@pytest.fixture
def taken():
    """Take a port, and return its number."""
    with socket.socket() as other:
        other.bind((HERE, 0))
        other.listen()
        yield other.getsockname()[1]


def settings(**given):
    return ServerSettings(library="lib", sessions=Path("sessions"), **given)


def test_a_free_port_is_taken():
    with bind_socket(HERE, 0, is_chosen=True) as listening:
        assert listening.getsockname()[1] > 0


def test_if_the_port_is_taken_the_next_free_one_is(taken):
    with bind_socket(HERE, taken, is_chosen=False) as listening:
        assert taken < listening.getsockname()[1] <= taken + 20


def test_a_chosen_port_that_is_taken_is_told(taken):
    with pytest.raises(SettingsError, match=rf"port {taken} is taken .*--port"):
        bind_socket(HERE, taken, is_chosen=True)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a b"])
def test_an_address_that_is_not_ours_is_told_in_one_line(host):
    with pytest.raises(SettingsError, match=f"{host}:8765: can't listen here: "):
        bind_socket(host, 8765, is_chosen=False)


def test_the_address_is_the_one_listened_on():
    assert format_address(settings(port=9000)) == "http://127.0.0.1:9000/"


def test_the_address_holds_the_token_that_is_needed():
    token = "sixteen&letters/"
    address = format_address(settings(host="192.168.0.5", token=token))
    assert address == "http://192.168.0.5:8765/enter?token=sixteen%26letters%2F"


def test_a_server_that_listens_everywhere_is_called_by_the_machines_name():
    address = format_address(settings(host="0.0.0.0", token="a-token-of-some-length"))
    assert address.startswith(f"http://{socket.gethostname()}:8765/enter?token=")


ASKED = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def address():
    """Serve an app that answers everything, and return where."""
    config = uvicorn.Config(app, http=Visit, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


@contextmanager
def visit(address, said=b""):
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(said)
        yield connection


def to_the_end(connection):
    return b"".join(iter(lambda: connection.recv(4096), b""))


def error_in(answer):
    return json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"G"])
def test_who_does_not_say_what_is_asked_is_hung_up_on(address, monkeypatch, said):
    monkeypatch.setattr(app_module, "SECONDS_TO_ASK", 0.05)
    with visit(address, said) as connection:
        assert to_the_end(connection) == b""


def test_who_asked_once_must_ask_again_in_time_too(address, monkeypatch):
    monkeypatch.setattr(app_module, "SECONDS_TO_ASK", 0.05)
    with visit(address, ASKED) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 204")
        connection.sendall(b"GET")
        assert to_the_end(connection) == b""


def test_one_connection_too_many_is_refused_in_the_one_shape_and_the_others_are_not(
    address, monkeypatch
):
    monkeypatch.setattr(app_module, "MOST_CONNECTIONS", 1)
    with visit(address, ASKED) as first:
        assert first.recv(4096).startswith(b"HTTP/1.1 204")
        with visit(address) as second:
            assert error_in(to_the_end(second))["kind"] == "busy"
        first.sendall(ASKED)
        assert first.recv(4096).startswith(b"HTTP/1.1 204")


def test_what_is_no_http_is_refused_in_the_one_shape(address):
    with visit(address, b"hello\r\n\r\n") as connection:
        assert error_in(to_the_end(connection)) == {
            "status": 400,
            "kind": "not-understood",
            "message": "this is not an HTTP 1.1 request",
        }


def test_half_of_the_files_that_the_system_allows_are_kept_for_others(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert limit_connections() == 128
