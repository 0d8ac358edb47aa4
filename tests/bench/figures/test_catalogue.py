import pytest

from bench.made import made_task
from bench.made_results import failed, on_topics, result
from likewise.bench.figures.catalogue import NAMES, OF_RESULTS, draw_results, draw_task
from likewise.bench.runs.summary import summarise
from likewise.errors import RunError, SettingsError

pytest.importorskip("altair")

BOTH = [
    *on_topics("linear", 0.4, 0.5, measures={"AP": 0.4}),
    *on_topics("naive", 0.2, 0.3, measures={"AP": 0.2}),
]


def drawn(*results, only=()):
    return draw_results(summarise(results), only=only)


def names(found):
    return [figure.name for figure in found.figures]


def test_what_can_be_drawn_is_drawn_and_the_rest_is_told():
    found = drawn(*BOTH)
    assert names(found) == ["methods", "topics", "cost"]
    assert [line.split()[0] for line in found.left_out] == [
        "learning-curve",
        "calibration",
        "pretrained",
    ]


def test_everything_is_drawn_of_results_that_have_everything():
    told = {"AP": 0.4, "calibration error": 0.1, "interval covered": 1.0}
    found = drawn(
        *(
            one
            for seeds in (20, 50)
            for method, settings in (
                ("linear", {}),
                ("linear", {"encoder": "minilm"}),
                ("upper-bound", {}),
            )
            for one in on_topics(method, 0.4, 0.5, seeds=seeds, settings=settings, measures=told)
        )
    )
    assert names(found) == list(OF_RESULTS)
    assert found.left_out == []


def test_figures_are_named_as_the_catalogue_names_them():
    task, truth = made_task()
    assert names(draw_task(task.metadata, task.entries, truth)) == ["scores"]


def test_only_what_is_asked_for_is_drawn_once_and_in_that_order():
    assert names(drawn(*BOTH, only=["topics", "methods", "topics"])) == ["topics", "methods"]


def test_an_unknown_name_is_told_with_those_there_are():
    with pytest.raises(SettingsError, match=f"no figure 'methds'; choose of: {', '.join(NAMES)}"):
        drawn(*BOTH, only=["methds"])


def test_nothing_that_can_be_drawn_is_an_error():
    with pytest.raises(RunError, match="nothing can be drawn: learning-curve needs"):
        drawn(*BOTH, only=["learning-curve"])


def test_scores_are_not_drawn_of_results():
    assert drawn(*BOTH, only=["scores", "cost"]).left_out == [
        "scores is drawn of tasks, which these are not"
    ]


def test_methods_are_not_drawn_of_a_task():
    task, truth = made_task()
    with pytest.raises(RunError, match="methods is drawn of results, which these are not"):
        draw_task(task.metadata, task.entries, truth, only=["methods"])


def test_results_that_all_failed_are_an_error():
    with pytest.raises(RunError, match="every method failed"):
        drawn(failed("linear"), failed("naive"))


def test_tasks_of_other_sorts_are_left_out_and_told():
    found = drawn(*BOTH, result("linear", 0.9, setting="transductive", mark="t"))
    assert found.left_out[-1] == (
        "tasks drawn are inductive, case-control; left out are others: transductive, case-control"
    )


def test_a_method_that_has_few_of_the_topics_is_told():
    many = [one for topic in "xyz" for one in (result("linear", 0.4, topic=topic),)]
    found = drawn(*many, result("cnn", 0.5, topic="x"))
    assert found.left_out[-1] == (
        "cnn with 20 seeds is left out of means: it has less than half of the topics"
    )


def test_the_same_results_give_the_same_charts():
    first, second = drawn(*BOTH), drawn(*BOTH[::-1])
    assert [one.chart.to_dict() for one in first.figures] == [
        one.chart.to_dict() for one in second.figures
    ]
