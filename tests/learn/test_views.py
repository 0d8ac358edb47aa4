"""The views of a material, and what it takes to add one."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from learn.corpus import contributions, simulated_corpus
from likewise.learn import views
from likewise.learn.estimators import PULogistic
from likewise.learn.explanations import TermSum
from likewise.learn.folds import Scores
from likewise.learn.material import LearnedPart, ScoredPart, View
from likewise.learn.spelling import parse_method
from likewise.learn.views import VIEWS, EngineView, VectorView, ViewSources, make_views

CORPUS = simulated_corpus()


@dataclass(frozen=True, eq=False)
class CitationView(View):
    """A toy: which of two papers each document cites."""

    name = "citations"

    def list_learned(self, plan):
        """Return a regression of citations that counts as much as all else."""
        names = ("cites Mendel", "cites Snow")
        return [
            LearnedPart(
                PULogistic(),
                self.evidence,
                lambda _: 2.0,
                lambda learned: [
                    TermSum(self.evidence, learned.plane_.weights, np.arange(2), names)
                ],
            )
        ]


def make_citations(sources):
    """Let all on topic cite the first paper, and all others the second."""
    is_on = np.append(np.ones(CORPUS.material.seeds, bool), CORPUS.is_relevant)
    assert len(sources.documents) == len(is_on)
    return CitationView(sparse.csr_array(np.column_stack([is_on, ~is_on]).astype(float)))


def remade():
    material = CORPUS.material
    sources = ViewSources(material.documents, material.words, material.retrieval)
    return material.with_views(*make_views(sources).values())


def scored(material):
    return parse_method("linear").score(material, rng=np.random.default_rng(0))


def test_a_view_is_added_by_a_class_and_a_line(monkeypatch):
    before = scored(remade()).scores.pool
    monkeypatch.setattr(views, "VIEWS", (*VIEWS, make_citations))
    after = scored(remade())
    pool, is_on = after.scores.pool, CORPUS.is_relevant
    assert pool[is_on].min() > pool[~is_on].max()
    assert not before[is_on].min() > before[~is_on].max()
    assert "cites Mendel" in contributions(after.model, 0)


def test_a_view_may_bring_scores_that_need_not_be_learned():
    class Oracle(EngineView):
        name = "oracle"

        def list_scored(self, plan):
            return [ScoredPart(self.evidence, 1000.0)]

    truth = Scores(np.ones(CORPUS.material.seeds), CORPUS.is_relevant.astype(float))
    pool = scored(CORPUS.material.with_views(Oracle(truth))).scores.pool
    assert pool[CORPUS.is_relevant].min() > pool[~CORPUS.is_relevant].max()


def test_there_is_no_view_of_vectors_without_an_encoder():
    material = CORPUS.material
    sources = ViewSources(material.documents, material.words, material.retrieval)
    assert list(make_views(sources)) == ["words", "pairs", "topics", "engine"]
    vectors = np.zeros((len(material.documents), 2), np.float32)
    assert "vectors" in make_views(replace(sources, vectors=vectors))


def test_rows_of_a_view_are_picked_in_the_order_asked_for():
    vectors = np.arange(6.0).reshape(3, 2)
    assert VectorView(vectors).take(np.array([2, 0])).evidence.tolist() == [[4, 5], [0, 1]]
    words = CORPUS.material.views["words"].take(np.array([5, 3])).evidence
    assert (words.evidence != CORPUS.material.words.evidence[[5, 3]]).nnz == 0
