import msgspec
import pytest

from bench.made_results import TOPICS, failed, on_topics, result, write_results
from likewise.bench.measures import TaskKey, average_topics
from likewise.bench.runs.summary import (
    TaskKind,
    collect_values,
    keep_methods,
    load_summary,
    merge_summaries,
    read_summary,
    spell_canonically,
    summarise,
    write_summary,
)
from likewise.errors import RunError


def test_draws_of_a_topic_are_one_cell():
    (cell,) = summarise([result("naive", 0.5, draw=1), result("naive", 0.25, draw=0)]).cells
    assert cell.draws == (0, 1)
    assert cell.measures["F1"] == (0.25, 0.5)
    assert cell.mean("F1") == 0.375


def test_topics_seeds_and_sorts_of_tasks_are_cells_of_their_own():
    found = [
        result("naive", 0.5),
        result("naive", 0.5, topic=TOPICS[1]),
        result("naive", 0.5, seeds=50),
        result("naive", 0.5, setting="transductive"),
        result("naive", 0.5, negatives=50, negatives_bias="length"),
    ]
    assert len(summarise(found).cells) == 5


def test_a_draw_without_a_measure_keeps_its_place():
    found = [result("naive", 0.5, measures={"AP": 0.4}), result("naive", 0.5, draw=1)]
    (cell,) = summarise(found).cells
    assert cell.measures["AP"] == (0.4, None)
    assert cell.mean("AP") == 0.4


def test_a_measure_that_no_draw_has_has_no_mean():
    assert summarise([result("naive", 0.5)]).cells[0].mean("AUC") is None


def test_seconds_and_megabytes_are_measures_too():
    (cell,) = summarise([result("naive", 0.5, seconds=2.5, megabytes=100.0)]).cells
    assert (cell.mean("seconds"), cell.mean("megabytes")) == (2.5, 100)


def test_numbers_are_rounded_to_six_digits():
    assert summarise([result("naive", 0.123456789)]).cells[0].mean("F1") == 0.123457


def test_what_failed_is_named_and_not_measured():
    summary = summarise([failed("naive"), result("linear", 0.5)])
    assert [cell.method for cell in summary.cells] == ["linear"]
    assert summary.failures[0].method == "naive"
    assert summary.failures[0].error == "out of memory"


def test_all_versions_that_results_were_made_with_are_kept():
    found = [result("a", 0.5, versions={"numpy": "2"}), result("b", 0.5, versions={"numpy": "1"})]
    assert summarise(found).versions == {"numpy": ("1", "2")}


def test_the_order_of_results_makes_no_difference():
    found = [*on_topics("naive", 0.5, 0.6), *on_topics("linear", 0.1, 0.2, seeds=50)]
    assert summarise(found) == summarise(found[::-1])


def test_a_method_is_called_by_its_spelling():
    assert list(summarise(on_topics("linear(strength=1)", 0.1, 0.2)).group_by_method()) == [
        "linear(strength=1)"
    ]


def test_settings_that_differ_tell_methods_of_one_spelling_apart():
    found = [
        result("linear", 0.1, settings={"keep": "f1", "encoder": ""}),
        result("linear", 0.1, settings={"keep": "f1", "encoder": "minilm"}),
        result("naive", 0.1, settings={"keep": "f1", "encoder": "minilm"}),
    ]
    names = set(summarise(found).group_by_method())
    assert names == {"linear", "linear [encoder=minilm]", "naive"}


def test_values_are_by_task():
    cells = summarise([result("naive", 0.5, draw=3)]).cells
    task = TaskKey(20, TOPICS[0], 3, f"{TOPICS[0]}2030")
    assert collect_values(cells, "F1") == {task: 0.5}
    assert collect_values(cells, "AP") == {}


def test_topics_are_averaged_over_their_draws():
    cells = summarise([result("naive", 0.5), result("naive", 0.7, draw=1)]).cells
    assert average_topics(collect_values(cells, "F1")) == {TOPICS[0]: pytest.approx(0.6)}


def test_a_sort_of_task_says_what_is_special_about_it():
    assert str(TaskKind()) == "inductive, case-control"
    assert str(TaskKind(pool=2000, pool_of="train")) == "|U| 2,000, inductive, case-control"
    assert str(TaskKind(pool=2000)) == "|U| 2,000 in all parts, inductive, case-control"
    biased = TaskKind("censoring", "transductive", "length", 50, "rank")
    assert str(biased) == (
        "transductive, censoring, seeds by length, 50 labelled negatives by rank"
    )


# Files


def test_what_is_written_is_read_back(tmp_path):
    found = [*on_topics("naive", 0.5, 0.6, settings={"keep": "f1"}), failed("linear")]
    summary = summarise(found)
    write_summary(summary, tmp_path / "fast.json")
    assert read_summary(tmp_path / "fast.json") == summary


def test_a_summary_without_results_is_read_back(tmp_path):
    write_summary(summarise([failed("linear")]), tmp_path / "none.json")
    assert read_summary(tmp_path / "none.json").cells == ()


def test_a_summary_has_a_line_for_each_cell(tmp_path):
    write_summary(summarise(on_topics("naive", 0.5, 0.6)), tmp_path / "fast.json")
    lines = (tmp_path / "fast.json").read_text().splitlines()
    assert len(lines) == 1 + 2 + 1
    assert all("naive" in line for line in lines[1:3])


def test_a_folder_of_results_and_its_summary_are_loaded_alike(tmp_path):
    runs = write_results(tmp_path / "runs", on_topics("naive", 0.5, 0.6))
    write_summary(load_summary(runs), tmp_path / "fast.json")
    assert load_summary(tmp_path / "fast.json") == load_summary(runs)


def test_a_broken_result_is_named_with_the_way_out(tmp_path):
    runs = write_results(tmp_path / "runs", on_topics("naive", 0.5, 0.6))
    broken = min(runs.rglob("*.json"))
    broken.write_text('{"version": 1, "task"')
    with pytest.raises(RunError, match="delete it and run again") as caught:
        load_summary(runs)
    assert str(broken) in str(caught.value)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(RunError, match="no results"):
        load_summary(tmp_path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(RunError, match="can't be read: No such file"):
        load_summary(tmp_path / "missing.json")


@pytest.mark.parametrize("text", ["no json", '{"kind": "else"}', "[]"])
def test_a_file_that_is_no_summary_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(RunError, match=r"x\.json: not a summary of results"):
        read_summary(tmp_path / "x.json")


def test_a_summary_cut_off_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"kind": "likewise summary", "version": 1}')
    with pytest.raises(RunError, match=r"x\.json: not a summary of results: .*cells"):
        read_summary(path)


def test_a_summary_of_another_version_is_refused_with_both(tmp_path):
    head = {"kind": "likewise summary", "version": 7, "cells": {}}
    (tmp_path / "x.json").write_bytes(msgspec.json.encode(head))
    with pytest.raises(RunError, match="of version 7, but this likewise reads 1"):
        read_summary(tmp_path / "x.json")


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


def test_a_summary_is_one_line_and_in_notebooks_a_table_of_means():
    found = [result("naive", 0.5), result("naive", 0.25, draw=1), failed("bm25")]
    shown = summarise(found)
    assert repr(shown) == "<Summary: methods: 1, topics: 1, failures: 1>"
    assert (
        '<td>naive</td><td class="number">2</td><td class="number">37.5</td>' in shown._repr_html_()
    )
