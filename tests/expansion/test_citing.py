"""Citations in an expansion: they move finds, and are told in words."""

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from likewise.documents import Document
from likewise.expansion.candidates import Candidates
from likewise.expansion.citing import describe_links, estimate_missed, find_linked
from likewise.expansion.flow import expand
from likewise.expansion.outputs import make_notes, write_expansion
from likewise.expansion.records import Estimates
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
    assert "if citations find what words miss as often as what they find" in told
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
