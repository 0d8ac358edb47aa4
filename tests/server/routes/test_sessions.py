import pytest

from expansion.corpus import corpus, seeds_on
from likewise.expansion.sessions.session import Session
from server.guarded import error_of

SEEDS = [{"id": seed.id} for seed in seeds_on("sugar")]
THESIS = {"title": "A thesis on insulin pumps", "abstract": "Never published, on glucose."}


def test_a_session_that_is_begun_says_what_became_of_its_seeds(api):
    made = api.post("/api/sessions", json={"seeds": [*SEEDS, THESIS, {"id": "99999999"}]})
    session = made.json()
    assert made.status_code == 201
    assert [seed["id"] for seed in session["matched"]] == [seed["id"] for seed in SEEDS]
    assert [seed["title"] for seed in session["text_only"]] == [THESIS["title"]]
    assert session["not_found"] == ["99999999"]
    assert (session["seeds"], session["expansions"], session["expansion"]) == (14, 0, None)


def test_a_session_keeps_the_settings_that_were_chosen(api):
    chosen = {"method": "bm25", "pool": 100}
    made = api.post("/api/sessions", json={"seeds": SEEDS, "settings": chosen}).json()
    expected = {"method": "bm25", "keep": "f1", "pool": 100, "rounds": 2, "seed": 0, "where": ""}
    assert made["settings"] == expected
    assert api.get(f"/api/sessions/{made['id']}").json()["settings"] == expected


def test_a_session_is_called_as_asked_or_like_its_first_seed(api):
    named = api.post("/api/sessions", json={"seeds": SEEDS, "name": "On\x00 <b>sugar</b>"})
    unnamed = api.post("/api/sessions", json={"seeds": SEEDS})
    assert named.json()["name"] == "On <b>sugar</b>"
    assert unnamed.json()["name"] == seeds_on("sugar")[0].title


@pytest.mark.parametrize("seeds", [[], SEEDS[:2], [{}, {}, {}], [{"id": " "}] * 5])
def test_too_few_seeds_begin_no_session(api, folder, seeds):
    before = sorted(folder.glob("*"))
    error = error_of(api.post("/api/sessions", json={"seeds": seeds}))
    assert (error["status"], error["kind"]) == (422, "seeds")
    assert sorted(folder.glob("*")) == before


def test_settings_that_make_no_sense_begin_no_session(api):
    wanted = {"seeds": SEEDS, "settings": {"method": "nnpu-cnn"}}
    assert error_of(api.post("/api/sessions", json=wanted))["kind"] == "settings"


def test_sessions_are_listed_with_what_they_hold(api, expanded):
    api.post(f"{expanded}/marks", json={"labels": {"1": "relevant", "2": "irrelevant"}})
    listed = {one["id"]: one for one in api.get("/api/sessions").json()["sessions"]}
    head = listed[expanded.rpartition("/")[2]]
    assert (head["name"], head["seeds"], head["expansions"]) == ("On sugar", 12, 1)
    assert (head["relevant"], head["irrelevant"], head["maybe"]) == (1, 1, 0)
    assert head["job"] is None


def test_a_file_that_is_no_session_is_listed_apart(api, folder):
    (folder / "bad.likewise").write_text("hello")
    listed = api.get("/api/sessions").json()
    (folder / "bad.likewise").unlink()
    assert [line.split(":")[0] for line in listed["unreadable"]] == ["bad.likewise"]


def test_a_session_that_was_expanded_tells_of_its_expansion(api, expanded):
    session = api.get(expanded).json()
    expansion = session["expansion"]
    assert [seed["id"] for seed in session["matched"]] == [seed.id for seed in seeds_on("sugar")]
    assert (expansion["number"], expansion["mark"]) == (1, 0)
    assert expansion["decided"] == expansion["learned"] > 0
    assert 0 < expansion["precision"] <= 1
    assert expansion["relevant"]["low"] <= expansion["relevant"]["value"]


def test_a_session_is_renamed(api, begun):
    assert api.patch(begun, json={"name": " Sugar\n again "}).json()["name"] == "Sugar again"
    assert api.get(begun).json()["name"] == "Sugar again"


def test_an_empty_name_gives_the_default_back(api, expanded):
    assert api.patch(expanded, json={"name": " "}).json()["name"] == seeds_on("sugar")[0].title


def test_a_deleted_session_is_gone_with_its_file(api, begun, folder):
    identifier = begun.rpartition("/")[2]
    assert api.delete(begun).json() == {"id": identifier, "state": "deleted"}
    assert not list(folder.glob(f"{identifier}*"))
    assert error_of(api.get(begun))["kind"] == "unknown-session"
    assert error_of(api.delete(begun))["kind"] == "unknown-session"


@pytest.mark.parametrize("where", ["", "/ranking", "/marks", "/status", "/export", "/changes"])
def test_a_session_that_is_not_there_is_refused(api, where):
    error = error_of(api.get(f"/api/sessions/nothing{where}"))
    assert (error["status"], error["kind"]) == (404, "unknown-session")


@pytest.mark.parametrize("identifier", ["a.b", "..%2Fa", "a%00", "x" * 65])
def test_what_can_be_no_id_is_refused(api, identifier):
    assert 400 <= api.get(f"/api/sessions/{identifier}").status_code < 500


def test_a_damaged_session_is_refused_and_harms_no_other(api, folder, begun):
    (folder / "damaged.likewise").write_bytes(b"SQLite format 3\0" + b"x" * 5_000)
    error = error_of(api.get("/api/sessions/damaged"))
    (folder / "damaged.likewise").unlink()
    assert (error["status"], error["kind"]) == (409, "session")
    assert api.get(begun).status_code == 200


def test_a_session_of_the_command_line_is_found(api, folder, library):
    path = folder / "by-hand.likewise"
    Session.make(path, library=library, fingerprint="", seeds=seeds_on("sleep")).close()
    session = api.get("/api/sessions/by-hand").json()
    assert (session["name"], session["seeds"]) == ("by-hand", 12)


def test_what_is_known_to_be_irrelevant_is_marked_so_from_the_beginning(api):
    seeds = [{"id": seed.id} for seed in seeds_on("sugar")]
    off = next(paper for paper in corpus() if not paper.keywords)
    given = {"seeds": seeds, "irrelevant": [{"id": off.id}, {"id": "nowhere"}]}
    made = api.post("/api/sessions", json=given).json()
    assert made["irrelevant"] == 1
