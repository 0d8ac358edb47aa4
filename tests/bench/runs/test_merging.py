import pytest

from bench.made_results import TOPICS, failed, on_topics, result
from likewise.bench.runs.summary import keep_methods, merge_summaries, spell_canonically, summarise
from likewise.errors import RunError


def test_a_summary_alone_stays_as_it_is():
    found = [*on_topics("naive", 0.5, 0.6), failed("linear")]
    assert merge_summaries([summarise(found)]) == summarise(found)


def test_summaries_of_parts_make_the_summary_of_all():
    first = [*on_topics("linear", 0.5, 0.6), failed("all")]
    second = [*on_topics("linear", 0.1, 0.2, draw=1), *on_topics("bm25", 0.3, 0.4)]
    both = merge_summaries([summarise(first), summarise(second)])
    assert both == summarise([*first, *second])


def test_a_result_that_two_summaries_have_counts_once():
    one = summarise([result("naive", 0.5), failed("all")])
    assert merge_summaries([one, one]) == one


def test_a_measure_that_one_summary_lacks_is_missing_for_its_draws():
    first = summarise([result("naive", 0.5, measures={"AP": 0.4})])
    second = summarise([result("naive", 0.5, draw=1)])
    assert merge_summaries([first, second]).cells[0].measures["AP"] == (0.4, None)


def test_tasks_of_one_draw_that_differ_are_both_kept():
    first = summarise([result("naive", 0.5)])
    second = summarise([result("naive", 0.7, mark="other")])
    assert merge_summaries([first, second]).cells[0].measures["F1"] == (0.5, 0.7)


def test_all_versions_are_kept():
    first = summarise([result("a", 0.5, versions={"numpy": "2", "likewise": "1"})])
    second = summarise([result("b", 0.5, versions={"numpy": "1"})])
    assert merge_summaries([first, second]).versions == {"likewise": ("1",), "numpy": ("1", "2")}


# Some methods


def test_methods_may_be_spelled_in_any_way():
    summary = summarise([result("random + naive", 0.5), result("naive", 0.4)])
    assert [cell.method for cell in keep_methods(summary, ["random+naive"]).cells] == [
        "random + naive"
    ]


def test_a_method_has_one_spelling():
    assert spell_canonically("cnn(models=3, risk=nnpu, prior=true)") == "cnn(prior=true, models=3)"
    assert spell_canonically("fused") == "fused"


def test_a_method_that_is_not_known_here_is_found_as_it_is_spelled():
    summary = summarise([result("of-a-plug-in", 0.5), result("naive", 0.4)])
    assert len(keep_methods(summary, ["of-a-plug-in"]).cells) == 1


def test_a_method_has_all_its_settings():
    settings = [{"encoder": ""}, {"encoder": "minilm"}]
    summary = summarise([result("linear", 0.5, settings=one) for one in settings])
    assert len(keep_methods(summary, ["linear"]).cells) == 2
    assert len(keep_methods(summary, ["linear [encoder=minilm]"]).cells) == 1


def test_failures_of_other_methods_are_left_out():
    summary = summarise([failed("naive"), failed("linear"), result("all", 0.2)])
    chosen = keep_methods(summary, ["naive", "all"])
    assert [failure.method for failure in chosen.failures] == ["naive"]


def test_no_methods_are_all_methods():
    summary = summarise(on_topics("naive", 0.1, 0.2))
    assert keep_methods(summary, ()) is summary


def test_a_method_that_was_not_run_is_answered_with_those_that_were():
    summary = summarise([result("naive", 0.5, topic=TOPICS[1])])
    with pytest.raises(RunError, match="'linear' has no results; choose one of: naive"):
        keep_methods(summary, ["linear"])
