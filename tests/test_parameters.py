"""Parameters: which values each kind takes."""

import pytest

from likewise.learn.methods import PRIOR
from likewise.learn.priors import PRIORS
from likewise.parameters import (
    COUNT,
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    SEVERAL,
    SHARE,
    one_of,
    or_one_of,
)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (POSITIVE, ["0.1", "3.0", "1e+300"]),
        (NOT_NEGATIVE, ["0.0", "3.0"]),
        (FROM_0_TO_1, ["0.0", "0.5", "1.0"]),
        (SHARE, ["0.5", "1e-09"]),
        (COUNT, ["1", "1000"]),
        (SEVERAL, ["2", "1000"]),
        (one_of("a", "b-c"), ["a", "b-c"]),
        (or_one_of(COUNT, "all"), ["7", "all"]),
        (PRIOR, ["0.5", "estimate", *PRIORS]),
    ],
)
def test_what_a_kind_takes_is_read_as_it_is_spelled(kind, texts):
    assert [str(kind.parse(text)) for text in texts] == texts


def test_whole_numbers_are_read_alike_however_they_are_spelled():
    assert repr(NOT_NEGATIVE.parse("3")) == repr(NOT_NEGATIVE.parse("3.0"))
    assert repr(COUNT.parse("3")) == "3"


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (POSITIVE, ["0", "-1", "inf", "nan", "", "x", "True", "[1]", "1e999", "-1e999"]),
        (NOT_NEGATIVE, ["-0.1", "none"]),
        (FROM_0_TO_1, ["-0.1", "1.1", "one"]),
        (SHARE, ["0", "1", "1.0", "-0.5", "half"]),
        (COUNT, ["0", "-1", "1.5", "1.0", "1e3", "many"]),
        (SEVERAL, ["1", "0", "2.0"]),
        (one_of("a", "b"), ["A", "'a'", "1", ""]),
        (or_one_of(COUNT, "all"), ["0", "none"]),
        (PRIOR, ["0", "1", "2", "known"]),
    ],
)
def test_what_a_kind_does_not_take_is_not_read(kind, texts):
    assert [kind.parse(text) for text in texts] == [None] * len(texts)


def test_a_kind_says_what_it_takes():
    assert or_one_of(COUNT, "all", "none").description == (
        "a whole number, at least 1, or one of: all, none"
    )
