"""Results of replays as files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.screening.screened import bees, result, round_at
from likewise.bench.screening.results import (
    MEASURES,
    Order,
    ReplayJob,
    ScreenFolder,
    ScreenSettings,
    measure_order,
    read_orders,
)
from likewise.bench.screening.reviews import draw_start
from likewise.errors import ReadError, RunError, SettingsError

SCORED = round_at(4, 2, usual=(1.0, 0.0, 2.0), scored=(2.0, 0.5, 0.1, 0.2), reached=1)


def job(*, draw=1, method="linear", **chosen):
    return ReplayJob(bees(), draw_start(bees(), draw), method, ScreenSettings(**chosen))


def result_of_bees(*found_at, **chosen):
    return result(*found_at, fingerprint=bees().fingerprint, **chosen)


def test_a_result_is_read_as_it_was_written(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    rounds = (round_at(0, 0, usual=(2.5, 1.0, 4.0)), SCORED)
    made = result_of_bees(1, 4, kind="animals", rounds=rounds)
    folder.write(job(), made)
    assert ScreenFolder(tmp_path / "screen").find_result(job()) == made


@pytest.mark.parametrize(
    "other",
    [{"draw": 2}, {"method": "naive"}, {"batch": 10}, {"until": 0.5}, {"number": 1}],
)
def test_whatever_differs_is_another_result(tmp_path, other):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result_of_bees(1))
    assert folder.find_result(job(**other)) is None


def test_a_review_that_changed_is_refused(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result(1, fingerprint="other"))
    with pytest.raises(RunError, match="another review of the same name; name another folder"):
        folder.find_result(job())


def test_a_damaged_result_is_named(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result_of_bees(1))
    (path,) = (tmp_path / "screen" / "results").rglob("*.json")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(RunError, match=rf"{path.name}: damaged or half written; delete it"):
        folder.find_result(job())


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="neither a folder of replays nor empty"):
        ScreenFolder(tmp_path)


def test_a_folder_of_a_later_version_is_refused(tmp_path):
    (tmp_path / "screen.json").write_text('{"kind": "likewise screening", "version": 3}')
    with pytest.raises(RunError, match="of version 3, but this likewise reads"):
        ScreenFolder(tmp_path)


def test_a_folder_of_replays_that_kept_less_is_refused(tmp_path):
    (tmp_path / "screen.json").write_text('{"kind": "likewise screening", "version": 1}')
    with pytest.raises(RunError, match=r"of version 1, .* run again into a new folder"):
        ScreenFolder(tmp_path)


def test_labels_are_those_of_all_records_in_order():
    assert result(1, 4, records=6).labels.tolist() == [True, False, False, True, False, False]


def test_the_order_of_a_result_is_what_is_measured():
    assert result(1, 4, records=20).order.measure_recall(3) == 0.5


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"until": 0.0}, "until is 0.0; it must be above 0 and at most 1"),
        ({"until": 1.1}, "until is 1.1"),
        ({"seeds": 1}, "seeds must be at least 2"),
        ({"batch": 0}, "a batch at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(chosen, message):
    with pytest.raises(SettingsError, match=message):
        ScreenSettings(**chosen)


# Found at the first, third, fourth and eighth of ten.
ORDER = Order(records=10, on_topic=4, found_at=(1, 3, 4, 8), looked_at=8)


@st.composite
def orders(draw):
    records = draw(st.integers(1, 60))
    places = draw(st.sets(st.integers(1, records), min_size=1))
    return Order(records, len(places), tuple(sorted(places)), max(places))


@pytest.mark.parametrize(("looked_at", "recall"), [(0, 0.0), (1, 0.25), (4, 0.75), (8, 1.0)])
def test_recall_is_the_share_found_by_then(looked_at, recall):
    assert ORDER.measure_recall(looked_at) == recall


def test_recall_stays_once_everything_is_found():
    assert ORDER.measure_recall(10) == 1.0


def test_recall_is_not_known_beyond_where_reading_ended():
    assert Order(10, 4, (1, 3), looked_at=5).measure_recall(6) is None


def test_recall_after_a_share_counts_whole_records():
    assert ORDER.measure_recall_after(0.39) == 0.5


def test_a_share_that_is_off_in_its_last_digits_counts_the_same_records():
    # 0.29 of 100 is 28.999999999999996.
    assert Order(100, 1, (29,), 29).measure_recall_after(0.29) == 1.0


@pytest.mark.parametrize(("recall", "needed"), [(0.25, 1), (0.26, 3), (0.75, 4), (0.95, 8)])
def test_what_a_recall_needs_is_the_place_of_the_last_one_that_counts(recall, needed):
    assert ORDER.count_needed(recall) == needed


def test_a_recall_that_is_not_reached_has_no_place():
    assert Order(10, 4, (1, 3, 4), looked_at=9).count_needed(0.95) is None


def test_work_saved_is_what_is_left_unread_less_what_chance_would_leave():
    # Four of ten are read for 75 %: 60 % saved, and chance would save 25 %.
    assert ORDER.measure_work_saved(0.75) == pytest.approx(0.35)


def test_the_best_order_saves_all_but_what_is_on_topic():
    # The 19th of 20 on topic is 95 %: 81 % are not read, less 5 %.
    best = Order(100, 20, tuple(range(1, 21)), 20)
    assert best.measure_work_saved() == pytest.approx(0.76)


def test_time_to_discovery_is_the_mean_place_as_a_share():
    # Places 1, 3, 4 and 8 are 4 in the mean, of 10.
    assert ORDER.measure_time_to_discovery() == pytest.approx(0.4)


def test_time_to_discovery_needs_everything_found():
    assert Order(10, 4, (1, 3), 5).measure_time_to_discovery() is None


def test_all_measures_of_an_order():
    assert measure_order(ORDER) == pytest.approx(
        {
            "WSS@95%": 0.15,
            "recall after 10%": 0.25,
            "recall after 20%": 0.25,
            "ATD": 0.4,
            "read for 95%": 0.8,
        }
    )


@given(orders())
def test_every_measure_of_a_whole_order_is_known_and_none_is_above_one(order):
    values = measure_order(order)
    assert tuple(values) == MEASURES
    assert all(value is not None and value <= 1 for value in values.values())


@given(orders(), st.data())
def test_what_is_found_sooner_is_never_worth_less(order, data):
    places = list(order.found_at)
    moved = data.draw(st.integers(0, len(places) - 1))
    sooner = [place for place in range(1, places[moved]) if place not in places]
    if not sooner:
        return
    places[moved] = sooner[0]
    better = Order(order.records, order.on_topic, tuple(sorted(places)), max(places))
    assert better.measure_work_saved() >= order.measure_work_saved()
    assert better.measure_time_to_discovery() < order.measure_time_to_discovery()


START = draw_start(bees(), 1)
OTHERS = [one.id for one in bees().documents if one.id not in START.seeds]


def read_lines(tmp_path, *lines):
    path = tmp_path / "orders.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return read_orders(path, tool="other", reviews=[bees()], starts=[START])


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
        (["no-such"], "'no-such' is not one of its records"),
        ([START.seeds[0]], "is one of its seeds; leave seeds out"),
        ([OTHERS[0], OTHERS[0]], "a record is in it twice"),
    ],
)
def test_an_order_of_something_else_is_refused_with_its_line(tmp_path, ids, message):
    with pytest.raises(ReadError, match=rf"orders\.jsonl:2: bees, draw 1: .*{message}"):
        read_lines(tmp_path, order(OTHERS), order(ids))


def test_a_line_that_is_no_order_is_refused(tmp_path):
    with pytest.raises(ReadError, match=r"orders\.jsonl:1: not an order .*write {"):
        read_lines(tmp_path, '{"review": "bees"}')
