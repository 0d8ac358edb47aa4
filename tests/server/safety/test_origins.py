import pytest

from server.guarded import client_of, error_of, guarded_app

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
