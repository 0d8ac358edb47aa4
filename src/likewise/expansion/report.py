"""The report: an expansion as one HTML page that opens offline.

The page carries its own style and script and loads nothing: its content security policy forbids
it, and allows this script only. It states no time of day and no duration, so that the same
expansion gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise import __version__
from likewise.expansion.curve import expected_curve
from likewise.expansion.curve_figure import curve_figure
from likewise.expansion.cuts import pool_of
from likewise.expansion.report_rows import report_rows, seed_lines
from likewise.expansion.score_figure import score_figure
from likewise.expansion.summary import seeds_sentences, summary_sentences
from likewise.expansion.wording import counted, interval, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jinja2 import Template

    from likewise.expansion.expansion import Expansion
    from likewise.expansion.figures import Figure

MOST_ROWS = 2_000
"""How many documents a page lists at most: browsers slow down over longer tables."""


class Fact(NamedTuple):
    """A number and what it counts."""

    name: str
    value: str
    range: str = ""


def render_report(
    expansion: Expansion,
    *,
    everything: bool = False,
    analyze: Callable[[str], Sequence[str]] | None = None,
) -> str:
    """Return the page.

    Args:
        expansion: What the page is about.
        everything: Whether to list the whole ranking, not only what was found.
        analyze: Gives the terms of a word; by default, likewise's own analysis.
    """
    if analyze is None:
        from likewise.library.analysis import english

        analyze = english().analyze
    listed = expansion.ranking if everything else expansion.found
    style, script = (_resource(name) for name in ("report.css", "report.js"))
    return _template().render(
        title=_title(expansion),
        sentences=summary_sentences(expansion),
        facts=_facts(expansion),
        warnings=expansion.warnings,
        figures=_figures(expansion),
        rows=report_rows(expansion, listed[:MOST_ROWS], analyze=analyze),
        listed=len(listed),
        everything=everything,
        seeds_sentences=seeds_sentences(expansion.seeds),
        seeds=seed_lines(expansion),
        not_found=expansion.seeds.not_found,
        settings=list(_settings(expansion.settings)),
        rounds=expansion.rounds,
        library=expansion.library,
        version=__version__,
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _resource(name: str) -> str:
    return files("likewise.expansion").joinpath(name).read_text(encoding="utf-8")


def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_resource("report.html.jinja"))


def _title(expansion: Expansion) -> str:
    found = counted(len(expansion.found), "document") if expansion.found else "No documents"
    seeds = len(expansion.seeds.given)
    return f"{found} like your {counted(seeds, 'seed') if seeds > 1 else 'seed'}"


def _facts(expansion: Expansion) -> list[Fact]:
    estimates, size = expansion.estimates, expansion.pool_size
    count, _, bounds = interval(estimates.relevant, most=size).partition(" ")
    facts = [Fact("documents found", f"{len(expansion.found):,}", f"of {size:,} candidates")]
    if expansion.found:
        facts += [
            Fact("expected precision", f"{estimates.precision:.2f}", "share of these on topic"),
            Fact("expected recall", f"{estimates.recall:.2f}", "within the candidates"),
        ]
    facts.append(Fact("on topic in the candidates", count, bounds.strip("()")))
    if estimates.outside is not None:
        value, low, high = estimates.outside
        bounds = f"{100 * low:.0f}-{100 * high:.0f} %"
        facts.append(Fact("of the topic outside", share(value).replace("less than", "<"), bounds))
    return facts


def _figures(expansion: Expansion) -> list[Figure]:
    pool = [ranked for ranked in expansion.ranking if not ranked.seed]
    # What was marked is no question any more, here as in the numbers above.
    found, rest = pool_of(expansion.ranking)
    likely = [*([1.0] * found), *(ranked.probability for ranked in rest)]
    curve = expected_curve(likely, decided=len(expansion.found))
    scores = score_figure(
        seeds=[ranked.score for ranked in expansion.ranking if ranked.seed],
        pool=[ranked.score for ranked in pool],
        threshold=expansion.threshold,
    )
    return [figure for figure in (scores, curve_figure(curve)) if figure]


def _settings(settings: Any, *, under: str = "") -> Iterator[tuple[str, str]]:
    for field in fields(settings):
        value = getattr(settings, field.name)
        name = under + field.name.replace("_", " ")
        if is_dataclass(value):
            yield from _settings(value, under=f"{name}: ")
        else:
            yield name, str(value)
