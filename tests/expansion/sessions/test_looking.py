from collections import Counter
from itertools import count

import numpy as np
import pytest
from msgspec.structs import replace

from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.records import Place
from likewise.expansion.sessions.looking import Looking, choose_next, read_looking
from likewise.learn.stopping.audits import AuditResult

POOL = ["201", "10.1000/a b", "203", "204", "205"]
EARLY, MIDDLE, LATE = (f"2026-01-31T09:30:0{second}.000Z" for second in (1, 2, 3))


@pytest.fixture
def session(tmp_path, monkeypatch):
    # What is given at the same time is taken as given at once.
    ticks = (f"2026-01-31T10:{minute:02d}:00.000Z" for minute in count())
    monkeypatch.setattr("likewise.expansion.sessions.session_file.read_clock", lambda: next(ticks))
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


def audited(labels, *audits, times=None):
    """Return what was looked at, given audits as (time, drawn, population)."""
    from likewise.expansion.sessions.records import Audit

    drawn = [
        Audit(number, time, 1, tuple(ids), tuple(population))
        for number, (time, ids, population) in enumerate(audits, 1)
    ]
    times = dict.fromkeys(labels, EARLY) | (times or {})
    return Looking(small_saved(), labels, times, frozenset(), drawn)


def test_without_an_expansion_the_way_out_is_said(tmp_path):
    with new_session(tmp_path) as session, pytest.raises(SessionError, match="expand --session"):
        read_looking(session)


def test_the_rest_is_what_has_no_label(session):
    session.mark({"201": "relevant", "204": "irrelevant", "205": "maybe"})
    assert [place.id for place in read_looking(session).rest] == ["10.1000/a b", "203"]


def test_what_was_taken_back_was_not_looked_at(session):
    session.mark({"201": "relevant"})
    session.undo()
    assert [place.id for place in read_looking(session).rest] == POOL


def test_a_seed_that_is_marked_is_not_counted_as_found(session):
    session.mark({"101": "relevant", "201": "relevant"})
    assert read_looking(session).count("relevant") == 1


def test_what_was_found_outside_the_pool_is_counted(session):
    session.mark({"elsewhere": "relevant"})
    assert read_looking(session).count("relevant") == 1


def test_scores_are_told_apart_by_what_is_known(session):
    session.mark({"201": "relevant", "204": "irrelevant", "205": "maybe"})
    standing = read_looking(session).standing()
    assert standing.seeds.tolist() == [3.25, 2.0, 1.25, -1.0]
    assert standing.looked_at.tolist() == [2.5, -0.5]
    assert standing.labels.tolist() == [True, False]
    assert standing.rest.tolist() == [1.5, 1.0]


def test_rules_see_labels_in_the_order_given(session):
    session.mark({"204": "irrelevant"})
    session.mark({"201": "relevant", "elsewhere": "relevant"})
    looked = read_looking(session).looked
    assert (looked.labels.tolist(), looked.size, looked.seeds) == ([False, True], 5, 4)


def test_what_was_read_keeps_the_order_in_which_it_was_first_marked(session):
    session.mark({"204": "irrelevant"})
    session.mark({"201": "relevant"})
    session.mark({"204": "relevant"})
    looking = read_looking(session)
    assert looking.read == ["204", "201"]
    assert looking.looked.labels.tolist() == [True, True]


def test_what_a_file_brought_is_known_but_was_not_read(session):
    session.mark({"201": "relevant", "203": "irrelevant", "gone": "relevant"}, source="s.csv")
    session.mark({"204": "irrelevant"})
    session.mark({"10.1000/a b": "relevant"})
    looking = read_looking(session)
    assert looking.brought == 2
    assert looking.read == ["204", "10.1000/a b"]
    looked = looking.looked
    # One document is neither: what a file brought is not unread.
    assert (looked.labels.tolist(), looked.size, looked.rest) == ([False, True], 3, 1)
    assert (looked.found, looked.brought, looked.known) == (1, 2, 3)


def test_what_was_found_outside_the_pool_is_known_but_was_not_read(session):
    session.mark({"elsewhere": "relevant", "201": "relevant"})
    looked = read_looking(session).looked
    assert (looked.count, looked.found, looked.known) == (1, 1, 2)


def test_what_was_drawn_at_random_was_not_read_in_order(session):
    session.mark({"201": "relevant"})
    session.add_audit(["204"], population=POOL[1:])
    session.mark({"204": "relevant", "203": "irrelevant"})
    looking = read_looking(session)
    assert looking.read == ["201", "203"]
    assert (looking.looked.found, looking.looked.brought, looking.looked.known) == (1, 1, 2)


def test_maybe_was_looked_at_but_tells_nothing_of_how_finding_declines(session):
    session.mark({"201": "relevant", "203": "maybe", "204": "irrelevant"})
    looking = read_looking(session)
    assert looking.read == ["201", "204"]
    assert (looking.looked.size, looking.looked.rest) == (4, 2)


def test_rules_see_what_scores_expect(session):
    session.mark({"201": "relevant"})
    assert read_looking(session).looked.scored is None
    session.mark({"204": "irrelevant"})
    looking = read_looking(session)
    assert looking.looked.scored == looking.standing().expect_by_scores()
    assert 0 < looking.looked.scored.rest < 3


def test_an_audit_counts_up_to_the_first_gap():
    labels = {"203": "irrelevant", "205": "relevant", "201": "relevant"}
    looking = audited(labels, (MIDDLE, ["203", "204", "205"], POOL), times={"203": LATE})
    assert looking.looked.audits == (AuditResult(5, 1, 0, 0, 0),)


def test_maybe_counts_as_on_topic_where_a_bound_is_proven():
    looking = audited({"203": "maybe"}, (MIDDLE, ["203"], POOL))
    assert looking.looked.audits == (AuditResult(5, 1, 1, 0, 0),)
    assert looking.proof(confidence=0.95).maybe == 1


def test_an_audit_of_what_is_left_goes_on_with_the_chain():
    labels = {"201": "relevant", "203": "irrelevant", "204": "relevant"}
    rest = [name for name in POOL if name not in ("201", "203")]
    looking = audited(labels, (EARLY, ["203"], POOL), (MIDDLE, ["204"], rest), times={"204": LATE})
    first, second = looking.looked.audits
    assert first == AuditResult(5, 1, 0, found_before=0, chain=0)
    assert second == AuditResult(3, 1, 1, found_before=1, chain=0)


def test_an_audit_of_another_pool_begins_a_chain():
    labels = {"203": "irrelevant"}
    looking = audited(labels, (EARLY, ["203"], ["203", "204"]), (MIDDLE, ["201"], ["201", "204"]))
    assert [audit.chain for audit in looking.looked.audits] == [0, 1]


def test_what_left_the_pool_without_a_mark_begins_a_chain_too():
    looking = audited({}, (EARLY, ["203"], POOL), (MIDDLE, ["201"], POOL[:-1]))
    assert [audit.chain for audit in looking.looked.audits] == [0, 1]


def test_what_is_marked_after_the_next_audit_does_not_count_for_the_one_before():
    looking = audited(
        {"203": "irrelevant"}, (EARLY, ["203"], POOL), (MIDDLE, ["204"], POOL), times={"203": LATE}
    )
    assert looking.looked.audits[0].looked_at == 0


def test_what_no_audit_was_drawn_from_is_left_uncovered():
    population = ["203", "204"]
    looking = audited({"203": "irrelevant", "204": "irrelevant"}, (EARLY, population, population))
    proof = looking.proof(confidence=0.95)
    # Both of the population were looked at, so all that can be left are the three others.
    assert (proof.uncovered, proof.left) == (3, 3)


def test_a_document_without_a_score_is_ranked_last(session):
    import msgspec

    ranking = session.expansion().ranking
    unscored = tuple(msgspec.structs.replace(place, score=None) for place in ranking)
    session.add_expansion(small_saved(ranking=unscored))
    standing = read_looking(session).standing()
    assert np.isneginf(standing.rest).all()
    assert np.isnan(standing.seeds).all()


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
