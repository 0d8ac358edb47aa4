from collections import Counter

import numpy as np
import pytest
from msgspec.structs import replace

from expansion.sessions.samples import new_session, small_saved
from likewise.expansion.records import Place
from likewise.expansion.sessions.looking import choose_next

POOL = ["201", "10.1000/a b", "203", "204", "205"]


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


def chosen(session, strategy, *, count=2, seed=0):
    return [
        place.id for place in choose_next(session, count, strategy, rng=np.random.default_rng(seed))
    ]


def test_the_likeliest_are_the_best_that_are_not_marked(session):
    session.mark({"201": "relevant", "203": "maybe"})
    assert chosen(session, "likely") == ["10.1000/a b", "204"]


def test_the_least_certain_are_nearest_to_where_the_decision_falls(session):
    # Decided down to 0.7, not from 0.25 on: the margin is 0.475; 0.7 and 0.25 are as near.
    assert set(chosen(session, "uncertain")) == {"203", "204"}


def test_what_was_learned_from_does_not_move_the_margin(session):
    known = {"201": "irrelevant", "205": "relevant"}
    ranking = tuple(
        replace(place, mark=known[place.id], decision=known[place.id] == "relevant")
        if place.id in known
        else place
        for place in session.expansion().ranking
    )
    session.mark(known)
    session.add_expansion(small_saved(ranking=ranking))
    # It is still between 0.7 and 0.25, though 0.93 is not decided and 0.0625 is.
    assert chosen(session, "uncertain", count=3) == ["203", "204", "10.1000/a b"]


def test_after_those_come_the_next_nearest(session):
    session.mark({"203": "irrelevant", "204": "irrelevant"})
    # 0.8 is 0.325 away, 0.0625 is 0.4125, 0.93 is 0.456.
    assert chosen(session, "uncertain", count=3) == ["10.1000/a b", "205", "201"]


def test_where_nothing_is_decided_the_likeliest_are_the_least_certain(session):
    ranking = tuple(replace(place, decision=place.seed) for place in session.expansion().ranking)
    session.add_expansion(small_saved(ranking=ranking))
    assert chosen(session, "uncertain") == POOL[:2]


def test_an_audit_is_written_with_what_it_was_drawn_from(session):
    session.mark({"203": "relevant"})
    drawn = chosen(session, "audit")
    (audit,) = session.audits()
    assert list(audit.drawn) == drawn
    assert sorted(audit.population) == sorted(set(POOL) - {"203"})


def test_an_audit_that_is_not_finished_is_gone_on_with(session):
    first, second = chosen(session, "audit")
    session.mark({first: "irrelevant"})
    assert chosen(session, "audit", count=4, seed=1) == [second]
    assert len(session.audits()) == 1


def test_after_an_audit_is_finished_another_is_drawn(session):
    session.mark(dict.fromkeys(chosen(session, "audit"), "irrelevant"))
    again = chosen(session, "audit")
    assert len(session.audits()) == 2
    assert not set(again) & set(session.audits()[0].drawn)


def test_no_more_is_drawn_than_there_is(session):
    assert sorted(chosen(session, "audit", count=60)) == sorted(POOL)


def test_nothing_is_drawn_where_everything_is_marked(session):
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    assert chosen(session, "audit") == []
    assert session.audits() == []


def many(session, *, size=1000, decided=50):
    """Save a ranking of so many documents, of which the first are decided to be on topic."""
    ranking = tuple(
        Place(id=str(rank), rank=rank, score=-rank, probability=1 / rank, seed=False,
                   decision=rank <= decided)
        for rank in range(1, size + 1)
    )  # fmt: skip
    session.add_expansion(small_saved(ranking=ranking))


def test_to_calibrate_ranks_are_spread_around_the_cut_and_far_below_it(session):
    many(session)
    # From a fifth of the cut to five times it, by a factor of 5: 10, 50, 250.
    assert chosen(session, "calibrate", count=3) == ["10", "50", "250"]
    # By the root of it: 22.36 and 111.8 are between.
    assert chosen(session, "calibrate", count=5) == ["10", "22", "50", "112", "250"]


def test_to_calibrate_what_is_marked_is_passed_over_for_its_neighbour(session):
    many(session)
    session.mark({"50": "relevant", "250": "irrelevant"})
    drawn = chosen(session, "calibrate", count=3)
    assert drawn[0] == "10"
    assert drawn[1] in ("49", "51")
    assert drawn[2] in ("249", "251")


def test_calibration_ends_where_the_ranking_does(session):
    many(session, size=60)
    assert chosen(session, "calibrate", count=2) == ["10", "60"]


def test_to_calibrate_no_document_is_named_twice(session):
    assert sorted(chosen(session, "calibrate", count=60)) == sorted(POOL)
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    assert chosen(session, "calibrate") == []


def test_where_nothing_is_decided_calibration_starts_at_the_top(session):
    many(session, decided=0)
    assert chosen(session, "calibrate", count=2) == ["1", "5"]


def test_the_other_strategies_write_nothing(session):
    chosen(session, "likely")
    chosen(session, "calibrate")
    chosen(session, "uncertain")
    assert session.audits() == []


def test_every_document_is_as_likely_to_be_drawn(tmp_path):
    drawn = Counter()
    for seed in range(40):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with new_session(folder) as session:
            session.add_expansion(small_saved())
            drawn.update(chosen(session, "audit", count=3, seed=seed))
    # 24 of 40 each; a deviation is 3.1.
    assert all(abs(drawn[identifier] - 24) <= 12 for identifier in POOL)
