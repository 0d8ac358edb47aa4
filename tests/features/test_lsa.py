"""Latent semantic analysis."""

import numpy as np
import pytest
from scipy import sparse

from likewise.documents import Document
from likewise.features import PADDING, UNKNOWN, token_ids
from likewise.features.words import find_latent_topics, make_word_vectors

_RNG = np.random.default_rng(4)
LOW_RANK = _RNG.random((40, 3)) @ _RNG.random((3, 25))
RANDOM = _RNG.random((60, 30))


def topics(matrix, **others):
    rows = sparse.csr_array(np.asarray(matrix, np.float32))
    return find_latent_topics(rows, rng=np.random.default_rng(0), **others)


def test_a_matrix_of_low_rank_is_made_again_of_its_directions():
    found = topics(LOW_RANK, dimensions=3)
    made = (found.vectors * found.lengths[:, None]) @ found.directions
    assert made == pytest.approx(LOW_RANK, abs=1e-4)


def test_the_first_directions_are_the_singular_vectors():
    found = topics(LOW_RANK, dimensions=2)
    expected = np.linalg.svd(LOW_RANK)[2][:2]
    assert abs((found.directions * expected).sum(axis=1)) == pytest.approx([1, 1], abs=1e-3)


def test_directions_are_of_length_1_and_at_right_angles():
    found = topics(RANDOM, dimensions=8)
    assert found.directions @ found.directions.T == pytest.approx(np.eye(8), abs=1e-5)


def test_vectors_are_of_length_1():
    found = topics(RANDOM, dimensions=5)
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(np.ones(60), abs=1e-5)


def test_vectors_times_lengths_are_what_the_directions_make_of_the_rows():
    found = topics(RANDOM, dimensions=5)
    made = found.vectors * found.lengths[:, None]
    assert made == pytest.approx(RANDOM @ found.directions.T, abs=1e-4)


def test_the_same_rng_gives_the_same():
    first, second = topics(LOW_RANK), topics(LOW_RANK)
    assert (first.vectors == second.vectors).all()
    assert (first.directions == second.directions).all()


def test_the_largest_part_of_a_direction_is_positive():
    directions = topics(RANDOM, dimensions=20).directions
    assert (directions.max(axis=1) == abs(directions).max(axis=1)).all()


def test_signs_do_not_depend_on_the_rng():
    rows = sparse.csr_array(LOW_RANK.astype(np.float32))
    first, second = (
        find_latent_topics(rows, rng=np.random.default_rng(seed), dimensions=3) for seed in (1, 2)
    )
    assert first.directions == pytest.approx(second.directions, abs=0.01)


@pytest.mark.parametrize("shape", [(4, 30), (60, 4), (2, 2), (1, 5), (5, 1), (1, 1), (3, 0)])
def test_there_are_never_more_dimensions_than_the_matrix_has(shape):
    found = topics(RANDOM[: shape[0], : shape[1]], dimensions=10)
    dimensions = found.vectors.shape[1]
    assert dimensions <= min(shape)
    assert found.vectors.shape == (shape[0], dimensions)
    assert found.directions.shape == (dimensions, shape[1])


def test_empty_rows_stay_empty():
    matrix = np.vstack([LOW_RANK, np.zeros(25)])
    found = topics(matrix, dimensions=3)
    assert found.vectors[-1].tolist() == [0, 0, 0]
    assert found.lengths[-1] == 1


@pytest.mark.parametrize("matrix", [np.zeros((10, 4)), np.ones((10, 4)), np.eye(10)])
def test_odd_matrices_give_finite_vectors(matrix):
    found = topics(matrix)
    assert np.isfinite(found.vectors).all()
    assert np.isfinite(found.directions).all()


def test_equal_rows_have_equal_vectors():
    vectors = topics(np.tile(LOW_RANK[:1], (10, 1))).vectors
    assert (vectors == vectors[0]).all()


def test_everything_is_in_32_bit_numbers():
    assert {part.dtype for part in topics(LOW_RANK)} == {np.dtype("f4")}


def test_rows_may_be_taken_in_any_order_and_directions_stay():
    found = topics(RANDOM, dimensions=5)
    taken = found.of(np.array([7, 2]))
    assert (taken.vectors == found.vectors[[7, 2]]).all()
    assert (taken.lengths == found.lengths[[7, 2]]).all()
    assert taken.directions is found.directions


def test_directions_may_be_found_from_some_of_the_rows():
    found, alone = topics(RANDOM, within=np.arange(20)), topics(RANDOM[:20])
    assert (found.directions == alone.directions).all()
    assert found.vectors.shape[0] == 60


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
