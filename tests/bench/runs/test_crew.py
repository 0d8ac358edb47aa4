"""Processes that run methods: what they tell, and how much memory they hold."""

import multiprocessing
import time

import numpy as np
import pytest

from likewise.bench.runs import crew
from likewise.bench.runs.crew import measure_peak_megabytes, reset_peak


def test_the_peak_is_remembered_after_it_is_over():
    reset_peak()
    before = measure_peak_megabytes()
    held = np.ones(20_000_000)
    del held
    assert measure_peak_megabytes() >= before + 100


def test_the_peak_can_begin_anew():
    held = np.ones(20_000_000)
    high = measure_peak_megabytes()
    del held
    reset_peak()
    assert measure_peak_megabytes() <= high


def test_a_worker_whose_run_was_killed_records_no_failure():
    ours, theirs = multiprocessing.Pipe()
    tell = crew._make_teller(theirs, "linear on L6")
    ours.close()
    time.sleep(crew.SECONDS_BETWEEN_NOTES)
    with pytest.raises(SystemExit):
        tell(1, 2)
