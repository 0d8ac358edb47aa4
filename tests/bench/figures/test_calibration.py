import pytest

from bench.figures.charts import parts, point, rows_with
from likewise.bench.figures.methods import draw_calibration
from likewise.errors import RunError

pytest.importorskip("altair")

POINTS = [
    point("linear", 0.4, topic="x", calibration_error=0.02, interval_covered=1.0),
    point("linear", 0.4, topic="y", calibration_error=0.04, interval_covered=0.5),
    point("spy", 0.4, topic="x", calibration_error=0.01, interval_covered=0.0),
    point("spy", 0.4, topic="y", calibration_error=0.01, interval_covered=0.0),
    point("bm25", 0.1, topic="x"),
]


def test_errors_and_covered_intervals_are_averaged_over_topics():
    found = {
        (row["label"], row["measure"]): row["mean"]
        for row in rows_with(draw_calibration(POINTS).chart, "measure")
    }
    assert found == {
        ("linear", "calibration error"): pytest.approx(0.03),
        ("spy", "calibration error"): pytest.approx(0.01),
        ("linear", "interval covered"): pytest.approx(0.75),
        ("spy", "interval covered"): 0.0,
    }


def test_the_method_with_the_smallest_error_is_on_top():
    orders = [
        part["encoding"]["y"]["sort"]
        for part in parts(draw_calibration(POINTS).chart)
        if "sort" in part.get("encoding", {}).get("y", {})
    ]
    assert orders
    assert all(order == ["spy", "linear"] for order in orders)


def test_what_intervals_claim_is_drawn_below():
    lines = [
        part["encoding"]["x"]["datum"]
        for part in parts(draw_calibration(POINTS).chart)
        if "datum" in part.get("encoding", {}).get("x", {})
    ]
    assert lines == [0.8]


def test_the_caption_tells_what_the_dotted_line_is():
    assert "80 % interval" in draw_calibration(POINTS).caption


def test_methods_without_probabilities_say_what_is_needed():
    with pytest.raises(RunError, match="calibration needs methods that tell probabilities"):
        draw_calibration(POINTS[-1:])
