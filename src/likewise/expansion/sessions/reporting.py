"""Reports of a session as files: the HTML page of its latest expansion, and its PRISMA diagram."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from likewise.documents import Document, replace_file
from likewise.documents.formats.cells import guard_cell
from likewise.errors import SessionError, UnknownFormatError
from likewise.expansion.expansion import Expansion
from likewise.expansion.figures import make_element
from likewise.expansion.marks import Mark
from likewise.expansion.outputs import MOST_ROWS, Fact, ReportedReview, render_report
from likewise.expansion.records import Explanation, Explanations, Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.seeds import Seeds
from likewise.expansion.sessions.expanding import find_latest_settings
from likewise.expansion.sessions.prisma import PrismaNumbers
from likewise.expansion.sessions.prisma_diagram import (
    PrismaRow,
    draw_prisma,
    format_number,
    list_rows,
)
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import describe_status
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_interval
from likewise.extras import require
from likewise.library.protocol import Library
from likewise.version import __version__

_NONE = Explanation((), (), "")


def report_session(session: SessionFile, library: Library) -> str:
    """Return the report of a session's latest expansion as an HTML page that opens offline.

    Its numbers and its words are those of the status. Documents marked relevant are listed, those
    marked irrelevant are not. Raises SessionError if nothing was expanded yet.
    """
    with session.at_one_moment():
        saved, marks = session.expansion(), session.current()
        if saved is None:
            raise SessionError(
                f"{session.path.stem}: nothing was expanded yet, so there is nothing to report"
            )
        explanations, review = session.explanations(), _describe_review(session, marks)
    settings = find_latest_settings(saved, session.start)
    expansion = _restore_expansion(
        saved, marks, library, settings=settings, explanations=explanations
    )
    return render_report(expansion, review=review)


def _describe_review(session: SessionFile, marks: Mapping[str, Mark]) -> ReportedReview:
    status = read_status(session)
    reasons = Counter(mark.reason for mark in marks.values() if mark.reason)
    left, _, bounds = format_interval(status.left, most=status.pool).partition(" ")
    facts = [
        Fact("found", f"{status.found:,}", "marked relevant; seeds are not counted"),
        Fact("looked at", f"{status.looked_at:,}", f"of {status.pool:,} candidates"),
        Fact("estimated to be left", left, bounds.strip("()")),
    ]
    # Before anything was looked at, a recall of 0 would read like a result.
    if status.looked_at:
        recall = status.recall
        facts.append(
            Fact("recall so far", f"{recall.value:.2f}", f"{recall.low:.2f}-{recall.high:.2f}")
        )
    return ReportedReview(
        title=session.name or session.path.stem,
        sentences=describe_status(status),
        facts=facts,
        criteria=session.review.criteria(),
        reasons=[Fact(name, f"{count:,}") for name, count in reasons.most_common()],
    )


def _restore_expansion(
    saved: SavedExpansion,
    marks: Mapping[str, Mark],
    library: Library,
    *,
    settings: ExpandSettings,
    explanations: Explanations | None,
) -> Expansion:
    """Return a saved expansion, decided by the current marks, with the documents of a report."""
    ranking = tuple(_decide(place, marks.get(place.id)) for place in saved.ranking)
    listed = [place.id for place in ranking if place.decision and not place.seed][:MOST_ROWS]
    held = {one.id: one for one in library.get([*listed, *saved.seeds.matched])}
    text_only = {seed.id: seed for seed in saved.seeds.text_only}
    known = held | text_only
    seen = {*text_only, *saved.seeds.matched, *marks}
    matched = tuple(held.get(name) or Document(id=name) for name in saved.seeds.matched)
    return Expansion(
        seeds=Seeds(matched, saved.seeds.text_only, saved.seeds.not_found),
        settings=settings,
        ranking=ranking,
        threshold=math.inf if saved.threshold is None else saved.threshold,
        estimates=saved.estimates,
        rounds=saved.rounds,
        warnings=saved.warnings,
        seconds={},
        documents={place.id: known.get(place.id) or Document(id=place.id) for place in ranking},
        library=saved.library,
        library_size=library.count(),
        explain=_KeptExplainer(explanations, seen),
        links=explanations.links if explanations else {},
        seed_links=tuple(link for link in saved.seed_links if link.seed in seen),
        marks=saved.marks,
        readings=saved.readings,
    )


def _decide(place: Place, mark: Mark | None) -> Place:
    if mark is None or place.seed or mark.label == "maybe":
        return place
    return replace(place, mark=mark.label, decision=mark.label == "relevant")


class _KeptExplainer:
    """Explains documents by what was kept; names a nearest seed only if it is a seed or marked."""

    def __init__(self, explanations: Explanations | None, seeds: set[str]) -> None:
        self._explanations = explanations or Explanations((), (), {})
        self._seeds = seeds

    def __call__(self, identifier: str) -> Explanation:
        why = self._explanations.explain(identifier) or _NONE
        return why if why.nearest_seed in self._seeds else replace(why, nearest_seed="")

    def explain_all(self) -> Explanations:
        return self._explanations


SCALE = 2
"""How many pixels of a PNG file stand for one of the diagram."""
_TITLE = "PRISMA 2020 flow diagram"
# It holds no characters that HTML escapes.
_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
svg { max-width: 100%; height: auto }
td { padding: .2rem 1rem .2rem 0; vertical-align: top; overflow-wrap: anywhere }
td:last-child { text-align: right; white-space: nowrap }
"""


def _render_svg(numbers: PrismaNumbers) -> bytes:
    return f"{draw_prisma(numbers)}\n".encode()


def _render_png(numbers: PrismaNumbers) -> bytes:
    converter = require("vl_convert", for_="A diagram as PNG", extra="bench")
    return bytes(converter.svg_to_png(str(draw_prisma(numbers)), scale=SCALE))


def _render_json(numbers: PrismaNumbers) -> bytes:
    counts = {
        name: [one._asdict() for one in value]
        if name in ("sources", "reasons", "reports_excluded")
        else value
        for name, value in asdict(numbers).items()
    }
    return msgspec.json.format(msgspec.json.encode(counts), indent=1) + b"\n"


def _render_csv(numbers: PrismaNumbers) -> bytes:
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(PrismaRow._fields)
    for stage, item, number in list_rows(numbers):
        table.writerow((stage, guard_cell(item), "" if number is None else number))
    # The byte order mark tells Excel the encoding.
    return text.getvalue().encode("utf-8-sig")


def _render_html(numbers: PrismaNumbers) -> bytes:
    cells = [(row.stage, row.item, format_number(row.number)) for row in list_rows(numbers)]
    rows = [make_element("tr", *(make_element("td", cell) for cell in row)) for row in cells]
    page = make_element(
        "html",
        make_element(
            "head",
            Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width">'),
            make_element("title", _TITLE),
            make_element("style", _STYLE),
        ),
        make_element(
            "body",
            make_element("h1", _TITLE),
            draw_prisma(numbers),
            *(make_element("p", remark) for remark in numbers.remarks),
            make_element("h2", "Its numbers"),
            make_element("table", *rows),
            make_element("p", f"Made with likewise {__version__}."),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n".encode()


RENDERERS: Mapping[str, Callable[[PrismaNumbers], bytes]] = {
    ".svg": _render_svg,
    ".png": _render_png,
    ".json": _render_json,
    ".csv": _render_csv,
    ".html": _render_html,
}
"""What a diagram can be written as, by suffix."""


def check_prisma(path: str | Path) -> None:
    """Raise UnknownFormatError if a diagram can't be written to a file with this suffix."""
    if Path(path).suffix.lower() not in RENDERERS:
        raise UnknownFormatError(
            f"{path}: a diagram can't be written as "
            f"{Path(path).suffix or 'a file without a suffix'}; "
            f"use one of: {' '.join(RENDERERS)}"
        )


def write_prisma(numbers: PrismaNumbers, path: str | Path) -> None:
    """Write a diagram, or its numbers, as the suffix of the file asks for."""
    check_prisma(path)
    content = RENDERERS[Path(path).suffix.lower()](numbers)
    with replace_file(Path(path)) as stream:
        stream.write(content)
