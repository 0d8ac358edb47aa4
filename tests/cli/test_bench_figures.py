import json

import pytest

from bench.made_results import on_topics, write_results
from likewise.bench.figures.catalogue import NAMES
from likewise.bench.figures.drawing import FORMATS
from likewise.bench.runs.summary import summarise, write_summary
from likewise.cli import run
from likewise.cli.bench import figures

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

RESULTS = [*on_topics("linear", 0.4, 0.5), *on_topics("naive", 0.2, 0.3)]


@pytest.fixture
def runs(tmp_path):
    return write_results(tmp_path / "runs", RESULTS)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_help_page_names_every_figure_and_format():
    assert figures.NAMES == NAMES
    assert tuple(FORMATS) == figures.FORMATS


def test_figures_come_beside_the_results_in_all_formats(runs, capsys):
    assert run(["bench", "figures", str(runs), "--only", "topics"]) == 0
    assert files(runs / "figures") == ["topics.html", "topics.png", "topics.svg"]
    printed = capsys.readouterr()
    assert printed.out.startswith("topics\tF1 of the methods on each topic")
    assert printed.err.endswith("figures: 3 files written\n")


def test_several_names_and_formats_are_chosen(runs, tmp_path):
    chosen = ["--only", "methods", "topics", "--format", "svg", "--out", str(tmp_path / "new")]
    assert run(["bench", "figures", str(runs), *chosen]) == 0
    assert files(tmp_path / "new") == ["methods.svg", "topics.svg"]


def test_what_can_not_be_drawn_is_said_in_a_line_each(runs, capsys):
    assert run(["bench", "figures", str(runs), "--format", "svg"]) == 0
    lines = capsys.readouterr().err.splitlines()
    told = [line.split()[0] for line in lines[:-1]]
    assert told == ["learning-curve", "calibration", "cost", "pretrained"]


def test_figures_of_a_summary_come_beside_it(tmp_path):
    write_summary(summarise(RESULTS), tmp_path / "all.json")
    assert run(["bench", "figures", str(tmp_path / "all.json"), "--format", "svg"]) == 0
    assert files(tmp_path / "figures") == ["methods.svg", "topics.svg"]


def test_programs_get_words_and_files(runs, capsys):
    command = ["bench", "figures", str(runs), "--format", "svg", "--json"]
    assert run([*command, "--only", "topics", "scores"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["left_out"] == ["scores is drawn of tasks, which these are not"]
    (figure,) = told["figures"]
    assert figure["name"] == "topics"
    assert figure["files"] == [str(runs / "figures" / "topics.svg")]
    assert {"title", "caption", "alternative"} <= set(figure)


def test_nothing_to_draw_is_one_line_and_leaves_nothing(runs, capsys):
    assert run(["bench", "figures", str(runs), "--only", "cost"]) != 0
    assert capsys.readouterr().err.startswith("likewise: nothing can be drawn: cost needs")
    assert not (runs / "figures").exists()


def test_an_unknown_figure_is_told_with_those_there_are(runs, capsys):
    assert run(["bench", "figures", str(runs), "--only", "curve"]) != 0
    assert "learning-curve" in capsys.readouterr().err


def test_the_authors_task_is_drawn_twice_the_same(shared_data, tmp_path):
    command = ["bench", "figures", str(shared_data / "dse-sample"), "--format", "svg", "--out"]
    for name in ("first", "second"):
        assert run([*command, str(tmp_path / name)]) == 0
    first, second = ((tmp_path / name / "scores.svg").read_bytes() for name in ("first", "second"))
    assert first == second
