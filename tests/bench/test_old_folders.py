"""Folders of tasks, results and replays that earlier versions made still open."""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from bench.screening.screened import bees
from likewise.bench.runs import crew, run_methods
from likewise.bench.screening import screen_reviews
from likewise.bench.screening.results import ScreenSettings
from likewise.bench.tasks.folders import TaskFolder

OLD = Path(__file__).parents[1] / "data" / "old" / "bench"
TASK = "L6/D000004/draw-0"
METHODS = ["bm25", "random + naive(strength=2)"]


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    """Let processes be copies of this one, which start at once."""
    monkeypatch.setattr(crew, "PROCESSES", multiprocessing.get_context("fork"))


@pytest.fixture
def old(tmp_path):
    return shutil.copytree(OLD, tmp_path / "old")


def test_tasks_are_read_with_their_truth(old):
    folder = TaskFolder(old / "tasks")
    assert folder.list_names() == [TASK]
    assert len(folder.read_task(TASK).list_entries("positive")) == 12
    assert len(folder.read_truth(TASK).relevant) == folder.read_metadata(TASK).P_size


def test_results_are_kept_and_others_added(old):
    report = run_methods(old / "tasks", [*METHODS, "all"], out=old / "runs", workers=1)
    assert (report.kept, report.made, report.failed) == (2, 1, ())


def test_replays_are_kept_and_others_added(old):
    settings = ScreenSettings(until=0.5, batch=40)
    report = screen_reviews(
        [bees()], ["bm25"], out=old / "screen", draws=2, settings=settings, workers=1
    )
    assert (report.made, len(report.results), report.failed) == (1, 2, ())
