"""Figures as files: SVG, PNG, and a page that needs no network."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from likewise.bench.figures.look import FONT, INK, altair
from likewise.documents.files import written_aside
from likewise.errors import WriteError
from likewise.extras import require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from likewise.bench.figures.figure import Figure

SCALE = 2
"""Of PNG: pixels of the file for each of the figure's."""


def write_figures(
    figures: Sequence[Figure], folder: Path, *, formats: Sequence[str]
) -> list[list[Path]]:
    """Write figures into a folder, a file a format, and return the paths of each.

    Nothing is written before all are drawn.
    """
    drawn = [
        {folder / f"{figure.name}.{name}": rendered(figure, name) for name in formats}
        for figure in figures
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{folder}: can't be made: {error.strerror or error}") from error
    for files in drawn:
        for path, content in files.items():
            with written_aside(path) as stream:
                stream.write(content)
    return [list(files) for files in drawn]


def rendered(figure: Figure, format: str) -> bytes:  # noqa: A002
    """Return a figure in a format; the same figure gives the same bytes."""
    return FORMATS[format](figure)


def _png(figure: Figure) -> bytes:
    return bytes(_converter().vegalite_to_png(_chart(figure), scale=SCALE, **_version()))


def _svg(figure: Figure) -> bytes:
    """Return the figure as SVG, with the words that a screen reader speaks."""
    svg: str = _converter().vegalite_to_svg(_chart(figure), **_version())
    tag, _, rest = svg.partition(">")
    words = (
        f"<title>{escape(figure.title)}</title>"
        f"<desc>{escape(f'{figure.caption} {figure.alternative}')}</desc>"
    )
    return f'{tag} role="img">{words}{rest}\n'.encode()


def _page(figure: Figure) -> bytes:
    # Names of topics may hold what would end the script.
    chart = json.dumps(_chart(figure), ensure_ascii=False).replace("<", "\\u003c")
    told = json.dumps(figure.alternative, ensure_ascii=False).replace("<", "\\u003c")
    return _PAGE.format(
        title=escape(figure.title),
        caption=escape(figure.caption),
        chart=chart,
        told=told,
        script=_converter().javascript_bundle(vl_version=_version()["vl_version"]),
        font=FONT,
        ink=INK,
    ).encode()


def _chart(figure: Figure) -> Any:
    return figure.chart.to_dict()


def _converter() -> Any:
    return require("vl_convert", for_="Drawing figures", extra="bench")


def _version() -> dict[str, str]:
    """Return the version of the charts' language, which altair and vl-convert must agree on."""
    return {"vl_version": ".".join(altair().SCHEMA_VERSION.split(".")[:2])}


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
FORMATS: dict[str, Callable[[Figure], bytes]] = {"svg": _svg, "png": _png, "html": _page}
