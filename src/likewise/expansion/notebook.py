"""An expansion in a notebook: a table with its figure, columns and a chart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup

from likewise.documents.document import NOTE_NAMES
from likewise.documents.notebook import render_sentences, render_table, render_title, wrap_html
from likewise.expansion.expansion import Expansion
from likewise.expansion.figures import draw_scores
from likewise.expansion.outputs import make_notes
from likewise.expansion.records import Place
from likewise.expansion.summary import summarise_expansion
from likewise.extras import require

SHOWN = 10
"""How many documents a notebook shows of an expansion."""
CHART_BINS = 60
DOCUMENT_COLUMNS = ("title", "year", "authors", "journal", "doi", "pmid")
COLUMNS = ("id", *NOTE_NAMES, *DOCUMENT_COLUMNS)


def render_html(expansion: Expansion) -> str:
    """Return what a notebook shows of an expansion: sentences, the best documents, the scores."""
    scores = draw_scores(expansion.ranking, threshold=expansion.threshold)
    figure = (
        Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(*scores) if scores else ""
    )
    table = render_table(
        ("", "probability", "year", "document"),
        [_make_cells(expansion, place) for place in expansion.found[:SHOWN]],
        numbers=(0, 1),
    )
    warnings = [f"Warning: {warning}" for warning in expansion.warnings]
    sentences = render_sentences([*summarise_expansion(expansion, with_step=False), *warnings])
    return wrap_html(*sentences, table, figure)


def list_columns(expansion: Expansion, *, everything: bool) -> dict[str, list[Any]]:
    """Return what was found, or everything, as `Expansion.to_columns` does."""
    chosen = expansion.ranking if everything else expansion.found
    rows = [_make_row(expansion, place) for place in chosen]
    return {name: [row[name] for row in rows] for name in COLUMNS}


def draw_chart(expansion: Expansion) -> Any:
    """Return an altair chart of the scores of seeds and candidates, with the threshold."""
    altair = require("altair", for_="A chart", extra="notebook")
    bars = (
        altair.Chart(altair.Data(values=_count_scores(expansion.ranking)))
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
    notes = make_notes(expansion, place)
    return {"id": place.id, **notes, **known, "authors": "; ".join(document.authors)}


def _make_cells(expansion: Expansion, place: Place) -> tuple[object, ...]:
    document = expansion.documents[place.id]
    return place.rank, f"{place.chance:.2f}", document.year or "", render_title(document)


def _count_scores(ranking: Sequence[Place]) -> list[dict[str, Any]]:
    """Count scores in equal bins: a chart of bins opens at once, one of 20,000 points does not."""
    scored = [place for place in ranking if place.score is not None]
    scores, is_seed = np.array([p.height for p in scored]), np.array([p.seed for p in scored], bool)
    edges = np.histogram_bin_edges(scores, bins=CHART_BINS) if scored else np.zeros(2)
    return [
        {"documents": name, "from": low, "to": high, "count": number}
        for name, some in (("your papers", scores[is_seed]), ("candidates", scores[~is_seed]))
        for (low, high), number in zip(
            pairwise(edges.tolist()), np.histogram(some, edges)[0].tolist(), strict=True
        )
        if number
    ]
