import socket
from pathlib import Path

import pytest

from likewise.errors import SettingsError
from likewise.server.running import bind_socket, format_address
from likewise.server.settings import ServerSettings

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
    address = format_address(settings(host="0.0.0.0", token="a" * 16))
    assert address.startswith(f"http://{socket.gethostname()}:8765/enter?token=")
