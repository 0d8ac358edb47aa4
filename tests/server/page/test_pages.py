import threading

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from expansion.corpus import library_of
from likewise import __version__
from likewise.documents import Document
from likewise.library.collection import Collection
from likewise.server import ServerSettings
from likewise.server.desks import Desks
from likewise.server.desks.libraries import Libraries
from likewise.server.failures import handle_failures
from likewise.server.routes.pages import router as pages_router
from server.desks.samples import libraries_of, session_in


@pytest.fixture
def client(tmp_path):
    app = FastAPI()
    app.state.settings = ServerSettings(
        library=str(tmp_path / "heart & <b>soul"), sessions=tmp_path, most_upload=7_000_000
    )
    library = library_of(*(Document(id=str(n), title="On cats") for n in range(1_234)))
    app.state.libraries = libraries_of(library, name="heart & <b>soul")
    handle_failures(app)
    app.include_router(pages_router)
    with TestClient(app) as client:
        yield client


def test_the_page_names_the_library_and_its_size(client):
    assert "heart &amp; &lt;b&gt;soul · 1,234 documents" in client.get("/").text


def test_a_library_of_one_document_is_said_so(client):
    client.app.state.libraries = libraries_of(library_of(Document(id="1", title="On cats")))
    assert "1 document<" in client.get("/").text


def test_a_server_without_a_library_names_none(client, tmp_path):
    client.app.state.libraries = Libraries(collection=Collection(tmp_path))
    assert 'class="library"' not in client.get("/").text


def test_the_name_of_the_library_never_becomes_markup(client):
    assert "<b>" not in client.get("/").text


def test_the_page_states_the_version(client):
    assert f"likewise {__version__}" in client.get("/").text


def test_search_engines_are_asked_to_stay_away(client):
    assert '<meta name="robots" content="noindex, nofollow">' in client.get("/").text


def test_the_settings_begin_with_the_defaults_of_expand(client):
    page = client.get("/").text
    assert 'name="pool" min="1" max="200000" step="1" value="20000"' in page
    assert 'name="rounds" min="1" max="10" step="1" value="2"' in page
    assert 'name="keep" value="f1" checked' in page


def test_the_page_knows_how_large_a_file_may_be(client):
    assert '<body data-most-upload="7000000">' in client.get("/").text


def test_the_page_of_a_session_hands_its_id_to_the_script(client, tmp_path):
    (tmp_path / "review_1.likewise").touch()
    assert 'data-session="review_1"' in client.get("/sessions/review_1").text


def test_nobody_waits_while_a_library_is_asked_for_its_size(client, tmp_path, monkeypatch):
    is_in_loop = []

    def count():
        is_in_loop.append(threading.current_thread() in loops)
        return 7

    served = client.app.state.libraries
    libraries = Libraries(served.given, collection=Collection(tmp_path))
    client.app.state.libraries = libraries
    desks = client.app.state.desks = Desks(tmp_path, libraries)
    loops = [client.portal.call(threading.current_thread)]
    monkeypatch.setattr(served.given.library, "count", count)
    session_in(tmp_path)
    assert "7 documents" in client.get("/sessions/abc").text
    client.portal.call(desks.close)
    assert is_in_loop == [False, False]


def test_the_page_of_an_unknown_session_says_so_in_the_same_look(client):
    answer = client.get("/sessions/nothing")
    assert answer.status_code == 404
    assert "There is no such session" in answer.text
    assert "/static/base.css" in answer.text


@pytest.mark.parametrize("name", ["..%2fsecret", "a.likewise", "%3Cscript%3E", "a" * 65])
def test_what_is_no_id_is_no_session(client, tmp_path, name):
    (tmp_path.parent / "secret.likewise").touch()
    answer = client.get(f"/sessions/{name}")
    assert answer.status_code == 404
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("home.js", "text/javascript"), ("base.css", "text/css"), ("favicon.svg", "image/svg+xml")],
)
def test_scripts_and_styles_are_served_as_what_they_are(client, name, media_type):
    answer = client.get(f"/static/{name}")
    assert answer.headers["content-type"].partition(";")[0] == media_type


def test_the_icon_is_where_old_browsers_look_too(client):
    assert client.get("/favicon.ico").content == client.get("/static/favicon.svg").content


def test_a_script_that_the_browser_has_is_not_sent_again(client):
    tag = client.get("/static/home.js").headers["etag"]
    answer = client.get("/static/home.js", headers={"If-None-Match": f'"old", W/{tag}'})
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)


def test_a_script_that_has_changed_is_sent(client):
    answer = client.get("/static/home.js", headers={"If-None-Match": '"old"'})
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["nothing.js", "..%2fshell.py", "shell.py", "HOME.JS", "%00.js"])
def test_what_is_no_file_of_the_page_is_not_served(client, name):
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"]["kind"] == "unknown-address"


def test_pages_are_no_part_of_the_described_interface(client):
    assert client.app.openapi()["paths"] == {}
