import pytest

from bench.figures.charts import point, rows_with, scale
from likewise.bench.figures.learning_curve import draw_learning_curve
from likewise.errors import RunError

pytest.importorskip("altair")

SIZES = (20, 50, 1000)


def curve(method, *f1, topic="Rats"):
    return [
        point(method, one, seeds=seeds, topic=topic) for one, seeds in zip(f1, SIZES, strict=False)
    ]


BOUND = curve("upper-bound", 0.5, 0.6, 0.9)
LINEAR = curve("linear", 0.3, 0.4, 0.3)


def test_there_is_a_place_for_each_number_of_seeds():
    found = rows_with(draw_learning_curve([*BOUND, *LINEAR]).chart, "low")
    assert {row["seeds"]: row["mean"] for row in found} == {
        20: pytest.approx(0.25),
        50: pytest.approx(0.2),
        1000: pytest.approx(0.5),
    }


def test_seeds_are_on_a_logarithmic_axis_from_the_first_to_the_last():
    assert scale(draw_learning_curve([*BOUND, *LINEAR]).chart, "x") == [20, 1000]


def test_every_line_is_labelled_at_its_end():
    chart = draw_learning_curve([*BOUND, *LINEAR, *curve("naive", 0.2, 0.2)]).chart
    assert {(row["method"], row["seeds"]) for row in rows_with(chart, "place")} == {
        ("linear", 1000),
        ("naive", 50),
    }


def test_the_caption_tells_which_bound_is_whose():
    alone = draw_learning_curve([*curve("upper-bound-cnn", 0.5, 0.6), *curve("cnn", 0.3, 0.4)])
    assert "The bound is upper-bound-cnn." in alone.caption
    both = draw_learning_curve([*BOUND, *LINEAR, *curve("upper-bound-cnn", 0.5, 0.6, 0.9)])
    assert "The bound of networks and of top k is upper-bound-cnn" in both.caption


def test_long_names_are_cut_at_the_ends_of_lines():
    name = "cnn(risk=pnu, batch=512, batching=ordinary)"
    chart = draw_learning_curve([*BOUND, *curve(name, 0.3, 0.4, 0.3)]).chart
    assert {row["method"] for row in rows_with(chart, "place")} == {
        "cnn(risk=pnu, batch=512, batchi…"
    }


def test_the_upper_bound_is_no_line():
    chart = draw_learning_curve([*BOUND, *LINEAR]).chart
    assert {row["method"] for row in rows_with(chart, "low")} == {"linear"}


def test_only_topics_with_every_number_of_seeds_are_averaged():
    partial = [*curve("upper-bound", 0.9, topic="Mice"), *curve("linear", 0.1, topic="Mice")]
    figure = draw_learning_curve([*BOUND, *LINEAR, *partial])
    assert "over 1 topic." in figure.caption
    assert rows_with(figure.chart, "low")[0]["mean"] == pytest.approx(0.25)


def test_the_caption_tells_how_bm25_is_drawn():
    bm25 = [
        one._replace(measures={"F1": 0.1, "top-k F1": 0.2, "top-k F1 deviation": 0.1})
        for one in curve("bm25", 0.1, 0.1, 0.1)
    ]
    assert (
        "Top k is that of the first k documents of bm25"
        in draw_learning_curve([*BOUND, *bm25]).caption
    )
    assert "bm25" not in draw_learning_curve([*BOUND, *LINEAR]).caption


def test_what_is_seen_is_told_in_words():
    told = draw_learning_curve([*BOUND, *LINEAR]).alternative
    assert "linear: 0.25 with 20 seeds, 0.50 with 1,000" in told


@pytest.mark.parametrize(
    "points", [[*BOUND, *LINEAR][::3], LINEAR, BOUND, []], ids=["one size", "no bound", "alone", ""]
)
def test_without_a_bound_or_a_second_number_of_seeds_it_says_what_is_needed(points):
    with pytest.raises(
        RunError, match=r"learning-curve needs .* upper-bound .* two or more numbers"
    ):
        draw_learning_curve(points)
