import pytest

from server.guarded import error_of

ANN, BOB, CAT = ({"Likewise-Reviewer": name} for name in ("Ann", "Bob", "Cat"))


def first_ids(api, session, count=3):
    page = api.get(f"{session}/ranking", params={"limit": count}).json()
    return [entry["document"]["id"] for entry in page["entries"]]


def mark(api, session, labels, headers=None, **more):
    body = {"labels": labels, **more}
    return api.post(f"{session}/marks", json=body, headers=headers)


def ranked(api, session, words="", headers=None, **asked):
    params = {"words": words, **asked}
    page = api.get(f"{session}/ranking", params=params, headers=headers).json()
    return {entry["document"]["id"]: entry for entry in page["entries"]}


def refused(answer, status):
    assert answer.status_code == status
    return error_of(answer)


def reasons(answer):
    return [(one["number"], one["name"], one["documents"]) for one in answer.json()["reasons"]]


@pytest.fixture
def listed(api, expanded):
    """A session with two reasons."""
    for name in ("editorial", "wrong population"):
        api.post(f"{expanded}/reasons", json={"name": name})
    return expanded


def test_reasons_are_added_ordered_and_renamed(api, listed):
    assert reasons(api.get(f"{listed}/reasons")) == [
        *((1, "editorial", 0), (2, "wrong population", 0))
    ]
    api.put(f"{listed}/reasons", json={"numbers": [2]})
    answer = api.patch(f"{listed}/reasons/1", json={"name": "letter"})
    assert reasons(answer) == [(2, "wrong population", 0), (1, "letter", 0)]


def test_a_mark_carries_a_reason(api, listed):
    (first,) = first_ids(api, listed, 1)
    mark(api, listed, {first: "irrelevant"}, reason="Editorial")
    assert ranked(api, listed)[first]["reason"] == "editorial"
    assert api.get(f"{listed}/marks").json()["marks"][0]["reason"] == "editorial"
    answer = api.get(f"{listed}/reasons")
    assert reasons(answer)[0] == (1, "editorial", 1)
    assert [one["is_carried"] for one in answer.json()["reasons"]] == [True, False]


def test_a_reason_that_is_not_in_the_list_is_refused(api, listed):
    (first,) = first_ids(api, listed, 1)
    error = refused(mark(api, listed, {first: "irrelevant"}, reason="x"), 409)
    assert "no reason 'x'" in error["message"]


def test_a_reason_that_marks_carry_is_removed_only_for_another(api, listed):
    (first,) = first_ids(api, listed, 1)
    mark(api, listed, {first: "irrelevant"}, reason="editorial")
    error = refused(api.delete(f"{listed}/reasons/1"), 409)
    assert "1 mark carries the reason 'editorial'" in error["message"]
    answer = api.delete(f"{listed}/reasons/1", params={"replacement": 2})
    assert reasons(answer) == [(2, "wrong population", 1)]


def test_a_reason_of_another_number_is_refused(api, listed):
    error = refused(api.delete(f"{listed}/reasons/7"), 409)
    assert "no reason has the number 7" in error["message"]


def test_tags_are_given_counted_and_taken_off(api, expanded):
    first, second, _ = first_ids(api, expanded)
    api.post(f"{expanded}/tags", json={"ids": [first, second], "add": ["RCT", "new"]})
    answer = api.post(f"{expanded}/tags", json={"ids": [first], "remove": ["rct"]})
    assert answer.json()["tags"] == [
        {"tag": "new", "documents": 2},
        {"tag": "RCT", "documents": 1},
    ]
    assert ranked(api, expanded)[first]["tags"] == ["new"]


def test_an_unknown_document_is_not_tagged(api, expanded):
    answer = api.post(f"{expanded}/tags", json={"ids": ["nothing"], "add": ["RCT"]})
    assert refused(answer, 404)["kind"] == "unknown-document"


def test_a_ranking_is_limited_to_a_tag_or_a_reason(api, listed):
    first, second, third = first_ids(api, listed)
    api.post(f"{listed}/tags", json={"ids": [first, second], "add": ["RCT"]})
    mark(api, listed, {second: "irrelevant", third: "irrelevant"}, reason="wrong population")
    assert list(ranked(api, listed, "tag:rct")) == [first, second]
    assert list(ranked(api, listed, 'reason:"Wrong population"')) == [second, third]
    assert list(ranked(api, listed, "reason:editorial")) == []
    assert list(ranked(api, listed, 'tag:RCT reason:"wrong population"')) == [second]


def test_tags_and_reasons_are_asked_for_in_one_language_with_words(api, listed):
    first, second, third = first_ids(api, listed)
    api.post(f"{listed}/tags", json={"ids": [first, second], "add": ["RCT"]})
    mark(api, listed, {second: "irrelevant", third: "irrelevant"}, reason="wrong population")
    either = 'tag:RCT OR reason:"wrong population"'
    assert list(ranked(api, listed, either)) == [first, second, third]
    assert list(ranked(api, listed, f"({either}) NOT tag:rct")) == [third]


def test_a_filter_finds_no_tag_or_reason_that_is_hidden_from_the_reviewer(api, listed):
    (first,) = first_ids(api, listed, 1)
    api.post(f"{listed}/tags", json={"ids": [first], "add": ["RCT"]}, headers=ANN)
    mark(api, listed, {first: "irrelevant"}, ANN, reason="wrong population")
    for words in ("tag:RCT", 'reason:"wrong population"'):
        assert list(ranked(api, listed, words, headers=ANN)) == [first]
        assert list(ranked(api, listed, words, headers=BOB)) == []


def test_the_next_that_is_not_marked_is_each_reviewers_own(api, expanded):
    first, second = first_ids(api, expanded, 2)
    mark(api, expanded, {first: "relevant"}, ANN)
    ahead = {
        who["Likewise-Reviewer"]: api.get(f"{expanded}/unmarked", headers=who).json()["documents"]
        for who in (ANN, BOB)
    }
    assert ahead == {"Ann": [second], "Bob": [first]}


def test_a_note_is_written_and_taken_back(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    answer = api.put(
        f"{expanded}/note", json={"document": first, "text": "see p. 3"}, headers=ANN
    ).json()
    assert answer == {"document": first, "note": "see p. 3", "notes": "Ann: see p. 3"}
    assert ranked(api, expanded, headers=ANN)[first]["note"] == "see p. 3"
    assert ranked(api, expanded, headers=BOB)[first]["notes"] == ""
    api.put(f"{expanded}/note", json={"document": first, "text": ""}, headers=ANN)
    assert ranked(api, expanded, headers=ANN)[first]["note"] == ""


def test_notes_of_others_are_told_apart_from_ones_own_once_both_have_marked(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    for who, text in ((ANN, "see p. 3"), (BOB, "dose?")):
        api.put(f"{expanded}/note", json={"document": first, "text": text}, headers=who)
        mark(api, expanded, {first: "maybe"}, headers=who)
    told = [ranked(api, expanded, headers=who)[first] for who in (ANN, BOB)]
    assert [one["note"] for one in told] == ["see p. 3", "dose?"]
    assert [one["other_notes"] for one in told] == ["Bob: dose?", "Ann: see p. 3"]


def test_criteria_are_kept(api, expanded):
    assert api.get(f"{expanded}/criteria").json() == {"text": ""}
    api.put(f"{expanded}/criteria", json={"text": "Adults."})
    assert api.get(f"{expanded}/criteria").json() == {"text": "Adults."}


def test_what_another_marked_is_hidden_until_both_have(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    mark(api, expanded, {first: "relevant"}, ANN)
    hidden = ranked(api, expanded, headers=BOB)[first]
    assert (hidden["mark"], hidden["others"]) == (None, [])
    assert api.get(f"{expanded}/marks", headers=BOB).json()["marks"] == []
    assert first in ranked(api, expanded, headers=BOB, view="unmarked")
    mark(api, expanded, {first: "irrelevant"}, BOB)
    shown = ranked(api, expanded, headers=BOB)[first]
    assert (shown["mark"], shown["is_conflict"]) == ("irrelevant", True)
    assert [(one["reviewer"], one["label"]) for one in shown["others"]] == [("Ann", "relevant")]


def test_next_is_what_the_reviewer_has_not_marked(api, expanded):
    wanted = {"strategy": "likely", "count": 1}
    (entry,) = api.post(f"{expanded}/next", json=wanted, headers=ANN).json()["entries"]
    mark(api, expanded, {entry["document"]["id"]: "relevant"}, ANN)
    (same,) = api.post(f"{expanded}/next", json=wanted, headers=BOB).json()["entries"]
    (other,) = api.post(f"{expanded}/next", json=wanted, headers=ANN).json()["entries"]
    assert same["document"]["id"] == entry["document"]["id"] != other["document"]["id"]
    assert same["mark"] is None


def test_a_name_beyond_ascii_is_percent_encoded(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    mark(api, expanded, {first: "relevant"}, {"Likewise-Reviewer": "J%C3%BCrgen%20B."})
    (one,) = api.get(f"{expanded}/agreement").json()["reviewers"]
    assert one["reviewer"] == "Jürgen B."


def test_conflicts_are_listed_and_settled(api, listed):
    first, second, _ = first_ids(api, listed)
    mark(api, listed, {first: "relevant", second: "relevant"}, ANN)
    mark(api, listed, {first: "irrelevant", second: "relevant"}, BOB)
    found = api.get(f"{listed}/conflicts", headers=CAT).json()
    assert (found["total"], found["conflicts"][0]["entry"]["document"]["id"]) == (1, first)
    assert [one["reviewer"] for one in found["conflicts"][0]["marks"]] == ["Ann", "Bob"]
    body = {"labels": {first: "irrelevant"}, "reason": "editorial"}
    answer = api.post(f"{listed}/conflicts/settle", json=body, headers=CAT)
    assert answer.json()["new"] == 1
    assert api.get(f"{listed}/conflicts").json()["total"] == 0
    entry = ranked(api, listed, headers=ANN)[first]
    assert (entry["mark"], entry["reason"]) == ("irrelevant", "editorial")
    assert [one["is_settling"] for one in entry["others"]] == [False, True]


def test_what_nobody_disagrees_on_can_t_be_settled(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    body = {"labels": {first: "relevant"}}
    answer = api.post(f"{expanded}/conflicts/settle", json=body, headers=CAT)
    assert "nothing to settle" in refused(answer, 409)["message"]


def test_agreement_has_kappa_and_who_did_what(api, expanded):
    first, second, _ = first_ids(api, expanded)
    mark(api, expanded, {first: "relevant", second: "irrelevant"}, ANN)
    mark(api, expanded, {first: "relevant", second: "irrelevant"}, BOB)
    found = api.get(f"{expanded}/agreement").json()
    (pair,) = found["pairs"]
    assert (pair["both"], pair["agreed"], pair["share"], pair["kappa"]) == (2, 2, 1.0, 1.0)
    assert [one["reviewer"] for one in found["reviewers"]] == ["Ann", "Bob"]


def test_one_without_a_name_marks_as_ever(api, expanded):
    (first,) = first_ids(api, expanded, 1)
    mark(api, expanded, {first: "relevant"})
    entry = ranked(api, expanded)[first]
    assert (entry["mark"], entry["others"], entry["is_conflict"]) == ("relevant", [], False)


def test_the_numbers_of_a_flow_diagram_are_those_given_and_counted(api, listed):
    first, second, _ = first_ids(api, listed)
    mark(api, listed, {first: "relevant"})
    mark(api, listed, {second: "irrelevant"}, reason="editorial")
    asked = {"sought": 9, "excluded": ["too short=2"], "identified": ["PubMed=400", "Embase=7"]}
    found = api.get(f"{listed}/prisma", params=asked).json()
    assert (found["screened"], found["relevant"], found["excluded"]) == (2, 1, 1)
    assert found["reasons"] == [{"name": "editorial", "number": 1}]
    assert (found["identified"], found["sought"], found["included"]) == (407, 9, None)
    assert found["reports_excluded"] == [{"name": "too short", "number": 2}]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("svg", "image/svg+xml"), ("csv", "text/csv"), ("html", "text/html"), ("json", "application")],
)
def test_a_flow_diagram_is_drawn_as_asked(api, expanded, name, kind):
    answer = api.get(f"{expanded}/prisma/diagram", params={"format": name, "included": 3})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith(kind)
    assert f'prisma.{name}"' in answer.headers["Content-Disposition"]


def test_a_count_that_is_none_is_refused(api, expanded):
    answer = api.get(f"{expanded}/prisma", params={"identified": "PubMed"})
    assert "'PubMed' is not NAME=NUMBER" in refused(answer, 422)["message"]


def test_numbers_of_the_full_text_stage_are_kept_with_the_session(api, expanded):
    given = {"sought": 9, "assessed": 8, "excluded": [{"name": "too  short", "number": 2}]}
    answer = api.put(f"{expanded}/prisma/numbers", json=given).json()
    assert (answer["sought"], answer["included"]) == (9, None)
    kept = api.get(f"{expanded}/prisma/numbers").json()
    assert (kept["assessed"], kept["excluded"]) == (8, [{"name": "too short", "number": 2}])
    assert api.get(f"{expanded}/prisma", params={"included": 3}).json()["sought"] == 9
    whole = api.get(f"{expanded}/export", params={"format": "json"}).json()
    assert whole["given_numbers"]["sought"] == 9


@pytest.mark.parametrize(
    "given", [{"sought": -1}, {"sought": "9"}, {"excluded": [{"name": "", "number": 1}]}]
)
def test_numbers_that_are_none_are_refused(api, expanded, given):
    assert refused(api.put(f"{expanded}/prisma/numbers", json=given), 422)


def test_more_reports_assessed_than_sought_are_refused_and_nothing_is_kept(api, expanded):
    answer = api.put(f"{expanded}/prisma/numbers", json={"sought": 3, "assessed": 4})
    assert "more than the 3 sought" in refused(answer, 422)["message"]
    assert api.get(f"{expanded}/prisma/numbers").json()["sought"] is None
