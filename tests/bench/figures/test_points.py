import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.figures.charts import point
from bench.made_results import TOPICS, failed, on_topics, result
from likewise.bench.figures.points import (
    SizedMethod,
    describe_topics,
    find_incomplete,
    find_main_kind,
    keep_comparable,
    keep_measured,
    list_sizes,
    make_points,
    order_labels,
)
from likewise.bench.runs.summary import TaskKind, summarise


def drawn_points(*results, kind=None):
    return make_points(summarise(results), kind=kind or TaskKind())


def test_a_point_is_the_mean_over_draws():
    (found,) = drawn_points(result("linear", 0.4), result("linear", 0.6, draw=1))
    assert found.measures["F1"] == pytest.approx(0.5)


def test_only_draws_that_all_methods_have_are_averaged():
    found = drawn_points(result("linear", 0.4), result("linear", 0.8, draw=1), result("naive", 0.1))
    assert {one.label: one.measures["F1"] for one in found} == {"linear": 0.4, "naive": 0.1}


def test_tasks_of_the_same_name_that_are_not_the_same_are_not_compared():
    assert drawn_points(result("linear", 0.4), result("naive", 0.1, mark="other")) == []


def test_a_measure_that_no_draw_has_is_missing():
    (found,) = drawn_points(result("linear", 0.4, measures={"AP": 0.3}))
    assert "AP" in found.measures
    assert "Brier" not in found.measures


def test_a_measure_that_some_draws_lack_is_the_mean_of_the_others():
    with_one = result("linear", 0.4, measures={"AP": 0.3})
    (found,) = drawn_points(with_one, result("linear", 0.6, draw=1))
    assert found.measures["AP"] == pytest.approx(0.3)


def test_failed_results_give_no_points():
    assert [one.label for one in drawn_points(result("linear", 0.4), failed("naive"))] == ["linear"]


def test_seconds_are_a_measure():
    (found,) = drawn_points(result("linear", 0.4, seconds=2.5))
    assert found.measures["seconds"] == 2.5


def test_a_method_with_an_encoder_has_a_label_of_its_own():
    found = drawn_points(
        result("linear", 0.4), result("linear", 0.5, settings={"encoder": "minilm"})
    )
    assert {(one.label, one.method, one.encoder) for one in found} == {
        ("linear", "linear", ""),
        ("linear [encoder=minilm]", "linear", "minilm"),
    }


def test_tasks_of_different_sorts_do_not_mix():
    plain, biased = result("linear", 0.4), result("linear", 0.9, seeds_bias="length", mark="b")
    found = drawn_points(plain, biased, kind=TaskKind(seeds_bias="length"))
    assert [one.measures["F1"] for one in found] == [0.9]


def test_the_most_common_sort_of_tasks_is_that_of_most_cells():
    results = [*on_topics("linear", 0.4, 0.5), result("linear", 0.9, setting="transductive")]
    assert find_main_kind(summarise(results)).setting == "inductive"


def test_points_without_a_measure_are_left_aside():
    both, one = point("a", 0.1, AP=0.2), point("b", 0.1)
    assert keep_measured([both, one], "F1", "AP") == [both]


def test_sizes_go_from_few_to_many():
    found = [point("a", 0.1, seeds=seeds) for seeds in (100, 20, 100)]
    assert list_sizes(found) == [20, 100]


def test_labels_are_ordered_from_the_best_mean_and_then_by_name():
    found = [point("c", 0.2), point("b", 0.2), point("a", 0.1), point("a", 0.5, topic="Mice")]
    assert order_labels(found, "F1") == ["a", "b", "c"]


def test_topics_that_a_method_lacks_are_left_out_for_all():
    found = [
        point("a", 0.1, topic="x"),
        point("a", 0.2, topic="y"),
        point("b", 0.3, topic="y"),
    ]
    assert [(one.label, one.topic) for one in keep_comparable(found)] == [("a", "y"), ("b", "y")]


def test_a_method_with_less_than_half_of_the_topics_is_left_out_instead():
    found = [point("a", 0.1, topic=topic) for topic in "xyz"] + [point("b", 0.3, topic="y")]
    assert [one.topic for one in keep_comparable(found)] == ["x", "y", "z"]
    assert find_incomplete(found) == [SizedMethod("b", 20)]


def test_a_method_with_half_of_the_topics_is_not_incomplete():
    found = [point("a", 0.1, topic=topic) for topic in "xy"] + [point("b", 0.3, topic="y")]
    assert find_incomplete(found) == []


def test_topics_differ_between_sizes_unless_asked_otherwise():
    found = [
        point("a", 0.1, topic="x"),
        point("a", 0.1, topic="y"),
        point("a", 0.1, topic="y", seeds=50),
    ]
    assert len(keep_comparable(found)) == 3
    assert [(one.seeds, one.topic) for one in keep_comparable(found, over_sizes=True)] == [
        (20, "y"),
        (50, "y"),
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from((20, 50)), st.sampled_from("xyz")))
)
def test_all_methods_that_compare_have_the_same_topics(places):
    found = [point(label, 0.1, seeds=seeds, topic=topic) for label, seeds, topic in places]
    topics = {}
    for one in keep_comparable(found):
        topics.setdefault((one.seeds, one.label), set()).add(one.topic)
    for seeds in (20, 50):
        assert len({frozenset(seen) for (size, _), seen in topics.items() if size == seeds}) <= 1


def test_topics_are_counted_once_where_all_sizes_have_as_many():
    found = [point("a", 0.1, topic=topic, seeds=seeds) for topic in TOPICS for seeds in (20, 1000)]
    assert describe_topics(found) == "2 topics"
    assert describe_topics(found[:-1]) == "2 topics for |LP| = 20, 1 topic for |LP| = 1,000"
