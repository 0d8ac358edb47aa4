"""What replays start from."""

import json

import pytest

from bench.screening.screened import bees
from likewise.bench.screening.reviews import Review, draw_start, write_starts
from likewise.documents import Document
from likewise.errors import RunError


def test_seeds_are_on_topic_and_negatives_are_not():
    start = draw_start(bees(), 1)
    assert len(set(start.seeds)) == len(set(start.negatives)) == 10
    assert set(start.seeds) <= bees().on_topic
    assert not set(start.negatives) & bees().on_topic


def test_a_draw_is_always_the_same_and_another_is_another():
    assert draw_start(bees(), 1) == draw_start(bees(), 1)
    assert draw_start(bees(), 1).seeds != draw_start(bees(), 2).seeds


def test_the_order_of_the_records_does_not_matter():
    turned = Review("bees", bees().documents[::-1], bees().on_topic)
    assert draw_start(turned, 3) == draw_start(bees(), 3)


def test_draws_are_those_that_orders_of_other_tools_were_made_from():
    # Orders that are kept were made from these: whatever changes them makes all of these useless.
    ids = [f"{number:02}" for number in range(40)]
    review = Review("X", tuple(Document(id=one) for one in ids), frozenset(ids[:20]))
    assert draw_start(review, 1, seeds=3).seeds == ("16", "00", "09")


def test_a_review_with_nothing_left_to_find_is_refused():
    with pytest.raises(RunError, match=r"bees: 45 records on topic and 275 off topic; .*45 seeds"):
        draw_start(bees(), 1, seeds=45)


def test_starts_are_written_a_line_each(tmp_path):
    write_starts([draw_start(bees(), draw) for draw in (1, 2)], tmp_path / "starts.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "starts.jsonl").read_text().splitlines()]
    assert [(row["review"], row["draw"]) for row in rows] == [("bees", 1), ("bees", 2)]
    assert tuple(rows[1]["negatives"]) == draw_start(bees(), 2).negatives
