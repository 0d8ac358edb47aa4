from types import SimpleNamespace

import pytest

from expansion.corpus import corpus, hidden
from likewise.documents import Document
from likewise.expansion.records import SeedLink
from likewise.expansion.sessions.session import Session
from likewise.server.routes.rankings import answer_map
from server.guarded import error_of

TEXTS = {document.id: document for document in corpus()}


def ids(page):
    return [entry["document"]["id"] for entry in page["entries"]]


def page(api, session, **asked):
    return api.get(f"{session}/ranking", params=asked).json()


def test_the_ranking_has_the_topic_on_top_and_no_seeds(api, expanded):
    best = page(api, expanded, limit=25)
    assert best["expansion"] == 1
    assert len(set(ids(best)) & hidden("sugar")) >= 22
    assert [entry["rank"] for entry in best["entries"]] == list(range(1, 26))


def test_pages_follow_one_another_to_the_end(api, expanded):
    total = page(api, expanded)["total"]
    ranks = []
    for offset in range(0, total, 100):
        entries = page(api, expanded, offset=offset, limit=100)["entries"]
        ranks += [entry["rank"] for entry in entries]
    assert ranks == list(range(1, total + 1))


def test_beyond_the_end_there_is_nothing(api, expanded):
    assert page(api, expanded, offset=9_999_999)["entries"] == []


def test_an_entry_says_why_it_is_there(api, expanded):
    entry = page(api, expanded, limit=1)["entries"][0]
    strong = [piece["text"] for piece in entry["abstract"] if piece["strong"]]
    assert "".join(piece["text"] for piece in entry["title"]) == entry["document"]["title"]
    assert "".join(piece["text"] for piece in entry["abstract"]) == entry["document"]["abstract"]
    assert strong
    assert entry["up"]
    assert TEXTS[entry["nearest_seed"]["id"]].title == entry["nearest_seed"]["title"]


def test_above_counts_what_lies_above_the_line_in_each_view(api, expanded):
    decided = api.get(expanded).json()["expansion"]["decided"]
    first = ids(page(api, expanded, limit=2))
    api.post(f"{expanded}/marks", json={"labels": dict.fromkeys(first, "irrelevant")})
    assert page(api, expanded)["above"] == decided
    assert page(api, expanded, view="unmarked")["above"] == decided - 2


def test_views_show_what_is_marked_so(api, expanded):
    first, second, third = ids(page(api, expanded, limit=3))
    labels = {first: "irrelevant", second: "maybe", third: "relevant"}
    api.post(f"{expanded}/marks", json={"labels": labels})
    assert ids(page(api, expanded, view="marked")) == [first, second, third]
    assert ids(page(api, expanded, view="maybe")) == [second]
    assert ids(page(api, expanded, view="unmarked"))[0] not in labels
    marked = page(api, expanded, limit=3)["entries"]
    assert [entry["mark"] for entry in marked] == ["irrelevant", "maybe", "relevant"]
    assert [entry["decision"] for entry in marked] == [False, True, True]


def test_what_is_marked_outside_the_ranking_has_no_rank(api, folder, expanded):
    path = folder / f"{expanded.rpartition('/')[2]}.likewise"
    with Session.open(path) as session:
        session.mark_known({"elsewhere": "relevant"})
    (entry,) = page(api, expanded, view="relevant")["entries"]
    assert (entry["rank"], entry["mark"], entry["decision"]) == (None, "relevant", True)
    assert entry["document"]["title"] == "(no longer in the library)"


def test_words_leave_what_has_all_of_them(api, expanded):
    found = ids(page(api, expanded, words="INSULIN glucos", limit=200))
    expected = {
        name
        for name, document in TEXTS.items()
        if all(word in document.text.lower() for word in ("insulin", "glucos"))
    }
    seeds = {seed["id"] for seed in api.get(expanded).json()["matched"]}
    assert set(found) == expected - seeds
    assert found


def test_words_and_views_go_together(api, expanded):
    first, second = ids(page(api, expanded, words="insulin", limit=2))
    api.post(f"{expanded}/marks", json={"labels": {first: "relevant"}})
    assert ids(page(api, expanded, words="insulin", view="relevant")) == [first]
    assert ids(page(api, expanded, words="insulin", view="unmarked"))[0] == second


def test_a_page_is_asked_for_around_a_document(api, expanded):
    ranked = ids(page(api, expanded, limit=200))
    around = page(api, expanded, around=ranked[100], limit=10)
    assert (around["offset"], ids(around)) == (92, ranked[92:102])
    assert page(api, expanded, around=ranked[3], limit=10)["offset"] == 0


def test_around_a_document_that_is_not_there_the_offset_counts(api, expanded):
    assert page(api, expanded, around="nowhere", offset=40)["offset"] == 40


def test_a_filter_says_its_words_and_what_it_did_not_understand(api, expanded):
    found = page(api, expanded, words="Insulin year:soon NOT bees")
    assert found["words"] == ["insulin"]
    assert found["complaint"].startswith("“year:soon” was left out")


def test_years_and_sorting_go_together(api, expanded):
    found = page(api, expanded, words="year:2010..2015", sort="year", limit=200)
    years = [entry["document"]["year"] for entry in found["entries"]]
    assert years == sorted(years, reverse=True)
    assert set(years) <= set(range(2010, 2016))
    assert years


def unmarked(api, session, **asked):
    return api.get(f"{session}/unmarked", params=asked).json()["documents"]


def test_the_next_that_is_not_marked_is_found_however_far_it_is(api, expanded):
    ranked = ids(page(api, expanded, limit=200))
    api.post(f"{expanded}/marks", json={"labels": dict.fromkeys(ranked[1:190], "irrelevant")})
    assert unmarked(api, expanded, after=ranked[0]) == [ranked[190]]
    assert unmarked(api, expanded, after=ranked[5], limit=3) == ranked[190:193]
    assert unmarked(api, expanded, limit=2) == [ranked[0], ranked[190]]


def test_the_next_that_is_not_marked_keeps_to_the_list_that_is_shown(api, expanded):
    shown = ids(page(api, expanded, words="insulin", sort="title", limit=200))
    api.post(f"{expanded}/marks", json={"labels": {shown[1]: "maybe"}})
    asked = {"words": "insulin", "sort": "title", "view": "unmarked"}
    assert unmarked(api, expanded, **asked, after=shown[1]) == [shown[2]]
    assert unmarked(api, expanded, **asked, after=shown[-1]) == []


@pytest.mark.parametrize("asked", [{"limit": 201}, {"offset": -1}, {"view": "best"}])
def test_what_makes_no_sense_is_refused(api, expanded, asked):
    assert error_of(api.get(f"{expanded}/ranking", params=asked))["kind"] == "not-valid"


def test_the_curve_ends_where_everything_is_found(api, expanded):
    curve = api.get(f"{expanded}/curve").json()
    assert curve["documents"][-1] == page(api, expanded)["total"]
    assert curve["recall"][-1] == 1
    assert curve["recall"] == sorted(curve["recall"])
    assert curve["decided"] == curve["learned"] == page(api, expanded)["above"]


def test_figures_count_every_document_once(api, expanded):
    scores = api.get(f"{expanded}/figures").json()["scores"]
    assert sum(scores["pool"]) == page(api, expanded)["total"]
    assert sum(scores["seeds"]) == 12
    assert len(scores["edges"]) == len(scores["pool"]) + 1


def test_without_citations_there_is_no_map(api, expanded):
    assert api.get(f"{expanded}/figures").json()["map"] is None


@pytest.mark.parametrize("seen", [True, False])
def test_the_map_names_a_marked_seed_only_to_who_may_see_the_mark(seen):
    links = (SeedLink("a", "s", "cites"), SeedLink("a", "m", "shares", 2))
    place = SimpleNamespace(id="a", decision=True, seed=False)
    saved = SimpleNamespace(seed_links=links, ranking=[place], seeds=SimpleNamespace(text_only=()))
    reader = SimpleNamespace(
        get_pool=lambda: SimpleNamespace(saved=saved, seeds={"s"}),
        show_marks=lambda _: {"m": "relevant"} if seen else {},
        find_explanations=lambda: SimpleNamespace(links={"a": "cites one of your papers"}),
        library=SimpleNamespace(get=lambda ids: [Document(id=name, year=2001) for name in ids]),
    )
    drawn = answer_map(reader, reviewer="Ann")
    assert [dot.document.id for dot in drawn.dots] == (["m", "s", "a"] if seen else ["s", "a"])
    assert len(drawn.lines) == 1 + seen


def test_moving_the_line_moves_all_that_goes_by_it(api, expanded):
    moved = api.put(f"{expanded}/threshold", json={"decided": 7}).json()
    learned = api.get(f"{expanded}/curve").json()["learned"]
    assert (moved["decided"], moved["learned"]) == (7, learned)
    assert page(api, expanded)["above"] == 7
    assert page(api, expanded, view="listed")["total"] == 7
    assert api.get(f"{expanded}/curve").json()["decided"] == 7


def test_the_line_goes_back_to_where_it_was_learned(api, expanded):
    learned = page(api, expanded)["above"]
    api.put(f"{expanded}/threshold", json={"decided": 7})
    assert api.put(f"{expanded}/threshold", json={"decided": None}).json()["decided"] == learned


def test_a_line_below_everything_lies_below_the_last(api, expanded):
    moved = api.put(f"{expanded}/threshold", json={"decided": 10_000_000}).json()
    assert moved["decided"] == page(api, expanded)["total"]


@pytest.mark.parametrize("where", ["ranking", "curve", "figures", "status"])
def test_before_anything_was_expanded_there_is_nothing_to_show(api, begun, where):
    error = error_of(api.get(f"{begun}/{where}"))
    assert (error["status"], error["kind"]) == (409, "no-expansion")


def test_before_anything_was_expanded_there_is_no_line(api, begun):
    error = error_of(api.put(f"{begun}/threshold", json={"decided": 3}))
    assert (error["status"], error["kind"]) == (409, "no-expansion")


def test_the_ranking_says_by_what_it_can_be_limited(api, expanded):
    listed = [TEXTS[one] for one in ids(page(api, expanded, limit=200))]
    limits = api.get(f"{expanded}/limits").json()
    assert limits["first_year"] <= min(one.year for one in listed)
    assert limits["last_year"] >= max(one.year for one in listed)
    for name, field in (("sources", "source"), ("types", "type")):
        for value in limits[name]:
            found = page(api, expanded, words=f'{field}:"{value["name"]}"')
            assert found["total"] == value["documents"]


def test_the_ranking_is_sorted_by_source_and_by_type(api, expanded):
    for sort in ("source", "type"):
        assert page(api, expanded, sort=sort)["total"] == page(api, expanded)["total"]
