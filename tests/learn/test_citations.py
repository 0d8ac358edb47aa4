"""The view of citations: log odds against chance, worth by held-out seeds, and words for it."""

import numpy as np
import pytest

from likewise.documents import Document
from likewise.learn.citations import (
    HALF,
    CitationView,
    compute_log_odds,
    count_seed_links,
    make_citation_view,
    measure_worth,
    read_citations,
    weigh_citations,
)
from likewise.library.links import MemoryLinks


def paper(number, *references):
    return Document(
        id=str(number), pmid=str(number), title="T", references=tuple(map(str, references))
    )


def read(papers, *others):
    """The links of papers, among those of further ones."""
    return read_citations(papers, MemoryLinks([*papers, *others]))


# Everybody cites 900; the first three are seeds.
CROWD = [paper(100 + number, 900, 2000 + number) for number in range(50)]
SEEDS = [paper(1, 500, 501, 900), paper(2, 500, 900), paper(3, 501, 1, 900)]
NEAR, FAR, UNKNOWN = paper(4, 500, 501, 2, 900), paper(5, 900, 777), Document(id="6", title="T")


def test_a_link_is_worth_its_log_odds_against_chance():
    # Of 4 seeds 2 have it, of all papers a thousandth: ln(2.001 / (5 * 0.001)).
    assert compute_log_odds(np.array([2.0]), np.array([0.001]), 4)[0] == pytest.approx(
        5.9920, abs=1e-4
    )


def test_what_everybody_cites_says_nothing():
    odds = weigh_citations(read([*SEEDS, NEAR, FAR, UNKNOWN], *CROWD), seeds=3).odds
    assert odds[3] > 5
    assert odds[4:].tolist() == [0.0, 0.0]


def test_a_seed_is_scored_by_the_others():
    lonely = paper(9, 600, 601)
    copy = paper(10, 600, 601)
    odds = weigh_citations(read([lonely, *SEEDS, copy], *CROWD), seeds=4).odds
    assert odds[0] == 0
    assert odds[4] > 0


def test_scores_grow_ever_less():
    found = weigh_citations(read([*SEEDS, NEAR, FAR], *CROWD), seeds=3)
    assert found.scores.tolist() == pytest.approx((found.odds / (found.odds + HALF)).tolist())
    assert 0 <= found.scores.min() <= found.scores.max() < 1


def test_links_are_counted_as_people_do():
    links = count_seed_links(read([*SEEDS, NEAR, FAR], *CROWD), seeds=3)
    assert links.cites.tolist() == [0, 0, 1, 1, 0]
    assert links.cited_by.tolist() == [1, 0, 0, 0, 0]
    # NEAR shares 500, 501 and 900 with the first seed.
    assert (links.references[3], links.sharing[3]) == (3, 0)


def test_papers_that_are_cited_together_are_alike():
    citing = [paper(300 + number, 1, 4) for number in range(3)]
    features = read([*SEEDS, paper(4, 777), FAR], *citing, *CROWD)
    links = count_seed_links(features, seeds=3)
    assert (links.together[3], links.cited_with[3]) == (3, 0)
    assert weigh_citations(features, seeds=3).odds[3] > 5


def make_pool(rng, *, on, off, planted):
    """Seeds and a pool: those on topic cite papers of their own if links are planted."""

    def cite(number, is_on):
        own = rng.integers(10_000, 10_040, 5) if is_on and planted else ()
        return paper(number, *own, *rng.integers(20_000, 90_000, 15))

    return [cite(number + 1, number < on) for number in range(on + off)]


def worth(papers, seeds):
    return measure_worth(weigh_citations(read(papers), seeds=seeds), seeds=seeds, known=seeds)


def test_links_count_where_they_would_have_found_the_seeds():
    assert worth(make_pool(np.random.default_rng(1), on=60, off=500, planted=True), 20) > 0.5


def test_links_of_chance_count_next_to_nothing():
    found = [
        worth(make_pool(np.random.default_rng(number), on=60, off=500, planted=False), 20)
        for number in range(10)
    ]
    assert np.mean(found) < 0.05


def test_too_few_linked_seeds_tell_nothing():
    assert worth([*SEEDS[:2], *CROWD], 2) == 0


def test_no_view_is_made_of_papers_without_links():
    papers = [Document(id=str(number), title="T") for number in range(9)]
    assert make_citation_view(papers, MemoryLinks([])) is None
    assert make_citation_view(papers, None) is None


def test_rows_of_the_view_can_be_picked():
    view = CitationView(read([*SEEDS, NEAR, FAR], *CROWD))
    taken = view.take(np.array([0, 1, 2, 4, 3])).evidence
    odds = weigh_citations(view.evidence, seeds=3).odds
    assert weigh_citations(taken, seeds=3).odds.tolist() == odds[[0, 1, 2, 4, 3]].tolist()


def test_a_paper_found_under_its_doi_is_linked_too():
    papers = [*SEEDS, Document(id="d", doi="10.5555/d", references=("1", "500"))]
    assert count_seed_links(read(papers, *CROWD), seeds=3).cites.tolist() == [0, 0, 1, 1]
