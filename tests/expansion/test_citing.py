"""Citations in an expansion: they move finds, and are told in words."""

import re

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from likewise.documents import Document
from likewise.expansion.candidates import Candidates
from likewise.expansion.citing import (
    MOST_FINDS,
    MOST_SEEDS,
    STEP,
    describe_links,
    draw_map,
    estimate_missed,
    find_linked,
    lay_out_map,
)
from likewise.expansion.flow import expand
from likewise.expansion.outputs import make_notes, render_report, write_expansion
from likewise.expansion.records import Estimates, SeedLink
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.summary import describe_linked, summarise_expansion
from likewise.learn.citations import SeedLinks
from likewise.learn.estimates import Interval
from likewise.library.memory import MemoryLibrary
from likewise.library.where import Where

WORDS = [
    *("sleep", "nurse", "night", "shift", "ward", "clinic", "trial", "dose", "sugar"),
    *("heart", "lung", "kidney", "bone", "skin", "ear"),
]


def make_papers(rng, *, linked=True):
    """800 papers of random words; every twentieth is on a topic that only its references tell."""
    for number in range(1, 801):
        own = rng.integers(10_000, 10_030, 6) if linked and number % 20 == 0 else []
        references = tuple(map(str, [*own, *rng.integers(20_000, 90_000, 10)])) if linked else ()
        yield Document(
            id=str(number), pmid=str(number), title=" ".join(rng.choice(WORDS, 4)),
            abstract=" ".join(rng.choice(WORDS, 40)), references=references,
            authors=("Okafor, Ngozi",), year=2014,
        )  # fmt: skip


def expand_topic(*, linked=True, more_rounds=False, **settings):
    library = MemoryLibrary()
    library.add(make_papers(np.random.default_rng(3), linked=linked))
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    return expand(
        library, seeds, settings=ExpandSettings(rounds=3 if more_rounds else 1, **settings)
    )


@pytest.fixture(scope="module")
def expansion():
    return expand_topic()


def count_on_topic(expansion, first=20):
    ranked = [place for place in expansion.ranking if not place.seed][:first]
    return sum(int(place.id) % 20 == 0 for place in ranked)


def test_papers_that_words_do_not_tell_are_found_by_what_they_cite(expansion):
    assert count_on_topic(expansion) >= 12
    assert count_on_topic(expand_topic(method="linear(citations=0)")) <= 8


def test_a_library_without_links_ranks_as_without_citations():
    with_them = expand_topic(linked=False)
    without = expand_topic(linked=False, method="linear(citations=0)")
    assert [place.id for place in with_them.ranking] == [place.id for place in without.ranking]
    assert not with_them.links


def test_a_find_tells_how_it_is_linked(expansion):
    best = next(place for place in expansion.ranking if not place.seed)
    told = make_notes(expansion, best)["citations"]
    assert told.startswith("shares ")
    assert " with Okafor 2014 (" in told
    assert expansion.explain.explain_all().explain(best.id).links == told


def test_the_report_tells_it_too(expansion, tmp_path):
    write_expansion(expansion, tmp_path / "report.html")
    assert "<span>Citations:</span> shares " in (tmp_path / "report.html").read_text()


def test_every_kind_of_link_has_its_words():
    seeds = [Document(id="a", authors=("Li, A",), year=2001), Document(id="b")]
    columns = ([0, 3, 1], [0, 1, 0], [0, 12, 1], [0, 1, 0], [0, 1, 2], [0, 0, 0])
    links = SeedLinks(*map(np.array, columns))
    assert dict(describe_links(links, ["x", "y", "z"], seeds=seeds)) == {
        "y": "cites 3 of your papers; is cited by one of your papers; shares 12 references with b; "
        "is cited together with Li 2001 (a) 1 time",
        "z": "cites one of your papers; shares 1 reference with Li 2001 (a); "
        "is cited together with Li 2001 (a) 2 times",
    }


def list_pool(expansion):
    return [place.id for place in expansion.ranking if not place.seed]


def test_citations_bring_papers_into_the_pool_that_words_do_not_find():
    with_them = list_pool(expand_topic(pool=100))
    without = list_pool(expand_topic(pool=100, method="linear(citations=0)"))
    brought = set(with_them) - set(without)
    assert len(without) == 100
    assert 5 <= len(brought) <= 10
    assert sum(int(name) % 20 == 0 for name in brought) >= 0.9 * len(brought)


def test_links_of_chance_bring_nothing():
    library = MemoryLibrary()
    rng = np.random.default_rng(5)
    library.add(
        replace(one, references=tuple(map(str, rng.integers(20_000, 90_000, 15))))
        for one in make_papers(rng)
    )
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    assert (
        len(list_pool(expand(library, seeds, settings=ExpandSettings(pool=100, rounds=1)))) == 100
    )


def test_what_links_bring_keeps_to_the_limits():
    library = MemoryLibrary()
    library.add(make_papers(np.random.default_rng(3)))
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    links = library.open_links()
    found = find_linked(library, links, seeds, limit=7, where=Where.parse(""))
    assert len(found) == 7
    assert not set(found) & {seed.id for seed in seeds}
    assert find_linked(library, links, seeds, limit=7, where=Where.parse("year>=2015")) == []


def test_the_summary_tells_how_many_finds_are_linked(expansion):
    linked = sum(place.id in expansion.links for place in expansion.found)
    assert f"Citations link {linked:,} of them with your papers." in summarise_expansion(expansion)
    assert describe_linked(expand_topic(linked=False)) == ""


def test_two_arms_that_overlap_tell_what_neither_found():
    # 12 of the 20 that citations found words found too, of 60: a share of 0.6, so 100 in all.
    chances = {str(number): 1.0 for number in range(68)}
    words = [str(number) for number in range(60)]
    links = [str(number) for number in range(48, 68)]
    found = estimate_missed(chances, words=words, links=links, relevant=Interval(68, 50, 80))
    assert (found.words, found.links, found.both) == (60, 20, 12)
    assert found.missed.value == pytest.approx(48 * 8 / 13)
    assert found.missed.low < 100 - 68 < found.missed.high


def test_the_interval_is_wider_where_it_is_uncertain_how_many_are_on_topic():
    chances = {str(number): 1.0 for number in range(68)}
    arms = {"words": list(chances)[:60], "links": list(chances)[48:]}
    sure = estimate_missed(chances, **arms, relevant=Interval(68, 68, 68)).missed
    unsure = estimate_missed(chances, **arms, relevant=Interval(68, 34, 136)).missed
    assert unsure.low < sure.low <= sure.value == unsure.value <= sure.high < unsure.high


def test_papers_count_by_how_likely_they_are():
    chances = {str(number): 0.5 for number in range(40)}
    found = estimate_missed(
        chances, words=chances, links=list(chances)[:20], relevant=Interval(20, 15, 30)
    )
    assert (found.words, found.links, found.both, found.missed.value) == (20, 10, 10, 0)


def test_few_papers_found_by_citations_tell_nothing():
    assert estimate_missed({"1": 1.0}, words=["1"], links=["1"], relevant=Interval(1, 1, 1)) is None


def test_a_pool_of_part_of_the_library_is_looked_at_by_both_arms():
    expansion = expand_topic(pool=300)
    recapture = expansion.estimates.recapture
    assert recapture.both <= min(recapture.words, recapture.links)
    assert recapture.missed.low <= recapture.missed.value <= recapture.missed.high
    (told,) = (line for line in summarise_expansion(expansion) if "found by neither" in line)
    assert "If citations find what words miss as often as what words find" in told
    saved = expansion.saved.estimates
    assert msgspec.convert(msgspec.to_builtins(saved), Estimates) == saved


def test_where_words_had_every_document_nothing_is_estimated(expansion):
    assert expansion.estimates.recapture is None


def test_a_later_round_follows_what_finds_cite(monkeypatch):
    asked = []
    follow = Candidates.find_linked_further

    def note(self, likely, settings):
        asked.append(len(likely))
        return follow(self, likely, settings)

    monkeypatch.setattr(Candidates, "find_linked_further", note)
    expand_topic(pool=100, more_rounds=True)
    assert asked
    assert asked[0] > 0


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
