"""Reviews screened again."""

import numpy as np
import pytest

from bench.screening.screened import bee_records, bees
from likewise.bench.screening.replaying import (
    Look,
    ReplayState,
    ReviewRecords,
    choose_batch,
    count_enough,
    rank_rest,
    replay_review,
)
from likewise.bench.screening.reviews import draw_start
from likewise.documents import Document
from likewise.learn.experience import past_experience
from likewise.learn.spelling import parse_method

BM25 = parse_method("bm25")
LEFT = 35
"""How many are on topic beside ten seeds."""
FIRST = 0.01
"""Until one is found."""


def replayed(batch, *, until=None, method=BM25, on_round=None, number=0):
    return replay_review(
        bees(),
        bee_records(),
        draw_start(bees(), 1),
        method=method,
        batch=batch,
        until=until,
        rng=np.random.default_rng(number),
        on_round=on_round,
    )


def test_everything_is_read_unless_it_is_said_when_to_end():
    looked = replayed(100).looked
    assert len(looked) == 310
    assert sum(look.is_on_topic for look in looked) == LEFT


def test_reading_ends_when_everything_on_topic_is_found():
    looked = replayed(20, until=1.0).looked
    assert sum(look.is_on_topic for look in looked) == LEFT
    assert any(look.is_on_topic for look in looked[-20:])


@pytest.mark.parametrize(
    ("until", "on_topic", "enough"),
    # 0.07 of 100 is 7.000000000000001.
    [(0.5, 35, 18), (0.07, 100, 7), (1.0, 35, 35)],
)
def test_a_share_of_what_is_on_topic_may_be_enough(until, on_topic, enough):
    assert count_enough(until, on_topic=on_topic) == enough


def test_reading_ends_in_the_round_that_finds_enough():
    rounds = replayed(20, until=0.5).rounds
    assert rounds[-2].found < 18 <= rounds[-1].found


@pytest.mark.parametrize(("records", "batch"), [(2299, 22), (100, 1), (60, 1)])
def test_a_hundredth_is_looked_at_in_a_round_if_nothing_else_is_said(records, batch):
    assert choose_batch(records) == batch


def test_no_record_is_looked_at_twice_and_no_seed_at_all():
    rows = [look.row for look in replayed(20, until=1.0).looked]
    seeds = {bee_records().rows[one] for one in draw_start(bees(), 1).seeds}
    assert len(set(rows)) == len(rows)
    assert not seeds & set(rows)


def test_what_is_found_is_what_people_decided():
    documents = bees().documents
    looked = replayed(20, until=1.0).looked
    assert all(look.is_on_topic == (documents[look.row].id in bees().on_topic) for look in looked)


def test_a_round_stands_for_each_batch_and_knows_what_was_found_before():
    done = replayed(30, until=1.0)
    assert [one.looked_at for one in done.rounds] == list(range(0, len(done.looked) + 1, 30))
    found = [sum(look.is_on_topic for look in done.looked[: one.looked_at]) for one in done.rounds]
    assert [one.found for one in done.rounds] == found


def test_rounds_keep_how_many_are_usually_left():
    value, low, high = replayed(20, until=FIRST).rounds[0].usual
    assert 0 < low <= value <= high < 310


def test_rounds_keep_what_scores_expect_once_some_were_looked_at():
    first, second, *_ = replayed(60, until=1.0).rounds
    assert first.scored is None
    read, rest, *variances = second.scored
    # Of what was read, scores expect about as many as were found.
    assert read == pytest.approx(second.found, rel=0.05)
    assert 0 < rest < 250
    assert min(variances) > 0


def test_what_a_review_has_taught_is_not_known_of_where_it_is_replayed(monkeypatch):
    left_out = []

    class Watched:
        def without(self, topic):
            left_out.append(topic)
            return past_experience()

    monkeypatch.setattr("likewise.bench.screening.replaying.past_experience", Watched)
    replayed(20, until=FIRST)
    assert left_out == [bees().name]


def test_what_is_found_is_learned_from():
    sizes = []

    class Watched:
        def score(self, material, *, rng):
            sizes.append((material.seeds, len(material.documents)))
            return BM25.score(material, rng=rng)

    looked = replayed(20, until=1.0, method=Watched()).looked
    found = sum(look.is_on_topic for look in looked[:20])
    assert sizes[0] == (10, 320)
    assert sizes[1][0] == 10 + found


def test_the_same_number_gives_the_same_replay():
    linear = parse_method("naive")
    one, other = (replayed(20, until=0.15, method=linear, number=3) for _ in range(2))
    assert one == other


def test_each_round_is_heard_of():
    heard = []
    done = replayed(20, until=1.0, on_round=lambda known: heard.append(len(known.looked)))
    assert heard == [one.looked_at for one in done.rounds][1:]


def test_what_is_left_is_ranked_with_the_likeliest_first():
    known = ReplayState((0, 1, 2), [Look(5, is_on_topic=False)])
    ranking = rank_rest(bee_records(), known, method=BM25, rng=np.random.default_rng(0))
    likeness = bee_records().make_material([0, 1, 2], [5], ranking.rows.tolist()).retrieval.pool
    assert set(ranking.rows.tolist()) == set(range(320)) - {0, 1, 2, 5}
    assert (np.diff(likeness) <= 1e-9).all()
    assert (ranking.evidence.looked_at, ranking.evidence.found) == (1, 0)


def test_seeds_that_stand_above_everything_left_are_reached():
    on_topic = sorted(bee_records().rows[one] for one in bees().on_topic)
    looked = [Look(row, is_on_topic=True) for row in on_topic[10:]]
    known = ReplayState(tuple(on_topic[:10]), looked)
    ranking = rank_rest(bee_records(), known, method=BM25, rng=np.random.default_rng(0))
    assert ranking.evidence.reached > 5


def test_rows_are_put_in_the_order_that_methods_take_them_in():
    records = bee_records()
    material = records.make_material([7, 3], [5], [1, 0])
    assert (material.seeds, material.negatives, material.known) == (2, 1, 3)
    assert [one.id for one in material.documents] == [
        bees().documents[n].id for n in (7, 3, 5, 1, 0)
    ]
    kept, moved = records.views["words"].evidence, material.words
    assert (moved.tfidf != kept.tfidf[[7, 3, 5, 1, 0]]).nnz == 0
    assert (moved.evidence != kept.evidence[[7, 3, 5, 1, 0]]).nnz == 0


def test_likeness_stands_for_the_engine_and_holds_each_seed_out():
    texts = ["cats purr", "cats purr", "dogs bark", "cats bark", "mice squeak"]
    records = ReviewRecords([Document(id=str(n), title=text) for n, text in enumerate(texts)])
    scores = records.make_material([0, 1, 2], [], [3, 4]).retrieval
    # Two seeds say the same: each is as like the other as can be, and not at all like the third.
    assert scores.seeds.round(6).tolist() == [0.5, 0.5, 0.0]
    assert scores.pool[0] > scores.pool[1] == 0


def test_likeness_of_the_pool_leaves_out_rows_off_topic():
    scores = bee_records().make_material([0, 1], [2, 3, 4], list(range(5, 20))).retrieval
    assert len(scores.seeds) == 2
    assert len(scores.pool) == 15
    assert np.isfinite(scores.pool).all()
