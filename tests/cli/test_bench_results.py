import json

import pytest

from bench.made_results import TOPICS, failed, on_topics, result, write_results
from likewise.bench.figures import FORMATS, NAMES
from likewise.bench.runs.summary import summarise, write_summary
from likewise.cli import run
from likewise.cli.bench import results


@pytest.fixture
def runs(tmp_path):
    measures = {"AP": 0.25, "accuracy": 0.5}
    found = [*on_topics("linear", 0.4, 0.6, measures=measures), *on_topics("naive", 0.1, 0.1)]
    return write_results(tmp_path / "runs", [*found, failed("all")])


def table(*arguments):
    return run(["bench", "table", *map(str, arguments)])


def test_methods_are_printed_as_markdown(runs, capsys):
    assert table(runs) == 0
    printed = capsys.readouterr().out
    assert "| linear |      2 | **50.0 [40.0, 60.0]** |" in printed
    assert "1 result is missing because the method failed: all (1)." in printed


def test_a_table_has_the_shape_that_is_asked_for(runs, capsys):
    table(runs, "--like", "table1", "--methods", "linear")
    printed = capsys.readouterr().out
    assert f"|     20 | {TOPICS[0]}     |   40.0 |" in printed
    assert "Table 1 of Jacovi et al. (2021)" in printed


def test_measures_can_be_chosen(runs, capsys):
    table(runs, "--measure", "AP", "accuracy")
    assert "| method | topics |                AP |          accuracy |" in capsys.readouterr().out


def test_methods_are_compared_on_demand(runs, capsys):
    table(runs, "--against", "naive")
    assert "+40.0 [+30.0, +50.0]" in capsys.readouterr().out


def test_csv_goes_to_stdout_and_its_notes_to_stderr(runs, capsys):
    table(runs, "--like", "table1", "--format", "csv")
    printed = capsys.readouterr()
    assert printed.out.splitlines()[:2] == [
        "|LP|,topic,linear,naive",
        f"20,{TOPICS[0]},0.4,0.1",
    ]
    assert "1 result is missing" in printed.err


def test_latex_is_printed(runs, capsys):
    table(runs, "--format", "latex")
    assert r"\toprule" in capsys.readouterr().out


def test_json_has_all_digits(runs, capsys):
    table(runs, "--like", "table1", "--json")
    ours, _ = json.loads(capsys.readouterr().out)
    assert ours["columns"] == ["|LP|", "topic", "linear", "naive"]
    assert ours["rows"][0]["values"][2] == {"value": 0.4, "is_best": True}


def test_a_table_is_written_to_a_file(runs, tmp_path, capsys):
    table(runs, "-o", tmp_path / "table.md")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "| linear |" in (tmp_path / "table.md").read_text()


def test_a_summary_takes_the_place_of_the_runs(runs, tmp_path, capsys):
    summary = tmp_path / "fast.json"
    assert table(runs, "--summary", summary) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "a summary of 4 results, and of 1 that failed" in printed.err
    for like in ("methods", "table1"):
        table(runs, "--like", like)
        of_runs = capsys.readouterr().out
        table(summary, "--like", like)
        assert capsys.readouterr().out == of_runs


def test_a_summary_and_a_table_can_be_asked_for_at_once(runs, tmp_path, capsys):
    table(runs, "--summary", tmp_path / "fast.json", "--like", "methods")
    assert "| linear |" in capsys.readouterr().out


def test_the_same_intervals_are_printed_each_time(tmp_path, capsys):
    found = [result("linear", place / 9, topic=str(place)) for place in range(9)]
    runs = write_results(tmp_path / "runs", found)
    printed = []
    for _ in range(2):
        table(runs)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_several_runs_are_one_table(runs, tmp_path, capsys):
    others = write_results(tmp_path / "others", on_topics("rm3", 0.3, 0.3))
    table(runs, others, "--methods", "naive", "rm3")
    printed = capsys.readouterr().out
    assert "| rm3 " in printed
    assert "| naive " in printed
    assert "| linear " not in printed


def test_a_summary_can_be_of_some_methods(runs, tmp_path, capsys):
    table(runs, "--methods", "linear", "all", "--summary", tmp_path / "some.json")
    assert "a summary of 2 results, and of 1 that failed" in capsys.readouterr().err


def test_the_method_to_compare_with_is_shown_though_others_were_asked_for(runs, capsys):
    table(runs, "--methods", "linear", "--against", "naive")
    assert "| naive " in capsys.readouterr().out


def test_table_6_tells_what_tasks_hold(shared_data, capsys):
    assert table(shared_data / "dse-sample", "--like", "table6", "--format", "csv") == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("Animals + Brain + Rats,50,3065,0.03")
    assert line.endswith(",350,1")


def test_table_6_is_about_tasks(runs, capsys):
    assert table(runs, "--like", "table6") == 1
    assert "Table 6 is about tasks; give a folder of them" in capsys.readouterr().err


def test_an_unknown_measure_ends_in_one_line(runs, capsys):
    assert table(runs, "--measure", "F2") == 1
    assert capsys.readouterr().err.startswith("likewise: there is no measure 'F2'; choose one of")


def test_a_folder_without_results_ends_in_one_line(tmp_path, capsys):
    assert table(tmp_path) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_command_offers_every_table_and_format():
    from likewise.bench.tables import FORMATS, TABLES
    from likewise.cli.bench import results as module

    assert set(module.LIKE) == {*TABLES, "table6"}
    assert tuple(FORMATS) == module.TABLE_FORMATS


pytest.importorskip("altair")
pytest.importorskip("vl_convert")

RESULTS = [*on_topics("linear", 0.4, 0.5), *on_topics("naive", 0.2, 0.3)]


@pytest.fixture
def drawn_runs(tmp_path):
    return write_results(tmp_path / "runs", RESULTS)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_help_page_names_every_figure_and_format():
    assert results.NAMES == NAMES
    assert tuple(FORMATS) == results.FIGURE_FORMATS


def test_figures_come_beside_the_results_in_all_formats(drawn_runs, capsys):
    assert run(["bench", "figures", str(drawn_runs), "--only", "topics"]) == 0
    assert files(drawn_runs / "figures") == ["topics.html", "topics.png", "topics.svg"]
    printed = capsys.readouterr()
    assert printed.out.startswith("topics\tF1 of the methods on each topic")
    assert printed.err.endswith("figures: 3 files written\n")


def test_several_names_and_formats_are_chosen(drawn_runs, tmp_path):
    chosen = ["--only", "methods", "topics", "--format", "svg", "--out", str(tmp_path / "new")]
    assert run(["bench", "figures", str(drawn_runs), *chosen]) == 0
    assert files(tmp_path / "new") == ["methods.svg", "topics.svg"]


def test_what_can_not_be_drawn_is_said_in_a_line_each(drawn_runs, capsys):
    assert run(["bench", "figures", str(drawn_runs), "--format", "svg"]) == 0
    lines = capsys.readouterr().err.splitlines()
    told = [line.split()[0] for line in lines[:-1]]
    assert told == ["learning-curve", "calibration", "cost", "pretrained"]


def test_figures_of_a_summary_come_beside_it(tmp_path):
    write_summary(summarise(RESULTS), tmp_path / "all.json")
    assert run(["bench", "figures", str(tmp_path / "all.json"), "--format", "svg"]) == 0
    assert files(tmp_path / "figures") == ["methods.svg", "topics.svg"]


def test_programs_get_words_and_files(drawn_runs, capsys):
    command = ["bench", "figures", str(drawn_runs), "--format", "svg", "--json"]
    assert run([*command, "--only", "topics", "scores"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["left_out"] == ["scores is drawn from tasks; give a folder of these"]
    (figure,) = told["figures"]
    assert figure["name"] == "topics"
    assert figure["files"] == [str(drawn_runs / "figures" / "topics.svg")]
    assert {"title", "caption", "alternative"} <= set(figure)


def test_nothing_to_draw_is_one_line_and_leaves_nothing(drawn_runs, capsys):
    assert run(["bench", "figures", str(drawn_runs), "--only", "cost"]) != 0
    assert capsys.readouterr().err.startswith("likewise: nothing can be drawn: cost needs")
    assert not (drawn_runs / "figures").exists()


def test_an_unknown_figure_is_told_with_those_there_are(drawn_runs, capsys):
    assert run(["bench", "figures", str(drawn_runs), "--only", "curve"]) != 0
    assert "learning-curve" in capsys.readouterr().err


def test_the_authors_task_is_drawn_twice_the_same(shared_data, tmp_path):
    command = ["bench", "figures", str(shared_data / "dse-sample"), "--format", "svg", "--out"]
    for name in ("first", "second"):
        assert run([*command, str(tmp_path / name)]) == 0
    first, second = ((tmp_path / name / "scores.svg").read_bytes() for name in ("first", "second"))
    assert first == second
