"""Reviews screened again."""

import numpy as np

from bench.screening.screened import bee_records, bees
from likewise.bench.screening.policies import Reading
from likewise.bench.screening.replaying import Known, Look, Step, ranked, replay
from likewise.bench.screening.starts import draw_start
from likewise.learn.experience import past_experience
from likewise.learn.spelling import parse_method

BM25 = parse_method("bm25")
LEFT = 35
"""How many are on topic beside ten seeds."""


def replayed(policy, *, method=BM25, on_round=None, number=0):
    return replay(
        bees(),
        bee_records(),
        draw_start(bees(), 1),
        method=method,
        policy=policy,
        rng=np.random.default_rng(number),
        on_round=on_round,
    )


class Audits:
    """Look at ten at random, then at nothing."""

    def step(self, known, ranking, *, rng):
        if known.looked:
            return Step(())
        return Step(tuple(rng.choice(ranking.rows, size=10, replace=False).tolist()), is_audit=True)


def test_reading_ends_when_everything_on_topic_is_found():
    looked = replayed(Reading(enough=LEFT, batch=20)).looked
    assert sum(look.is_on_topic for look in looked) == LEFT
    assert any(look.is_on_topic for look in looked[-20:])


def test_a_share_of_what_is_on_topic_may_be_enough():
    assert Reading.until(0.5, on_topic=35, batch=20) == Reading(enough=18, batch=20)


def test_a_share_that_is_off_in_its_last_digits_asks_for_no_more():
    # 0.07 of 100 is 7.000000000000001.
    assert Reading.until(0.07, on_topic=100, batch=20).enough == 7


def test_no_record_is_looked_at_twice_and_no_seed_at_all():
    rows = [look.row for look in replayed(Reading(enough=LEFT, batch=20)).looked]
    seeds = {bee_records().rows[one] for one in draw_start(bees(), 1).seeds}
    assert len(set(rows)) == len(rows)
    assert not seeds & set(rows)


def test_what_is_found_is_what_people_decided():
    documents = bees().documents
    looked = replayed(Reading(enough=LEFT, batch=20)).looked
    assert all(look.is_on_topic == (documents[look.row].id in bees().on_topic) for look in looked)


def test_a_round_stands_for_each_batch_and_knows_what_was_found_before():
    done = replayed(Reading(enough=LEFT, batch=30))
    assert [one.looked_at for one in done.rounds] == list(range(0, len(done.looked) + 1, 30))
    found = [sum(look.is_on_topic for look in done.looked[: one.looked_at]) for one in done.rounds]
    assert [one.found for one in done.rounds] == found


def test_rounds_estimate_how_many_are_left():
    first = replayed(Reading(enough=1, batch=20)).rounds[0]
    assert 0 < first.low <= first.left <= first.high < 310


def test_what_a_review_has_taught_is_not_known_of_where_it_is_replayed(monkeypatch):
    left_out = []

    class Watched:
        def without(self, topic):
            left_out.append(topic)
            return past_experience()

    monkeypatch.setattr("likewise.bench.screening.replaying.past_experience", Watched)
    replayed(Reading(enough=1, batch=20))
    assert left_out == [bees().name]


def test_what_is_found_is_learned_from():
    sizes = []

    class Watched:
        def score(self, material, *, rng):
            sizes.append((material.seeds, len(material.documents)))
            return BM25.score(material, rng=rng)

    looked = replayed(Reading(enough=LEFT, batch=20), method=Watched()).looked
    found = sum(look.is_on_topic for look in looked[:20])
    assert sizes[0] == (10, 320)
    assert sizes[1][0] == 10 + found


def test_the_same_number_gives_the_same_replay():
    linear = parse_method("naive")
    one, other = (replayed(Reading(enough=5, batch=20), method=linear, number=3) for _ in range(2))
    assert one == other


def test_each_round_is_heard_of():
    heard = []
    done = replayed(
        Reading(enough=LEFT, batch=20), on_round=lambda known: heard.append(len(known.looked))
    )
    assert heard == [one.looked_at for one in done.rounds][1:]


def test_an_audit_is_told_with_what_it_was_drawn_from():
    heard = []
    looked = replayed(Audits(), on_round=heard.append).looked
    (audit,) = heard[0].audits
    assert audit[:2] == (310, 10)
    assert audit.on_topic == sum(look.is_on_topic for look in looked)
    assert all(look.is_audit for look in looked)


def test_a_replay_ends_when_nothing_is_left_to_look_at():
    done = replayed(Reading(enough=1000, batch=200))
    assert len(done.looked) == 310


def test_what_is_left_is_ranked_with_the_likeliest_first():
    known = Known((0, 1, 2), [Look(5, is_on_topic=False)])
    ranking = ranked(bee_records(), known, method=BM25, rng=np.random.default_rng(0))
    likeness = bee_records().material([0, 1, 2], [5], ranking.rows.tolist()).retrieval.pool
    assert set(ranking.rows.tolist()) == set(range(320)) - {0, 1, 2, 5}
    assert (np.diff(likeness) <= 1e-9).all()
    assert len(ranking.left.probabilities) == 316


def test_seeds_that_stand_above_everything_left_are_reached():
    on_topic = sorted(bee_records().rows[one] for one in bees().on_topic)
    looked = [Look(row, is_on_topic=True) for row in on_topic[10:]]
    known = Known(tuple(on_topic[:10]), looked)
    reached = ranked(bee_records(), known, method=BM25, rng=np.random.default_rng(0)).reached
    assert reached > 5
