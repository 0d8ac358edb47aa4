"""Results, each a file of its own."""

import json

import pytest

from bench.made import made_task
from likewise.bench.runs.results import (
    MethodOutcome,
    RunFolder,
    RunSettings,
    make_result,
    read_results,
)
from likewise.errors import RunError, SettingsError

NAME = "L8/cats/draw-0"


def result(*, method="linear", settings=None, error="", fingerprint=None, **measures):
    task, _ = made_task()
    outcome = MethodOutcome(measures=measures, error=error, seconds=1.5, megabytes=200.0)
    settings = settings or RunSettings()
    made = make_result(task.metadata, outcome, task=NAME, method=method, settings=settings)
    return made if fingerprint is None else replaced(made, fingerprint=fingerprint)


def replaced(made, **changes):
    return type(made)(**{name: getattr(made, name) for name in made.__struct_fields__} | changes)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "runs", create=True)


def test_a_result_is_read_back(folder):
    folder.write(result(F1=0.5, AP=0.25))
    assert folder.read_all() == [result(F1=0.5, AP=0.25)]


def test_a_result_names_the_versions_it_was_made_with():
    assert {"likewise", "numpy"} <= set(result().versions)


def test_a_result_says_what_the_task_was():
    made = result()
    assert (made.topic, made.seeds, made.setting, made.fingerprint) == (
        "Cats",
        8,
        "inductive",
        "made",
    )


def test_the_same_method_with_other_settings_has_a_result_of_its_own(folder):
    for keep in ("f1", "recall=0.9"):
        folder.write(result(settings=RunSettings(keep=keep)))
    assert len(folder.read_all()) == 2


def test_a_result_that_is_made_again_takes_the_place_of_the_first(folder):
    folder.write(result(error="ValueError: no"))
    folder.write(result(F1=0.5))
    assert [made.status for made in folder.read_all()] == ["done"]


def test_what_failed_is_not_held(folder):
    folder.write(result(error="ValueError: no"))
    assert not folder.holds(NAME, "linear", settings=RunSettings(), fingerprint="made")


def test_what_is_done_is_held(folder):
    folder.write(result(F1=0.5))
    assert folder.holds(NAME, "linear", settings=RunSettings(), fingerprint="made")
    assert not folder.holds(NAME, "naive", settings=RunSettings(), fingerprint="made")
    other = RunSettings(number=1)
    assert not folder.holds(NAME, "linear", settings=other, fingerprint="made")


def test_results_of_tasks_whose_pool_counts_something_else_are_not_mixed(folder):
    task, _ = made_task()
    folder.check_pool(task.metadata)
    folder.write(result(F1=0.5))
    folder.check_pool(task.metadata)
    with pytest.raises(RunError, match="counts all parts, but that of these counts the training"):
        folder.check_pool(replaced(task.metadata, pool_of="train"))
    # A transductive task has no parts.
    folder.check_pool(replaced(task.metadata, pool_of="train", setting="transductive"))


def test_the_result_of_another_task_of_the_same_name_is_refused(folder):
    folder.write(result(F1=0.5))
    with pytest.raises(RunError, match="result of another task"):
        folder.holds(NAME, "linear", settings=RunSettings(), fingerprint="other")


def test_a_method_with_signs_in_its_spelling_makes_a_plain_file_name(folder):
    folder.write(replaced(result(), method="random + cnn(risk=nnpu)/../x"))
    [path] = (folder.path / "results").rglob("*.json")
    assert path.parent == folder.path / "results" / NAME
    assert path.name.startswith("random-cnn-risk-nnpu-x.")


def test_a_damaged_result_is_named(folder):
    folder.write(result(F1=0.5))
    [path] = (folder.path / "results").rglob("*.json")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(RunError, match=r"linear\.\w+\.json: damaged .* delete it and run again"):
        read_results(folder.path)


def test_a_result_of_another_version_is_refused(folder):
    folder.write(result(F1=0.5))
    [path] = (folder.path / "results").rglob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(RunError, match="version 99, but this likewise reads version 1"):
        read_results(folder.path)


def test_a_folder_of_other_things_is_not_written_into(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(RunError, match="nor empty; name a new folder"):
        RunFolder(tmp_path, create=True)


def test_a_folder_of_another_version_is_not_written_into(tmp_path):
    (tmp_path / "runs.json").write_text('{"kind": "likewise runs", "version": 99}')
    with pytest.raises(RunError, match="version 99"):
        RunFolder(tmp_path, create=True)


def test_a_folder_without_results_says_how_to_make_some(tmp_path, folder):
    with pytest.raises(RunError, match="no results in it; make some with: likewise bench run"):
        read_results(folder.path)
    with pytest.raises(RunError, match="not a folder of results"):
        read_results(tmp_path / "nothing")


@pytest.mark.parametrize("wrong", [{"keep": "everything"}, {"number": -1}, {"draws": 0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(SettingsError):
        RunSettings(**wrong)
