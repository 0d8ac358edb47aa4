import numpy as np
import pytest

from expansion.corpus import library_of
from likewise.documents import Document
from likewise.errors import SeedsError
from likewise.expansion.candidates import combine_marks
from likewise.expansion.marks import Marks
from likewise.expansion.seeds import Seeds
from likewise.learn.folds import Scores
from likewise.learn.stopping.posterior import expect_by_scores

DOCUMENTS = {
    name: Document(id=name, title=f"paper {name}")
    for name in ("s1", "s2", "s3", "s4", "a", "b", "c", "d")
}
LIBRARY = library_of(*DOCUMENTS.values())
MINE = Document(id="mine", title="a thesis")
SEEDS = Seeds(tuple(DOCUMENTS[name] for name in ("s1", "s2", "s3", "s4")), (MINE,), ("gone",))


def known(**marks):
    return combine_marks(LIBRARY, SEEDS, Marks(**marks))


def ids(documents):
    return [document.id for document in documents]


def test_without_marks_the_seeds_are_all_that_is_known():
    assert known().seeds is SEEDS
    assert (known().negatives, known().weights) == ((), None)


def test_what_was_marked_joins_seeds_by_id_and_negatives_in_the_order_of_the_marks():
    found = known(relevant=("c", "a"), irrelevant=("d", "b"))
    assert ids(found.seeds.marked) == ["c", "a"]
    assert ids(found.seeds.documents) == ["s1", "s2", "s3", "s4", "mine", "a", "c"]
    assert ids(found.negatives) == ["d", "b"]


def test_documents_are_those_of_the_library():
    found = known(relevant=("a",), irrelevant=("b",))
    assert found.seeds.marked == (DOCUMENTS["a"],)
    assert found.negatives == (DOCUMENTS["b"],)


def test_a_seed_that_is_marked_irrelevant_is_a_negative_and_no_seed():
    found = known(irrelevant=("s2", "a"))
    assert ids(found.seeds.documents) == ["s1", "s3", "s4", "mine"]
    assert ids(found.negatives) == ["s2", "a"]


def test_a_seed_that_the_library_lacks_may_be_marked_too():
    found = known(irrelevant=("mine",))
    assert found.seeds.text_only == ()
    assert found.negatives == (MINE,)


def test_a_seed_that_may_be_on_topic_is_neither():
    found = known(maybe=("s1", "mine"))
    assert ids(found.seeds.documents) == ["s2", "s3", "s4"]
    assert found.negatives == ()


def test_a_seed_that_is_marked_relevant_stays_a_seed_and_is_there_once():
    found = known(relevant=("s1", "mine", "a"))
    assert ids(found.seeds.documents) == ["s1", "s2", "s3", "s4", "mine", "a"]
    assert ids(found.seeds.marked) == ["a"]


def test_a_document_that_may_be_on_topic_is_not_known():
    found = known(maybe=("a",))
    assert found.seeds == SEEDS
    assert found.negatives == ()


def test_documents_that_the_library_does_not_hold_any_more_are_left_out():
    found = known(relevant=("deleted", "a"), irrelevant=("b", "lost"))
    assert ids(found.seeds.marked) == ["a"]
    assert ids(found.negatives) == ["b"]
    assert len(found.weights) == 1


def test_what_is_known_of_papers_that_were_not_found_stays():
    assert known(irrelevant=("s1",)).seeds.not_found == ("gone",)


def test_too_few_seeds_that_are_left_are_an_error():
    with pytest.raises(SeedsError, match="2 usable seeds"):
        known(irrelevant=("s1", "s2"), maybe=("mine",))


def test_what_was_found_makes_up_for_seeds_that_are_denied():
    found = known(irrelevant=("s1", "s2"), maybe=("mine",), relevant=("a",))
    assert ids(found.seeds.documents) == ["s3", "s4", "a"]


def test_negatives_count_by_where_they_stood():
    # Ranks 2 and 3 are the whole of their stretch, rank 9 stands for eight.
    found = known(irrelevant=("a", "b", "c"), ranks={"a": 2, "c": 9, "b": 3, "s1": 7})
    assert found.weights.round(2).tolist() == [0.62, 0.62, 1.76]


def test_negatives_without_a_rank_all_count_the_same():
    assert known(irrelevant=("a", "b")).weights.tolist() == [1, 1]


def test_ranks_of_what_is_on_topic_count_nothing():
    found = known(relevant=("a",), irrelevant=("b",), ranks={"a": 900})
    assert found.weights.tolist() == [1]


def test_what_was_read_is_told_in_order_with_what_it_is():
    found = known(relevant=("c", "a"), irrelevant=("b",), maybe=("d",), read=("b", "d", "c"))
    # What may be on topic or not tells nothing, and "a" came from a file.
    assert found.read == (False, True)


def test_neither_seeds_that_stay_nor_what_the_library_lost_were_read():
    found = known(relevant=("s1", "lost", "a"), irrelevant=("gone", "b"),
                  read=("s1", "lost", "gone", "b", "a"))  # fmt: skip
    assert found.read == (False, True)


SCORES = Scores(np.array([3.0, 2, 2, 1, 0, 2.5, np.nan]), np.arange(10.0), np.array([1.0, -1]))


def test_what_was_read_is_put_beside_what_scores_expect():
    found = known(relevant=("a", "c"), irrelevant=("b", "d"), read=("a", "b"))
    looked = found.describe_screening(SCORES)
    assert (looked.labels.tolist(), looked.size, looked.seeds) == ([True, False], 12, 5)
    # "c" is known to be on topic, and was not read.
    assert (looked.found, looked.brought, looked.known) == (1, 1, 2)
    # What has no score is taken to score as the lowest of the pool.
    marked = np.array([2.5, 0, 1, -1])
    assert looked.scored == expect_by_scores(np.arange(4) < 2, marked, SCORES.pool)


def test_without_marks_nothing_was_read():
    looked = known().describe_screening(Scores(np.arange(5.0), np.arange(10.0)))
    assert (looked.count, looked.size, looked.brought, looked.scored) == (0, 10, 0, None)
