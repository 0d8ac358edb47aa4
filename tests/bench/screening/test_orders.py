"""Orders of other tools."""

import json

import pytest

from bench.screening.screened import bees
from likewise.bench.screening.results import read_orders
from likewise.bench.screening.reviews import draw_start
from likewise.errors import ReadError

START = draw_start(bees(), 1)
OTHERS = [one.id for one in bees().documents if one.id not in START.seeds]


def read_lines(tmp_path, *lines):
    path = tmp_path / "orders.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    starts = {("bees", 1): START}
    return read_orders(path, tool="other", reviews={"bees": bees()}, starts=starts)


def order(ids, *, review="bees", draw=1):
    return json.dumps({"review": review, "draw": draw, "ids": ids})


def test_an_order_counts_as_a_replay_of_the_same_records(tmp_path):
    (result,) = read_lines(tmp_path, order(OTHERS))
    places = tuple(n for n, one in enumerate(OTHERS, 1) if one in bees().on_topic)
    assert result.found_at == places
    assert (result.method, result.records, result.on_topic) == ("other", 310, 35)
    assert (result.kind, result.rounds) == (bees().kind, ())


def test_negatives_that_a_tool_was_given_stay_among_the_records(tmp_path):
    left = [one for one in OTHERS if one not in START.negatives]
    (result,) = read_lines(tmp_path, order(left))
    assert (result.looked_at, result.records) == (300, 310)


def test_orders_of_other_reviews_and_draws_are_left_out(tmp_path):
    lines = [order(OTHERS, draw=2), order(OTHERS, review="wasps"), ""]
    assert read_lines(tmp_path, *lines) == []


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["no-such"], "'no-such' is no record of it"),
        ([START.seeds[0]], "is one of its seeds; leave seeds out"),
        ([OTHERS[0], OTHERS[0]], "a record is in it twice"),
    ],
)
def test_an_order_of_something_else_is_refused_with_its_line(tmp_path, ids, message):
    with pytest.raises(ReadError, match=rf"orders\.jsonl:2: bees, draw 1: .*{message}"):
        read_lines(tmp_path, order(OTHERS), order(ids))


def test_a_line_that_is_no_order_is_refused(tmp_path):
    with pytest.raises(ReadError, match=r"orders\.jsonl:1: no order .*write {"):
        read_lines(tmp_path, '{"review": "bees"}')
