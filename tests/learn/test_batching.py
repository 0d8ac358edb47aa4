"""Batches: what each holds, and what an epoch is."""

from collections import Counter
from fractions import Fraction
from itertools import islice
from math import ceil

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from likewise.errors import SettingsError
from likewise.learn.batching import (
    OrdinaryBatches,
    ProportionalBatches,
    cut_batches,
    warn_of_few_steps,
)

KINDS = [ProportionalBatches, OrdinaryBatches]
seeds = st.integers(0, 2**32 - 1)


@st.composite
def tasks(draw):
    """Sizes of two or three groups, and a batch size that can hold them."""
    names = ["positive", "negative", "unlabeled"][: draw(st.integers(2, 3))]
    sizes = {name: draw(st.integers(1, 60)) for name in names}
    return sizes, draw(st.integers(len(sizes), 40))


def epoch(batches, seed=0):
    return list(batches.epoch(np.random.default_rng(seed)))


def rows_of(epoch, name):
    return Counter(row for batch in epoch for row in batch[name].tolist())


def same(first, second):
    return all(
        (one[name] == other[name]).all()
        for one, other in zip(first, second, strict=True)
        for name in one
    )


def test_one_in_200_is_1_of_20_as_in_the_paper():
    batches = ProportionalBatches({"positive": 50, "unlabeled": 10_000}, size=20)
    assert batches.counts == {"positive": 1, "unlabeled": 19}


def test_an_epoch_is_one_loop_through_the_positives_as_in_the_paper():
    batches = ProportionalBatches({"positive": 50, "unlabeled": 10_000}, size=20)
    assert rows_of(epoch(batches), "positive") == Counter(range(50))


@pytest.mark.parametrize(
    ("sizes", "size", "counts"),
    [
        ([10, 30], 8, [2, 6]),
        ([10, 31], 8, [2, 6]),
        ([50, 50, 10_000], 20, [1, 1, 18]),
        ([7, 7], 5, [3, 2]),
        ([5, 5, 5], 4, [2, 1, 1]),
        ([3, 2], 100, [3, 2]),
    ],
)
def test_shares_are_rounded_up_and_the_largest_group_gives_way(sizes, size, counts):
    named = dict(zip("abc", sizes, strict=False))
    assert list(ProportionalBatches(named, size=size).counts.values()) == counts


@given(tasks())
def test_shares_add_up_to_the_size_and_each_group_has_its_own(task):
    sizes, size = task
    counts = ProportionalBatches(sizes, size=size).counts
    assert sum(counts.values()) == min(size, sum(sizes.values()))
    assert all(1 <= counts[name] <= sizes[name] for name in sizes)


@given(tasks())
def test_all_but_the_largest_have_their_share_rounded_up_if_that_leaves_it_one(task):
    sizes, size = task
    batches = ProportionalBatches(sizes, size=size)
    largest = max(reversed(sizes), key=sizes.get)
    others = {
        name: ceil(Fraction(batches.size * rows, sum(sizes.values())))
        for name, rows in sizes.items()
        if name != largest
    }
    assume(sum(others.values()) < batches.size)
    assert {name: batches.counts[name] for name in others} == others


@given(tasks(), seeds)
def test_every_batch_holds_the_same_counts(task, seed):
    sizes, size = task
    batches = ProportionalBatches(sizes, size=size)
    found = [{name: len(rows) for name, rows in batch.items()} for batch in epoch(batches, seed)]
    assert found == [batches.counts] * len(batches)


@given(tasks(), seeds)
def test_no_batch_holds_a_row_twice(task, seed):
    sizes, size = task
    for batch in epoch(ProportionalBatches(sizes, size=size, loop="largest"), seed):
        assert all(len({*rows.tolist()}) == len(rows) for rows in batch.values())


@given(tasks(), seeds, st.sampled_from(["smallest", "largest", "positive"]))
def test_the_looped_group_is_seen_whole_and_hardly_more(task, seed, loop):
    sizes, size = task
    batches = ProportionalBatches(sizes, size=size, loop=loop)
    seen = rows_of(epoch(batches, seed), batches.loop)
    assert set(seen) == set(range(sizes[batches.loop]))
    # Only what fills up the last batch is seen again.
    assert seen.total() - sizes[batches.loop] < batches.counts[batches.loop]


@given(tasks(), seeds)
def test_rows_of_a_group_are_used_evenly(task, seed):
    sizes, size = task
    found = epoch(ProportionalBatches(sizes, size=size, loop="largest"), seed)
    for name, rows in sizes.items():
        seen = rows_of(found, name)
        used = [seen[row] for row in range(rows)]
        assert max(used) - min(used) <= 1


@pytest.mark.parametrize(
    ("loop", "length"), [("smallest", 5), ("largest", 7), ("negative", 6), ("unlabeled", 7)]
)
def test_what_is_looped_through_can_be_chosen(loop, length):
    # Shares of 20 in 121: 5/6, 11/6 and 105/6, so 1, 2 and 17; 5 / 1, 11 / 2 and 105 / 17 batches.
    sizes = {"positive": 5, "negative": 11, "unlabeled": 105}
    assert len(ProportionalBatches(sizes, size=20, loop=loop)) == length


@given(tasks(), seeds)
def test_ordinary_batches_hold_every_row_once(task, seed):
    sizes, size = task
    found = epoch(OrdinaryBatches(sizes, size=size), seed)
    for name, rows in sizes.items():
        assert rows_of(found, name) == Counter(range(rows))


@given(tasks(), seeds)
def test_ordinary_batches_are_of_the_size_but_for_the_last(task, seed):
    sizes, size = task
    lengths = [sum(map(len, b.values())) for b in epoch(OrdinaryBatches(sizes, size=size), seed)]
    assert lengths[:-1] == [size] * (len(lengths) - 1)
    assert 1 <= lengths[-1] <= size


def test_a_group_that_is_absent_from_an_ordinary_batch_has_an_empty_array():
    found = epoch(OrdinaryBatches({"positive": 1, "unlabeled": 8}, size=3))
    assert sorted(len(batch["positive"]) for batch in found) == [0, 0, 1]
    assert {batch["positive"].dtype for batch in found} == {np.dtype(np.int64)}


@pytest.mark.parametrize("kind", KINDS)
@given(task=tasks(), seed=seeds)
def test_the_length_is_what_an_epoch_yields(kind, task, seed):
    batches = kind(task[0], size=task[1])
    assert len(batches) == len(epoch(batches, seed))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_generator_gives_the_same_batches(kind):
    batches = kind({"positive": 9, "unlabeled": 70}, size=10)
    assert same(epoch(batches, 1), epoch(batches, 1))
    assert not same(epoch(batches, 1), epoch(batches, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_epoch_is_another_one(kind):
    batches, rng = kind({"positive": 9, "unlabeled": 70}, size=10), np.random.default_rng(0)
    assert not same(list(batches.epoch(rng)), list(batches.epoch(rng)))


@pytest.mark.parametrize("kind", KINDS)
def test_batches_come_as_they_are_asked_for(kind):
    batches = kind({"positive": 10_000, "unlabeled": 10_000}, size=2)
    assert len(list(islice(batches.epoch(np.random.default_rng(0)), 3))) == 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("sizes", "size", "found"),
    [
        ({}, 4, "there are no groups"),
        ({"positive": 0, "unlabeled": 5}, 4, "the group 'positive' has no rows"),
        ({"positive": 3, "unlabeled": 5}, 1, "a batch of 1 can't hold rows of 2 groups"),
        ({"a": 3, "b": 5, "c": 5}, 2, r"2 can't hold rows of 3 groups \(a, b, c\); .* at least 3"),
    ],
)
def test_what_no_batches_can_be_made_of_is_refused(kind, sizes, size, found):
    with pytest.raises(SettingsError, match=found):
        kind(sizes, size=size)


def test_an_unknown_loop_is_refused_with_what_there_is():
    with pytest.raises(SettingsError, match=r"loop is 'postive'; .* positive, unlabeled"):
        ProportionalBatches({"positive": 3, "unlabeled": 5}, size=4, loop="postive")


# Batches that leave steps enough.


@pytest.mark.parametrize(
    ("seeds", "pool", "size", "steps"),
    [
        # 1000 of 20,050 hold three of fifty seeds, and 50 / 3 is more than 16.
        (50, 20_000, 1000, 17),
        # Two of twenty seeds a batch would leave ten steps; one is in up to 2020 / 20 documents.
        (20, 2000, 101, 20),
        # Of thirty, two leave fifteen steps: up to 2 * 3000 / 30 documents.
        (30, 2970, 200, 15),
        # No loop through five seeds has more than five steps.
        (5, 2000, 401, 5),
    ],
)
def test_batches_are_as_large_as_leaves_enough_steps(seeds, pool, size, steps):
    batches = cut_batches("auto", {"positive": seeds, "unlabeled": pool}, ProportionalBatches)
    assert (batches.size, len(batches)) == (size, steps)


def test_ordinary_batches_leave_enough_steps_as_well():
    # 3000 / 214 is just more than 14, and 3000 / 215 less.
    batches = cut_batches("auto", {"positive": 20, "unlabeled": 2980}, OrdinaryBatches)
    assert (batches.size, len(batches)) == (214, 15)


def test_a_size_that_is_named_is_taken():
    batches = cut_batches(500, {"positive": 20, "unlabeled": 2000}, ProportionalBatches)
    assert (batches.size, len(batches)) == (500, 4)


@pytest.mark.parametrize(("size", "steps"), [(2000, 1), (1000, 2), (700, 3)])
def test_one_or_two_steps_an_epoch_are_told_of(size, steps):
    batches = ProportionalBatches({"positive": 20, "unlabeled": 1980}, size=size)
    assert len(batches) == steps
    told = warn_of_few_steps(batches)
    assert bool(told) == (steps < 3)
    assert all(line.startswith(f"an epoch is only {steps} step") for line in told)
