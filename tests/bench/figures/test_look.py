import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.figures.charts import point
from likewise.bench.figures.look import (
    COLOURS,
    FIRST,
    INK,
    SECOND,
    SHADES,
    alt,
    make_colours,
    make_dashes,
    place_labels,
    spread_labels,
)
from likewise.bench.figures.methods import draw_methods
from likewise.bench.figures.paper import draw_learning_curve
from likewise.errors import MissingExtraError


def lightness(colour):
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((lightness(one), lightness(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shade", SHADES)
def test_numbers_can_be_read_on_every_shade(shade):
    assert contrast(INK, shade) >= 4.5


def test_shades_go_from_light_to_dark():
    found = [lightness(shade) for shade in SHADES]
    assert found == sorted(found, reverse=True)


def test_the_two_colours_that_are_compared_differ_in_grey():
    assert contrast(FIRST, SECOND) >= 2


@pytest.mark.parametrize("colour", COLOURS)
def test_every_line_stands_out_from_the_page(colour):
    assert contrast(colour, "#ffffff") >= 2.5


def test_lines_that_share_a_colour_differ_in_their_dashes():
    pytest.importorskip("altair")
    names = [f"method {number}" for number in range(2 * len(COLOURS))]
    colours, dashes = make_colours(names).to_dict()["range"], make_dashes(names).to_dict()["range"]
    looks = {(colour, tuple(dash)) for colour, dash in zip(colours, dashes, strict=True)}
    assert len(looks) == len(names)


def test_a_chart_carries_its_caption_as_description():
    pytest.importorskip("altair")
    figure = draw_methods([point("linear", 0.4)])
    assert figure.chart.to_dict()["description"] == figure.caption


def test_a_missing_extra_is_told_with_the_command_that_adds_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'likewise\[bench\]'"):
        alt.Chart()


def test_figures_are_loaded_without_altair(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    bound = [point("upper-bound", 0.5, seeds=seeds) for seeds in (20, 50)]
    linear = [point("linear", 0.3, seeds=seeds) for seeds in (20, 50)]
    with pytest.raises(MissingExtraError, match="Drawing figures needs"):
        draw_learning_curve(bound + linear)


places = st.lists(st.floats(0, 1), max_size=12)


def test_places_far_apart_stay():
    assert spread_labels([1.0, 9.0, 4.0], gap=2.0) == [1.0, 9.0, 4.0]


def test_places_too_near_move_apart_by_as_much():
    assert spread_labels([5.0, 5.0], gap=1.0) == [4.5, 5.5]


def test_nothing_is_spread_to_nothing():
    assert spread_labels([], gap=1.0) == []


@given(places)
def test_places_are_at_least_a_gap_apart(wanted):
    placed = sorted(spread_labels(wanted, gap=0.1))
    assert all(high - low >= 0.1 - 1e-9 for low, high in itertools.pairwise(placed))


@given(st.lists(st.floats(0, 1), unique=True, max_size=12))
def test_places_keep_their_order(wanted):
    placed = spread_labels(wanted, gap=0.1)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    assert order == sorted(range(len(wanted)), key=placed.__getitem__)


@given(places)
def test_places_keep_their_mean(wanted):
    assert sum(spread_labels(wanted, gap=0.1)) == pytest.approx(sum(wanted), abs=1e-9)


def test_a_label_stands_right_of_a_point_that_is_alone():
    assert place_labels([(50, 50)], [30], width=200)[0].align == "left"


def test_a_label_stands_left_of_a_point_at_the_right_edge():
    assert place_labels([(195, 50)], [30], width=200)[0].align == "right"


def test_a_label_makes_room_for_the_point_beside_it():
    spot, _ = place_labels([(50, 50), (70, 50)], [30, 30], width=200)
    assert (spot.align, spot.down) == ("right", 0)


def test_labels_of_points_at_one_place_do_not_cover_each_other():
    spots = place_labels([(50, 50)] * 3, [30] * 3, width=200)
    assert len(set(spots)) == 3
