"""Figures as files: SVG, PNG, and a page that needs no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from likewise.bench.figures.look import FONT, INK, CaptionedChart, load_altair
from likewise.documents.files import replace_file
from likewise.errors import WriteError
from likewise.extras import require

SCALE = 2
"""How many pixels of a PNG file stand for one of the figure."""


def write_figures(
    figures: Sequence[CaptionedChart], folder: Path, *, formats: Sequence[str]
) -> list[list[Path]]:
    """Write figures into a folder in some formats, and return the paths of each figure.

    Nothing is written until all are drawn.
    """
    drawn = [
        {folder / f"{figure.name}.{name}": render_figure(figure, name) for name in formats}
        for figure in figures
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{folder}: can't be made: {error.strerror or error}") from error
    for files in drawn:
        for path, content in files.items():
            with replace_file(path) as stream:
                stream.write(content)
    return [list(files) for files in drawn]


def render_figure(figure: CaptionedChart, format: str) -> bytes:  # noqa: A002
    """Return a figure in a format; the same figure gives the same bytes."""
    return FORMATS[format](figure)


def _render_png(figure: CaptionedChart) -> bytes:
    return bytes(_load_converter().vegalite_to_png(_chart(figure), scale=SCALE, **_find_version()))


def _render_svg(figure: CaptionedChart) -> bytes:
    """Return a figure as SVG, with title and description for screen readers."""
    svg: str = _load_converter().vegalite_to_svg(_chart(figure), **_find_version())
    tag, _, rest = svg.partition(">")
    words = (
        f"<title>{escape(figure.title)}</title>"
        f"<desc>{escape(f'{figure.caption} {figure.alternative}')}</desc>"
    )
    return f'{tag} role="img">{words}{rest}\n'.encode()


def _render_page(figure: CaptionedChart) -> bytes:
    # Names of topics may hold what would end the script.
    chart = json.dumps(_chart(figure), ensure_ascii=False).replace("<", "\\u003c")
    told = json.dumps(figure.alternative, ensure_ascii=False).replace("<", "\\u003c")
    return _PAGE.format(
        title=escape(figure.title),
        caption=escape(figure.caption),
        chart=chart,
        told=told,
        script=_load_converter().javascript_bundle(vl_version=_find_version()["vl_version"]),
        font=FONT,
        ink=INK,
    ).encode()


def _chart(figure: CaptionedChart) -> Any:
    return figure.chart.to_dict()


def _load_converter() -> Any:
    return require("vl_convert", for_="Drawing figures", extra="bench")


def _find_version() -> dict[str, str]:
    """Return the version of Vega-Lite, on which altair and vl-convert must agree."""
    return {"vl_version": ".".join(load_altair().SCHEMA_VERSION.split(".")[:2])}


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font-family: {font}; color: {ink}; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }}
figure {{ margin: 0; overflow-x: auto; }}
figcaption {{ font-size: 0.9rem; line-height: 1.4; max-width: 44rem; margin-top: 1rem; }}
</style>
<script>{script}</script>
</head>
<body>
<figure>
<div id="chart"></div>
<figcaption>{caption}</figcaption>
</figure>
<script>
const chart = {chart};
vegaEmbed("#chart", chart, {{renderer: "svg", actions: false}}).then(() => {{
  const drawing = document.querySelector("#chart svg");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", {told});
}});
</script>
</body>
</html>
"""
FORMATS: dict[str, Callable[[CaptionedChart], bytes]] = {
    "svg": _render_svg,
    "png": _render_png,
    "html": _render_page,
}
