"""Where the decision falls; what the rules do to scores is in `test_judgement.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.errors import SettingsError
from likewise.learn.thresholds import RULES, Keep, count_kept, parse_keep

NUMBERED = ("recall", "conformal", "precision", "top")
keeps = st.one_of(
    st.sampled_from([rule for rule in RULES if rule not in NUMBERED]).map(Keep),
    st.builds(Keep, st.sampled_from(NUMBERED[:3]), st.floats(0, 1, exclude_min=True)),
    st.builds(Keep, st.just("top"), st.integers(1, 10**9).map(float)),
)


@given(keep=keeps)
def test_what_is_spelled_out_is_read_back(keep):
    assert parse_keep(str(keep)) == keep


@pytest.mark.parametrize(
    ("text", "keep"),
    [
        ("f1", Keep("f1")),
        (" F1 ", Keep()),
        ("recall=0.95", Keep("recall", 0.95)),
        ("precision=.8", Keep("precision", 0.8)),
        ("recall=1", Keep("recall", 1.0)),
        ("recall=5e-1", Keep("recall", 0.5)),
        ("conformal=0.9", Keep("conformal", 0.9)),
        ("top=500", Keep("top", 500)),
        ("ber", Keep("ber")),
        ("zero", Keep("zero")),
        ("expected-f1", Keep("expected-f1")),
        ("ratio", Keep("ratio")),
    ],
)
def test_spellings(text, keep):
    assert parse_keep(text) == keep


def test_a_number_is_spelled_out_in_full():
    assert str(Keep("top", 1234567.0)) == "top=1234567"
    assert str(Keep("recall", 0.9999999)) == "recall=0.9999999"


@pytest.mark.parametrize("rule", RULES)
def test_an_unknown_rule_is_answered_with_all_that_are_known(rule):
    with pytest.raises(SettingsError, match=rule):
        parse_keep("best")


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("", "use f1, recall=0.95"),
        ("recall", "recall=0.95"),
        ("top", "top=500"),
        ("conformal", "conformal=0.9"),
        ("conformal=1.5", "more than 0 and at most 1"),
        ("f1=3", "use f1,"),
        ("precision=x", "precision=0.8"),
        ("recall=", "recall=0.95"),
        ("recall=-0.5", "recall=0.95"),
        ("recall=.", "recall=0.95"),
        ("recall=1.2.3", "recall=0.95"),
        ("recall=nan", "recall=0.95"),
        ("top=inf", "top=500"),
        ("recall=2", "more than 0 and at most 1"),
        ("recall=0", "more than 0 and at most 1"),
        ("precision=1.01", "more than 0 and at most 1"),
        ("recall=1e-400", "more than 0 and at most 1"),
        ("top=0", "a whole number"),
        ("top=1.5", "a whole number"),
        ("top=1e400", "a whole number"),
        ("top=" + 400 * "9", "a whole number"),
        ("re\ncall", "use f1"),
    ],
)
def test_a_bad_spelling_is_told_in_one_line_with_the_way_out(text, way_out):
    with pytest.raises(SettingsError) as caught:
        parse_keep(text)
    assert way_out in str(caught.value)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def length(keep, *probabilities, seeds=(0.1,)):
    return count_kept(parse_keep(keep), np.array(probabilities), seeds=np.array(seeds))


def test_expected_f1_by_hand():
    # 2 documents are expected; F1 is 2 * 0.9 / 3, 2 * 1.8 / 4, 2 * 1.9 / 5, 2 * 2 / 6.
    assert length("expected-f1", 0.9, 0.9, 0.1, 0.1) == 2


def test_recall_by_hand():
    # 0.9, 1.8, 1.9 and 2.0 of 2.0 are reached.
    lengths = [length(f"recall={share}", 0.9, 0.9, 0.1, 0.1) for share in (0.45, 0.5, 0.95, 1)]
    assert lengths == [1, 2, 3, 4]


def test_precision_by_hand():
    # It is 0.9, 0.9, 0.63 and 0.5.
    assert [length(f"precision={s}", 0.9, 0.9, 0.1, 0.1) for s in (0.95, 0.9, 0.6)] == [0, 2, 3]


def test_a_precision_met_exactly_is_met():
    # In floating point the mean of these is a little less than 0.7.
    assert length("precision=0.7", *[0.7] * 6) == 6


def test_ber_by_hand():
    # Recall and specificity, 2 of 4 on topic: 0.45 + 0.95, 0.9 + 0.9, 0.95 + 0.45, 1 + 0.
    assert length("ber", 0.9, 0.9, 0.1, 0.1) == 2


def test_top_by_hand():
    assert [length(f"top={count}", 0.9, 0.5, 0.1) for count in (1, 3, 8)] == [1, 3, 3]


def test_conformal_by_hand():
    # Of nine seeds the k-th from the top promises k tenths; they stand below 0, 1, ... 8 of ten.
    seeds = [place / 10 for place in range(9)]
    shares = (0.1, 0.2, 0.45, 0.5, 0.9)
    lengths = [length(f"conformal={share}", *[0.5] * 10, seeds=seeds) for share in shares]
    assert lengths == [1, 2, 5, 5, 9]


def test_conformal_does_not_care_what_scores_are_worth():
    seeds = [0.2, 0.4, 0.0]
    assert length("conformal=0.5", *[0.9] * 10, seeds=seeds) == 3
    assert length("conformal=0.5", *[0.01] * 10, seeds=seeds) == 3


def test_conformal_is_never_longer_than_the_list():
    assert length("conformal=0.5", *[0.5] * 10, seeds=[1.0, 1.0, 1.0]) == 10


def test_a_promise_that_seeds_can_not_give_is_answered_with_what_they_can():
    # Nine of them give nine tenths at most.
    with pytest.raises(SettingsError, match=r"0\.90 at most") as caught:
        length("conformal=0.95", *[0.5] * 10, seeds=[0.1] * 9)
    assert "recall=0.95" in str(caught.value)
    assert length("conformal=0.9", *[0.5] * 10, seeds=[0.1] * 9) == 2


def test_the_promise_is_kept_where_seeds_are_drawn_as_the_rest_of_the_topic_is():
    # Draw 19 seeds and one more document of a topic: it is on the list in four of five draws.
    rng = np.random.default_rng(0)
    drawn = rng.beta(0.5, 3, size=(2000, 20))
    lengths = [length("conformal=0.8", *np.zeros(1000), seeds=row[:19]) for row in drawn]
    assert (drawn[:, 19] * 1000 < lengths).mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("keep", ["expected-f1", "recall=0.9", "top=1", "ber", "ratio"])
@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_certainty_is_no_trouble(keep, probability):
    assert 1 <= length(keep, *[probability] * 5) <= 5


def test_all_on_topic_are_all_kept():
    assert [length(keep, 1, 1, 1) for keep in ("expected-f1", "precision=1", "ber")] == [3, 3, 3]
