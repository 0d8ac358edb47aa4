import pytest

from bench.made_results import TOPICS, failed, on_topics, result
from likewise.bench.measures import TaskKey
from likewise.bench.runs.summary import check_measured, collect_values, note_failures, summarise
from likewise.bench.tables.columns import (
    MethodColumn,
    average_tasks,
    average_values,
    count_topics,
    find_common_tasks,
    find_method,
    find_method_like,
    group_by_kind,
    mark_best,
    note_missing,
    parse_spelling,
)
from likewise.bench.tables.table import Number
from likewise.errors import RunError


def task(topic, draw=0, seeds=20):
    return TaskKey(seeds, topic, draw, f"{topic}{draw}{seeds}")


def marks(numbers, measure, left_out=None):
    """Return which of some numbers are marked as best."""
    given = [None if number is None else Number(number) for number in numbers]
    out = left_out or [False] * len(given)
    return [one and one.is_best for one in mark_best(given, measure=measure, left_out=out)]


# Means


def test_a_mean_is_over_topics_each_over_its_draws():
    measured = {task("a"): 0.1, task("a", 1): 0.3, task("b"): 0.6}
    assert average_values(measured) == pytest.approx(0.4)


def test_a_column_has_no_mean_over_tasks_that_it_lacks():
    column = MethodColumn("naive", {task("a"): 0.5})
    assert column.average([task("a")], measure="F1") == Number(0.5)
    assert column.average([task("a"), task("b")], measure="F1") is None
    assert column.average([], measure="F1") is None


def test_deviations_are_averaged_as_values_are():
    column = MethodColumn(
        "bm25", {task("a"): 0.5, task("b"): 0.3}, {task("a"): 0.1, task("b"): 0.2}
    )
    mean = column.average([task("a"), task("b")], measure="F1")
    assert (mean.value, mean.deviation) == (pytest.approx(0.4), pytest.approx(0.15))


def test_a_mean_has_the_unit_of_its_measure():
    assert (
        MethodColumn("naive", {task("a"): 7.0}).average([task("a")], measure="decided").unit
        == "count"
    )


def test_tasks_are_told_apart_by_their_seeds():
    cells = summarise([result("naive", 0.1), result("naive", 0.2, seeds=50)]).cells
    assert list(collect_values(cells, "F1").values()) == [0.1, 0.2]
    assert list(collect_values(cells, "F1", seeds=50).values()) == [0.2]


def test_common_tasks_are_those_of_all_that_have_any():
    both = [{task("a"): 0.1, task("b"): 0.1}, {task("b"): 0.2, task("c"): 0.2}, {}]
    assert find_common_tasks(both) == {task("b")}
    assert find_common_tasks([{}]) == set()


def test_a_mean_in_some_tasks_leaves_the_others_out():
    measured = {task("a"): 0.1, task("b"): 0.5}
    assert average_tasks({task("b")}, measured) == Number(0.5)
    assert average_tasks({task("c")}, measured) is None


def test_topics_are_counted_once_whatever_their_draws():
    assert count_topics([task("a"), task("a", 1), task("b")]).value == 2


# The best


def test_the_highest_is_best_where_higher_is_better():
    assert marks([0.1, 0.3, 0.2], "F1") == [False, True, False]


def test_the_lowest_is_best_where_lower_is_better():
    assert marks([0.1, 0.3, 0.2], "BER") == [True, False, False]


def test_the_nearest_to_0_is_best_where_that_is_better():
    assert marks([-0.5, 0.1, -0.2], "prior error") == [False, True, False]


def test_nothing_is_best_where_no_value_is_better():
    assert marks([1.0, 2.0], "decided") == [False, False]


def test_those_that_are_equal_are_all_best():
    assert marks([0.3, 0.3, 0.1], "F1") == [True, True, False]


def test_what_is_missing_or_left_out_is_not_best():
    assert marks([None, 0.9, 0.2, 0.1], "F1", [False, True, False, False]) == [
        None,
        False,
        True,
        False,
    ]


def test_one_alone_is_not_best():
    assert marks([0.5, None], "F1") == [False, None]


def test_marking_keeps_all_else():
    given = [Number(0.5, deviation=0.1), Number(0.4, low=0.3, high=0.6)]
    first, second = mark_best(given, measure="F1", left_out=[False, False])
    assert first == Number(0.5, deviation=0.1, is_best=True)
    assert second == given[1]


# Methods


def test_cells_are_grouped_by_the_sort_of_their_tasks():
    found = [
        *on_topics("naive", 0.1, 0.2),
        result("naive", 0.3, seeds_bias="length"),
        result("linear", 0.3, seeds_bias="length"),
    ]
    plain, biased = group_by_kind(summarise(found))
    assert list(plain.named) == ["naive"]
    assert sorted(biased.named) == ["linear", "naive"]
    assert collect_values(plain.named["naive"], "F1").keys() == {
        TaskKey(20, topic, 0, f"{topic}2000") for topic in TOPICS
    }


def test_a_method_is_found_by_its_name_or_its_spelling():
    names = ["linear [encoder=x]", "random + naive"]
    assert find_method(names, "linear") == "linear [encoder=x]"
    assert find_method(names, "linear [encoder=x]") == "linear [encoder=x]"
    assert find_method(names, "random+naive") == "random + naive"


def test_an_upper_bound_is_no_contender():
    assert MethodColumn("upper-bound-cnn(batch=16)", {}).is_bound
    assert not MethodColumn("linear", {}).is_bound


# Notes


def test_methods_that_lack_tasks_are_named():
    columns = [
        MethodColumn("linear", {task("a"): 0.1, task("b"): 0.1}),
        MethodColumn("naive", {task("a"): 0.1}),
        MethodColumn("all", {}),
    ]
    assert note_missing(columns) == ["naive has 1 of 2 tasks."]


def test_failures_are_counted_by_method():
    found = [failed("naive"), failed("all"), failed("naive", draw=1)]
    assert note_failures(summarise(found)) == [
        "3 results are missing because the method failed: all (1), naive (2)."
    ]
    assert note_failures(summarise(found[:1])) == [
        "1 result is missing because the method failed: naive (1)."
    ]
    assert note_failures(summarise([result("naive", 0.1)])) == []


def test_measures_that_some_result_has_are_there():
    summary = summarise([result("naive", 0.1, measures={"AP": 0.2}), result("all", 0.1)])
    check_measured(summary, ["F1", "AP", "seconds"])
    with pytest.raises(RunError, match="no result has the measure 'AUC'"):
        check_measured(summary, ["AUC"])


def run(*methods):
    """Return methods as if they were run: the first on two topics, the others on one."""
    found = [*on_topics(methods[0], 0.1, 0.1)]
    for method in methods[1:]:
        found += on_topics(method, 0.1)
    return summarise(found).group_by_method()


@pytest.mark.parametrize(
    "method",
    ["cnn", "cnn(risk=nnpu)", "cnn(prior=0.50)", "cnn(batch=16)", "cnn(epochs=3, risk=nnpu)"],
)
def test_parameters_may_be_given_in_any_way_or_left_at_their_defaults(method):
    assert find_method_like(run(method), "cnn(risk=nnpu, prior=0.5)") == method


@pytest.mark.parametrize(
    "method", ["naive", "cnn(risk=pn)", "cnn(prior=true)", "cnn(models=3)", "cnn + naive"]
)
def test_other_methods_are_not_taken_for_it(method):
    assert find_method_like(run(method), "cnn(risk=nnpu, prior=0.5)") is None


def test_the_size_of_batches_matters_where_it_is_asked_for():
    methods = run("cnn(batch=16)", "cnn(batch=512)", "cnn")
    assert find_method_like(methods, "cnn(batch=512)") == "cnn(batch=512)"
    assert find_method_like(methods, "cnn(batch=auto)") == "cnn"


def test_batches_of_the_usual_size_are_preferred():
    assert find_method_like(run("cnn(batch=16)", "cnn(epochs=3)"), "cnn") == "cnn(epochs=3)"


def test_of_several_the_one_with_most_results_is_taken():
    assert find_method_like(run("cnn(epochs=3)", "cnn"), "cnn(risk=nnpu)") == "cnn(epochs=3)"


def test_the_parts_of_a_fusion_may_be_in_any_order():
    assert find_method_like(run("cnn + cnn(risk=pn)"), "cnn(risk=pn) + cnn(risk=nnpu)")


def test_settings_are_no_part_of_a_spelling():
    assert parse_spelling("linear [encoder=x]") == parse_spelling("linear")


def test_a_parameter_can_be_left_out():
    (part,) = parse_spelling("cnn(start=topics, batch=16)")
    assert part.get("start") == "topics"
    assert part.without("start") == parse_spelling("cnn(batch=16)")[0]
