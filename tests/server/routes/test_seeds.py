import asyncio
import gzip
import time

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from expansion.corpus import corpus, library_of, seeds_on
from likewise.server.failures import handle_failures
from likewise.server.models.documents import MOST_SEEDS
from likewise.server.routes.seeds import Upload, answer_seeds, router
from likewise.server.settings import ServerSettings
from server.guarded import FOLDER, error_of

RIS = "TY  - JOUR\nTI  - On the mood of cats in winter\nAB  - They purr.\nPY  - 2001\nER  - \n"


def asking(library):
    """Ask an app that knows no operations but these."""
    app = FastAPI()
    app.state.library = library
    app.state.reading = asyncio.Semaphore(1)
    app.state.settings = ServerSettings(library="lib", sessions=FOLDER, most_unpacked=1_000_000)
    handle_failures(app)
    app.include_router(router)
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
    nothing = {"matched": [], "text_only": [], "not_found": [], "problems": [], "warnings": []}
    assert give(client) == nothing


def test_a_long_word_that_is_no_identifier_does_not_break_the_answer(client):
    assert client.post("/api/seeds", json={"text": "x" * 50_000}).status_code in (200, 422)


def test_few_seeds_are_warned_of(client):
    assert "only 1 seed" in give(client, papers=[{"pmid": "7"}])["warnings"][0]


def test_two_topics_are_warned_of(client):
    seeds = seeds_on("sugar") + seeds_on("bees")
    warnings = give(client, papers=[{"pmid": seed.pmid} for seed in seeds])["warnings"]
    assert any("two topics" in warning for warning in warnings)


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
