from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.stopping.taught import declined, exponential, looked, taught
from likewise.errors import SettingsError
from likewise.learn.estimates import Target
from likewise.learn.stopping import ControlSet, ExpectedByScores, Screening, expect_ahead
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.reading import measure_conviction
from likewise.learn.stopping.rules import (
    RULES,
    TERMS,
    Rule,
    Rules,
    compute_chance_of_reading,
    parse_rule,
    parse_rules,
)


@pytest.mark.parametrize("name", RULES)
def test_every_rule_stops_when_everything_was_looked_at(name):
    assert parse_rule(name).stops(looked(0, 30, size=30))


@pytest.mark.parametrize("name", RULES)
def test_no_rule_stops_before_anything_was_looked_at(name):
    assert not parse_rule(name).stops(looked(size=1000))


@pytest.mark.parametrize("name", RULES)
def test_no_rule_stops_while_all_are_on_topic(name):
    assert not parse_rule(name).stops(looked(40, size=1000))


@pytest.mark.parametrize("name", RULES)
def test_every_parameter_has_a_default_of_its_kind(name):
    defaults = [
        (known.kind.parse(str(known.default)), known.default) for known in RULES[name].parameters
    ]
    assert all(parsed == default for parsed, default in defaults)


@given(st.sampled_from(["recall", "confidence"]), st.floats(0.01, 0.99))
def test_spellings_are_read_back(parameter, value):
    rule = Rule("callaghan", ((parameter, value),))
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("coin", "choose from: calibrated, audited, callaghan"),
        ("callaghan(recal=0.9)", "its parameters are: recall, confidence"),
        ("callaghan(recall=2)", "recall is a number from 0 to 1"),
        ("callaghan(0.9)", "write parameters such as"),
        ("callaghan(recall=0.9, recall=0.8)", "write parameters such as"),
        ("", "choose from"),
    ],
)
def test_what_is_no_rule_is_said(text, said):
    with pytest.raises(SettingsError, match=said):
        parse_rule(text)


def test_callaghan_stops_at_the_first_length_that_is_unlikely_enough():
    # 19 found, then none: 2 more would miss 0.95. Of 100 others at the last find, n without either:
    # C(98, n) / C(100, n) = (100 - n)(99 - n) / 9900 < 0.05 from n = 78 on.
    assert 22 * 21 / 9900 < 0.05 < 23 * 22 / 9900
    rule = parse_rule("callaghan")
    assert not rule.stops(looked(19, 77, size=119))
    assert rule.stops(looked(19, 78, size=119))


def test_callaghan_looks_at_starts_before_the_last_find_too():
    # One find after 60 dry ones: from the last find 30 tell little, from the one before 91 do.
    late = looked(19, 60, 1, 30, size=119)
    assert parse_rule("callaghan(confidence=0.5)").stops(late)


@given(st.lists(st.booleans(), min_size=1, max_size=25), st.integers(0, 15))
def test_callaghan_is_the_same_as_by_all_starts(labels, more):
    seen = Screening(labels=np.array(labels), size=len(labels) + more + 1)

    def unlikely(start):
        found, since = sum(labels), sum(labels[start:])
        wanted = int(found / 0.9 - sum(labels[:start]) + 1e-9) + 1
        others, drawn = seen.size - start, len(labels) - start
        ways = sum(comb(wanted, h) * comb(others - wanted, drawn - h)
                   for h in range(min(since, drawn) + 1) if others >= wanted)  # fmt: skip
        return ways / comb(others, drawn) < 0.3

    by_all = any(unlikely(start) for start in range(len(labels)))
    assert parse_rule("callaghan(recall=0.9, confidence=0.7)").stops(seen) == by_all


@pytest.mark.parametrize(("last", "stops"), [(2, True), (4, False)])
def test_chao_stops_when_the_bound_allows_for_it(last, stops):
    # Thirds of 30: 25, 10 and 2 found leave at least 4 / 8 = 0.5, of 37 found 1 may be left;
    # with 4 found at last it is 16 / 6 = 2.7, and 2 may be.
    labels = [1] * 25 + [0] * 5 + [1] * 10 + [0] * 20 + [1] * last + [0] * (30 - last)
    assert parse_rule("chao").stops(Screening(labels=np.array(labels, bool), size=500)) == stops


def test_chao_goes_on_while_finding_does_not_slow_down():
    assert not parse_rule("chao").stops(Screening(labels=np.tile([True, False], 30), size=500))


def test_the_knee_is_sharp_enough():
    # 20 found at once, then n dry ones: 1 / (1 / n) = n, which has to be 156 - 20 = 136.
    rule = parse_rule("knee(least=0)")
    assert [rule.stops(looked(20, dry, size=5000)) for dry in (135, 136)] == [False, True]


def test_the_knee_waits_for_as_many_as_it_is_told():
    assert not parse_rule("knee").stops(looked(20, 900, size=5000))


def test_the_budget_is_what_ten_by_chance_would_take():
    # 50 found of 1,000: 10 x 1000 / 50 = 200 have to be looked at.
    rule = parse_rule("budget")
    assert [rule.stops(looked(50, dry, size=1000)) for dry in (149, 150)] == [False, True]


def test_the_budget_ends_at_three_quarters():
    assert parse_rule("budget").stops(looked(1, 749, size=1000))


def test_a_share_is_a_share():
    rule = parse_rule("share(share=0.2)")
    assert [rule.stops(looked(1, dry, size=100)) for dry in (18, 19)] == [False, True]


def test_in_a_row_counts_from_the_last_find():
    rule = parse_rule("consecutive(count=50)")
    assert [rule.stops(looked(1, 60, 1, dry, size=500)) for dry in (49, 50)] == [False, True]


def test_in_a_row_may_be_a_share_of_all():
    rule = parse_rule("consecutive(count=1, share=0.05)")
    assert [rule.stops(looked(1, dry, size=1000)) for dry in (49, 50)] == [False, True]


@pytest.mark.parametrize(("reached", "stops"), [(58, False), (59, True)])
def test_59_of_59_show_the_recall(reached, stops):
    # 1 - 0.95^59 = 0.9515, and with 58 of 59 it is 0.8.
    seen = looked(50, 10, size=1000, control=ControlSet(59, reached))
    assert parse_rule("quantile").stops(seen) == stops


def test_ten_seeds_never_do():
    seen = looked(50, 10, size=1000, control=ControlSet(10, 10))
    assert not parse_rule("quantile").stops(seen)


def test_ours_stops_when_audits_leave_no_room():
    # 100 found, 5 may be left; an audit of all that is left but 5 found nothing.
    audit = AuditResult(population=100, looked_at=95, on_topic=0, found_before=100)
    seen = looked(100, 100, 0, 95, size=300, audits=(audit,))
    assert parse_rule("audited").stops(seen)


def test_ours_goes_on_while_they_do():
    audit = AuditResult(population=100, looked_at=20, on_topic=0, found_before=100)
    assert not parse_rule("audited").stops(looked(100, 120, size=300, audits=(audit,)))


def test_chao_says_nothing_of_few_documents():
    few = np.array([True] * 2 + [False] * 4)
    assert not parse_rule("chao").stops(Screening(labels=few, size=500))
    assert parse_rule("chao(least=6)").stops(Screening(labels=few, size=500))


# Tails of which the first terms are the sum


def test_where_nothing_is_poor_nothing_speaks_against_more():
    # All were on topic, or none was read: chance would not find more.
    assert compute_chance_of_reading(looked(30, size=100), left=10) == 0.0
    assert compute_chance_of_reading(looked(size=100), left=10) == 0.0


def test_the_first_terms_of_a_poor_tail_are_the_sum_of_all():
    # Of 290 on topic, 140 among the first half: a few fewer than chance has it, so that the sum
    # falls slowly; and more than there are terms.
    labels = np.arange(1000) % 7 == 3
    seen, left = Screening(labels=labels[:980], size=1960), 150
    assert seen.found == 140 > TERMS

    def chance(start):
        since, drawn = int(labels[start:980].sum()), 980 - start
        others, of = seen.size - start, since + left
        if since * others >= drawn * of:
            return 0.0
        ways = sum(comb(of, h) * comb(others - of, drawn - h) for h in range(since + 1))
        return float(np.log(float(Fraction(ways, comb(others, drawn)))))

    whole = min(chance(start) for start in (0, *seen.places.tolist()))
    assert compute_chance_of_reading(seen, left=left) == pytest.approx(whole, rel=1e-6)


# Poisson


@pytest.mark.parametrize("rate", ["exponential", "power"])
def test_poisson_stops_when_hardly_more_than_allowed_are_to_come(rate):
    # 100 found, so 5 may be left: P(5 or fewer of a mean of 2) is 0.983, of 3 it is 0.916.
    rule = parse_rule(f"poisson(rate={rate})")
    for dry in range(20, 1000, 20):
        seen = looked(100, dry, size=1200)
        ahead = expect_ahead(seen, rate=rate)
        if ahead < 2:
            assert rule.stops(seen)
        if ahead > 3:
            assert not rule.stops(seen)
    assert rule.stops(looked(100, 1050, size=1200))


def test_poisson_takes_an_exponential_decline_unless_it_is_told_otherwise():
    found_by = exponential(on_topic=166, size=2000, half=231)
    seen, left = declined(found_by, size=2000, read=1200)
    assert left == 4
    assert parse_rule("poisson(recall=0.9)").stops(seen)
    assert not parse_rule("poisson(recall=0.9, rate=power)").stops(seen)


def test_poisson_says_nothing_before_something_is_found():
    assert not parse_rule("poisson").stops(looked(0, 900, size=1000))


def test_a_rate_that_is_not_known_is_refused():
    with pytest.raises(SettingsError, match="rate is"):
        parse_rule("poisson(rate=linear)")


# Scores


@pytest.mark.parametrize(
    ("scored", "deviations", "stops"),
    [
        # 96 of 100 are 0.96; nothing is uncertain.
        (ExpectedByScores(96.0, 4.0, 0.0, 0.0), 2.0, True),
        (ExpectedByScores(94.0, 6.0, 0.0, 0.0), 2.0, False),
        # The variance is (4^2 9 + 96^2 4) / 100^4 = 0.00037, and the deviation 0.0192.
        (ExpectedByScores(96.0, 4.0, 9.0, 4.0), 0.0, True),
        (ExpectedByScores(96.0, 4.0, 9.0, 4.0), 0.51, True),
        (ExpectedByScores(96.0, 4.0, 9.0, 4.0), 0.53, False),
    ],
)
def test_quant_stops_when_the_recall_that_scores_expect_is_high_enough(scored, deviations, stops):
    seen = looked(90, 110, size=1000, scored=scored)
    assert parse_rule(f"quant(deviations={deviations})").stops(seen) == stops


def test_quant_says_nothing_without_scores():
    assert not parse_rule("quant(deviations=0, recall=0.01)").stops(looked(90, 800, size=1000))


# The test of reading, calibrated on replays


def test_ours_stops_when_reading_is_as_convincing_as_replays_ask_for():
    seen = looked(60, 200, size=1000)
    now = measure_conviction(seen, recall=0.95)
    enough, too_little = (taught(needed=(0.0, 0.0, needed)) for needed in (now, now + 0.01))
    rule = parse_rule("calibrated")
    assert rule.stops(seen, calibration=enough)
    assert not rule.stops(seen, calibration=too_little)


def test_ours_goes_by_what_comes_with_the_package_if_nothing_else_is_given():
    found_by = exponential(on_topic=150, size=2000, half=120)
    early, _ = declined(found_by, size=2000, read=200)
    late, _ = declined(found_by, size=2000, read=1950)
    rule = parse_rule("calibrated")
    assert [rule.stops(early), rule.stops(late)] == [False, True]


# Several rules


def test_rules_that_are_joined_all_have_to_stop():
    rules = parse_rules("consecutive(count=5) and share(share=0.5)")
    assert not rules.stops(looked(1, 5, size=100))
    assert not rules.stops(looked(0, 49, 1, 1, size=100))
    assert rules.stops(looked(0, 40, 1, 10, size=100))


@pytest.mark.parametrize("text", ["share", "poisson and callaghan(confidence=0.5)"])
def test_spellings_of_several_rules_are_read_back(text):
    assert str(parse_rules(text)) == text
    assert parse_rules(str(parse_rules(f" {text} "))) == parse_rules(text)


def test_one_rule_is_several_of_one():
    assert parse_rules("share") == Rules((parse_rule("share"),))


def test_each_of_several_rules_has_to_be_known():
    with pytest.raises(SettingsError, match="'coin' is not known"):
        parse_rules("share and coin")


def test_what_is_said_of_any_of_them_is_told():
    rules = parse_rules("callaghan(confidence=0.5) and share(share=0.2)")
    assert rules.parameters == (("confidence", 0.5), ("share", 0.2))


def test_what_replays_taught_is_handed_to_each_of_them():
    seen, unsure = looked(60, 200, size=1000), taught(needed=(99.0, 99.0, 99.0))
    rules = parse_rules("consecutive and calibrated")
    assert not rules.stops(seen, calibration=unsure)
    assert rules.stops(seen, calibration=taught(needed=(0.0, 0.0, 0.0)))


def test_rules_are_aimed_at_a_target_as_far_as_they_know_one_and_say_nothing_else():
    target = Target(0.9, 0.8)
    aimed = parse_rules("callaghan(recall=0.7) and share and poisson").aim_at(target)
    assert [dict(part.parameters) for part in aimed.parts] == [
        {"recall": 0.7, "confidence": 0.8},
        {},
        {"recall": 0.9, "confidence": 0.8},
    ]
