import gzip
import time

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from expansion.corpus import corpus, library_of, seeds_on
from likewise.documents.formats import formats
from likewise.server import ServerSettings
from likewise.server.failures import handle_failures
from likewise.server.models.rankings import MOST_SEEDS
from likewise.server.processes import Readers
from likewise.server.routes import sessions
from likewise.server.routes.sessions import (
    MOST_NAME,
    answer_seeds,
    clean_file_name,
    find_suffix,
    seeds_router,
)
from likewise.server.upload_worker import Upload
from server.desks.samples import libraries_of
from server.guarded import FOLDER, error_of

RIS = "TY  - JOUR\nTI  - On the mood of cats in winter\nAB  - They purr.\nPY  - 2001\nER  - \n"


def asking(library):
    """Ask an app that knows no operations but these."""
    app = FastAPI()
    app.state.libraries = libraries_of(library)
    app.state.settings = ServerSettings(library="lib", sessions=FOLDER, most_unpacked=1_000_000)
    app.state.readers = Readers(app.state.settings)
    app.router.add_event_handler("shutdown", app.state.readers.close)
    handle_failures(app)
    app.include_router(seeds_router)
    return TestClient(app)


@pytest.fixture(scope="module")
def client():
    with asking(library_of(*corpus())) as asked:
        yield asked


def give(client, **given):
    return client.post("/api/seeds", json=given).json()


def send(client, body, name="refs.ris"):
    return client.post("/api/seeds/file", content=body, params={"name": name})


def ids(shown):
    return [document["id"] for document in shown]


def test_papers_of_the_library_are_matched(client):
    assert ids(give(client, papers=[{"pmid": "7"}, {"id": "9"}])["matched"]) == ["7", "9"]


def test_what_is_matched_is_shown_as_the_library_holds_it(client):
    (matched,) = give(client, papers=[{"pmid": "7", "title": "Another"}])["matched"]
    assert matched["title"] == corpus()[6].title


def test_a_paper_that_the_library_does_not_hold_counts_for_what_it_says(client):
    (paper,) = give(client, papers=[{"title": "Cats", "abstract": "They purr."}])["text_only"]
    assert paper["abstract"] == "They purr."


def test_an_identifier_that_nothing_is_known_of_is_not_found(client):
    assert give(client, papers=[{"pmid": "99999"}])["not_found"] == ["99999"]


def test_pasted_identifiers_are_matched(client):
    assert ids(give(client, text="7\n9\n")["matched"]) == ["7", "9"]


def test_pasted_titles_are_matched(client):
    title = corpus()[6].title
    assert ids(give(client, text=f"{title}\n")["matched"]) == ["7"]


def test_a_pasted_file_is_read(client):
    (paper,) = give(client, text=RIS)["text_only"]
    assert paper["title"] == "On the mood of cats in winter"


def test_what_is_pasted_and_what_is_given_come_together(client):
    given = give(client, text="7\n", papers=[{"pmid": "9"}, {"pmid": "7"}])
    assert sorted(ids(given["matched"])) == ["7", "9"]


def test_nothing_given_is_no_error(client):
    assert set(map(str, give(client).values())) == {"[]"}


def test_a_long_word_that_is_no_identifier_does_not_break_the_answer(client):
    assert client.post("/api/seeds", json={"text": "x" * 50_000}).status_code in (200, 422)


@pytest.mark.parametrize("field", ["title", "abstract", "doi", "id"])
def test_a_paper_that_a_package_chokes_on_is_refused_and_is_no_mistake_of_ours(client, field):
    text = ("&#" + "9" * 5_000)[: 2_000 if field in {"doi", "id"} else None]
    answer = client.post("/api/seeds", json={"papers": [{field: text, "title": text}]})
    assert answer.status_code in {200, 422}


def test_what_a_package_raises_over_papers_is_one_line(client, monkeypatch):
    def match(*_):
        raise ValueError("line one\nline two")

    monkeypatch.setattr(sessions, "match_seeds", match)
    error = error_of(client.post("/api/seeds", json={"papers": [{"pmid": "7"}]}))
    assert error["status"] == 422
    assert error["message"] == "papers: this can't be read (ValueError: line one line two)"


def test_few_seeds_are_warned_of(client):
    assert "only 1 seed" in give(client, papers=[{"pmid": "7"}])["warnings"][0]


def test_what_may_be_wrong_with_seeds_is_warned_of(client):
    papers = [{"pmid": seed.pmid} for seed in seeds_on("sugar")[:4]]
    (warning,) = give(client, papers=papers)["warnings"]
    assert warning.startswith("there are only 4 seeds")


def test_the_papers_of_a_file_are_matched(client):
    body = f"{RIS}TY  - JOUR\nAN  - 7\nTI  - {corpus()[6].title}\nPY  - {corpus()[6].year}\nER  - "
    answer = send(client, body.encode()).json()
    assert (ids(answer["matched"]), len(answer["text_only"])) == (["7"], 1)


def test_a_packed_file_is_read(client):
    assert len(send(client, gzip.compress(RIS.encode())).json()["text_only"]) == 1


def test_records_of_a_file_that_can_not_be_read_are_told(client):
    problems = send(client, f"{RIS}TY  - JOUR\nER  - \n".encode(), "a/b.ris").json()["problems"]
    assert [problem.partition(":")[0] for problem in problems] == ["b.ris"]


@pytest.mark.parametrize("body", [b"", b"\x00\x01\x02", b"\x1f\x8b\x08broken"])
def test_a_file_that_can_not_be_read_is_told_in_one_line(client, body):
    error = error_of(send(client, body, "../refs.bin"))
    assert (error["status"], error["kind"]) == (422, "unreadable-file")
    assert error["message"].startswith("refs.bin: ")


def test_a_file_that_unpacks_to_too_much_is_told(client):
    bomb = gzip.compress(RIS.encode() * 20_000)
    assert "more than" in error_of(send(client, bomb))["message"]


def test_more_papers_than_anybody_has_are_refused(client):
    numbers = "\n".join(map(str, range(1, MOST_SEEDS + 2)))
    assert "more than 5,000 records" in error_of(send(client, numbers.encode(), "a.txt"))["message"]


def test_an_empty_library_says_how_to_fill_it():
    with asking(library_of()) as client:
        answer = client.post("/api/seeds", json={"papers": [{"pmid": "1"}]})
    assert "likewise index" in error_of(answer)["message"]


def test_five_hundred_seeds_take_less_than_a_second():
    library = library_of(*corpus())
    seeds = list(corpus())[:320] + seeds_on("sugar", 45) * 4
    begun = time.perf_counter()
    answer = answer_seeds(Upload(seeds, []), library=library)
    assert len(answer.matched) == 320
    assert time.perf_counter() - begun < 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("refs.ris", "refs.ris"),
        ("/etc/passwd", "passwd"),
        ("..", "the file"),
        ("", "the file"),
        ("a/", "a"),
        ("a\x00\nb.ris", "ab.ris"),
        ("evil\u202esir.exe", "evilsir.exe"),
    ],
)
def test_a_name_is_shown_without_folders_and_what_steers(name, shown):
    assert clean_file_name(name) == shown


@given(st.text(max_size=300))
def test_whatever_a_name_holds_it_is_one_short_line(name):
    shown = clean_file_name(name)
    assert 0 < len(shown) <= MOST_NAME
    assert "/" not in shown
    assert "\\" not in shown


@given(st.text(max_size=50) | st.sampled_from(["x.RIS.gz", "../a.csv", "a.xml/..", "b.bib\x00"]))
def test_of_a_name_only_a_suffix_of_ours_is_used(name):
    ours = {suffix for known in formats() for suffix in known.suffixes}
    assert find_suffix(name) in ours | {""}


def test_what_a_file_says_was_excluded_is_no_seed_and_said(client):
    papers = corpus()[:4]
    rows = [f"{paper.pmid},{int(at < 3)}" for at, paper in enumerate(papers)]
    content = "\n".join(["pmid,included", *rows])
    sent = {"content": content, "headers": {"Content-Type": "application/octet-stream"}}
    answer = client.post("/api/seeds/file", params={"name": "screened.csv"}, **sent).json()
    assert {paper["id"] for paper in answer["matched"]} == {paper.id for paper in papers[:3]}
    assert [paper["id"] for paper in answer["irrelevant"]] == [papers[3].id]
    assert answer["decisions"][0].startswith("screened.csv: 'included' says what was decided; 3")
