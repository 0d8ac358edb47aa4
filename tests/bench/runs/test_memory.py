"""How much memory was held at most."""

import numpy as np

from likewise.bench.runs.crew import peak_megabytes, reset_peak


def test_the_peak_is_remembered_after_it_is_over():
    reset_peak()
    before = peak_megabytes()
    held = np.ones(20_000_000)
    del held
    assert peak_megabytes() >= before + 100


def test_the_peak_can_begin_anew():
    held = np.ones(20_000_000)
    high = peak_megabytes()
    del held
    reset_peak()
    assert peak_megabytes() <= high
