import sys

import pytest

from bench.figures.charts import point
from likewise.bench.figures.learning_curve import draw_learning_curve
from likewise.bench.figures.look import (
    COLOURS,
    FIRST,
    INK,
    SECOND,
    SHADES,
    altair,
    make_colours,
    make_dashes,
)
from likewise.bench.figures.methods import draw_methods
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
        altair()


def test_figures_are_loaded_without_altair(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    bound = [point("upper-bound", 0.5, seeds=seeds) for seeds in (20, 50)]
    linear = [point("linear", 0.3, seeds=seeds) for seeds in (20, 50)]
    with pytest.raises(MissingExtraError, match="Drawing figures needs"):
        draw_learning_curve(bound + linear)
