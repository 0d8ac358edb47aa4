import re
from dataclasses import replace

import pytest
from lxml import etree

from bench.figures.charts import point, rows_with
from bench.made import made_task
from bench.made_results import failed, on_topics, result, write_results
from likewise.bench.figures import (
    FORMATS,
    NAMES,
    OF_RESULTS,
    draw_figures,
    draw_results,
    draw_task,
    write_figures,
)
from likewise.bench.figures.topics import draw_topics
from likewise.bench.runs.summary import summarise, write_summary
from likewise.bench.tasks import describe_task
from likewise.bench.tasks.dse import write_dse
from likewise.bench.tasks.folders import FolderHead, write_head, write_task
from likewise.errors import RunError, SettingsError, TaskError, WriteError

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


def test_nothing_that_can_be_drawn_is_an_error():
    with pytest.raises(RunError, match="nothing can be drawn: learning-curve needs"):
        drawn(*BOTH, only=["learning-curve"])


def test_scores_are_not_drawn_of_results():
    assert drawn(*BOTH, only=["scores", "cost"]).left_out == [
        "scores is drawn from tasks; give a folder of these"
    ]


def test_methods_are_not_drawn_of_a_task():
    task, truth = made_task()
    with pytest.raises(RunError, match="methods is drawn from results; give a folder of these"):
        draw_task(task.metadata, task.entries, truth, only=["methods"])


def test_results_that_all_failed_are_an_error():
    with pytest.raises(RunError, match="every method failed"):
        drawn(failed("linear"), failed("naive"))


def test_tasks_of_other_sorts_are_left_out_and_told():
    found = drawn(*BOTH, result("linear", 0.9, setting="transductive", mark="t"))
    assert found.left_out[-1] == (
        "only one kind of task is drawn (inductive, case-control), not: transductive, case-control"
    )


def test_a_method_that_has_few_of_the_topics_is_told():
    many = [one for topic in "xyz" for one in (result("linear", 0.4, topic=topic),)]
    found = drawn(*many, result("cnn", 0.5, topic="x"))
    assert found.left_out[-1] == (
        "cnn with 20 seeds is left out of means: it has fewer than half of the topics"
    )


def test_the_same_results_give_the_same_charts():
    first, second = drawn(*BOTH), drawn(*BOTH[::-1])
    assert [one.chart.to_dict() for one in first.figures] == [
        one.chart.to_dict() for one in second.figures
    ]


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
    with pytest.raises(RunError, match="these are results, and --task L6 is for folders of tasks"):
        draw_figures(write_results(tmp_path, RESULTS), task="L6")


def test_an_unknown_figure_is_told_before_anything_is_read(tmp_path):
    with pytest.raises(SettingsError, match=f"no figure 'x'; choose one of: {', '.join(NAMES)}"):
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


pytest.importorskip("altair")
pytest.importorskip("vl_convert")

NASTY = 'Rats </script><script>alert("1")</script> & <b>Mice</b>'
FIGURE = draw_topics([point("linear", 0.4, topic=NASTY), point("linear", 0.5, topic="Brain")])
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawing():
    return etree.fromstring(FORMATS["svg"](FIGURE))


@pytest.fixture(scope="module")
def page():
    return FORMATS["html"](FIGURE).decode()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_figure_gives_the_same_bytes(name):
    again = draw_topics([point("linear", 0.4, topic=NASTY), point("linear", 0.5, topic="Brain")])
    assert FORMATS[name](FIGURE) == FORMATS[name](again)


def test_names_of_topics_stay_text_in_svg(drawing):
    assert NASTY in [text.text for text in drawing.iter(f"{SVG}text")]
    assert not list(drawing.iter(f"{SVG}script", f"{SVG}b"))


def test_svg_tells_its_title_and_what_is_seen(drawing):
    assert drawing.get("role") == "img"
    assert drawing.find(f"{SVG}title").text == FIGURE.title
    assert drawing.find(f"{SVG}desc").text == f"{FIGURE.caption} {FIGURE.alternative}"


def test_svg_asks_for_fonts_that_machines_have(drawing):
    families = {text.get("font-family") for text in drawing.iter(f"{SVG}text")}
    assert all(family.endswith("sans-serif") for family in families)


def test_png_is_twice_the_size_of_the_drawing(drawing):
    png = FORMATS["png"](FIGURE)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
    assert width == pytest.approx(2 * float(drawing.get("width")), abs=2)
    assert height == pytest.approx(2 * float(drawing.get("height")), abs=2)


def test_names_of_topics_end_no_script_of_a_page(page):
    assert page.count("</script>") == 2
    assert "<b>Mice" not in page


def test_a_page_loads_nothing_from_elsewhere(page):
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "http" not in markup
    assert not re.search(r"<(script|img|link)[^>]*(src|href)=", markup + page[:2000])


def test_a_page_has_the_caption(page):
    assert "<figcaption>F1 of the methods on each topic" in page


def test_a_file_is_written_for_each_format(tmp_path):
    (written,) = write_figures([FIGURE], tmp_path / "new" / "folder", formats=["svg", "png"])
    assert [path.name for path in written] == ["topics.svg", "topics.png"]
    assert sorted(path.name for path in written[0].parent.iterdir()) == ["topics.png", "topics.svg"]


def test_a_folder_that_can_not_be_made_is_told(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(WriteError, match="taken: can't be made"):
        write_figures([FIGURE], tmp_path / "taken", formats=["svg"])
