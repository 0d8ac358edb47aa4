"""Replays in processes, and what is kept of them."""

import multiprocessing
import os
from dataclasses import replace

import pytest

from bench.screening.screened import bees
from likewise.bench import screening
from likewise.bench.runs import crew
from likewise.bench.screening import screen_reviews
from likewise.bench.screening.replaying import replay_review
from likewise.bench.screening.results import ScreenSettings
from likewise.errors import SettingsError

QUICK = ScreenSettings(until=0.5, batch=40)


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    """Let processes be copies of this one, which start at once and know what it knows."""
    monkeypatch.setattr(crew, "PROCESSES", multiprocessing.get_context("fork"))


def screened(tmp_path, methods=("bm25",), *, settings=QUICK, draws=2, workers=1, **chosen):
    out = tmp_path / "screen"
    return screen_reviews(
        [bees()], methods, out=out, draws=draws, settings=settings, workers=workers, **chosen
    )


def told(results):
    """What must be the same whenever it is replayed."""
    return [(one.review, one.draw, one.method, one.found_at, one.rounds) for one in results]


def test_every_method_has_a_result_of_every_draw(tmp_path):
    report = screened(tmp_path, ("bm25", "naive"))
    drawn = [(one.draw, one.method) for one in report.results]
    assert drawn == [(1, "bm25"), (1, "naive"), (2, "bm25"), (2, "naive")]
    assert (report.made, report.failed) == (4, ())


def test_results_count_the_records_that_are_left_after_the_seeds(tmp_path):
    (one,) = screened(tmp_path, draws=1).results
    assert (one.seeds, one.records, one.on_topic) == (10, 310, 35)
    assert 18 <= len(one.found_at) <= one.looked_at


def test_what_is_there_is_not_made_again(tmp_path):
    before = screened(tmp_path, draws=1).results
    report = screened(tmp_path)
    assert report.made == 1
    assert report.results[0] == before[0]


def test_two_processes_make_the_same_as_one(tmp_path):
    one = screened(tmp_path / "one", ("naive",))
    two = screened(tmp_path / "two", ("naive",), workers=2)
    assert told(one.results) == told(two.results)


def test_progress_is_told_as_results_come_in(tmp_path):
    heard = []
    screened(tmp_path, on_progress=heard.append)
    assert [at.done for at in heard] == sorted(at.done for at in heard)
    assert (heard[-1].done, heard[-1].total, heard[-1].failed) == (2, 2, 0)
    assert heard[0].note == "bm25, bees, draw 1"


def test_what_fails_is_told_and_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(screening, "replay_review", _broken)
    report = screened(tmp_path, draws=1)
    assert report.failed == ("bm25, bees, draw 1: ValueError: no such luck",)
    monkeypatch.setattr(screening, "replay_review", replay_review)
    assert screened(tmp_path, draws=1).made == 1


def test_a_process_that_dies_costs_only_the_replay_it_was_making(tmp_path, monkeypatch):
    monkeypatch.setattr(screening, "replay_review", _die_of_naive)
    report = screened(tmp_path, ("naive", "bm25"), draws=1)
    assert report.failed == ("naive, bees, draw 1: its process ended with code 9",)
    assert [one.method for one in report.results] == ["bm25"]


def test_a_replay_reads_everything_unless_it_is_told_when_to_end(tmp_path):
    (one,) = screened(tmp_path, draws=1, settings=ScreenSettings(batch=100)).results
    assert (one.looked_at, len(one.found_at)) == (310, 35)
    assert [at.looked_at for at in one.rounds] == [0, 100, 200, 300]


def test_a_result_knows_of_what_kind_its_review_is(tmp_path):
    insects = replace(bees(), kind="insects")
    done = screen_reviews(
        [insects], ["bm25"], out=tmp_path / "s", draws=1, settings=QUICK, workers=1
    )
    assert [one.kind for one in done.results] == ["insects"]


def test_an_unknown_method_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(SettingsError, match="magic"):
        screened(tmp_path, ("magic",))


def _die_of_naive(*words, method, **chosen):
    if str(method) == "naive":
        os._exit(9)
    return replay_review(*words, method=method, **chosen)


def _broken(*_, **__):
    raise ValueError("no such\nluck")
