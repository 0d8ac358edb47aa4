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
    with pytest.raises(SettingsError, match="'http://a' is not a host name"):
        guarded_app(names=("http://a",))


def test_the_way_out_is_told(client):
    answer = client.get("/api/looked", headers={"Host": "me.example:8765"})
    assert "--name me.example:8765" in error_of(answer)["message"]


@given(st.text(max_size=30))
def test_whatever_a_host_holds_it_is_parsed_or_refused(text):
    host = parse_host(text)
    assert host is None or (host.name and " " not in host.name)


BODY = {"text": "a"}


def post(client, **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/api/seeds", json=BODY, headers=names)


def test_a_program_without_an_origin_may_write(client):
    assert post(client).json() == BODY


def test_our_own_page_may_write(client):
    answer = post(client, Origin="http://127.0.0.1:8765", Sec_Fetch_Site="same-origin")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:8765",
        "http://127.0.0.1:3000",
        "http://localhost:8765",
        "null",
        "",
        "127.0.0.1:8765",
    ],
)
def test_another_origin_may_not_write(client, origin):
    answer = post(client, Origin=origin)
    assert error_of(answer)["kind"] == "from-elsewhere"
    assert answer.status_code == 403


def test_of_two_origins_both_must_be_ours(client):
    headers = [("Origin", "http://127.0.0.1:8765"), ("Origin", "http://evil.example")]
    assert client.post("/api/seeds", json=BODY, headers=headers).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_another_site_may_not_write(client, site):
    assert post(client, Sec_Fetch_Site=site).status_code == 403


def test_another_origin_may_not_delete(client):
    answer = client.delete("/api/jobs/1", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403


def test_to_delete_takes_no_body(client):
    assert client.delete("/api/jobs/1").json() == {"state": "deleted"}


def test_a_named_server_may_stand_behind_https():
    app = guarded_app(names=("papers.example.org",))
    with client_of(app, address="http://papers.example.org") as client:
        assert post(client, Origin="https://papers.example.org").status_code == 200


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"],
)
def test_what_a_form_of_another_page_could_send_is_not_json(client, kind):
    answer = client.post("/api/seeds", content=b'{"text": "a"}', headers={"Content-Type": kind})
    assert error_of(answer)["kind"] == "wrong-type"
    assert answer.status_code == 415


def test_a_body_without_a_type_is_refused(client):
    answer = client.post("/api/seeds", content=b'{"text": "a"}')
    assert "there is none" in error_of(answer)["message"]


def test_json_may_say_its_encoding(client):
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert client.post("/api/seeds", content=b'{"text": "a"}', headers=headers).json() == BODY


def test_a_file_is_sent_as_bytes(client):
    headers = {"Content-Type": "application/octet-stream"}
    answer = client.post("/api/seeds/file", content=b"abc", headers=headers)
    assert answer.json() == {"size": 3}


def test_a_file_is_not_sent_as_json(client):
    assert client.post("/api/seeds/file", json=BODY).status_code == 415


def test_another_sites_page_may_not_read(client):
    answer = client.get("/api/looked", headers={"Sec-Fetch-Site": "cross-site"})
    assert error_of(answer)["kind"] == "from-elsewhere"


def test_another_sites_page_may_not_send_people_to_the_api(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/looked", headers=headers).status_code == 403


def test_another_sites_page_may_link_to_the_page(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


def test_another_sites_page_may_not_fetch_the_page(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/", headers=headers).status_code == 403


def test_an_address_that_is_typed_is_answered(client):
    headers = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/looked", headers=headers).status_code == 200


def test_a_preflight_is_refused_without_a_word_that_allows(client):
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/api/seeds", headers=headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_no_answer_allows_other_origins(client):
    answer = client.get("/api/looked", headers={"Origin": "http://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_asking_for_options_is_no_method_of_ours(client):
    assert error_of(client.options("/api/looked"))["kind"] == "unknown-method"
