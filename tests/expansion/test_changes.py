import msgspec
from hypothesis import given
from hypothesis import strategies as st

from expansion.samples import small_expansion
from likewise.expansion.records import Place
from likewise.expansion.saved import Changes, Move, compare_expansions
from likewise.learn.intervals import Interval

SMALL = small_expansion().saved


def saved(*ids, decided=0, seeds=(), marks=()):
    """Return an expansion that ranks these ids, the first `decided` of them on topic."""
    ranking = tuple(
        Place(
            id=identifier,
            rank=rank,
            score=-float(rank),
            probability=0.5,
            decision=rank <= decided,
            seed=identifier in seeds,
            mark="relevant" if identifier in marks else None,
        )
        for rank, identifier in enumerate(ids, 1)
    )
    return msgspec.structs.replace(SMALL, ranking=ranking)


def test_what_is_newly_decided_and_no_longer_so_is_told_with_its_ranks():
    changes = compare_expansions(saved(*"abcd", decided=2), saved(*"cabd", decided=2))
    assert changes.decided == (Move("c", 3, 1),)
    assert changes.dropped == (Move("b", 2, 3),)


def test_what_joins_or_leaves_the_pool_has_no_rank_there():
    changes = compare_expansions(saved(*"ab", decided=2), saved(*"cb", decided=2))
    assert changes.decided == (Move("c", None, 1),)
    assert changes.dropped == (Move("a", 1, None),)
    assert changes.risen == changes.fallen == ()


def test_a_rise_to_the_top_counts_more_than_one_far_below():
    before, after = saved(*"abcdefgh"), saved(*"cabhdefg")
    changes = compare_expansions(before, after, most=2)
    # c rose from 3 to 1, h from 8 to 4; a fell from 1 to 2, b from 2 to 3.
    assert changes.risen == (Move("c", 3, 1), Move("h", 8, 4))
    assert changes.fallen == (Move("a", 1, 2), Move("b", 2, 3))


def test_seeds_and_what_the_person_has_marked_are_left_out():
    before = saved(*"abcd", decided=1)
    after = saved(*"dcba", decided=2, seeds="d", marks="c")
    changes = compare_expansions(before, after)
    assert changes.decided == ()
    assert {move.id for move in (*changes.dropped, *changes.risen, *changes.fallen)} == {"a", "b"}


def test_nothing_changes_between_an_expansion_and_itself():
    same = saved(*"abcd", decided=2)
    number = same.estimates.relevant.value
    assert compare_expansions(same, same) == Changes((), (), (), (), relevant=(number, number))


def test_how_the_estimate_changed_is_told():
    before, after = (
        msgspec.structs.replace(
            saved(*"abcd"),
            estimates=msgspec.structs.replace(
                saved(*"abcd").estimates, relevant=Interval(value=number, low=1, high=99)
            ),
        )
        for number in (30.0, 12.5)
    )
    assert compare_expansions(before, after).relevant == (30, 12.5)


@given(before=st.permutations("abcdefg"), after=st.permutations("abcdefg"))
def test_the_risen_have_risen_and_the_fallen_have_fallen(before, after):
    changes = compare_expansions(saved(*before), saved(*after), most=3)
    assert all(move.after < move.before for move in changes.risen)
    assert all(move.after > move.before for move in changes.fallen)
    assert max(len(changes.risen), len(changes.fallen)) <= 3
