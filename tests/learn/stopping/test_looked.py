import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.stopping.taught import declined, exponential, looked
from likewise.learn.stopping import RATES, Screening, expect_ahead

READ = st.lists(st.booleans(), min_size=1, max_size=300)


@pytest.mark.parametrize("rate", RATES)
def test_a_rate_that_stays_the_same_goes_on_as_it_is(rate):
    even = Screening(labels=np.arange(600) % 20 == 10, size=2000)
    assert expect_ahead(even, rate=rate) == pytest.approx(70, rel=0.1)


@pytest.mark.parametrize("read", [400, 800, 1200])
def test_an_exponential_decline_is_recovered(read):
    found_by = exponential(on_topic=166, size=2000, half=231)
    seen, left = declined(found_by, size=2000, read=read)
    assert expect_ahead(seen, rate="exponential") == pytest.approx(left, rel=0.1, abs=0.7)


@pytest.mark.parametrize("read", [1000, 2000])
def test_a_decline_by_a_power_is_recovered(read):
    # A rate of x^-0.5 sums up to 2 x^0.5.
    seen, left = declined(lambda place: 2 * np.sqrt(place), size=5000, read=read)
    assert expect_ahead(seen, rate="power") == pytest.approx(left, rel=0.2)


def test_chance_does_not_lead_it_far_astray():
    # An exponential decline from 0.3 to 0.3 / e^3 where reading ends, and to 0.3 / e^6.
    rates = 0.3 * np.exp(-6 * np.arange(1, 2001) / 2000)
    ratios = []
    for seed in range(40):
        labels = np.random.default_rng(seed).random(2000) < rates
        seen = Screening(labels=labels[:1000], size=2000)
        ratios.append(expect_ahead(seen, rate="exponential") / rates[1000:].sum())
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)
    assert np.percentile(ratios, 90) < 2


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("runs", "ahead"), [((0, 90, 10), 10), ((0, 50, 50), 50)])
def test_where_finding_rises_it_is_taken_to_stay_the_same(rate, runs, ahead):
    # 10 or 50 of the first 100; 100 others are unread.
    rising = looked(*runs, size=200)
    assert expect_ahead(rising, rate=rate) == pytest.approx(ahead, rel=1e-3)


@pytest.mark.parametrize("rate", RATES)
def test_where_nothing_was_found_nothing_is_to_come(rate):
    assert expect_ahead(looked(0, 100, size=200), rate=rate) < 0.01


@given(labels=READ, rest=st.integers(1, 500), rate=st.sampled_from(RATES))
def test_it_is_no_less_than_nothing_and_no_more_than_what_is_unread(labels, rest, rate):
    seen = Screening(labels=np.array(labels), size=len(labels) + rest)
    assert 0 <= expect_ahead(seen, rate=rate) <= rest + 1e-6


@given(labels=READ, rest=st.integers(1, 500))
def test_it_is_no_more_than_the_rate_so_far_goes_on_to(labels, rest):
    seen = Screening(labels=np.array(labels), size=len(labels) + rest)
    for rate in RATES:
        assert expect_ahead(seen, rate=rate) <= seen.found / seen.count * rest * 1.01 + 0.1


@pytest.mark.parametrize("dry", [100, 200, 400])
def test_a_power_expects_more_than_an_exponential(dry):
    seen = looked(50, dry, size=1000)
    by_exponential, by_power = (expect_ahead(seen, rate=rate) for rate in RATES)
    assert by_power > by_exponential


@pytest.mark.parametrize("rate", RATES)
def test_the_longer_nothing_is_found_the_less_is_to_come(rate):
    ahead = [expect_ahead(looked(50, dry, size=1000), rate=rate) for dry in (50, 100, 200, 400)]
    assert ahead == sorted(ahead, reverse=True)
