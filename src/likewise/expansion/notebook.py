"""An expansion in a notebook: one line, a table with its figure, columns, a data frame, a chart."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from likewise.documents.document import NOTE_NAMES
from likewise.documents.notebook import render_sentences, render_table, render_title, wrap_html
from likewise.errors import MissingExtraError
from likewise.expansion.expansion import Expansion
from likewise.expansion.figures import draw_scores
from likewise.expansion.outputs import make_notes
from likewise.expansion.records import Place
from likewise.expansion.summary import summarise_expansion
from likewise.expansion.wording import format_count, format_interval
from likewise.extras import require

SHOWN = 10
"""How many documents a notebook shows of an expansion."""
CHART_BINS = 60
DOCUMENT_COLUMNS = ("title", "year", "authors", "journal", "doi", "pmid")
COLUMNS = ("id", *NOTE_NAMES, *DOCUMENT_COLUMNS)


def describe_briefly(expansion: Expansion) -> str:
    """Return one line that says what an expansion found."""
    seeds = len(expansion.seeds.given)
    relevant = format_interval(expansion.estimates.relevant, most=expansion.pool_size)
    return (
        f"<Expansion of {format_count(seeds, 'seed')}: {len(expansion.found):,} found among "
        f"{expansion.pool_size:,} candidates, about {relevant} estimated on topic>"
    )


def render_html(expansion: Expansion, *, count: int = SHOWN) -> str:
    """Return what a notebook shows of an expansion: sentences, the best documents, the scores."""
    scores = draw_scores(
        seeds=[place.height for place in expansion.ranking if place.seed],
        pool=[place.height for place in expansion.ranking if not place.seed],
        threshold=expansion.threshold,
    )
    figure = (
        Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(*scores) if scores else ""
    )
    table = render_table(
        ("", "probability", "year", "document"),
        [_make_cells(expansion, place) for place in expansion.found[:count]],
        numbers=(0, 1),
    )
    warnings = [f"Warning: {warning}" for warning in expansion.warnings]
    sentences = render_sentences([*summarise_expansion(expansion, with_step=False), *warnings])
    return wrap_html(*sentences, table, figure)


def list_columns(expansion: Expansion, *, everything: bool = False) -> dict[str, list[Any]]:
    """Return what was found as a dict of columns, from which any data frame can be made.

    Args:
        expansion: What to tabulate.
        everything: Whether to include the whole ranking with the seeds, not only what was found.
    """
    chosen = expansion.ranking if everything else expansion.found
    rows = [_make_row(expansion, place) for place in chosen]
    return {name: [row[name] for row in rows] for name in COLUMNS}


def make_frame(expansion: Expansion, *, everything: bool = False) -> Any:
    """Return a pandas data frame of what was found, indexed by id."""
    pandas = require("pandas", for_="A data frame", extra="notebook")
    return pandas.DataFrame(list_columns(expansion, everything=everything)).set_index("id")


def make_arrow_stream(expansion: Expansion, requested_schema: object = None) -> object:
    """Return what was found as an Arrow stream, for polars, DuckDB and others to read."""
    try:
        arrow = importlib.import_module("pyarrow")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "an Arrow table needs pyarrow: pip install pyarrow, or use to_columns()"
        ) from error
    table = arrow.table(list_columns(expansion))
    return table.__arrow_c_stream__(requested_schema)


def draw_chart(expansion: Expansion) -> Any:
    """Return an altair chart of the scores of seeds and candidates, with the threshold."""
    altair = require("altair", for_="A chart", extra="notebook")
    points = [
        {"score": place.height, "documents": "your papers" if place.seed else "candidates"}
        for place in expansion.ranking
        if place.score is not None
    ]
    bars = (
        altair.Chart(altair.Data(values=_count_scores(points)))
        .mark_bar()
        .encode(
            x=altair.X("from:Q", title="score"),
            x2="to:Q",
            y=altair.Y("count:Q", title="number", scale=altair.Scale(type="symlog")),
            row=altair.Row("documents:N", title=None, sort=["your papers", "candidates"]),
        )
        .properties(width=480, height=110)
    )
    return bars.resolve_scale(y="independent")


def _make_row(expansion: Expansion, place: Place) -> dict[str, Any]:
    document = expansion.documents[place.id]
    known = {name: getattr(document, name) for name in DOCUMENT_COLUMNS}
    return {
        "id": place.id,
        **make_notes(expansion, place),
        **known,
        "authors": "; ".join(document.authors),
    }


def _make_cells(expansion: Expansion, place: Place) -> tuple[object, ...]:
    document = expansion.documents[place.id]
    return place.rank, f"{place.chance:.2f}", document.year or "", render_title(document)


def _count_scores(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Count scores in equal bins: a chart of bins opens at once, one of 20,000 points does not."""
    import numpy as np

    scores = np.array([point["score"] for point in points])
    edges = np.histogram_bin_edges(scores, bins=CHART_BINS) if len(scores) else np.zeros(2)
    return [
        {"documents": name, "from": low, "to": high, "count": int(number)}
        for name in ("your papers", "candidates")
        for low, high, number in zip(
            edges[:-1].tolist(),
            edges[1:].tolist(),
            np.histogram([p["score"] for p in points if p["documents"] == name], edges)[0],
            strict=True,
        )
        if number
    ]
