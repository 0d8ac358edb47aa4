import json
from contextlib import contextmanager

import pytest

from likewise.errors import SettingsError
from likewise.expansion.settings import ExpandSettings
from likewise.server import ServerSettings
from likewise.server.app import make_app
from likewise.server.models.sessions import SettingsRequest
from likewise.server.routes.expansions import choose_settings
from server.guarded import client_of, error_of


def events_of(api, job):
    """Return the states that a stream tells of until it ends."""
    states = []
    with api.stream("GET", f"/api/jobs/{job}/events") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line]
    for name, told in zip(lines[::2], lines[1::2], strict=True):
        assert name == "event: job"
        states.append(json.loads(told.removeprefix("data: ")))
    return states


@contextmanager
def slow_app(library, folder, **changes):
    """Serve with a line of jobs that never moves, as no job may run."""
    settings = ServerSettings(library=library, sessions=folder, running=0, **changes)
    with client_of(make_app(settings)) as client:
        yield client


@pytest.fixture
def stuck(library, folder):
    with slow_app(library, folder, waiting=1) as client:
        yield client


def test_an_expansion_runs_as_a_job_and_is_in_the_session_when_it_is_done(api, begun):
    started = api.post(f"{begun}/expansions", json={"rounds": 1})
    states = events_of(api, started.json()["id"])
    assert started.status_code == 202
    assert (states[-1]["state"], states[-1]["expansion"]) == ("done", 1)
    session = api.get(begun).json()
    assert (session["job"]["state"], session["settings"]["rounds"]) == ("done", 1)
    assert api.get(f"{begun}/ranking").json()["entries"]


def test_learning_again_tells_what_changed(api, expanded):
    page = api.get(f"{expanded}/ranking", params={"limit": 30}).json()["entries"]
    labels = {entry["document"]["id"]: "irrelevant" for entry in page[10:30]}
    api.post(f"{expanded}/marks", json={"labels": labels})
    events_of(api, api.post(f"{expanded}/expansions", json={}).json()["id"])
    heads = api.get(f"{expanded}/expansions").json()["expansions"]
    assert [(head["number"], head["mark"]) for head in heads] == [(1, 0), (2, 20)]
    changes = api.get(f"{expanded}/changes").json()
    assert changes["risen"]
    assert all(move["after"] < move["before"] for move in changes["risen"])
    # Fifty are named at most.
    assert len(changes["decided"]) == min(changes["came"], 50)
    assert not labels.keys() & {move["document"] for move in changes["dropped"]}


def test_a_moved_line_is_nothing_that_learning_changed(api, expanded):
    api.put(f"{expanded}/threshold", json={"decided": 1})
    events_of(api, api.post(f"{expanded}/expansions", json={}).json()["id"])
    # Nothing was marked, so the same was learned again.
    assert api.get(f"{expanded}/changes").json()["came"] == 0
    api.put(f"{expanded}/threshold", json={"decided": 1})
    assert api.get(f"{expanded}/changes").json()["left"] == 0


def test_nothing_has_changed_before_the_second_expansion(api, begun, expanded):
    for session in (begun, expanded):
        error = error_of(api.get(f"{session}/changes"))
        assert (error["status"], error["kind"]) == (404, "no-expansion")


def test_a_session_has_one_job_at_a_time(stuck, expanded):
    stuck.post(f"{expanded}/expansions", json={})
    error = error_of(stuck.post(f"{expanded}/expansions", json={}))
    assert error["status"] == 409


def test_too_many_jobs_are_refused_with_when_to_ask_again(stuck, expanded, begun):
    stuck.post(f"{expanded}/expansions", json={})
    answer = stuck.post(f"{begun}/expansions", json={})
    assert error_of(answer)["status"] == 429
    assert int(answer.headers["Retry-After"]) > 0


def test_a_job_is_listed_shown_and_cancelled(stuck, expanded):
    job = stuck.post(f"{expanded}/expansions", json={}).json()
    assert job["state"] == "waiting"
    assert job["id"] in [one["id"] for one in stuck.get("/api/jobs").json()["jobs"]]
    assert stuck.get(f"/api/jobs/{job['id']}").json()["session"] == expanded.rpartition("/")[2]
    assert stuck.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    assert [one["state"] for one in events_of(stuck, job["id"])] == ["cancelled"]


def test_a_job_is_listed_with_its_session(stuck, expanded):
    job = stuck.post(f"{expanded}/expansions", json={}).json()
    listed = {one["id"]: one for one in stuck.get("/api/sessions").json()["sessions"]}
    assert listed[job["session"]]["job"]["id"] == job["id"]


def test_deleting_a_session_cancels_its_job_first(stuck, expanded):
    job = stuck.post(f"{expanded}/expansions", json={}).json()
    assert stuck.delete(expanded).status_code == 200
    assert error_of(stuck.get(f"/api/jobs/{job['id']}"))["status"] == 404


@pytest.mark.parametrize("where", ["", "/events"])
def test_a_job_that_is_not_there_is_refused(api, where):
    assert error_of(api.get(f"/api/jobs/nothing{where}"))["status"] == 404


def test_settings_that_make_no_sense_start_nothing(api, begun):
    for chosen in ({"method": "fused"}, {"keep": "best"}):
        assert error_of(api.post(f"{begun}/expansions", json=chosen))["kind"] == "settings"
    assert api.get(begun).json()["job"] is None


BEFORE = ExpandSettings(pool=500, keep="top=10")


def test_what_is_not_chosen_is_as_it_was():
    chosen = choose_settings(SettingsRequest(rounds=3), before=BEFORE)
    assert chosen == ExpandSettings(pool=500, keep="top=10", rounds=3)


@pytest.mark.parametrize("method", ["linear", "naive", "bm25", "copkmeans"])
def test_methods_that_are_quick_and_need_no_extra_are_taken(method):
    assert choose_settings(SettingsRequest(method=method), before=BEFORE).method == method


@pytest.mark.parametrize(
    "method", ["nnpu-cnn", "fused", "linear + naive", "linear(strength=2)", "/etc/passwd", ""]
)
def test_other_methods_are_refused_with_those_there_are(method):
    with pytest.raises(SettingsError, match="linear, naive, bm25, copkmeans"):
        choose_settings(SettingsRequest(method=method), before=BEFORE)


@pytest.mark.parametrize("keep", ["best", "recall=2", "top=0.5", "", "f1=3", "zero"])
def test_a_rule_of_what_to_keep_that_makes_no_sense_is_refused(keep):
    with pytest.raises(SettingsError):
        choose_settings(SettingsRequest(keep=keep), before=BEFORE)
