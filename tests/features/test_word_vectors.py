"""Word vectors: words of the same documents are alike."""

import numpy as np
import pytest

from likewise.documents import Document
from likewise.features.lsa import make_word_vectors
from likewise.features.tokens import PADDING, UNKNOWN, token_ids

SUBJECTS = (("insulin", "glucose", "islet"), ("heart", "valve", "aorta"))


@pytest.fixture(scope="module")
def tokens():
    """Documents on one of two subjects, and a word that is in all of them."""
    rng = np.random.default_rng(1)
    return token_ids(
        [
            Document(
                id=str(number),
                title=f"study {rng.choice(SUBJECTS[number % 2])}",
                abstract=" ".join(rng.choice(SUBJECTS[number % 2], 6)),
            )
            for number in range(40)
        ]
    )


def vectors_of(tokens, *, dimensions=4, seed=0):
    return make_word_vectors(tokens, dimensions=dimensions, rng=np.random.default_rng(seed))


def cosine(tokens, one, other):
    vectors = vectors_of(tokens)
    first, second = vectors[tokens.vocabulary[one]], vectors[tokens.vocabulary[other]]
    return first @ second / np.linalg.norm(first) / np.linalg.norm(second)


def test_words_of_the_same_documents_are_more_alike_than_words_of_others(tokens):
    apart = max(cosine(tokens, "insulin", word) for word in SUBJECTS[1])
    assert cosine(tokens, "insulin", "glucose") > apart
    assert cosine(tokens, "insulin", "islet") > apart


def test_every_word_has_a_vector_of_the_same_length(tokens):
    lengths = np.linalg.norm(vectors_of(tokens)[UNKNOWN + 1 :], axis=1)
    assert lengths == pytest.approx(np.full(len(tokens.vocabulary), 2.0), rel=1e-5)


def test_padding_and_unknown_words_have_none(tokens):
    assert not vectors_of(tokens)[[PADDING, UNKNOWN]].any()


def test_directions_that_there_are_not_enough_words_for_are_zero(tokens):
    vectors = vectors_of(tokens, dimensions=50)
    assert vectors.shape == (tokens.size, 50)
    assert not vectors[:, tokens.size :].any()


def test_the_same_number_gives_the_same_vectors(tokens):
    assert np.array_equal(vectors_of(tokens, seed=3), vectors_of(tokens, seed=3))


@pytest.mark.parametrize("texts", [[""], ["", ""], ["word word word"]])
def test_documents_of_hardly_a_word_are_no_error(texts):
    tokens = token_ids([Document(id=str(n), title=text) for n, text in enumerate(texts)])
    assert np.isfinite(vectors_of(tokens)).all()
