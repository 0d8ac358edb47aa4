"""Figures of replays: recall as reading goes on, and where stopping rules end it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, NamedTuple

from likewise.bench import group_by
from likewise.bench.figures import look
from likewise.bench.figures.look import CaptionedChart, alt
from likewise.bench.measures import average_topics
from likewise.bench.screening.results import ScreenResult
from likewise.bench.screening.stops import Stop
from likewise.bench.screening.tables import ScreenTables, average_reviews, make_task_key
from likewise.errors import RunError

WIDTH, HEIGHT = 420, 300
POINTS = 101


class RecallPoint(NamedTuple):
    """The mean recall of a method after looking at a share of the records."""

    method: str
    share: float
    recall: float


@dataclass(frozen=True)
class RuleEnd:
    """Where a rule ends the replays of a method, averaged over reviews."""

    rule: str
    method: str
    cost: float
    recall: float


def draw_screening(shown: ScreenTables) -> list[CaptionedChart]:
    """Draw all figures of replays."""
    return [draw_recall(shown.results), draw_rules(shown.stops, recall=shown.target.recall)]


def draw_recall(results: Sequence[ScreenResult]) -> CaptionedChart:
    """Draw how recall grows as reading goes on, with a line for each method."""
    points = list(trace_recall(results))
    if not points:
        raise RunError("the figure of recall needs replays that continue until everything is found")
    reviews = len({result.review for result in results})
    caption = (
        "Recall after looking at a share of the records, seeds aside: "
        f"means over {reviews} reviews. The grey line is reading in random order."
    )
    words = "; ".join(
        f"{point.method}: {point.recall:.2f} after {point.share:.0%}"
        for point in points
        if point.share in (0.1, 0.2, 0.5)
    )
    return CaptionedChart(
        name="screen-recall",
        title="Recall as reading goes on",
        caption=caption,
        alternative=f"A line chart, a line a method. {words}.",
        chart=look.finish_chart(_draw_curves(points), description=caption),
    )


def trace_recall(results: Sequence[ScreenResult]) -> Iterator[RecallPoint]:
    """Yield the mean recall of each method after each share of the records."""
    whole = (result for result in results if len(result.found_at) == result.on_topic)
    for method, found in group_by(whole, lambda result: result.method).items():
        for step in range(POINTS):
            share = step / (POINTS - 1)
            values = {
                make_task_key(one): one.order.measure_recall_after(share) or 0.0 for one in found
            }
            yield RecallPoint(method, share, fmean(average_topics(values).values()))


def draw_rules(stops: Sequence[Stop], *, recall: float) -> CaptionedChart:
    """Draw the recall that rules reach against what they cost, with a dot for each rule."""
    ended = list(average_stops(stops))
    if not ended:
        raise RunError("these replays have no stopping rule to draw")
    caption = (
        "Recall that stopping rules reach against the share of the records that is looked at, "
        f"audits included: means over reviews. The line is the recall asked for, {recall:.0%}."
    )
    words = "; ".join(
        f"{one.rule} on the order of {one.method}: recall {one.recall:.2f} for {one.cost:.0%}"
        for one in ended
    )
    return CaptionedChart(
        name="screen-rules",
        title="What stopping rules cost and reach",
        caption=caption,
        alternative=f"A scatter plot, a dot a rule. {words}.",
        chart=look.finish_chart(_draw_dots(ended, recall), description=caption),
    )


def average_stops(stops: Sequence[Stop]) -> Iterator[RuleEnd]:
    """Yield where each rule ends the replays of each method, averaged over reviews."""
    groups = group_by(stops, lambda stop: (stop.rule, stop.result.method))
    for (rule, method), found in groups.items():
        cost, recall = (average_reviews(found, name) for name in ("cost", "recall"))
        yield RuleEnd(rule, method, cost, recall)


def _draw_curves(points: Sequence[RecallPoint]) -> Any:
    names = list(dict.fromkeys(point.method for point in points))
    x = alt.X("share:Q", title="share of the records looked at").axis(format="%")
    y = alt.Y("recall:Q", title="recall").scale(domain=[0, 1])
    colour = alt.Color("method:N", scale=look.make_colours(names), legend=None)
    dash = alt.StrokeDash("method:N", scale=look.make_dashes(names), legend=None)
    base = alt.Chart(look.inline_rows([point._asdict() for point in points]))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash)
    chance = alt.Chart(look.inline_rows([{"share": end, "recall": end} for end in (0, 1)]))
    random = chance.mark_line(strokeWidth=1, color=look.MUTED).encode(x=x, y=y)
    return alt.layer(random, lines, _draw_names(points, names, colour)).properties(
        width=WIDTH, height=HEIGHT
    )


def _draw_names(points: Sequence[RecallPoint], names: Sequence[str], colour: Any) -> Any:
    """Return the names of methods beside their lines, where the lines are furthest apart."""
    at = 0.2
    heights = [point.recall for point in points if point.share == at]
    places = look.spread_labels([height - 0.12 for height in heights], gap=14 / HEIGHT)
    rows = [
        {"method": name, "share": at + 0.08, "recall": place}
        for name, place in zip(names, places, strict=True)
    ]
    mark = alt.Chart(look.inline_rows(rows)).mark_text(align="left", fontWeight="bold")
    return mark.encode(x="share:Q", y="recall:Q", text="method:N", color=colour)


def _draw_dots(ended: Sequence[RuleEnd], recall: float) -> Any:
    lowest = max(0, math.floor(20 * min(recall, *(one.recall for one in ended)) - 1) / 20)
    x = alt.X("cost:Q", title="share of the records looked at").scale(domain=[0, 1])
    y = alt.Y("recall:Q", title="recall").scale(domain=[lowest, 1], nice=False)
    names = list(dict.fromkeys(one.method for one in ended))
    colour = alt.Color("method:N", scale=look.make_colours(names), legend=alt.Legend(orient="top"))
    base = alt.Chart(look.inline_rows([asdict(one) for one in ended]))
    hover = ["rule:N", "method:N", "cost:Q", "recall:Q"]
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x.axis(format="%"), y=y, color=colour, tooltip=hover
    )
    asked = alt.Chart(look.inline_rows([{"recall": recall}])).mark_rule(
        color=look.COLOURS[-1], strokeDash=[4, 3]
    )
    labels = _draw_labels(ended, lowest, y=y)
    return alt.layer(asked.encode(y=y), marks, *labels).properties(width=WIDTH, height=HEIGHT)


def _draw_labels(ended: Sequence[RuleEnd], lowest: float, *, y: Any) -> Iterator[Any]:
    """Return the names of rules at the dots of one method; other methods have the same rules."""
    first = [one for one in ended if one.method == ended[0].method]
    pixels = [
        (WIDTH * one.cost, HEIGHT * (1 - (one.recall - lowest) / (1 - lowest))) for one in first
    ]
    words = [re.sub(r"\(recall=[\d.]+\)", "", one.rule) for one in first]
    rows = [
        {"cost": one.cost, "recall": one.recall, "word": word}
        for one, word in zip(first, words, strict=True)
    ]
    return look.draw_labels(rows, pixels, text="word", width=WIDTH, x="cost:Q", y=y)
