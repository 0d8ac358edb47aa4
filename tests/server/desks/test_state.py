import pytest

from expansion.sessions.samples import new_session, small_saved
from likewise.expansion.searching import FilteredText
from likewise.server.desks.state import RankedPool, RankedRow, sort_rows

# The pool of the small expansion: 201 (rank 2), 10.1000/a b (4), 203 (6) | 204 (7), 205 (9).
LABELS = {
    "204": "relevant",
    "201": "irrelevant",
    "203": "maybe",
    "elsewhere": "relevant",
    "mine": "relevant",
}


@pytest.fixture
def ranked():
    return RankedPool(1, small_saved(), learned=6)


@pytest.fixture
def marks(tmp_path):
    with new_session(tmp_path) as session:
        session.mark(LABELS)
        return session.current()


def ids(rows):
    return [row.id for row in rows]


def test_the_line_lies_below_the_last_that_is_decided(ranked):
    assert ranked.cut == 6


def test_all_are_the_pool_without_seeds(ranked, marks):
    assert ids(ranked.select_rows("all", marks)) == ["201", "10.1000/a b", "203", "204", "205"]


def test_listed_is_what_lies_above_the_line_or_is_marked_relevant(ranked, marks):
    listed = ranked.select_rows("listed", marks)
    assert ids(listed) == ["201", "10.1000/a b", "203", "204", "elsewhere"]


def test_unmarked_is_what_has_no_label(ranked, marks):
    assert ids(ranked.select_rows("unmarked", marks)) == ["10.1000/a b", "205"]


@pytest.mark.parametrize(
    ("view", "found"),
    [
        ("marked", ["201", "203", "204", "elsewhere"]),
        ("relevant", ["204", "elsewhere"]),
        ("irrelevant", ["201"]),
        ("maybe", ["203"]),
    ],
)
def test_views_of_marks_are_in_the_order_of_the_ranking_and_without_seeds(
    ranked, marks, view, found
):
    assert ids(ranked.select_rows(view, marks)) == found


def test_what_is_not_in_the_ranking_has_no_place(ranked, marks):
    assert ranked.select_rows("relevant", marks)[-1].place is None


def test_rows_above_the_line_are_counted_in_each_view(ranked, marks):
    views = ("all", "listed", "unmarked", "marked", "relevant")
    above = [ranked.count_above(ranked.select_rows(view, marks)) for view in views]
    assert above == [3, 3, 1, 2, 0]


def test_seeds_are_known_inside_the_library_and_outside(ranked):
    assert ranked.seeds == {"101", "102", "103", "mine"}


def test_rows_are_found_by_id_in_the_order_asked(ranked):
    rows = ranked.find_rows(["205", "201", "nowhere"])
    assert [row.place.rank if row.place else None for row in rows] == [9, 2, None]


def test_rows_are_sorted_by_source_and_by_the_first_of_their_types():
    texts = {
        "a": FilteredText("", source="scopus.csv", types="review\njournal article"),
        "b": FilteredText("", source="embase.ris", types="case reports"),
        "c": FilteredText(""),
    }
    rows = [RankedRow(name, None) for name in "cab"]
    assert [row.id for row in sort_rows(rows, "source", texts=texts)] == ["b", "a", "c"]
    assert [row.id for row in sort_rows(rows, "type", texts=texts)] == ["b", "a", "c"]
