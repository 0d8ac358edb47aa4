from hypothesis import given
from hypothesis import strategies as st

from likewise.library.memory import MemoryLibrary
from likewise.library.protocol import Term, make_words_query, settle_ties


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 99)), unique_by=lambda pair: pair[1]))
def test_ties_are_put_in_order_and_nothing_else_is_moved(found):
    ranked = sorted(found, key=lambda pair: -pair[0])
    ids, scores = [str(number) for _, number in ranked], [float(score) for score, _ in ranked]
    settle_ties(ids, scores)
    assert ids == [str(n) for _, n in sorted(found, key=lambda pair: (-pair[0], str(pair[1])))]


def test_a_persons_words_are_looked_for_in_both_fields_each_once():
    query = make_words_query("The rats, the rat", library=MemoryLibrary())
    assert query.terms == (Term("title", "rat", 2.0), Term("abstract", "rat", 1.0))


def test_words_that_say_nothing_make_an_empty_query():
    assert make_words_query("of the", library=MemoryLibrary()).terms == ()
