"""The PRISMA 2020 flow diagram of a session as a file: a picture, a page, or its numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec
from markupsafe import Markup

from likewise.documents.files import replace_file
from likewise.documents.formats.cells import guard_cell
from likewise.errors import UnknownFormatError
from likewise.expansion.figures import make_element
from likewise.expansion.sessions.prisma import PrismaNumbers
from likewise.expansion.sessions.prisma_diagram import (
    PrismaRow,
    draw_prisma,
    format_number,
    list_rows,
)
from likewise.extras import require
from likewise.version import __version__

SCALE = 2
"""How many pixels of a PNG file stand for one of the diagram."""
_TITLE = "PRISMA 2020 flow diagram"
# Nothing in it is escaped in HTML.
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
    # By this mark Excel knows the encoding.
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
    """Raise UnknownFormatError if a diagram is not written to files of this suffix."""
    if Path(path).suffix.lower() not in RENDERERS:
        raise UnknownFormatError(
            f"{path}: a diagram is not written as "
            f"{Path(path).suffix or 'a file without a suffix'}; "
            f"use one of: {' '.join(RENDERERS)}"
        )


def write_prisma(numbers: PrismaNumbers, path: str | Path) -> None:
    """Write a diagram, or its numbers, as the suffix of the file asks for."""
    check_prisma(path)
    content = RENDERERS[Path(path).suffix.lower()](numbers)
    with replace_file(Path(path)) as stream:
        stream.write(content)
