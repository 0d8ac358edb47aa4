from dataclasses import replace

import pytest

from bench.figures.charts import rows_with
from bench.made import made_task
from bench.made_results import on_topics, write_results
from likewise.bench.exchange.dse import write_dse
from likewise.bench.figures.catalogue import draw_figures
from likewise.bench.runs.summary import summarise, write_summary
from likewise.bench.tasks.folders import FolderHead, write_head, write_task
from likewise.bench.tasks.task import describe_task
from likewise.errors import RunError, SettingsError, TaskError

pytest.importorskip("altair")

RESULTS = [*on_topics("linear", 0.4, 0.5), *on_topics("naive", 0.2, 0.3)]


@pytest.fixture
def tasks(tmp_path):
    """A folder of two tasks, with 8 and with 6 seeds."""
    names = []
    for seeds in (8, 6):
        task, truth = made_task(seeds=seeds)
        told = describe_task(task.metadata, task.entries, truth)
        write_task(tmp_path, replace(task, metadata=told), truth)
        names.append(task.name)
    write_head(tmp_path, FolderHead(tasks=tuple(names)))
    return tmp_path


def test_figures_of_a_summary_and_of_its_results_are_the_same(tmp_path):
    write_summary(summarise(RESULTS), tmp_path / "summary.json")
    of_runs = draw_figures(write_results(tmp_path / "runs", RESULTS))
    of_summary = draw_figures(tmp_path / "summary.json")
    assert [one.caption for one in of_runs.figures] == [one.caption for one in of_summary.figures]
    assert [one.chart.to_dict() for one in of_runs.figures] == [
        one.chart.to_dict() for one in of_summary.figures
    ]


def test_of_a_folder_of_tasks_the_first_is_drawn(tasks):
    (figure,) = draw_figures(tasks).figures
    assert "Cats with 8 seeds" in figure.caption


def test_of_a_folder_of_tasks_another_can_be_named(tasks):
    (figure,) = draw_figures(tasks, task="L6/cats/draw-0").figures
    assert "Cats with 6 seeds" in figure.caption


def test_a_task_that_is_not_there_is_told(tasks):
    with pytest.raises(TaskError, match="no task is called 'L9/cats/draw-0'"):
        draw_figures(tasks, task="L9/cats/draw-0")


def test_a_task_of_results_is_no_choice(tmp_path):
    with pytest.raises(RunError, match="these are results, of which --task L6 chooses nothing"):
        draw_figures(write_results(tmp_path, RESULTS), task="L6")


def test_an_unknown_figure_is_told_before_anything_is_read(tmp_path):
    with pytest.raises(SettingsError, match="no figure 'x'"):
        draw_figures(tmp_path / "nowhere", only=["x"])


@pytest.mark.parametrize("path", ["", "nowhere"])
def test_a_path_with_nothing_to_draw_is_told(path, tmp_path):
    with pytest.raises(RunError, match="neither results, nor a summary of them, nor tasks"):
        draw_figures(tmp_path / path)


def test_what_lies_deep_below_a_folder_is_not_drawn(tmp_path):
    task, truth = made_task(setting="transductive")
    write_dse(task, truth, tmp_path / "somewhere" / "else" / "L8" / "cats")
    with pytest.raises(RunError, match="neither results"):
        draw_figures(tmp_path)


def test_metadata_without_documents_is_told(tmp_path):
    (tmp_path / "metadata.json").write_text("{}")
    with pytest.raises(RunError, match="metadata of tasks, but no task"):
        draw_figures(tmp_path)


def test_a_task_of_the_authors_that_is_not_there_is_told(shared_data):
    with pytest.raises(RunError, match="no task 'L9'"):
        draw_figures(shared_data / "dse-sample", task="L9")


def test_the_authors_task_is_drawn_and_its_missing_file_told(shared_data):
    found = draw_figures(shared_data / "dse-sample")
    (figure,) = found.figures
    # valid: 49 on topic and 1,483 off; test: 50 and 1,485.
    assert figure.caption == (
        "BM25 scores of the pool for Animals + Brain + Rats with 25 seeds: 99 documents on topic, "
        "2,968 off topic (precision 3.2 %)."
    )
    assert sum(row["documents"] for row in rows_with(figure.chart, "documents")) == 3067
    (line,) = found.left_out
    assert "train.jsonl.gz is missing" in line
