"""Broken and slow files: every reader ends in time, in what it read or in one line of ours."""

import random

import pytest
from benchmarks.attacks.files import (
    BrokenFile,
    attack_with_slow_files,
    break_files,
    read_broken,
)
from benchmarks.attacks.samples import SLOW, make_samples

from likewise.documents.formats import BUILT_IN

# What these are slow at is not in their own modules.
OTHERS = {"ris", "nbib", "enw", "ids"}


def test_broken_files_end_in_one_line_of_ours(tmp_path):
    broken = break_files(400, rng=random.Random(21))
    outcomes = [(file, read_broken(file, tmp_path)) for file in broken]
    failures = [(file.kind, outcome.failure) for file, outcome in outcomes if outcome.failure]
    assert failures == []


@pytest.mark.parametrize("trouble", [KeyError("x"), ValueError("a\nb"), UnicodeError()])
def test_an_error_that_a_reader_should_have_known_is_a_failure(tmp_path, monkeypatch, trouble):
    def choke(source):
        raise trouble

    monkeypatch.setattr("likewise.documents.formats.csv.read", choke)
    failure = read_broken(BrokenFile("csv", "csv", b"title\nOn cats\n"), tmp_path).failure
    assert type(trouble).__name__ in failure


def test_a_try_that_takes_too_long_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.attacks.files.LONGEST", -1)
    outcome = read_broken(BrokenFile("csv", "csv", b"title\nOn cats\n"), tmp_path)
    assert outcome.failure.endswith(" s")


def test_every_format_is_broken():
    assert {known.name for known in BUILT_IN} <= set(make_samples())


@pytest.mark.parametrize("name", sorted(set(SLOW) - OTHERS))
def test_time_grows_with_the_file_and_no_faster(name):
    (row,) = attack_with_slow_files(2000, names=(name,))
    assert row.failures == 0, row.first_failure
