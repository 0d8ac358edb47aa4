"""Transformers of Hugging Face as encoders: tiny ones, with random weights."""

import json
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

from features.tiny import INSULIN, RAT, SLEEP, S, save_tiny
from likewise.errors import MissingExtraError, ReadError, SettingsError
from likewise.features.encoders import encoder_named
from likewise.features.huggingface import HuggingFace

SHORT, LONG = "Insulin in rats", "insulin rats sleep " * 9
TEXTS = [SHORT, LONG, "", "sleep", "Σ \ud83d"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def encoder(folder):
    return HuggingFace(str(folder))


def test_a_row_for_each_text_in_their_order(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (5, encoder.dimensions) == (5, 16)
    assert (vectors[1] == encoder.encode([LONG])[0]).all()


def test_vectors_have_length_1_in_32_bits(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5))


def test_no_texts_give_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 16)


def test_a_short_text_has_the_mean_of_the_models_own_states(encoder):
    import torch

    model = encoder.pretrained.model
    with torch.no_grad():
        states = model(torch.tensor([[2, INSULIN, RAT, S, 3]])).last_hidden_state[0]
    mean = states.mean(dim=0)
    assert encoder.encode(["insulin rats"])[0] == pytest.approx(
        (mean / mean.norm()).numpy(), abs=1e-6
    )


def test_all_of_a_long_text_counts(encoder):
    changed = LONG.removesuffix("sleep ") + "rat"
    assert (encoder.encode([LONG]) != encoder.encode([changed])).any()


def test_the_limit_is_the_models_less_its_marks(encoder):
    assert encoder.pretrained.width == 12 - 2
    assert encoder.pretrained.marks == ((2,), (3,))


def test_texts_are_cut_into_pieces_without_marks(encoder):
    made = encoder.tokenize(["Insulin, rats", "sleep"])
    assert made.pieces.row(0).tolist() == [INSULIN, 1, RAT, S]
    assert made.pieces.row(1).tolist() == [SLEEP]
    assert made.words.tolist() == [3, 1]


def test_cls_takes_the_state_of_the_first_mark(folder):
    import torch

    encoder = HuggingFace(f"{folder} (pooling = cls)")
    with torch.no_grad():
        model = encoder.pretrained.model
        state = model(torch.tensor([[2, SLEEP, 3]])).last_hidden_state[0, 0]
    assert encoder.encode(["sleep"])[0] == pytest.approx((state / state.norm()).numpy(), abs=1e-6)


def test_another_pooling_is_another_name(encoder, folder):
    assert HuggingFace(f"{folder}(pooling=cls)").name == f"{encoder.name}(pooling=cls)"
    assert HuggingFace(f"{folder}(pooling=mean)").name == encoder.name


def test_an_unknown_pooling_is_named(folder):
    with pytest.raises(SettingsError, match="pooling is 'max'; choose one of: mean, cls"):
        HuggingFace(f"{folder}(pooling=max)")


def test_other_weights_are_another_name_and_other_vectors(encoder, tmp_path):
    other = HuggingFace(str(save_tiny(tmp_path / "tiny", seed=1)))
    assert other.name != encoder.name
    assert not np.allclose(other.encode([SHORT]), encoder.encode([SHORT]))


def test_an_encoder_is_had_by_its_folder(folder, encoder):
    assert encoder_named(str(folder)).name == encoder.name


def test_nothing_is_written_to_the_terminal(folder, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HuggingFace(str(folder)).encode([LONG])
    assert capfd.readouterr() == ("", "")


def test_a_configuration_without_dimensions_is_named(folder, tmp_path):
    saved = save_tiny(tmp_path / "tiny")
    (saved / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ReadError, match=r"config.json: does not say how long vectors are"):
        _ = HuggingFace(str(saved)).dimensions


def test_a_missing_extra_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError) as raised:
        encoder_named("owner/tiny")
    assert str(raised.value) == (
        "The encoder owner/tiny needs an optional dependency. "
        "Install it with: pip install 'likewise[transformers]'"
    )
