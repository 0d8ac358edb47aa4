import re

import pytest
from lxml import etree

from expansion.samples import place
from likewise.expansion.cuts import estimate_curve
from likewise.expansion.figures import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Scale,
    choose_steps,
    draw_curve,
    draw_scores,
    list_powers,
    make_element,
)

SEEDS = [3.0, 4.0, 1.0]
POOL = [0.0] * 90 + [1.0] * 9 + [2.0, 2.5, 4.4]


def parsed(figure):
    """The drawing as a tree; it is well-formed XML too."""
    return etree.fromstring(str(figure.drawing))


def texts(figure):
    return [text.text for text in parsed(figure).iter("text")]


def bars(figure, kind):
    return [bar for bar in parsed(figure).iter("rect") if bar.get("class") == kind]


def line_of(figure, kind):
    (line,) = parsed(figure).xpath(f"//polyline[@class='line {kind}']")
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def draw(*, threshold, seeds=SEEDS, pool=POOL):
    ranking = [
        *(place("s", score=score, seed=True) for score in seeds),
        *(place("d", score=score) for score in pool),
    ]
    return draw_scores(ranking, threshold=threshold)


@pytest.fixture
def scores():
    return draw(threshold=2.0)


@pytest.fixture
def curve():
    return draw_curve(estimate_curve([1.0] * 10 + [0.5] * 10 + [0.0] * 80, decided=10))


def test_the_scores_caption_counts_what_lies_above_the_threshold(scores):
    assert scores.caption == (
        "2 of 3 seeds and 3 of 102 candidates score at or above the threshold, 2.00."
    )


@pytest.mark.parametrize("figure", ["scores", "curve"])
def test_a_figure_has_a_text_that_stands_in_for_it(figure, request):
    drawn = request.getfixturevalue(figure)
    assert parsed(drawn).get("role") == "img"
    assert parsed(drawn)[0].tag == "title"
    assert parsed(drawn)[1].text == drawn.caption


def test_axes_are_named(scores, curve):
    assert "score" in texts(scores)
    assert {"seeds", "pool, logarithmic", "threshold"} <= set(texts(scores))
    assert "documents read, best first, logarithmic" in texts(curve)
    assert {"precision", "recall"} <= set(texts(curve))


def test_bars_above_the_threshold_are_told_from_the_others(scores):
    # Seeds: 1 below, 3 and 4 above. Pool: 0 and 1 below; 2, 2.5 and 4.4 above.
    assert len(bars(scores, "bar")) == 1 + 2
    assert len(bars(scores, "bar above")) == 2 + 3


def test_no_bar_above_begins_left_of_the_threshold(scores):
    (line,) = parsed(scores).xpath("//line[@class='threshold']")
    lefts = [float(bar.get("x")) for bar in bars(scores, "bar above")]
    assert min(lefts) >= float(line.get("x1"))


def test_a_single_document_of_the_pool_has_a_bar_that_can_be_seen(scores):
    assert min(float(bar.get("height")) for bar in bars(scores, "bar above")) > 5


def test_everything_lies_inside_the_frame(scores):
    for bar in bars(scores, "bar") + bars(scores, "bar above"):
        assert float(bar.get("x")) >= LEFT
        assert float(bar.get("x")) + float(bar.get("width")) <= RIGHT
        assert float(bar.get("y")) >= TOP


@pytest.mark.parametrize("threshold", [float("inf"), 1e9])
def test_a_threshold_that_nothing_reaches_is_drawn_at_the_right_end(threshold):
    figure = draw(threshold=threshold)
    assert not bars(figure, "bar above")
    (line,) = parsed(figure).xpath("//line[@class='threshold']")
    assert float(line.get("x1")) == pytest.approx(RIGHT)
    assert "inf" not in figure.caption


def test_a_threshold_below_every_score_is_drawn_at_the_left_end():
    figure = draw(threshold=-1e9)
    assert not bars(figure, "bar")


def test_scores_that_are_all_the_same_can_be_drawn():
    figure = draw(seeds=[1.0], pool=[1.0, 1.0], threshold=1.0)
    assert len(bars(figure, "bar above")) == 2


@pytest.mark.parametrize(("seeds", "pool"), [([], [1.0, 2.0]), ([1.0, 2.0], [])])
def test_one_group_alone_can_be_drawn(seeds, pool):
    assert draw(seeds=seeds, pool=pool, threshold=1.5)


def test_of_nothing_there_is_no_figure():
    assert draw(seeds=[], pool=[], threshold=0.0) is None
    assert draw_curve(estimate_curve([], decided=0)) is None


def test_the_curve_runs_from_the_first_document_to_the_last(curve):
    # Precision falls from 1 to 15 / 100, recall rises from 1 / 15 to 1.
    height = BOTTOM - TOP
    assert line_of(curve, "precision")[0] == pytest.approx((LEFT, TOP), abs=0.1)
    assert line_of(curve, "precision")[-1] == pytest.approx(
        (RIGHT, BOTTOM - 0.15 * height), abs=0.1
    )
    assert line_of(curve, "recall")[0] == pytest.approx((LEFT, BOTTOM - height / 15), abs=0.1)
    assert line_of(curve, "recall")[-1] == pytest.approx((RIGHT, TOP), abs=0.1)


def test_the_curves_caption_says_what_reading_on_brings(curve):
    # After 10 documents 10 of 15 are expected; 95 % of 15 is 14.25, reached with the 19th.
    assert curve.caption == (
        "At the threshold, after 10 documents, precision is expected to be 1.00 and recall within "
        "the pool 0.67. A recall of 0.95 takes about 19 documents."
    )


def test_the_curves_threshold_is_marked_on_both_lines(curve):
    assert len(list(parsed(curve).iter("circle"))) == 2
    assert "threshold: 10 documents" in texts(curve)


def test_without_a_decision_the_curve_has_no_threshold():
    figure = draw_curve(estimate_curve([0.2, 0.1], decided=0))
    assert not list(parsed(figure).iter("circle"))
    assert "threshold" not in figure.caption


def test_a_list_of_one_document_can_be_drawn():
    assert draw_curve(estimate_curve([0.5], decided=1))


def test_numbers_at_the_end_of_the_list_do_not_run_into_each_other():
    figure = draw_curve(estimate_curve([0.5] * 12_000, decided=5))
    assert {"1", "10", "100", "1,000", "12,000"} <= set(texts(figure))
    assert "10,000" not in texts(figure)


def test_a_drawing_names_no_colour_and_loads_nothing(scores, curve):
    drawings = f"{scores.drawing}{curve.drawing}"
    assert not re.search(r"#[0-9a-f]{3}|rgb|style=|href|url", drawings)


def test_text_in_a_drawing_is_escaped():
    assert make_element("text", "<script>", class_='"x"') == (
        '<text class="&#34;x&#34;">&lt;script&gt;</text>'
    )


def test_a_scale_without_extent_puts_everything_at_its_start():
    assert Scale(3, 3, 10, 20)(3) == 10


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 1, 3, [0, 0.5, 1]),
        (0, 10, 6, [0, 2, 4, 6, 8, 10]),
        (-0.31, 0.12, 5, [-0.3, -0.2, -0.1, 0, 0.1]),
        (4, 4, 3, [4]),
    ],
)
def test_steps_along_an_axis_are_round_numbers(low, high, most, expected):
    assert choose_steps(low, high, most=most) == expected


def test_powers_of_ten_end_at_the_number():
    assert list_powers(100) == [1, 10, 100]
    assert list_powers(0.5) == [1]
