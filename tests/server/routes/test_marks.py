from concurrent.futures import ThreadPoolExecutor

import pytest

from expansion.corpus import corpus
from likewise.expansion.sessions.session import Session
from likewise.learn.estimates import Target
from likewise.learn.stopping.rules import RULES
from server.guarded import error_of


def first_ids(api, session, count=3, **asked):
    page = api.get(f"{session}/ranking", params={"limit": count, **asked}).json()
    return [entry["document"]["id"] for entry in page["entries"]]


def mark(api, session, labels, **more):
    return api.post(f"{session}/marks", json={"labels": labels, **more})


def standing(api, session):
    marks = api.get(f"{session}/marks").json()["marks"]
    return {one["document"]: one["label"] for one in marks}


def file_of(folder, session):
    return folder / f"{session.rpartition('/')[2]}.likewise"


def test_a_mark_is_on_the_disk_when_it_is_answered(api, folder, expanded):
    (first,) = first_ids(api, expanded, 1)
    answer = mark(api, expanded, {first: "relevant"}).json()
    assert answer == {"new": 1, "same": 0, "changed": [], "last": 1}
    with Session.open(file_of(folder, expanded), read_only=True) as session:
        assert session.marks().relevant == (first,)


def test_what_is_said_otherwise_is_told(api, expanded):
    first, second, _ = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant", second: "maybe"})
    answer = mark(api, expanded, {first: "relevant", second: None}).json()
    assert (answer["new"], answer["same"]) == (0, 1)
    assert answer["changed"] == [{"document": second, "before": "maybe", "now": None}]
    assert standing(api, expanded) == {first: "relevant"}


def test_marks_are_listed_in_the_order_given_with_what_they_were_chosen_by(api, expanded):
    first, second, _ = first_ids(api, expanded)
    mark(api, expanded, {second: "maybe"})
    mark(api, expanded, {first: "relevant"}, strategy="uncertain")
    listed = api.get(f"{expanded}/marks").json()
    assert [(one["document"], one["strategy"]) for one in listed["marks"]] == [
        (second, None),
        (first, "uncertain"),
    ]
    assert listed["last"] == 2


def test_an_unknown_id_marks_nothing_at_all(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    error = error_of(mark(api, expanded, {first: "relevant", "nowhere": "maybe"}))
    assert (error["status"], error["kind"]) == (404, "unknown-document")
    assert "nowhere" in error["message"]
    assert standing(api, expanded) == {}


def test_seeds_and_documents_outside_the_ranking_can_be_marked(api, begun):
    labels = {corpus()[0].id: "irrelevant", corpus()[1].id: "relevant"}
    assert mark(api, begun, labels).json()["new"] == 2


def test_a_seed_that_only_the_session_holds_can_be_marked(api):
    thesis = {"title": "A thesis on insulin", "abstract": "Never published."}
    seeds = [{"id": corpus()[n].id} for n in range(3)]
    made = api.post("/api/sessions", json={"seeds": [*seeds, thesis]}).json()
    own = made["text_only"][0]["id"]
    assert mark(api, f"/api/sessions/{made['id']}", {own: "relevant"}).json()["new"] == 1


@pytest.mark.parametrize(
    "asked",
    [{"labels": {}}, {"labels": {"1": "good"}}, {"labels": {"1": "maybe"}, "strategy": "luck"}],
)
def test_marks_that_make_no_sense_are_refused(api, expanded, asked):
    assert error_of(api.post(f"{expanded}/marks", json=asked))["kind"] == "not-valid"


def test_the_latest_mark_is_taken_back(api, expanded):
    first, second, _ = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant"})
    mark(api, expanded, {second: "maybe"})
    undone = api.post(f"{expanded}/marks/undo", json={}).json()
    assert [(one["document"], one["label"]) for one in undone["marks"]] == [(second, "maybe")]
    assert undone["last"] == 3
    assert standing(api, expanded) == {first: "relevant"}


def test_marks_of_ids_are_taken_back_as_far_as_there_are_any(api, expanded):
    first, second, third = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant", second: "maybe"})
    undone = api.post(f"{expanded}/marks/undo", json={"ids": [first, third, "nowhere"]}).json()
    assert [one["document"] for one in undone["marks"]] == [first]
    assert standing(api, expanded) == {second: "maybe"}


def test_many_who_mark_at_once_lose_nothing(api, folder, expanded):
    ids = first_ids(api, expanded, 120)
    with ThreadPoolExecutor(12) as people:
        answers = list(people.map(lambda name: mark(api, expanded, {name: "maybe"}), ids))
    assert [answer.status_code for answer in answers] == [200] * 120
    assert sorted(answer.json()["last"] for answer in answers) == list(range(1, 121))
    with Session.open(file_of(folder, expanded), read_only=True) as session:
        assert set(session.marks().maybe) == set(ids)


def test_marks_of_another_process_are_seen_at_once(api, folder, expanded):
    first, second, _ = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant"})
    with Session.open(file_of(folder, expanded)) as session:
        session.mark({second: "irrelevant"})
    assert standing(api, expanded) == {first: "relevant", second: "irrelevant"}
    assert mark(api, expanded, {second: "maybe"}).json()["last"] == 3


def next_ids(api, session, **wanted):
    entries = api.post(f"{session}/next", json=wanted).json()["entries"]
    return [entry["document"]["id"] for entry in entries]


def test_the_likeliest_that_are_not_marked_come_next(api, expanded):
    first, second, third = first_ids(api, expanded)
    mark(api, expanded, {second: "relevant"})
    assert next_ids(api, expanded, count=2) == [first, third]


def test_the_least_certain_lie_around_the_line(api, expanded):
    above = api.get(f"{expanded}/ranking").json()["above"]
    entries = api.post(f"{expanded}/next", json={"strategy": "uncertain", "count": 4}).json()
    ranks = [entry["rank"] for entry in entries["entries"]]
    assert max(abs(rank - above) for rank in ranks) < above


def test_to_calibrate_ranks_lie_from_above_the_line_to_far_below_it(api, expanded):
    above = api.get(f"{expanded}/ranking").json()["above"]
    answer = api.post(f"{expanded}/next", json={"strategy": "calibrate", "count": 5}).json()
    ranks = [entry["rank"] for entry in answer["entries"]]
    assert answer["strategy"] == "calibrate"
    assert ranks == sorted(set(ranks))
    assert ranks[0] < above < ranks[-1]


def test_the_status_tells_how_the_seeds_may_be_read(api, expanded):
    status = api.get(f"{expanded}/status").json()
    weights = [reading["weight"] for reading in status["readings"]]
    assert sum(weights) == pytest.approx(1)
    assert weights == sorted(weights, reverse=True)
    assert all(set(one) == {"is_corner", "weight", "left"} for one in status["readings"])
    # What tells them apart is asked for where there is something to tell, as the sentences say.
    is_open = any("corner of a wider one" in sentence for sentence in status["sentences"])
    assert status["calibrate"] == (10 if is_open else 0)


def test_an_audit_is_kept_until_it_is_finished(api, expanded):
    drawn = next_ids(api, expanded, strategy="audit", count=5)
    assert len(drawn) == 5
    mark(api, expanded, {drawn[0]: "irrelevant"}, strategy="audit")
    assert next_ids(api, expanded, strategy="audit", count=5) == drawn[1:]


def test_what_is_next_is_refused_before_anything_was_expanded(api, begun):
    for strategy in ("likely", "audit"):
        answer = api.post(f"{begun}/next", json={"strategy": strategy})
        assert error_of(answer)["kind"] == "no-expansion"


def test_the_status_counts_and_advises(api, expanded):
    first, second, third = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant", second: "irrelevant", third: "maybe"})
    status = api.get(f"{expanded}/status").json()
    assert (status["relevant"], status["irrelevant"], status["maybe"]) == (1, 1, 1)
    assert (status["looked_at"], status["unlearned"], status["seeds"]) == (3, 3, 12)
    assert status["advice"]["kind"] == "go on"
    assert status["advice"]["text"].startswith("Go on:")
    assert not [line for line in status["sentences"] if "likewise " in line]


def test_the_status_follows_what_is_marked(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    before = api.get(f"{expanded}/status").json()["looked_at"]
    mark(api, expanded, {first: "relevant"})
    assert (before, api.get(f"{expanded}/status").json()["looked_at"]) == (0, 1)


def test_the_status_follows_an_audit(api, expanded):
    asked = {"recall": 0.5, "proof": "audits"}
    ids = first_ids(api, expanded, 200)
    mark(api, expanded, dict.fromkeys(ids[:40], "relevant"))
    mark(api, expanded, dict.fromkeys(ids[40:150], "irrelevant"))
    advice = api.get(f"{expanded}/status", params=asked).json()["advice"]
    assert advice["kind"] == "audit"
    next_ids(api, expanded, strategy="audit", count=2)
    assert api.get(f"{expanded}/status", params=asked).json()["advice"]["count"] == 2


NONSENSE = pytest.mark.parametrize(
    "asked", [{"recall": 1.1}, {"confidence": 0}, {"confidence": 1.0}, {"proof": "luck"}]
)


@NONSENSE
def test_a_target_that_makes_no_sense_is_refused(api, expanded, asked):
    assert error_of(api.get(f"{expanded}/status", params=asked))["kind"] == "not-valid"


@NONSENSE
def test_a_target_that_makes_no_sense_is_not_kept(api, folder, expanded, asked):
    assert error_of(api.put(f"{expanded}/target", json=asked))["kind"] == "not-valid"
    with Session.open(file_of(folder, expanded), read_only=True) as session:
        assert session.target() is None


def test_without_a_choice_the_target_is_the_default(api, expanded):
    status = api.get(f"{expanded}/status").json()
    assert status["target"] == {"recall": 0.95, "confidence": 0.95, "proof": "reading"}


def test_a_target_is_kept_and_the_status_follows_it(api, folder, expanded):
    api.get(f"{expanded}/status")
    chosen = {"recall": 0.8, "confidence": 0.9, "proof": "audits"}
    assert api.put(f"{expanded}/target", json=chosen).json() == chosen
    status = api.get(f"{expanded}/status").json()
    assert status["target"] == chosen
    assert status["promise"].startswith("Whatever the ranking is, fewer than 10 of 100")
    with Session.open(file_of(folder, expanded), read_only=True) as session:
        assert session.target() == Target(0.8, 0.9, "audits")


def test_a_target_that_is_asked_for_once_is_not_kept(api, expanded):
    api.put(f"{expanded}/target", json={"recall": 0.8, "proof": "audits"})
    once = api.get(f"{expanded}/status", params={"recall": 0.7}).json()
    assert once["target"] == {"recall": 0.7, "confidence": 0.95, "proof": "audits"}
    assert api.get(f"{expanded}/status").json()["target"]["recall"] == 0.8


def test_a_target_that_another_process_chose_is_seen(api, folder, expanded):
    api.get(f"{expanded}/status")
    with Session.open(file_of(folder, expanded)) as session:
        session.choose_target(Target(0.5))
    assert api.get(f"{expanded}/status").json()["target"]["recall"] == 0.5


def test_a_target_may_be_chosen_before_anything_was_expanded(api, begun):
    assert api.put(f"{begun}/target", json={"recall": 0.9}).json()["recall"] == 0.9


def test_the_course_tells_what_was_found_in_the_order_of_the_marks_and_what_is_ahead(api, expanded):
    first, second, third = first_ids(api, expanded)
    for name, label in ((first, "relevant"), (second, "irrelevant"), (third, "relevant")):
        mark(api, expanded, {name: label})
    status = api.get(f"{expanded}/status").json()
    course = status["course"]
    assert (course["read"], course["found"]) == ([0, 1, 2, 3], [0, 1, 1, 2])
    assert course["ahead"][0] == {"read": 3, "found": 2, "low": 2, "high": 2}
    assert course["ahead"][-1]["read"] == status["pool"]
    assert set(course["further"]) == {"value", "low", "high"}
    assert status["advice"]["further"] in status["sentences"]


def test_every_rule_says_whether_it_would_stop(api, expanded):
    rules = api.get(f"{expanded}/status").json()["rules"]
    assert [rule["rule"].split("(")[0] for rule in rules] == list(RULES)
    assert {(rule["stops"], rule["says"]) for rule in rules} == {(False, "goes on")}


def test_a_paragraph_for_a_paper_is_told_once_one_can_stop(api, expanded):
    before = api.get(f"{expanded}/status").json()["methods"]
    ids = [*first_ids(api, expanded, 200), *first_ids(api, expanded, 200, offset=200)]
    mark(api, expanded, dict.fromkeys(ids, "irrelevant"))
    after = api.get(f"{expanded}/status").json()["methods"]
    assert before == ""
    assert after.endswith("Screening ended when every candidate had been read.")
