"""The map of citations: which papers are on it, where they stand, and how it is drawn."""

import re

import numpy as np
import pytest

from expansion.test_citing import make_papers
from likewise.documents import Document
from likewise.expansion.flow import expand
from likewise.expansion.link_map import MOST_FINDS, MOST_SEEDS, STEP, draw_map, lay_out_map
from likewise.expansion.outputs import render_report
from likewise.expansion.records import SeedLink
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.settings import ExpandSettings
from likewise.library.memory import MemoryLibrary


def papers(**years):
    return {name: Document(id=name, title=f"On {name}.", year=year) for name, year in years.items()}


PAPERS = papers(s=1990, t=2000, a=1995, b=2001, c=None)
LINKS = [
    SeedLink("a", "s", "cites"),
    SeedLink("a", "s", "shares", 3),
    SeedLink("b", "s", "together", 2),
    SeedLink("b", "t", "shares", 5),
]
TOLD = {"a": "cites one of your papers", "b": "shares 5 references with t"}


def lay_out(links=LINKS, documents=PAPERS, **how):
    return lay_out_map(links, documents, **{"told": TOLD, **how})


def test_a_map_has_seeds_first_and_then_finds_the_best_first():
    found = lay_out()
    assert [(dot.id, dot.is_seed) for dot in found.dots] == [
        ("s", True), ("t", True), ("a", False), ("b", False),
    ]  # fmt: skip


def test_of_several_links_of_two_papers_the_first_is_drawn():
    assert [tuple(line) for line in lay_out().lines] == [
        (0, 2, "direct"), (0, 3, "together"), (1, 3, "shares"),
    ]  # fmt: skip


def test_papers_stand_in_the_order_of_years_finds_below_seeds():
    s, t, a, b = lay_out().dots
    assert s.x < a.x < t.x < b.x
    assert s.y == t.y < a.y == b.y


def test_a_paper_without_a_year_stands_before_all_others():
    found = lay_out([*LINKS, SeedLink("c", "s", "cites")])
    assert min(found.dots, key=lambda dot: dot.x).id == "c"
    assert found.ticks[0].text == "no year"


def test_without_any_year_there_is_a_map_all_the_same():
    found = lay_out([SeedLink("c", "d", "cites")], papers(c=None, d=None), told={"c": "cites it"})
    assert [tick.text for tick in found.ticks] == ["no year"]


def test_where_nothing_is_linked_there_is_no_map():
    assert lay_out([]) is None


@pytest.mark.parametrize("width", [320, 400])
@pytest.mark.parametrize("years", [1, 3, 40, 130])
def test_no_two_papers_stand_in_the_same_place(width, years):
    names = [f"f{number}" for number in range(MOST_FINDS)]
    documents = papers(s=1890, **{name: 1890 + at * years // 30 for at, name in enumerate(names)})
    found = lay_out([SeedLink(name, "s", "cites") for name in names], documents, width=width)
    finds = [(dot.x, dot.y) for dot in found.dots if not dot.is_seed]
    for at, (x, y) in enumerate(finds):
        assert all(max(abs(x - u), abs(y - v)) >= STEP - 0.2 for u, v in finds[at + 1 :])
    assert all(0 < dot.x < width and 0 < dot.y < found.height for dot in found.dots)


def test_a_map_has_so_many_papers_and_no_more():
    names = [f"f{number}" for number in range(50)]
    seeds = [f"s{number}" for number in range(40)]
    links = [SeedLink(name, seed, "cites") for name in names for seed in seeds]
    documents = papers(**dict.fromkeys([*names, *seeds], 2000))
    found = lay_out(links, documents, told=dict.fromkeys(names, "x"))
    assert sum(dot.is_seed for dot in found.dots) == MOST_SEEDS
    assert [dot.id for dot in found.dots if not dot.is_seed] == names[:MOST_FINDS]
    assert found.caption.startswith("The best 30 of 50 linked finds, and the 20 of your papers")


def test_a_small_map_is_told_in_the_singular():
    found = lay_out(LINKS[:1], told={"a": "cites one of your papers"})
    assert found.caption == (
        "1 linked find, and the one of your papers that citations link it with, by year."
    )


def test_dots_lead_to_what_is_listed_or_to_where_the_paper_is():
    documents = {**PAPERS, "t": Document(id="t", title="On t", pmid="7", year=2000)}
    drawn = draw_map(lay_out(documents=documents), anchors={"a": "#rank-3"}, documents=documents)
    links = re.findall(r'<a href="([^"]+)" class="dot (\w+)"', drawn)
    assert ("#rank-3", "find") in links
    assert ("https://pubmed.ncbi.nlm.nih.gov/7/", "seed") in links


def test_what_papers_are_called_is_escaped():
    documents = {**PAPERS, "a": Document(id="a", title="<b>p < 1</b>", year=1995)}
    drawn = draw_map(lay_out(documents=documents), anchors={}, documents=documents)
    assert "&lt;b&gt;p &lt; 1" in drawn
    assert "<b>" not in drawn


@pytest.fixture(scope="module")
def expansion():
    library = MemoryLibrary()
    library.add(make_papers(np.random.default_rng(3)))
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    return expand(library, seeds, settings=ExpandSettings(rounds=1))


def test_an_expansion_tells_what_links_its_best_finds(expansion):
    linked = [place.id for place in expansion.found if place.id in expansion.links]
    told = list(dict.fromkeys(link.document for link in expansion.seed_links))
    assert told == linked[:MOST_FINDS]
    first = expansion.seed_links[0]
    assert f"({first.seed})" in expansion.links[first.document]


def test_the_report_shows_the_map_and_says_the_same_in_words(expansion):
    page = render_report(expansion)
    (aim,) = set(re.findall(r'<a href="(#rank-\d+)" class="dot find"', page)[:1])
    assert f'<tr id="{aim[1:]}"' in page
    assert 'id="map-words"' in page
    assert page.count('class="dot find"') == len({li.document for li in expansion.seed_links})


def test_a_report_without_links_has_no_map():
    library = MemoryLibrary()
    library.add(make_papers(np.random.default_rng(3), linked=False))
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    page = render_report(expand(library, seeds, settings=ExpandSettings(rounds=1)))
    assert 'id="map"' not in page


def test_what_the_map_shows_is_saved_with_the_expansion(expansion, tmp_path):
    expansion.saved.save(tmp_path / "found.json")
    assert SavedExpansion.load(tmp_path / "found.json").seed_links == expansion.seed_links
