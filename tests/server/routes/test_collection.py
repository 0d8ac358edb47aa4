import gzip
import time

import pytest
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from expansion.corpus import corpus, seeds_on
from library.sources.papers import make_papers
from likewise.documents import write
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of, error_of

PATIENCE = 240
BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def server(tmp_path):
    """Ask a server that has no library yet."""
    folder = tmp_path / "libraries"
    settings = ServerSettings(libraries=folder, sessions=folder / "sessions", most_file=1_000_000)
    with client_of(make_app(settings)) as client:
        yield client


@pytest.fixture
def cats(server):
    """The address of a library without documents."""
    made = server.post("/api/libraries", json={"name": "Cats & dogs"})
    return f"/api/libraries/{made.json()['id']}"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The records of a corpus as a file of RIS."""
    path = tmp_path_factory.mktemp("exported") / "corpus.ris"
    write(corpus(), path)
    return path.read_bytes()


def send(server, library, content, name="refs.ris"):
    return server.post(f"{library}/files", params={"name": name}, content=content, headers=BYTES)


def take(server, library):
    """Read what waits into a library, and return the job when it has ended."""
    return finish(server, server.post(f"{library}/intakes", json={}))


def finish(server, begun):
    """Wait for a job that was begun, and return it when it has ended."""
    assert begun.status_code == 202, begun.text
    job, until = begun.json(), time.monotonic() + PATIENCE
    while job["state"] in {"waiting", "running"} and time.monotonic() < until:
        time.sleep(0.05)
        job = server.get(f"/api/jobs/{job['id']}").json()
    return job


def record(title, year=2001):
    return f"TY  - JOUR\nTI  - {title}\nPY  - {year}\nER  - \n".encode()


PURR = record("How the purring of cats soothes those who listen")


def put_job(server, library, monkeypatch):
    """Let a job be in line that uses a library."""
    monkeypatch.setattr(server.app.state.jobs, "_most_running", 0)
    send(server, library, PURR)
    return server.post(f"{library}/intakes", json={}).json()


def test_a_server_without_a_library_says_so_and_that_one_can_be_made(server):
    assert server.get("/api/libraries").json() == {"libraries": [], "can_create": True}


def test_what_needs_a_library_is_refused_as_long_as_there_is_none(server):
    error = error_of(server.get("/api/search", params={"words": "cats"}))
    assert (error["status"], error["kind"]) == (409, "no-library")


def test_a_library_is_made_under_a_name(server):
    made = server.post("/api/libraries", json={"name": " Cats &  dogs "})
    assert made.status_code == 201
    assert (made.json()["id"], made.json()["name"]) == ("cats-dogs", "Cats & dogs")


def test_the_same_name_twice_is_refused(server, cats):
    error = error_of(server.post("/api/libraries", json={"name": "cats & Dogs"}))
    assert (error["status"], error["kind"]) == (409, "library-name")
    assert "already" in error["message"]


def test_from_a_file_to_a_ranking(server, cats, exported):
    assert send(server, cats, exported, "corpus.ris").json()["same_as"] == ""
    assert take(server, cats)["state"] == "done"
    (source,) = server.get(cats).json()["sources"]
    assert (source["name"], source["added"]) == ("corpus.ris", len(corpus()))
    seeds = [{"id": seed.id, "title": seed.title} for seed in seeds_on("sugar")]
    made = server.post("/api/sessions", json={"seeds": seeds})
    assert made.status_code == 201, made.text
    assert made.json()["library"] == "cats-dogs"


def test_what_is_added_is_found_by_those_who_had_it_open(server, cats):
    send(server, cats, PURR)
    take(server, cats)
    assert server.get("/api/search", params={"words": "milk"}).json()["documents"] == []
    send(server, cats, record("Milk in the diet of cats"), "more.ris")
    take(server, cats)
    assert len(server.get("/api/search", params={"words": "milk"}).json()["documents"]) == 1


def test_an_open_session_takes_in_what_is_new_when_it_learns_next_and_marks_stay(
    server, cats, tmp_path
):
    late = [paper for paper in corpus() if "sugar" in paper.keywords][12]
    early = [paper for paper in corpus() if paper is not late]
    for name, papers in {"early.ris": early, "late.ris": [late]}.items():
        write(papers, tmp_path / name)
    send(server, cats, (tmp_path / "early.ris").read_bytes(), "early.ris")
    take(server, cats)
    seeds = [{"title": seed.title} for seed in seeds_on("sugar")]
    session = f"/api/sessions/{server.post('/api/sessions', json={'seeds': seeds}).json()['id']}"
    quick = {"rounds": 1}
    finish(server, server.post(f"{session}/expansions", json=quick))
    (best, *_) = ranked(server, session)
    server.post(f"{session}/marks", json={"labels": {best["id"]: "irrelevant"}})
    send(server, cats, (tmp_path / "late.ris").read_bytes(), "late.ris")
    take(server, cats)
    finish(server, server.post(f"{session}/expansions", json=quick))
    assert late.title in {document["title"] for document in ranked(server, session)}
    marks = server.get(f"{session}/marks").json()
    assert best["id"] in str(marks)


def ranked(server, session):
    """Return the documents of a session's ranking, the likeliest first."""
    answer = server.get(f"{session}/ranking", params={"limit": 100, "view": "unmarked"}).json()
    return [entry["document"] for entry in answer["entries"]]


def test_a_file_dropped_twice_is_said_and_not_doubled(server, cats):
    send(server, cats, PURR)
    answer = send(server, cats, PURR, "again.ris")
    assert (answer.status_code, answer.json()["same_as"]) == (201, "refs.ris")
    assert len(server.get(cats).json()["waiting_files"]) == 1


def test_a_file_that_is_too_large_is_refused_with_the_limit(server, cats):
    error = error_of(send(server, cats, b" " * 1_000_001))
    assert error["status"] == 413
    assert "1 MB" in error["message"]


def test_a_file_whose_size_was_not_announced_is_limited_too(server, cats):
    parts = (b" " * 100_000 for _ in range(11))
    error = error_of(send(server, cats, parts))
    assert error["status"] == 413
    assert server.get(cats).json()["waiting_files"] == []


def test_files_that_wait_are_limited_together(server, cats):
    send(server, cats, gzip.compress(b"a") + b"x" * 900_000, "a.bin")
    assert error_of(send(server, cats, b"y" * 200_000, "b.bin"))["status"] == 413


def test_an_empty_file_is_refused(server, cats):
    assert "the file is empty" in error_of(send(server, cats, b""))["message"]


def test_a_name_leads_to_no_other_folder(server, cats, tmp_path):
    assert send(server, cats, PURR, "../../../evil.ris").json()["name"] == "evil.ris"
    (kept,) = tmp_path.rglob("evil.ris")
    assert kept.is_relative_to(tmp_path / "libraries" / "cats-dogs" / "waiting")


def test_an_intake_of_nothing_is_refused(server, cats):
    error = error_of(server.post(f"{cats}/intakes", json={}))
    assert error["status"] == 409
    assert "no file waits" in error["message"]


def test_problems_can_be_had_as_a_table(server, cats):
    send(server, cats, PURR + b"TY  - JOUR\nAU  - Li, X\nER  - \n")
    take(server, cats)
    table = server.get(f"{cats}/problems")
    assert table.headers["Content-Disposition"] == 'attachment; filename="cats-dogs-problems.csv"'
    assert table.content.decode("utf-8-sig").splitlines()[1].startswith("refs.ris,")


def test_a_library_is_renamed_and_keeps_its_id(server, cats):
    renamed = server.patch(cats, json={"name": "Birds"}).json()
    assert (renamed["id"], renamed["name"]) == ("cats-dogs", "Birds")


def test_a_library_is_deleted(server, cats):
    assert server.delete(cats).json() == {"id": "cats-dogs", "state": "deleted"}
    assert error_of(server.get(cats))["kind"] == "unknown-library"


def test_a_library_is_not_deleted_while_a_job_uses_it(server, cats, monkeypatch):
    job = put_job(server, cats, monkeypatch)
    error = error_of(server.delete(cats))
    assert (error["status"], error["kind"]) == (409, "library-in-use")
    server.delete(f"/api/jobs/{job['id']}")
    assert server.delete(cats).status_code == 200


def test_a_library_with_sessions_is_not_deleted(server, cats, exported):
    send(server, cats, exported, "corpus.ris")
    take(server, cats)
    seeds = [{"title": seed.title} for seed in seeds_on("sugar")]
    server.post("/api/sessions", json={"seeds": seeds, "name": "My review"})
    error = error_of(server.delete(cats))
    assert "the session 'My review' belongs to it" in error["message"]
    assert server.get(cats).status_code == 200


def test_a_cancelled_intake_leaves_the_files_waiting(server, cats, monkeypatch):
    job = put_job(server, cats, monkeypatch)
    assert server.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    assert [file["name"] for file in server.get(cats).json()["waiting_files"]] == ["refs.ris"]


def test_two_intakes_of_a_library_do_not_run_at_once(server, cats, monkeypatch):
    put_job(server, cats, monkeypatch)
    assert error_of(server.post(f"{cats}/intakes", json={}))["kind"] == "job-running"


def test_files_that_wait_can_be_dropped(server, cats):
    send(server, cats, PURR)
    assert server.delete(f"{cats}/files").json()["waiting_files"] == []


def test_which_of_several_libraries_is_meant_has_to_be_said(server, cats):
    server.post("/api/libraries", json={"name": "Birds"})
    error = error_of(server.get("/api/search", params={"words": "cats"}))
    assert "say which, such as ?library=birds" in error["message"]
    assert server.get("/api/search", params={"words": "cats", "library": "birds"}).is_success


def test_the_one_library_that_a_server_was_given_is_not_changed_over_http(api):
    (given,) = api.get("/api/libraries").json()["libraries"]
    assert (given["id"], given["can_change"]) == ("", False)
    error = error_of(api.post("/api/libraries", json={"name": "Cats"}))
    assert "--libraries" in error["message"]


def test_the_page_is_there_without_a_library(server):
    assert server.get("/").status_code == 200


@pytest.fixture
def pubmed(monkeypatch):
    with ncbi_server() as service:
        service.hold_papers(make_papers())
        monkeypatch.setenv("LIKEWISE_EUTILS", service.url)
        monkeypatch.setenv("NCBI_API_KEY", "0123456789")
        yield service


PMIDS = "\n".join(map(str, range(1, 13)))


def gather(server, library, **asked):
    """Gather, wait until that has ended, and return the job."""
    return finish(server, server.post(f"{library}/gatherings", json={"text": PMIDS, **asked}))


def test_from_pmids_to_a_ranking_by_way_of_pubmed(server, cats, pubmed):
    assert gather(server, cats, at_most=120)["state"] == "done"
    (source,) = server.get(cats).json()["sources"]
    assert (source["name"], source["added"]) == ("PubMed: 12 seeds", 120)
    seeds = [{"id": str(number)} for number in range(1, 13)]
    session = f"/api/sessions/{server.post('/api/sessions', json={'seeds': seeds}).json()['id']}"
    finish(server, server.post(f"{session}/expansions", json={}))
    assert sum(int(each["id"]) <= 40 for each in ranked(server, session)[:20]) >= 18


def test_a_gathering_that_fails_says_why_in_one_line(server, cats, pubmed):
    pubmed.trouble = lambda _: Reply(b'{"error":"API key invalid"}', 400)
    job = gather(server, cats)
    assert (job["state"], job["kind"]) == ("failed", "gathering")
    assert job["error"].endswith("check NCBI_API_KEY")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"text": "7", "source": "scopus"}, "there is no source 'scopus'; use one of: pubmed"),
        ({"text": "#"}, "no paper is named; give PMIDs, DOIs or titles"),
    ],
)
def test_what_can_not_be_gathered_is_refused(server, cats, asked, told):
    error = error_of(server.post(f"{cats}/gatherings", json=asked))
    assert (error["status"], told in error["message"]) == (422, True)


def test_two_gatherings_at_once_are_refused(server, cats, monkeypatch):
    monkeypatch.setattr(server.app.state.jobs, "_most_running", 0)
    server.post(f"{cats}/gatherings", json={"text": PMIDS})
    error = error_of(server.post(f"{cats}/gatherings", json={"text": PMIDS}))
    assert (error["status"], "this library is taking in records" in error["message"]) == (
        409, True,
    )  # fmt: skip
