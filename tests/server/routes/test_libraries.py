import shutil

import pytest

from expansion.corpus import corpus, library_in
from likewise.documents import Document
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of, error_of


def test_the_library_is_told_of_without_saying_where_it_lies(api):
    (library,) = api.get("/api/libraries").json()["libraries"]
    assert library["name"] == "lib"
    assert library["documents"] == len(corpus())
    assert library["fields"]["abstract"] == len(corpus())


def test_formats_say_what_can_be_read_and_what_can_be_written(api):
    formats = {one["name"]: one for one in api.get("/api/formats").json()["formats"]}
    assert (formats["ris"]["suffix"], formats["ris"]["writes"]) == (".ris", True)
    assert (formats["json"]["reads"], formats["json"]["writes"]) == (False, True)
    assert formats["ids"]["reads"]


def test_formats_say_whether_they_have_a_place_for_marks(api):
    formats = {one["name"]: one["notes"] for one in api.get("/api/formats").json()["formats"]}
    bare = {name for name, holds in formats.items() if not holds}
    assert bare == {"pubmed", "ids", "cochrane", "ovid", "jats"}


def ids(answer):
    return [found["document"]["id"] for found in answer.json()["documents"]]


def test_a_search_finds_documents_with_the_words_best_first(api):
    answer = api.get("/api/search", params={"words": "insulin glucose", "limit": 100})
    scores = [found["score"] for found in answer.json()["documents"]]
    assert scores == sorted(scores, reverse=True)
    best = answer.json()["documents"][0]["document"]
    assert "insulin" in f"{best['title']} {best['abstract']}".lower()


def test_a_search_is_limited(api):
    limited = {"words": "insulin glucose", "limit": 100, "where": "year>=2005"}
    found = api.get("/api/search", params=limited).json()["documents"]
    assert min(each["document"]["year"] for each in found) >= 2005
    refused = api.get("/api/search", params={"words": "insulin", "where": "year>=now"})
    assert (refused.status_code, refused.json()["error"]["kind"]) == (422, "settings")


def test_pages_of_a_search_follow_one_another(api):
    whole = api.get("/api/search", params={"words": "insulin", "limit": 20})
    first = api.get("/api/search", params={"words": "insulin", "limit": 12})
    second = api.get("/api/search", params={"words": "insulin", "limit": 8, "offset": 12})
    assert ids(whole) == ids(first) + ids(second)


def test_the_last_page_of_a_search_says_that_there_are_no_more(api):
    few = api.get("/api/search", params={"words": "insulin", "limit": 1}).json()
    many = api.get("/api/search", params={"words": "insulin", "limit": 100, "offset": 100}).json()
    assert (few["more"], many["more"]) == (True, False)


@pytest.mark.parametrize("words", ["", "the of", "xyzzy", "☃"])
def test_words_that_nothing_has_find_nothing(api, words):
    assert api.get("/api/search", params={"words": words}).json() == {
        "documents": [],
        "more": False,
        "complaint": "",
    }


def test_a_search_takes_filters_and_says_what_it_does_not_understand(api):
    asked = {"words": "insulin year:2005.. NOT glucose year:soon", "limit": 100}
    answer = api.get("/api/search", params=asked).json()
    texts = [
        f"{one['document']['title']} {one['document']['abstract']}" for one in answer["documents"]
    ]
    assert min(one["document"]["year"] for one in answer["documents"]) >= 2005
    assert not any("glucose" in text.lower() for text in texts)
    assert answer["complaint"] == "“year:soon” was left out; write for example year:2010..2015"


@pytest.mark.parametrize(
    "asked", [{"limit": 101}, {"limit": 0}, {"offset": 10_001}, {"words": "x" * 1_001}]
)
def test_what_is_too_much_is_refused(api, asked):
    assert error_of(api.get("/api/search", params=asked))["kind"] == "not-valid"


def test_a_document_is_shown_with_where_it_can_be_read(api):
    document = corpus()[0]
    shown = api.get(f"/api/documents/{document.id}").json()
    assert (shown["title"], shown["year"]) == (document.title, document.year)
    assert shown["links"] == [
        {"name": "PubMed", "address": f"https://pubmed.ncbi.nlm.nih.gov/{document.id}/"}
    ]


def test_a_document_that_is_not_there_is_refused_in_one_line(api):
    error = error_of(api.get("/api/documents/10.1/none"))
    assert (error["status"], error["kind"]) == (404, "unknown-document")
    assert "10.1/none" in error["message"]


@pytest.mark.parametrize("identifier", ["10.1000/a/b", "a b", "ä?#%", "../x", "<img src=x>"])
def test_ids_may_hold_anything(tmp_path, identifier):
    library = library_in(tmp_path / "lib", Document(id=identifier, title="<b>On cats</b>"))
    app = make_app(ServerSettings(library=library, sessions=tmp_path / "sessions"))
    with client_of(app) as client:
        found = client.get("/api/search", params={"words": "cats"}).json()["documents"][0]
        escaped = "".join(f"%{byte:02X}" for byte in found["document"]["id"].encode())
        shown = client.get(f"/api/documents/{escaped}").json()
    assert (shown["id"], shown["title"]) == (identifier, "<b>On cats</b>")


def test_a_library_that_is_deleted_while_it_is_used_costs_no_mark(tmp_path, expanded_file):
    library = library_in(tmp_path / "lib", *corpus())
    (tmp_path / "sessions").mkdir()
    shutil.copy(expanded_file, tmp_path / "sessions" / "used.likewise")
    settings = ServerSettings(library=library, sessions=tmp_path / "sessions")
    with client_of(make_app(settings)) as client:
        page = client.get("/api/sessions/used/ranking", params={"limit": 2}).json()
        first, second = (entry["document"]["id"] for entry in page["entries"])
        mark = {"labels": {first: "relevant"}}
        assert client.post("/api/sessions/used/marks", json=mark).status_code == 200
        shutil.rmtree(library)
        mark = {"labels": {second: "irrelevant"}}
        assert client.post("/api/sessions/used/marks", json=mark).status_code == 200
        refused = client.get("/api/sessions/used/prisma")
        assert refused.status_code == 409
        assert error_of(refused)["kind"] == "library"
        kept = client.get("/api/sessions/used/marks").json()["marks"]
    assert [(one["document"], one["label"]) for one in kept] == [
        (first, "relevant"),
        (second, "irrelevant"),
    ]
