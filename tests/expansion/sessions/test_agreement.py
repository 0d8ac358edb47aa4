from dataclasses import astuple

import pytest

from expansion.sessions.samples import new_session
from likewise.expansion.sessions.agreement import find_kappa, read_agreement


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        yield session


def mark_both(session, *pairs):
    """Let Ann, then Bob, mark documents called 1, 2, ..., each by its first letter."""
    words = {"r": "relevant", "i": "irrelevant", "m": "maybe"}
    for number, (ann, bob) in enumerate(pairs, 1):
        session.mark({str(number): words[ann]}, reviewer="Ann")
        session.mark({str(number): words[bob]}, reviewer="Bob")


def only_pair(session):
    (pair,) = read_agreement(session).pairs
    return pair


def test_agreement_of_a_table_worked_out_by_hand(session):
    # Both say r in 2, i in 4; Ann r, Bob i in 1; Ann i, Bob m in 1: 6 of 8 the same.
    mark_both(session, "rr", "rr", "ii", "ii", "ii", "ii", "ri", "im")
    pair = only_pair(session)
    assert (pair.both, pair.agreed, pair.share) == (8, 6, 0.75)
    # Ann: 3 r, 5 i; Bob: 2 r, 5 i, 1 m: by chance (3 * 2 + 5 * 5) / 64 = 31/64.
    assert pair.kappa == pytest.approx((6 / 8 - 31 / 64) / (1 - 31 / 64))
    assert pair.counts["irrelevant"] == {"relevant": 0, "irrelevant": 4, "maybe": 1}


def test_agreement_no_better_than_chance_is_0():
    assert find_kappa({"a": {"a": 1, "b": 1}, "b": {"a": 1, "b": 1}}) == 0


def test_a_mark_that_is_changed_once_both_can_be_seen_changes_no_agreement(session):
    mark_both(session, "ri", "ii")
    session.mark({"1": "relevant"}, reviewer="Bob")
    assert (only_pair(session).both, only_pair(session).agreed) == (2, 1)
    assert read_agreement(session).conflicts == ()


def test_a_mark_that_is_changed_before_the_other_has_marked_counts_as_changed(session):
    session.mark({"1": "maybe"}, reviewer="Ann")
    session.mark({"1": "relevant"}, reviewer="Ann")
    session.mark({"1": "relevant"}, reviewer="Bob")
    assert only_pair(session).agreed == 1


def test_who_takes_a_mark_back_to_agree_does_not_raise_agreement(session):
    mark_both(session, "ri")
    session.undo(reviewer="Bob")
    assert only_pair(session).both == 0
    session.mark({"1": "relevant"}, reviewer="Bob")
    assert (only_pair(session).both, only_pair(session).agreed) == (1, 0)
    assert read_agreement(session).conflicts == ()


def test_a_mark_that_is_taken_back_before_the_other_has_marked_counts_as_given_again(session):
    session.mark({"1": "irrelevant"}, reviewer="Ann")
    session.undo(reviewer="Ann")
    session.mark({"1": "relevant"}, reviewer="Bob")
    session.mark({"1": "relevant"}, reviewer="Ann")
    assert (only_pair(session).both, only_pair(session).agreed) == (1, 1)


def test_reviewers_without_a_document_in_common_have_no_agreement(session):
    session.mark({"1": "relevant"}, reviewer="Ann")
    session.mark({"2": "relevant"}, reviewer="Bob")
    assert (only_pair(session).share, only_pair(session).kappa) == (None, None)


def test_settling_is_no_reviewing(session):
    mark_both(session, "ri")
    session.settle({"1": "maybe"}, reviewer="Cat")
    found = read_agreement(session)
    assert [(one.first, one.second) for one in found.pairs] == [("Ann", "Bob")]
    assert (found.conflicts, found.settled) == ((), 1)


def test_conflicts_tell_who_said_what(session):
    mark_both(session, "rr", "rm")
    (conflict,) = read_agreement(session).conflicts
    said = [(mark.reviewer, mark.label) for mark in conflict.marks]
    assert (conflict.document, said) == ("2", [("Ann", "relevant"), ("Bob", "maybe")])


def test_what_each_reviewer_did_is_counted_once_for_each_document(session):
    mark_both(session, "ri", "mi")
    session.mark({"2": "irrelevant"}, reviewer="ANN")
    session.settle({"1": "relevant"}, reviewer="Bob")
    works = read_agreement(session).reviewers
    assert [astuple(work)[:5] for work in works] == [("Ann", 1, 1, 0, 0), ("Bob", 0, 2, 0, 1)]
    assert works[0].first <= works[0].last


def test_three_reviewers_are_three_pairs(session):
    mark_both(session, "rr")
    session.mark({"1": "relevant"})
    assert [(one.first, one.second) for one in read_agreement(session).pairs] == [
        *(("Ann", "Bob"), ("Ann", ""), ("Bob", ""))
    ]
