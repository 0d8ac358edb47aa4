"""Draw the figures of docs/explanation/pu-learning.md, light or dark as the reader's system is.

    python scripts/draw_figures.py

They show ideas, not measurements: a pool of which a quarter is on topic, with scores that are
normal on topic (mean 1.2) and off topic (mean -1), both of deviation 1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, pi, sqrt
from pathlib import Path

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
PRIOR, ON, OFF = 0.25, 1.2, -1.0
STYLE = """
  text { font: 15px system-ui, sans-serif; fill: #222; }
  .small { font-size: 13px; } .soft { fill: #666; }
  .line { stroke: #666; fill: none; }
  .library { fill: #eef2f1; stroke: #b9c6c3; } .pool { fill: #d9e7e4; stroke: #8fb0aa; }
  .topic { fill: #0f766e33; stroke: #0f766e; stroke-dasharray: 5 4; } .seed { fill: #0f766e; }
  .on { fill: #0f766eaa; } .off { fill: #b4540055; }
  .curve { stroke: #222; stroke-width: 2; fill: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e6e6; } .soft { fill: #aaa; } .line { stroke: #aaa; }
    .library { fill: #23292b; stroke: #47575a; } .pool { fill: #2d3d3c; stroke: #5b807a; }
    .topic { fill: #5eead422; stroke: #5eead4; } .seed { fill: #5eead4; }
    .on { fill: #5eead499; } .off { fill: #f59e0b55; } .curve { stroke: #e6e6e6; }
  }
"""


def main() -> None:
    """Write both figures."""
    (FIGURES / "pu-setting.svg").write_text(draw_setting(), encoding="utf-8")
    (FIGURES / "pu-mixture.svg").write_text(draw_mixture(), encoding="utf-8")


def draw_setting() -> str:
    """Return library, pool, topic and seeds as shapes within one another."""
    seeds = [(392, 128), (410, 152), (372, 160), (420, 118), (388, 186), (352, 136)]
    hidden = [(432, 176), (448, 140), (414, 206), (462, 170), (366, 208), (340, 176)]
    outside = [(520, 160), (536, 188), (508, 134)]
    rest = [
        (140, 120),
        (180, 200),
        (230, 150),
        (290, 186),
        (284, 136),
        (306, 106),
        (318, 222),
        (600, 110),
        (640, 200),
    ]
    parts = [
        '<rect class="library" x="10" y="36" width="680" height="230" rx="14"/>',
        '<ellipse class="pool" cx="370" cy="158" rx="124" ry="92"/>',
        '<ellipse class="topic" cx="440" cy="160" rx="118" ry="72"/>',
        *(f'<circle class="seed" cx="{x}" cy="{y}" r="6"/>' for x, y in seeds),
        *(f'<circle class="line" cx="{x}" cy="{y}" r="6"/>' for x, y in hidden + outside + rest),
        '<text x="24" y="60">library</text>',
        '<text x="226" y="92">pool</text>',
        '<text x="536" y="106">topic</text>',
        '<circle class="seed" cx="30" cy="292" r="6"/>',
        '<text class="small" x="44" y="297">seeds: known to be on topic</text>',
        '<circle class="line" cx="270" cy="292" r="6"/>',
        '<text class="small" x="284" y="297">everything else: nobody has said</text>',
    ]
    return _frame(
        parts,
        height=312,
        label="Seeds lie inside a topic. Part of the topic lies in the "
        "pool that the seeds retrieve, among documents off topic; part lies outside it.",
    )


def draw_mixture() -> str:
    """Return the scores of a pool as the sum of what is on topic and what is off topic."""

    def on(x: float) -> float:
        return PRIOR * _normal(x - ON)

    def off(x: float) -> float:
        return (1 - PRIOR) * _normal(x - OFF)

    parts = [
        f'<path class="off" d="{_area(off)}"/>',
        f'<path class="on" d="{_area(on)}"/>',
        f'<path class="curve" d="{_curve(lambda x: on(x) + off(x))}"/>',
        '<path class="line" d="M20 250 H680"/>',
        '<text class="small soft" x="20" y="272">low scores</text>',
        '<text class="small soft" x="680" y="272" text-anchor="end">high scores</text>',
        '<text x="150" y="64" text-anchor="end">the pool: all</text>',
        '<text x="150" y="84" text-anchor="end">that can be seen</text>',
        '<text class="small" x="250" y="232" text-anchor="middle">off topic</text>',
        '<text class="small" x="482" y="232" text-anchor="middle">on topic</text>',
        '<text class="small" x="560" y="150">shape known from held-out seeds;</text>',
        '<text class="small" x="560" y="168">height: the prior</text>',
        '<path class="line" d="M556 160 L500 200"/>',
    ]
    return _frame(
        parts,
        width=800,
        height=286,
        label="A curve of the pool's scores is the sum of a large hump "
        "of low scores, off topic, and a small hump of high scores, on topic.",
    )


def _normal(x: float) -> float:
    return exp(-x * x / 2) / sqrt(2 * pi)


def _curve(height: Callable[[float], float]) -> str:
    points = [(x / 25, height(x / 25)) for x in range(-100, 101)]
    return "M" + " L".join(f"{350 + 82 * x:.1f} {250 - 690 * y:.1f}" for x, y in points)


def _area(height: Callable[[float], float]) -> str:
    return f"{_curve(height)} V250 H22 Z"


def _frame(parts: list[str], *, height: int, label: str, width: int = 700) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{label}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


if __name__ == "__main__":
    main()
