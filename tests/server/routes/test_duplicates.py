import pytest

from likewise.library.collection import Collection
from likewise.library.receiving import receive_file, take_waiting
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of, error_of

FIRST = "TY  - JOUR\nTI  - On the purring of cats\nDO  - 10.1000/cats.1\nPY  - 2001\nER  - \n"
SECOND = "TY  - JOUR\nTI  - Purring in cats, revisited\nDO  - 10.1000/cats.1\nPY  - 2004\nER  - \n"


@pytest.fixture
def server(tmp_path):
    """Ask a server whose one library was made of two records with one DOI."""
    made = Collection(tmp_path).create("Cats")
    for name, content in {"scopus.ris": FIRST, "embase.ris": SECOND}.items():
        with receive_file(made, name) as reception:
            reception.write(content.encode())
            reception.finish()
    take_waiting(made)
    settings = ServerSettings(libraries=tmp_path, sessions=tmp_path / "sessions")
    with client_of(make_app(settings)) as client:
        yield client


def pairs(server):
    return server.get("/api/libraries/cats/duplicates").json()


def count(server):
    (library,) = server.get("/api/libraries").json()["libraries"]
    return library["documents"]


def split(server):
    (pair,) = pairs(server)["duplicates"]
    return server.post("/api/libraries/cats/duplicates/split", json={"paper": pair["paper"]})


def test_duplicates_are_shown_in_pairs_as_they_were_read(server):
    answer = pairs(server)
    (pair,) = answer["duplicates"]
    assert answer["total"] == 1
    assert pair["kept"]["title"] == "On the purring of cats"
    assert pair["other"]["title"] == "Purring in cats, revisited"
    assert (pair["matched"], pair["place"]) == ("doi", "embase.ris:1")


def test_what_is_no_duplicate_is_told_apart_and_found_at_once(server):
    assert count(server) == 1
    assert len(split(server).json()["into"]) == 2
    assert count(server) == 2
    assert pairs(server)["total"] == 0


def test_what_was_told_apart_can_be_joined_again(server):
    kept, *others = split(server).json()["into"]
    joined = {"kept": kept, "others": others}
    assert server.post("/api/libraries/cats/duplicates/join", json=joined).is_success
    assert (count(server), pairs(server)["total"]) == (1, 1)


def test_a_paper_of_one_record_is_not_taken_apart(server):
    split(server)
    (first, _) = server.get("/api/search", params={"words": "cats"}).json()["documents"]
    asked = {"paper": first["document"]["id"]}
    error = error_of(server.post("/api/libraries/cats/duplicates/split", json=asked))
    assert (error["status"], error["kind"]) == (409, "library")


def test_nothing_is_told_apart_while_files_are_read(server, monkeypatch):
    monkeypatch.setattr(server.app.state.jobs, "_most_running", 0)
    server.post(
        "/api/libraries/cats/files?name=more.ris",
        content=b"TY  - JOUR\nTI  - On bees\nER  - \n",
        headers={"Content-Type": "application/octet-stream"},
    )
    server.post("/api/libraries/cats/intakes", json={})
    assert error_of(split(server))["kind"] == "library-in-use"
