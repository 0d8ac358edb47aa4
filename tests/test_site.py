"""The site can be built, every page can be reached, and nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from lxml import html

pytest.importorskip("mkdocs", reason="the extra docs is not installed")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; strict, so that a link or an anchor that is gone fails."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The pages by where they lie, each parsed."""
    found = {path: html.fromstring(path.read_bytes()) for path in site.rglob("*.html")}
    return {path: page for path, page in found.items() if path.name != "404.html"}


def targets(site, path, addresses):
    """Yield the files of the site that addresses on a page lead to."""
    for address in addresses:
        if not re.match(r"[a-z]+:|#", address):
            yield (path.parent / unquote(urldefrag(address)[0])).resolve()


def test_every_page_is_reached_from_the_start_by_the_navigation(site, pages):
    start = site / "index.html"
    reached = set(targets(site, start, pages[start].xpath("//nav//a/@href")))
    assert sorted(str(path.relative_to(site)) for path in pages.keys() - reached) == []


def test_every_page_of_the_folder_docs_is_on_the_site(site, pages):
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert written <= {path.relative_to(site).with_suffix(".md") for path in pages}


def test_pages_load_nothing_from_elsewhere(pages):
    loads = "//script/@src | //img/@src | //source/@srcset | //link[@rel='stylesheet']/@href"
    outside = re.compile(r"(?:[a-z]+:)?//")
    assert [
        (path.name, address)
        for path, page in pages.items()
        for address in page.xpath(loads)
        if outside.match(address)
    ] == []


def test_every_picture_is_there(site, pages):
    for path, page in pages.items():
        shown = page.xpath("//article//img/@src | //article//source/@srcset")
        assert [file for file in targets(site, path, shown) if not file.is_file()] == []


def test_no_list_is_swallowed_by_the_paragraph_before_it(pages):
    item = re.compile(r"\n(?:[-*]|\d+\.) ")
    assert [
        (path.name, paragraph.text_content()[:60])
        for path, page in pages.items()
        for paragraph in page.xpath("//article//p")
        if item.search(paragraph.text_content())
    ] == []
