"""Two reviewers with tokens: nobody marks as another, and nothing tells what the other marked."""

import csv
import io
import json
import re
import shutil

import pytest

from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.server import ReviewerToken, ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of, error_of

ANN, BO, CAT = (ReviewerToken(name, f"the-token-of-{name}-alone") for name in ("Ann", "Bo", "Cat"))


def headers_of(who, **more):
    return {"Authorization": f"Bearer {who.token}", **more}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blind")


@pytest.fixture(scope="module")
def team(library, folder):
    """A client of an app that knows its reviewers by their tokens."""
    settings = ServerSettings(
        library=library, sessions=folder, host="192.168.0.5", reviewers=(ANN, BO, CAT)
    )
    with client_of(make_app(settings), address="http://192.168.0.5:8765") as client:
        yield client


@pytest.fixture(params=["the first expansion", "learned again"])
def session(request, expanded_file, folder, team):
    """The address of a session in which Bo has marked the best three, each otherwise, and no more.

    Once as it is, and once after learning from these marks.
    """
    path = folder / f"blind-{abs(hash(request.node.name))}.likewise"
    shutil.copy(expanded_file, path)
    with Session.open(path) as opened:
        opened.review.add_reason("editorial")
        best = [place.id for place in opened.expansion().ranking if not place.seed][:3]
        opened.mark({best[0]: "relevant"}, reviewer="Bo")
        opened.mark({best[1]: "irrelevant"}, reviewer="Bo", reason="editorial")
        opened.mark({best[2]: "maybe"}, reviewer="Bo")
        opened.review.tag([best[0]], add=["RCT"], reviewer="Bo")
        opened.review.note(best[1], "no controls", reviewer="Bo")
        if request.param == "learned again":
            expand_session(opened)
    return f"/api/sessions/{path.stem}"


def best_of(team, session):
    """Return the three documents that Bo has marked."""
    answer = team.get(f"{session}/marks", headers=headers_of(BO))
    return [mark["document"] for mark in answer.json()["marks"]]


def ask(team, path, who, **params):
    answer = team.get(path, params=params, headers=headers_of(who))
    assert answer.status_code == 200, answer.text
    return answer


def test_nobody_marks_as_another(team, session):
    (first, *_) = best_of(team, session)
    body = {"labels": {first: "irrelevant"}}
    answer = team.post(
        f"{session}/marks", json=body, headers=headers_of(ANN, **{"Likewise-Reviewer": "Bo"})
    )
    assert answer.status_code == 403
    assert error_of(answer) == {
        "status": 403,
        "kind": "not-the-reviewer",
        "message": "the token of this request belongs to Ann, and not to Bo",
    }
    team.post(f"{session}/marks", json=body, headers=headers_of(ANN))
    (mark,) = (
        one for one in team.get(f"{session}/marks", headers=headers_of(BO)).json()["marks"]
        if one["document"] == first
    )  # fmt: skip
    assert (mark["reviewer"], mark["label"]) == ("Bo", "relevant")


def test_ones_own_name_may_be_told_in_any_letters(team, session):
    answer = team.get(f"{session}/marks", headers=headers_of(ANN, **{"Likewise-Reviewer": " ann"}))
    assert answer.status_code == 200


def test_nobody_reads_as_another(team, session):
    answer = team.get(f"{session}/marks", headers=headers_of(ANN, **{"Likewise-Reviewer": "Bo"}))
    assert answer.status_code == 403


def test_lists_tell_nothing_of_what_only_another_marked(team, session):
    marked = best_of(team, session)
    assert ask(team, f"{session}/marks", ANN).json()["marks"] == []
    for view in ("relevant", "irrelevant", "maybe", "marked"):
        assert ask(team, f"{session}/ranking", ANN, view=view).json()["total"] == 0
    for words in ("tag:RCT", "reason:editorial"):
        assert ask(team, f"{session}/ranking", ANN, words=words).json()["total"] == 0
    page = ask(team, f"{session}/ranking", ANN, limit=200).json()
    entries = {entry["document"]["id"]: entry for entry in page["entries"]}
    for name in marked:
        told = {key: entries[name][key] for key in ("mark", "reason", "others", "tags", "notes")}
        assert told == {"mark": None, "reason": "", "others": [], "tags": [], "notes": ""}
        assert not entries[name]["is_conflict"]
        # Beside a rank that is above the line, a document is decided, however it was marked.
        assert entries[name]["decision"] == (entries[name]["rank"] <= line_of(team, session))
    nearest = {(entry["nearest_seed"] or {}).get("id") for entry in page["entries"]}
    assert not nearest & set(marked)


def line_of(team, session):
    return ask(team, session, ANN).json()["expansion"]["decided"]


def test_counts_tell_nothing_of_what_only_another_marked(team, session):
    status = ask(team, f"{session}/status", ANN).json()
    assert [status[name] for name in ("relevant", "irrelevant", "maybe", "looked_at")] == [0] * 4
    head = ask(team, session, ANN).json()
    assert [head[name] for name in ("relevant", "irrelevant", "maybe")] == [0, 0, 0]
    listed = ask(team, "/api/sessions", ANN).json()["sessions"]
    (own,) = (one for one in listed if one["id"] == head["id"])
    assert [own[name] for name in ("relevant", "irrelevant", "maybe")] == [0, 0, 0]
    (reason,) = ask(team, f"{session}/reasons", ANN).json()["reasons"]
    assert reason["documents"] == 0
    assert ask(team, f"{session}/tags", ANN).json()["tags"] == []
    agreement = ask(team, f"{session}/agreement", ANN).json()
    assert (agreement["reviewers"], agreement["pairs"]) == ([], [])
    assert ask(team, f"{session}/conflicts", ANN).json()["total"] == 0
    numbers = ask(team, f"{session}/prisma", ANN).json()
    assert [numbers[name] for name in ("screened", "excluded", "relevant", "undecided")] == [0] * 4
    assert numbers["remarks"][0].startswith("3 records that only other reviewers have marked")


ASKED = [
    "/ranking?limit=200",
    "/ranking?view=listed",
    "/unmarked?limit=200",
    "/export?format=csv&which=all",
    "/export?format=json",
    "/prisma/diagram?format=csv",
]
"""What is asked beside every operation that reads a session as it is asked by default."""


def list_operations(team):
    """Return the addresses of all operations that read a session, whatever is added to them."""
    paths = team.get("/api/openapi.json", headers=headers_of(ANN)).json()["paths"]
    start = "/api/sessions/{session}"
    plain = [path for path, of in paths.items() if path.startswith(start) and "get" in of]
    return [path.removeprefix(start) for path in plain if path.count("{") == 1]


def read_all(team, session, paths):
    """Return what each address answers, without how many marks there are and when one came."""
    answers = {}
    for path in paths:
        answer = team.get(f"{session}{path}", headers=headers_of(ANN))
        text = re.sub(r'"(last|changed)":("[^"]*"|\d+)', "", answer.text)
        answers[path] = (answer.status_code, text)
    return answers


def test_no_answer_changes_with_the_label_that_another_gives(team, session):
    """Whoever asks before and after each mark of another sees that there was one, and not which."""
    rest = ask(team, f"{session}/ranking", BO, view="unmarked").json()["entries"]
    document = rest[0]["document"]["id"]
    paths = [*list_operations(team), *ASKED]
    assert len(paths) > 20
    seen = []
    for label in ("relevant", "irrelevant", "maybe"):
        body = {"labels": {document: label}, "reason": "editorial" if label[0] == "i" else None}
        assert team.post(f"{session}/marks", json=body, headers=headers_of(BO)).status_code == 200
        seen.append(read_all(team, session, paths))
    for path in paths:
        assert seen[0][path] == seen[1][path] == seen[2][path], path


def test_exports_tell_nothing_of_what_only_another_marked(team, session):
    marked = best_of(team, session)
    for which in ("listed", "relevant", "all"):
        text = ask(team, f"{session}/export", ANN, format="csv", which=which).text
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        assert {(row["mark"], row["reason"], row["tags"], row["marked_by"]) for row in rows} <= {
            ("", "", "", "")
        }
        assert "no controls" not in text
    whole = json.loads(ask(team, f"{session}/export", ANN, format="json").content)
    assert (whole["marks"], whole["tags"], whole["notes"]) == ([], [], [])
    for expansion in whole["expansions"]:
        content = expansion["content"]
        assert not set(marked) & {n for names in content["marks"].values() for n in names}
        assert all("mark" not in place for place in content["ranking"])
        open_ = {p["id"]: p["decision"] for p in content["ranking"] if not p["seed"]}
        ranks = {p["id"]: p["rank"] for p in content["ranking"]}
        cut = max((ranks[name] for name, is_in in open_.items() if is_in), default=0)
        assert all(open_[name] == (ranks[name] <= cut) for name in marked if name in open_)


def test_a_tag_that_another_gave_unseen_can_be_given_and_is_seen(team, session):
    (first, *_) = best_of(team, session)
    body = {"ids": [first], "add": ["RCT"]}
    answer = team.post(f"{session}/tags", json=body, headers=headers_of(ANN))
    assert answer.json()["tags"] == [{"tag": "RCT", "documents": 1}]


def test_what_both_have_marked_is_seen_by_both_and_settled_by_a_third(team, session):
    first, second, _ = best_of(team, session)
    labels = {first: "irrelevant", second: "irrelevant"}
    team.post(f"{session}/marks", json={"labels": labels}, headers=headers_of(ANN))
    (pair,) = ask(team, f"{session}/agreement", ANN).json()["pairs"]
    assert (pair["both"], pair["agreed"]) == (2, 1)
    (conflict,) = ask(team, f"{session}/conflicts", CAT).json()["conflicts"]
    said = {mark["reviewer"]: mark["label"] for mark in conflict["marks"]}
    assert said == {"Ann": "irrelevant", "Bo": "relevant"}
    # Until it is settled it is neither.
    assert ask(team, f"{session}/status", ANN).json()["maybe"] == 1
    body = {"labels": {first: "relevant"}}
    answer = team.post(f"{session}/conflicts/settle", json=body, headers=headers_of(CAT))
    assert answer.status_code == 200
    assert ask(team, f"{session}/status", BO).json()["relevant"] == 1
    assert ask(team, f"{session}/conflicts", BO).json()["total"] == 0


def test_removing_a_reason_does_not_tell_whether_another_gave_it(team, session):
    team.post(f"{session}/reasons", json={"name": "unused"}, headers=headers_of(ANN))
    listed = ask(team, f"{session}/reasons", ANN).json()["reasons"]
    assert {one["is_carried"] for one in listed} == {True}
    messages = set()
    for one in listed:
        answer = team.delete(f"{session}/reasons/{one['number']}", headers=headers_of(ANN))
        assert answer.status_code == 409
        messages.add(error_of(answer)["message"].replace(one["name"], "NAME"))
    assert len(messages) == 1
    used, unused = (one["number"] for one in listed)
    answer = team.delete(
        f"{session}/reasons/{unused}", params={"replacement": used}, headers=headers_of(ANN)
    )
    assert [one["name"] for one in answer.json()["reasons"]] == ["editorial"]


def test_settling_does_not_tell_whether_another_has_marked(team, session):
    rest = ask(team, f"{session}/unmarked", ANN, limit=10).json()["documents"]
    marked = best_of(team, session)
    unmarked = next(name for name in rest if name not in marked)
    messages = set()
    for name in (marked[0], unmarked):
        body = {"labels": {name: "relevant"}}
        answer = team.post(f"{session}/conflicts/settle", json=body, headers=headers_of(ANN))
        assert answer.status_code == 409
        messages.add(error_of(answer)["message"].replace(name, "ID"))
    assert len(messages) == 1


def test_the_token_for_all_takes_no_name(library, folder):
    settings = ServerSettings(library=library, sessions=folder, token="a-token-of-some-length")
    headers = {"Authorization": "Bearer a-token-of-some-length", "Likewise-Reviewer": "Ann"}
    with client_of(make_app(settings)) as client:
        answer = client.get("/api/sessions", headers=headers)
    assert answer.status_code == 403
    assert "start the server with: likewise serve --reviewer NAME" in error_of(answer)["message"]
