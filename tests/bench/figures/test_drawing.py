import re

import pytest
from lxml import etree

from bench.figures.charts import point
from likewise.bench.figures.drawing import FORMATS, render_figure, write_figures
from likewise.bench.figures.topics import draw_topics
from likewise.errors import WriteError

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

NASTY = 'Rats </script><script>alert("1")</script> & <b>Mice</b>'
FIGURE = draw_topics([point("linear", 0.4, topic=NASTY), point("linear", 0.5, topic="Brain")])
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawing():
    return etree.fromstring(render_figure(FIGURE, "svg"))


@pytest.fixture(scope="module")
def page():
    return render_figure(FIGURE, "html").decode()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_figure_gives_the_same_bytes(name):
    again = draw_topics([point("linear", 0.4, topic=NASTY), point("linear", 0.5, topic="Brain")])
    assert render_figure(FIGURE, name) == render_figure(again, name)


def test_names_of_topics_stay_text_in_svg(drawing):
    assert NASTY in [text.text for text in drawing.iter(f"{SVG}text")]
    assert not list(drawing.iter(f"{SVG}script", f"{SVG}b"))


def test_svg_tells_its_title_and_what_is_seen(drawing):
    assert drawing.get("role") == "img"
    assert drawing.find(f"{SVG}title").text == FIGURE.title
    assert drawing.find(f"{SVG}desc").text == f"{FIGURE.caption} {FIGURE.alternative}"


def test_svg_asks_for_fonts_that_machines_have(drawing):
    families = {text.get("font-family") for text in drawing.iter(f"{SVG}text")}
    assert all(family.endswith("sans-serif") for family in families)


def test_png_is_twice_the_size_of_the_drawing(drawing):
    png = render_figure(FIGURE, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
    assert width == pytest.approx(2 * float(drawing.get("width")), abs=2)
    assert height == pytest.approx(2 * float(drawing.get("height")), abs=2)


def test_names_of_topics_end_no_script_of_a_page(page):
    assert page.count("</script>") == 2
    assert "<b>Mice" not in page


def test_a_page_loads_nothing_from_elsewhere(page):
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "http" not in markup
    assert not re.search(r"<(script|img|link)[^>]*(src|href)=", markup + page[:2000])


def test_a_page_has_the_caption(page):
    assert "<figcaption>F1 of the methods on each topic" in page


def test_a_file_is_written_for_each_format(tmp_path):
    (written,) = write_figures([FIGURE], tmp_path / "new" / "folder", formats=["svg", "png"])
    assert [path.name for path in written] == ["topics.svg", "topics.png"]
    assert sorted(path.name for path in written[0].parent.iterdir()) == ["topics.png", "topics.svg"]


def test_a_folder_that_can_not_be_made_is_told(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(WriteError, match="taken: can't be made"):
        write_figures([FIGURE], tmp_path / "taken", formats=["svg"])
