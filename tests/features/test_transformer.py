"""The forward pass, on weights small enough to follow by hand."""

import numpy as np
import pytest

from likewise.features.minilm import Transformer, gelu


def test_gelu_is_x_times_the_normal_distribution_function():
    # Φ(-1) = 0.1586553, Φ(1) = 0.8413447, Φ(2) = 0.9772499
    x = np.array([-10, -1, 0, 1, 2, 10], np.float32)
    assert gelu(x) == pytest.approx([0, -0.1586553, 0, 0.8413447, 1.9544997, 10], abs=1e-6)


def tensors(layers, **given):
    """Weights of a model of two dimensions, all 0 but for norms, which do nothing more."""
    place = "encoder.layer.{}."
    dense = {"attention.self.query": (2, 2), "attention.self.key": (2, 2),
             "attention.self.value": (2, 2), "attention.output.dense": (2, 2),
             "intermediate.dense": (3, 2), "output.dense": (2, 3)}  # fmt: skip
    norms = ["attention.output.LayerNorm", "output.LayerNorm"]
    made = {
        "embeddings.word_embeddings.weight": np.array([[1, 0], [0, 1]]),
        "embeddings.position_embeddings.weight": np.zeros((5, 2)),
        "embeddings.token_type_embeddings.weight": np.zeros((2, 2)),
        "embeddings.LayerNorm.weight": np.ones(2),
        "embeddings.LayerNorm.bias": np.zeros(2),
    }
    for layer in range(layers):
        for name, shape in dense.items():
            made[f"{place.format(layer)}{name}.weight"] = np.zeros(shape)
            made[f"{place.format(layer)}{name}.bias"] = np.zeros(shape[0])
        for name in norms:
            made[f"{place.format(layer)}{name}.weight"] = np.ones(2)
            made[f"{place.format(layer)}{name}.bias"] = np.zeros(2)
    return {name: array.astype(np.float32) for name, array in (made | given).items()}


def states(weights, ids):
    return Transformer(weights, heads=1).states(ids)


def test_without_layers_the_states_are_the_normalised_embeddings():
    # (1, 0) less its mean is (.5, -.5), over its deviation .5 that is (1, -1).
    assert states(tensors(0), [0, 1]) == pytest.approx(np.array([[1, -1], [-1, 1]]))


def test_position_and_first_segment_are_added_to_the_word():
    places = np.array([[0, 0], [3, 0]])
    segments = np.array([[-1, 0], [9, 9]])
    weights = tensors(0, **{
        "embeddings.position_embeddings.weight": places,
        "embeddings.token_type_embeddings.weight": segments,
        "embeddings.LayerNorm.weight": np.array([2, 1]),
        "embeddings.LayerNorm.bias": np.array([0, 5]),
    })  # fmt: skip
    # (0, 1) + (0, 0) + (-1, 0) is normalised to (-1, 1), (0, 1) + (3, 0) + (-1, 0) to (1, -1).
    assert states(weights, [1, 1]) == pytest.approx(np.array([[-2, 6], [2, 4]]))


def test_a_layer_whose_weights_are_0_changes_nothing():
    assert states(tensors(1), [0, 1]) == pytest.approx(np.array([[1, -1], [-1, 1]]))


def test_equal_attention_brings_in_the_mean_of_the_values():
    weights = tensors(1, **{
        "encoder.layer.0.attention.self.value.weight": np.eye(2) * 3,
        "encoder.layer.0.attention.output.dense.weight": np.eye(2),
    })  # fmt: skip
    # Values are 3, 3 and -3 times (1, -1), whose mean is (1, -1): the third state becomes
    # (-1, 1) + (1, -1) = 0, and stays there.
    found = states(weights, [0, 0, 1])
    assert found == pytest.approx(np.array([[1, -1], [1, -1], [0, 0]]), abs=1e-3)


def test_attention_goes_to_the_key_that_the_query_asks_for():
    weights = tensors(1, **{
        "encoder.layer.0.attention.self.query.weight": np.eye(2) * -50,
        "encoder.layer.0.attention.self.key.weight": np.eye(2),
        "encoder.layer.0.attention.self.value.weight": np.eye(2) * 3,
        "encoder.layer.0.attention.output.dense.weight": np.eye(2),
    })  # fmt: skip
    # Each asks for its opposite, and 3 times the opposite outweighs it.
    assert states(weights, [0, 1]) == pytest.approx(np.array([[-1, 1], [1, -1]]), abs=1e-5)


def test_the_wide_part_goes_through_gelu():
    weights = tensors(1, **{
        "encoder.layer.0.intermediate.dense.weight": np.array([[0, 0], [0, 0], [0, -3]]),
        "encoder.layer.0.output.dense.weight": np.array([[0, 0, -1], [0, 0, 1]]),
    })  # fmt: skip
    # Of (1, -1) it sees 3, which turns the state; of (-1, 1) -3, of which gelu leaves -0.004.
    assert states(weights, [0, 1]) == pytest.approx(np.array([[-1, 1], [-1, 1]]), abs=1e-5)


def test_a_texts_states_do_not_depend_on_the_length_of_others():
    model = Transformer(tensors(2), heads=1)
    before = model.states([0, 1, 1])
    model.states([0] * 5)
    assert (model.states([0, 1, 1]) == before).all()
