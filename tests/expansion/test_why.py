import pytest
from msgspec.structs import replace

from expansion.corpus import TOPICS, corpus, library_in, on, seeds_on
from likewise.expansion.flow import expand
from likewise.expansion.ranking import TERMS
from likewise.expansion.settings import ExpandSettings
from likewise.library.analysis import build_analyzer

SEEDS = seeds_on("bees")
# The text of the third seed, under another id and of another year, is another paper.
TWIN = replace(SEEDS[2], id="twin", pmid="", year=1901)
BEES = set(build_analyzer().analyze(" ".join(TOPICS["bees"])))


@pytest.fixture(scope="module", params=["linear", "naive", "bm25"])
def expansion(request, tmp_path_factory):
    path = library_in(tmp_path_factory.mktemp("why") / "lib", *corpus(), TWIN)
    return expand(path, SEEDS, settings=ExpandSettings(method=request.param, keep="top=20"))


def test_the_words_of_the_topic_moved_the_found_documents_up(expansion):
    for ranked in expansion.found:
        up = expansion.explain(ranked.id).up
        assert len(BEES.intersection(up[:4])) >= 2


def test_words_of_other_topics_moved_no_document_far_up(expansion):
    sleepy = set(build_analyzer().analyze(" ".join(TOPICS["sleep"])))
    for document in on("sleep"):
        up = {term: max(w, 0) for term, w in expansion.explain(document.id).weights.items()}
        assert sum(up.get(term, 0) for term in sleepy) <= sum(up.get(term, 0) for term in BEES) + 1


def test_every_document_of_the_ranking_is_explained_and_seeds_are_too(expansion):
    seeds = {document.id for document in SEEDS}
    for ranked in expansion.ranking:
        explanation = expansion.explain(ranked.id)
        assert explanation.nearest_seed in seeds - {ranked.id}
        assert len(explanation.up) <= TERMS
        assert len(explanation.down) <= TERMS


def test_the_strongest_terms_come_first(expansion):
    for ranked in expansion.ranking:
        why = expansion.explain(ranked.id)
        up, down = ([why.weights[term] for term in terms] for terms in (why.up, why.down))
        assert up == sorted(up, reverse=True)
        assert down == sorted(down)
        assert min(up, default=1) > 0 > max(down, default=-1)


def test_only_terms_of_a_document_explain_it(expansion):
    for ranked in expansion.found:
        terms = set(build_analyzer().analyze(expansion.documents[ranked.id].text))
        explanation = expansion.explain(ranked.id)
        assert {*explanation.up, *explanation.down} <= terms


def test_the_nearest_seed_is_the_one_of_the_same_text(expansion):
    assert expansion.explain("twin").nearest_seed == SEEDS[2].id


def test_a_document_that_is_not_in_the_ranking_has_no_explanation(expansion):
    with pytest.raises(KeyError):
        expansion.explain("nowhere")
