import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.errors import SettingsError
from likewise.server.safety.hosts import parse_host
from server.guarded import TOKEN, client_of, error_of, guarded_app


def status_for(client, host):
    return client.get("/api/looked", headers={"Host": host}).status_code


@pytest.fixture(scope="module")
def everywhere():
    """Ask an app that listens on every address, with the token that it then needs."""
    app = guarded_app(host="0.0.0.0", token=TOKEN, names=("Papers.Example.org", "localhost:9000"))
    with client_of(app, headers={"Authorization": f"Bearer {TOKEN}"}) as asking:
        yield asking


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "127.0.0.1", "localhost:8765", "LOCALHOST", "[::1]:8765", "[::1]"]
)
def test_this_machine_is_known_by_its_own_names(client, host):
    assert status_for(client, host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example:8765", "127.0.0.1:80", "localhost.evil.example", "10.0.0.1:8765"]
)
def test_another_host_is_refused(client, host):
    answer = client.get("/api/looked", headers={"Host": host})
    assert error_of(answer)["kind"] == "unknown-host"
    assert answer.status_code == 421


def test_pages_and_files_are_refused_to_another_host_too(client):
    paths = ["/", "/static/base.css", "/enter"]
    answers = [client.get(path, headers={"Host": "evil.example"}) for path in paths]
    assert [answer.status_code for answer in answers] == [421, 421, 421]


@pytest.mark.parametrize("host", ["", "a b", "[::1", "[zz]", "user@127.0.0.1", "127.0.0.1:x", "/"])
def test_a_garbled_host_is_no_host(client, host):
    answer = client.get("/api/looked", headers={"Host": host})
    assert error_of(answer)["kind"] == "no-host"
    assert answer.status_code == 400


def test_two_hosts_are_no_host(client):
    twice = [("Host", "127.0.0.1:8765"), ("Host", "127.0.0.1:8765")]
    assert error_of(client.get("/api/looked", headers=twice))["kind"] == "no-host"


def test_the_address_listened_on_is_known(stranger):
    stranger.headers["Authorization"] = f"Bearer {TOKEN}"
    assert status_for(stranger, "192.168.0.5:8765") == 200


def test_a_server_that_listens_everywhere_is_known_by_any_address(everywhere):
    assert status_for(everywhere, "10.1.2.3:8765") == 200


def test_a_server_that_listens_everywhere_is_known_by_its_machines_name(everywhere):
    assert status_for(everywhere, f"{socket.gethostname()}:8765") == 200


def test_a_server_that_listens_everywhere_is_not_known_by_any_name(everywhere):
    assert status_for(everywhere, "evil.example:8765") == 421


def test_a_further_name_is_known(everywhere):
    assert status_for(everywhere, "papers.example.org") == 200


def test_a_further_name_may_have_a_port_of_its_own(everywhere):
    assert status_for(everywhere, "localhost:9000") == 200


def test_a_further_name_that_is_none_is_refused_before_anything_is_served():
    with pytest.raises(SettingsError, match="'http://a' is no name of a host"):
        guarded_app(names=("http://a",))


def test_the_way_out_is_told(client):
    answer = client.get("/api/looked", headers={"Host": "me.example:8765"})
    assert "--name me.example:8765" in error_of(answer)["message"]


@given(st.text(max_size=30))
def test_whatever_a_host_holds_it_is_parsed_or_refused(text):
    host = parse_host(text)
    assert host is None or (host.name and " " not in host.name)
