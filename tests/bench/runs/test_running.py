"""Methods on tasks, in several processes."""

import json
import multiprocessing
import os
import shutil
import signal

import numpy as np
import pytest

from bench.topical import made
from likewise.bench.runs import crew, run_methods
from likewise.bench.runs.results import RunSettings, read_results
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import MissingExtraError, RunError, SettingsError, TaskError
from likewise.learn import methods
from likewise.learn.folds import Scores
from likewise.learn.material import Scored
from likewise.learn.methods import MethodInfo
from plugging import plug_in

__all__ = ["plug_in"]

QUICK = ["bm25", "all"]


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    """Let processes be copies of this one, which start at once and know what it knows."""
    monkeypatch.setattr(crew, "PROCESSES", multiprocessing.get_context("fork"))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """Four tasks: two draws with 6 and 10 seeds."""
    return made(tmp_path_factory.mktemp("tasks") / "tasks", seeds=(6, 10), draws=2)


def measured(path):
    """What must be the same whenever it is run."""
    return {(r.task, r.method): (r.status, r.error, r.measures) for r in read_results(path)}


def test_every_method_has_a_result_on_every_task(tasks, tmp_path):
    report = run_methods(tasks, QUICK, out=tmp_path / "runs")
    assert (report.made, report.kept, report.failed) == (8, 0, ())
    names = TaskFolder(tasks).list_names()
    assert set(measured(tmp_path / "runs")) == {(name, m) for name in names for m in QUICK}


def test_the_same_number_gives_the_same_numbers_in_one_process_or_two(tasks, tmp_path):
    chosen = ["linear", "copkmeans", "upper-bound", "random+naive", "all"]
    run_methods(tasks, chosen, out=tmp_path / "one", workers=1)
    run_methods(tasks, chosen[::-1], out=tmp_path / "two", workers=2)
    assert measured(tmp_path / "one") == measured(tmp_path / "two")


def test_a_result_does_not_depend_on_how_its_method_is_spelled(tasks, tmp_path):
    chosen = "copkmeans(restarts=3)", "rm3(original=0.2, terms=50)"
    other = "copkmeans( restarts=3)", "rm3(terms=50,original=2e-1)"
    for out, methods_spelled in (("one", chosen), ("two", other)):
        run_methods(tasks, methods_spelled, out=tmp_path / out, settings=RunSettings(draws=1))
    assert measured(tmp_path / "one") == measured(tmp_path / "two")
    files = [
        {path.relative_to(tmp_path / out) for path in (tmp_path / out).glob("results/**/*.json")}
        for out in ("one", "two")
    ]
    assert files[0] == files[1]


def test_defaults_written_out_are_the_same_method(tasks, tmp_path):
    run_methods(tasks, ["naive(strength=1)"], out=tmp_path / "runs", settings=RunSettings(draws=1))
    again = ["naive", "naive(strength=1.0)"]
    report = run_methods(tasks, again, out=tmp_path / "runs", settings=RunSettings(draws=1))
    assert (report.made, report.kept) == (0, 2)


def test_methods_that_differ_in_one_setting_share_their_random_numbers(
    tasks, tmp_path, monkeypatch
):
    def drawn(name):
        return MethodInfo(name=name, description="", scorer=f"{__name__}:score_drawn")

    for name in ("one", "two"):
        monkeypatch.setitem(methods.METHODS, name, drawn(name))
    run_methods(tasks, ["one", "two"], out=tmp_path / "runs", workers=1)
    found = measured(tmp_path / "runs")
    assert all(found[task, "one"] == found[task, "two"] for task in TaskFolder(tasks).list_names())


def score_drawn(material, *, rng, on_step=None):
    """Score by nothing but random numbers."""
    rows = rng.random(len(material.documents))
    return Scored(Scores(rows[: material.seeds], rows[material.seeds :]), None)


def test_processes_that_begin_anew_do_the_same_as_copies(tasks, tmp_path, monkeypatch):
    run_methods(tasks, QUICK, out=tmp_path / "copies")
    monkeypatch.setattr(crew, "PROCESSES", multiprocessing.get_context("spawn"))
    run_methods(tasks, QUICK, out=tmp_path / "anew")
    assert measured(tmp_path / "copies") == measured(tmp_path / "anew")


def test_what_is_there_is_not_made_again(tasks, tmp_path):
    run_methods(tasks, ["bm25"], out=tmp_path / "runs", settings=RunSettings(draws=1))
    report = run_methods(tasks, QUICK, out=tmp_path / "runs")
    assert (report.made, report.kept) == (6, 2)


def test_only_the_first_draws_are_run_if_they_are_asked_for(tasks, tmp_path):
    run_methods(tasks, ["all"], out=tmp_path / "runs", settings=RunSettings(draws=1))
    assert {result.draw for result in read_results(tmp_path / "runs")} == {0}


def test_more_draws_than_were_made_are_refused(tasks, tmp_path):
    with pytest.raises(TaskError, match="has tasks of 2 draws, but 5 are asked for"):
        run_methods(tasks, ["all"], out=tmp_path / "runs", settings=RunSettings(draws=5))
    assert not (tmp_path / "runs").exists()


def test_a_method_that_nobody_knows_is_refused_before_anything_is_run(tasks, tmp_path):
    with pytest.raises(SettingsError, match="no method 'guess'"):
        run_methods(tasks, ["bm25", "guess"], out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_missing_extra_is_said_before_anything_is_run(tasks, tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.learn.methods.find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"likewise\[neural\]"):
        run_methods(tasks, ["nnpu-cnn"], out=tmp_path / "runs")


def test_progress_tells_what_is_done_of_how_many(tasks, tmp_path):
    told = []
    run_methods(tasks, ["all"], out=tmp_path / "runs", on_progress=told.append)
    assert (told[-1].done, told[-1].total, told[-1].failed) == (4, 4, 0)
    assert any(at.note.startswith("all on L6/") for at in told)


def test_each_result_has_its_time_memory_and_settings(tasks, tmp_path):
    run_methods(tasks, ["bm25"], out=tmp_path / "runs", settings=RunSettings(keep="top=9", draws=1))
    for result in read_results(tmp_path / "runs"):
        assert result.seconds > 0
        assert result.megabytes > 10
        assert result.settings == {"keep": "top=9", "encoder": "", "number": 0}


def test_what_decides_is_told_of_each_method():
    settings = RunSettings()
    assert settings.choose_for("linear")["keep"] == "f1"
    assert settings.choose_for("jacovi2021")["keep"] == "zero"
    assert settings.choose_for("random + jacovi2021")["keep"] == "zero"
    assert settings.choose_for("copkmeans")["keep"] == "zero"
    assert settings.choose_for("jacovi2021(center=mean)")["keep"] == "f1"
    assert RunSettings(keep="ber").choose_for("jacovi2021")["keep"] == "ber"


def test_zero_is_refused_for_methods_that_have_none_before_anything_is_run(tasks, tmp_path):
    with pytest.raises(SettingsError, match=r"--keep zero: score 0 means nothing to .* 'linear'"):
        run_methods(tasks, ["linear"], out=tmp_path / "runs", settings=RunSettings(keep="zero"))
    assert not (tmp_path / "runs").exists()


# Methods that go wrong, as plug-ins of others may


def failing(material, *, rng, on_step=None):
    raise ValueError("no idea\nat all")


def lost(material, *, rng, on_step=None):
    return Scored(Scores(np.ones(material.seeds), np.full(len(material.documents), np.nan)), None)


def dying(material, *, rng, on_step=None):
    os._exit(9)


def killed(material, *, rng, on_step=None):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def wrong_methods(monkeypatch):
    """Methods more."""
    for function in (failing, lost, dying, killed):
        name = function.__name__
        info = MethodInfo(name=name, description=name, scorer=f"{__name__}:{name}")
        monkeypatch.setitem(methods.METHODS, name, info)


def test_a_method_that_fails_is_recorded_and_the_others_go_on(tasks, tmp_path, wrong_methods):
    report = run_methods(tasks, ["failing", "bm25"], out=tmp_path / "runs")
    assert report.made == 8
    assert len(report.failed) == 4
    found = measured(tmp_path / "runs")
    name = TaskFolder(tasks).list_names()[0]
    assert found[name, "failing"] == ("failed", "ValueError: no idea at all", {})
    assert found[name, "bm25"][0] == "done"


def test_scores_that_are_no_numbers_are_a_failure_too(tasks, tmp_path, wrong_methods):
    report = run_methods(tasks, ["lost", "bm25"], out=tmp_path / "runs")
    assert report.made == 8
    assert {line.split()[0] for line in report.failed} == {"lost"}


class NoNumbers:
    """An estimator of another package that loses its numbers."""

    def fit(self, rows, labels):
        return self

    def decision_function(self, rows):
        return np.full(rows.shape[0], np.nan)

    def predict(self, rows):
        return np.ones(rows.shape[0])


NO_NUMBERS = MethodInfo(
    name="no-numbers", description="No numbers", estimator=f"{__name__}:NoNumbers"
)


def test_a_plug_in_that_returns_nan_is_one_line_and_the_others_results_are_kept(
    tasks, tmp_path, plug_in
):
    plug_in("likewise.methods", "no-numbers", f"{__name__}:NO_NUMBERS")
    chosen = ["bm25", "no-numbers", "all"]
    report = run_methods(tasks, chosen, out=tmp_path / "runs", settings=RunSettings(draws=1))
    found = measured(tmp_path / "runs")
    assert {method for (_, method), (status, *_) in found.items() if status == "done"} == {*QUICK}
    said = f"PlugInError: the method 'no-numbers' of {__name__}:NoNumbers gives "
    why = "numbers that are not finite in decision_function; the package that offers it has to"
    assert [said in line and why in line for line in report.failed] == [True, True]


def test_what_failed_is_tried_again(tasks, tmp_path, wrong_methods):
    run_methods(tasks, ["failing"], out=tmp_path / "runs")
    assert run_methods(tasks, ["failing"], out=tmp_path / "runs").made == 4


def test_a_process_that_dies_costs_only_the_method_it_was_at(tasks, tmp_path, wrong_methods):
    report = run_methods(tasks, ["bm25", "dying", "all"], out=tmp_path / "runs", workers=2)
    assert report.made == 12
    found = measured(tmp_path / "runs")
    assert {status for (_, method), (status, _, _) in found.items() if method != "dying"} == {
        "done"
    }
    errors = {error for (_, method), (_, error, _) in found.items() if method == "dying"}
    assert errors == {"its process ended with code 9"}


def test_a_process_that_the_system_killed_is_said_to_want_memory(tasks, tmp_path, wrong_methods):
    run_methods(tasks, ["killed"], out=tmp_path / "runs")
    errors = {error for _, error, _ in measured(tmp_path / "runs").values()}
    assert errors == {"its process ended with code -9, as it does when memory runs out"}


def test_a_task_that_cannot_be_read_is_recorded_with_what_is_wrong_with_it(tasks, tmp_path, capfd):
    folder = shutil.copytree(tasks, tmp_path / "tasks")
    first, *others = TaskFolder(folder).list_names()
    (folder / first / "input.jsonl.gz").write_bytes(b"no gzip")
    run_methods(folder, QUICK, out=tmp_path / "runs")
    found = measured(tmp_path / "runs")
    for method in QUICK:
        status, error, measures = found[first, method]
        assert (status, measures) == ("failed", {})
        assert "input.jsonl.gz: a damaged file" in error
        assert {found[name, method][0] for name in others} == {"done"}
    assert capfd.readouterr().err == ""


def test_processes_that_cannot_even_begin_are_no_endless_loop(tasks, tmp_path, monkeypatch):
    monkeypatch.setattr(crew, "work", dying_worker)
    report = run_methods(tasks, QUICK, out=tmp_path / "runs")
    assert len(report.failed) == report.made == 8


def dying_worker(line, trade):
    os._exit(3)


def test_a_broken_off_run_leaves_whole_results_and_is_finished_by_the_next(
    tasks, tmp_path, monkeypatch
):
    def stop(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_methods(tasks, QUICK, out=tmp_path / "runs", workers=1, on_progress=stop)
    begun = len(read_results(tmp_path / "runs"))
    assert begun >= 3
    report = run_methods(tasks, QUICK, out=tmp_path / "runs")
    assert (report.made, report.kept) == (8 - begun, begun)
    assert multiprocessing.active_children() == []


def test_a_half_written_result_is_named_and_nothing_else_is_lost(tasks, tmp_path):
    run_methods(tasks, QUICK, out=tmp_path / "runs")
    victim = next((tmp_path / "runs" / "results").rglob("bm25*.json"))
    victim.write_text(victim.read_text()[:40])
    with pytest.raises(RunError, match=r"bm25.*damaged or half written; delete it and run again"):
        run_methods(tasks, QUICK, out=tmp_path / "runs")
    victim.unlink()
    assert run_methods(tasks, QUICK, out=tmp_path / "runs").made == 1


def test_results_are_json_that_others_can_read(tasks, tmp_path):
    run_methods(tasks, ["bm25"], out=tmp_path / "runs", settings=RunSettings(draws=1))
    path = next((tmp_path / "runs" / "results").rglob("*.json"))
    assert json.loads(path.read_text())["measures"]["AP"] > 0
