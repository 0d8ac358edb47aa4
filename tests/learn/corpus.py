"""Invented corpora and scores, of which the truth is known."""

from typing import NamedTuple

import numpy as np

from likewise.documents import Document
from likewise.features.terms import TermCounter
from likewise.features.words import make_word_features
from likewise.learn.folds import Scores
from likewise.learn.material import Material
from likewise.learn.views import ViewSources, make_views

TOPIC = ("insulin", "glucose", "diabetes", "pancreas", "islet", "obesity", "hormone", "sugar")
GENERAL = tuple(f"word{number}" for number in range(60))


class Corpus(NamedTuple):
    """What a method is given, and which documents of the pool are on topic."""

    material: Material
    is_relevant: np.ndarray


def simulated_corpus(*, seeds=8, hidden=20, others=100, rng=None):
    """Make documents; those on topic have more of its words, but others have some as well."""
    rng = rng or np.random.default_rng(3)
    is_on = np.arange(seeds + hidden + others) < seeds + hidden
    texts = [(_words(rng, 2 * on, of=5), _words(rng, 5 * on + 1, of=20)) for on in is_on]
    return Corpus(material_of(texts, seeds=seeds), is_on[seeds:])


def _words(rng, of_topic, *, of):
    chosen = [*rng.choice(TOPIC, rng.binomial(of_topic + 1, 0.7)), *rng.choice(GENERAL, of)]
    return " ".join(rng.permutation(chosen))


def analyze_all(_, texts):
    """Take words for terms as they are."""
    return [text.split() for text in texts]


def material_of(texts, *, seeds):
    """Return what methods score from, of titles and abstracts, the seeds' first."""
    documents = [
        Document(id=str(number), title=title, abstract=abstract)
        for number, (title, abstract) in enumerate(texts)
    ]
    counter = TermCounter(analyze_all)
    counter.add(documents)
    words = make_word_features(counter.counts([document.id for document in documents]))
    retrieval = Scores(np.linspace(3, 1, seeds), np.linspace(2, 0, len(texts) - seeds))
    return Material(
        seeds=seeds,
        documents=documents,
        views=make_views(ViewSources(documents, words, retrieval)),
        analyze_all=analyze_all,
    )


def contributions(model, row):
    """Return what each term adds to the score of a document."""
    terms, values = model.sum_terms(row)
    names = [model.names[term] for term in terms]
    return dict(zip(names, values.tolist(), strict=True))


def simulated_scores(*, seeds=50, size=1000, prior=0.1, gap=3.0, rng=None):
    """Make normal scores of seeds and pool; those on topic, first in the pool, are higher."""
    rng = rng or np.random.default_rng(5)
    positive = round(size * prior)
    pool = np.append(rng.normal(gap, 1, positive), rng.normal(0, 1, size - positive))
    return Scores(rng.normal(gap, 1, seeds), pool)
