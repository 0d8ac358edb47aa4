import msgspec
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.tasks import (
    TaskEntry,
    TaskMetadata,
    Truth,
    describe_task,
    fingerprint_task,
)

ENTRIES = (
    TaskEntry("a", "positive", "train", above=0.1),
    TaskEntry("b", "positive", "validation"),
    TaskEntry("c", "negative", "train", 2, 8.0),
    TaskEntry("d", "unlabeled", "train", 1, 9.0),
    TaskEntry("e", "unlabeled", "train", 3, 7.0),
    TaskEntry("f", "unlabeled", "validation", 4, 6.0),
    TaskEntry("g", "unlabeled", "test", 5, 5.0),
    TaskEntry("h", "unlabeled", "test", 6, 4.0),
)
# Two seeds, two in the pool, and three that were not retrieved.
TRUTH = Truth(frozenset("abdgxyz"))


def told(entries=ENTRIES, truth=TRUTH):
    metadata = TaskMetadata(
        topic="t", seeds=1, draw=0, number=0,
        P_size=0, LP_size=0, U_size=0, precision=0.0, recall=0.0,
    )  # fmt: skip
    return describe_task(metadata, entries, truth)


def test_sizes_of_the_whole_task_are_counted():
    found = told()
    assert (found.P_size, found.LP_size, found.U_size, found.N_size) == (7, 2, 5, 1)


def test_sizes_of_the_parts_are_counted_with_labelled_negatives_in_the_total():
    found = told()
    assert (found.train_LP_size, found.train_U_size, found.train_size) == (1, 2, 4)
    assert (found.valid_LP_size, found.valid_U_size, found.valid_size) == (1, 1, 2)
    assert (found.test_LP_size, found.test_U_size, found.test_size) == (0, 2, 2)


def test_precision_is_of_the_pool_and_recall_of_the_topic_without_its_seeds():
    assert told().precision == 2 / 5
    assert told().recall == 2 / 5


def test_an_empty_pool_has_no_precision():
    assert told(ENTRIES[:2]).precision == 0


@given(place=st.integers(0, len(ENTRIES) - 1), split=st.sampled_from(["train", "test", "all"]))
def test_a_task_in_which_anything_differs_has_another_fingerprint(place, split):
    entries = list(ENTRIES)
    entries[place] = msgspec.structs.replace(entries[place], split=split)
    is_same = entries[place] == ENTRIES[place]
    assert (fingerprint_task(entries, TRUTH) == fingerprint_task(ENTRIES, TRUTH)) is is_same


def test_another_truth_gives_another_fingerprint():
    assert fingerprint_task(ENTRIES, Truth(frozenset("abd"))) != fingerprint_task(ENTRIES, TRUTH)
