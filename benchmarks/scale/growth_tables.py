"""What was measured at several sizes, as a table with exponents and as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np

RESULTS = Path(__file__).parents[1] / "results"
FIGURES = Path(__file__).parents[2] / "docs" / "figures"
PUBMED = 38_000_000
DRAWN = (
    "add an update, s",
    "expand, warm, s",
    "open, s",
    "search, s",
    "the same again, s",
    "top 20,000, again, s",
)
"""The rows that are lines of the figure."""
POWERS = range(-3, 3)


def write_growth(kept: dict[int, dict[str, float]]) -> None:
    """Write the table and the figure, named after the largest size, and print the table."""
    sizes = sorted(kept)
    names = list(kept[sizes[0]])
    lines = [
        f"| | {' | '.join(f'{size:,}' for size in sizes)} | exponent | at {PUBMED:,} |",
        f"|---|{'---:|' * (len(sizes) + 2)}",
    ]
    for name in names:
        values = [kept[size][name] for size in sizes]
        cells = " | ".join(_format(name, value) for value in values)
        trend = fit_trend(sizes, values)
        lines.append(f"| {_title(name)} | {cells} | {_format_trend(name, trend)} |")
    text = "\n".join(lines)
    (RESULTS / f"growth-{sizes[-1]}.md").write_text(f"{text}\n")
    print(f"\n{text}")
    draw_growth(kept)


def draw_growth(kept: dict[int, dict[str, float]]) -> None:
    """Draw seconds by size, both on logarithmic axes."""
    rows = [
        {"documents": size, "seconds": figures[name], "what": _title(name)}
        for size, figures in kept.items()
        for name in DRAWN
        if name in figures
    ]
    log = alt.Scale(type="log", nice=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("documents:Q", scale=log, axis=alt.Axis(format="~s", values=sorted(kept))),
        y=alt.Y("seconds:Q", scale=log, axis=alt.Axis(values=[10.0**power for power in POWERS])),
        color=alt.Color("what:N", title=None, legend=alt.Legend(labelLimit=0)),
    )
    chart = (base.mark_line() + base.mark_point(filled=True)).properties(
        width=460, height=300, padding={"left": 5, "top": 5, "right": 30, "bottom": 5}
    )
    FIGURES.mkdir(exist_ok=True)
    chart.save(str(FIGURES / f"growth-{max(kept)}.svg"))


class Trend(NamedTuple):
    """A power law of the size, fitted to what was measured at the last four sizes.

    At the first ones, starting up matters more than size.
    """

    exponent: float
    error: float
    projected: float
    """At 38 million."""
    low: float
    high: float


def fit_trend(sizes: list[int], values: list[float]) -> Trend | None:
    """Return how something grows; None if that can't be told."""
    if len(sizes) < 4 or min(values) <= 0:
        return None
    x, y = np.log(sizes[-4:]), np.log(values[-4:])
    exponent, start = np.polyfit(x, y, 1)
    spread = np.sqrt(((y - exponent * x - start) ** 2).sum() / (len(x) - 2))
    width = ((x - x.mean()) ** 2).sum()
    far = np.log(PUBMED)
    # Two standard errors of a value that would be measured there, not of the line alone.
    around = 2 * spread * np.sqrt(1 + 1 / len(x) + (far - x.mean()) ** 2 / width)
    low, middle, high = np.exp(exponent * far + start + np.array([-around, 0, around]))
    return Trend(exponent, spread / np.sqrt(width), middle, low, high)


def _title(name: str) -> str:
    return name.removesuffix(", s")


def _format_trend(name: str, trend: Trend | None) -> str:
    if trend is None:
        return " | "
    low, middle, high = (_format(name, one) for one in (trend.low, trend.projected, trend.high))
    return f"{trend.exponent:.2f} ± {trend.error:.2f} | {middle} ({low}-{high})"


def _format(name: str, value: float) -> str:
    if name.endswith(", s"):
        return f"{1e3 * value:,.0f} ms" if value < 1 else f"{value:,.1f} s"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
