"""The states of word pieces: by a stub whose states are known, and by a tiny transformer."""

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

import torch

from features.tiny import INSULIN, RAT, SLEEP, WIDTH, Places, save_tiny, tiny_bert
from likewise.errors import WriteError
from likewise.features import Ragged
from likewise.features import huggingface as states_module
from likewise.features.huggingface import HuggingFace, compute_states, keep_states
from likewise.features.pretrained import Pretrained
from likewise.features.windows import SpecialPieces

MARKS = SpecialPieces((1,), (2,))
CLS, SEP = 2, 3
BERT_MARKS = SpecialPieces((CLS,), (SEP,))
TEXTS = Ragged.of([[INSULIN, RAT], [SLEEP, RAT, INSULIN] * 9, [], [SLEEP], [RAT] * WIDTH])


@pytest.fixture(scope="module")
def bert():
    return tiny_bert().eval().requires_grad_(False)


@pytest.fixture(scope="module")
def pretrained(bert):
    return Pretrained(bert, None, BERT_MARKS, WIDTH)


def alone(model, pieces):
    """What a model says of pieces between its two marks."""
    ids = torch.tensor([[CLS, *pieces, SEP]])
    return model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0, 1:-1]


# Windows


def test_a_piece_in_several_windows_has_the_mean_of_its_states():
    # Windows 10-13, 12-15 and 14-16, a mark before each. Pieces of two windows are at places 3 and
    # 1, or 4 and 2, whose means are 2 and 3.
    states = compute_states(Places(), Ragged.of([range(10, 17)]), marks=MARKS, width=4)
    assert states[:, 0].tolist() == [10, 11, 12, 13, 14, 15, 16]
    assert states[:, 1].tolist() == [1, 2, 2, 3, 2, 3, 3]


def test_a_long_text_is_the_mean_of_what_a_transformer_says_of_its_windows(bert):
    # 13 pieces, ten at once: windows of 0-9 and, half a window later, of 5-12.
    pieces = [INSULIN, RAT, SLEEP] * 4 + [RAT]
    first, second = alone(bert, pieces[:10]), alone(bert, pieces[5:])
    both = (first[5:] + second[:5]) / 2
    states = compute_states(bert, Ragged.of([pieces]), marks=BERT_MARKS, width=WIDTH)
    assert torch.allclose(states, torch.cat([first[:5], both, second[5:]]), atol=1e-6)


@pytest.mark.parametrize("length", [1, 4, WIDTH])
def test_a_text_within_the_limit_has_the_models_own_states(bert, length):
    pieces = [SLEEP, RAT, RAT, INSULIN, SLEEP, SLEEP, RAT, INSULIN, RAT, SLEEP][:length]
    states = compute_states(bert, Ragged.of([pieces]), marks=BERT_MARKS, width=WIDTH)
    assert torch.allclose(states, alone(bert, pieces), atol=1e-6)


def test_a_text_of_any_length_is_covered_whole():
    for length in range(1, 30):
        pieces = range(100, 100 + length)
        states = compute_states(Places(), Ragged.of([pieces]), marks=MARKS, width=4)
        # The first of a stub's two numbers is the piece itself, so its mean is, too.
        assert states[:, 0].tolist() == pytest.approx(list(pieces))


def test_states_follow_one_another_as_texts_do():
    texts = Ragged.of([[9] * 6, [], [3], [5] * 2])
    states = compute_states(Places(), texts, marks=MARKS, width=4)
    assert states[:, 0].tolist() == [9] * 6 + [3] + [5] * 2


@pytest.mark.parametrize("tokens", [1, 12, 1000])
def test_how_many_are_read_at_once_changes_nothing(bert, tokens):
    expected = compute_states(bert, TEXTS, marks=BERT_MARKS, width=WIDTH)
    found = compute_states(bert, TEXTS, marks=BERT_MARKS, width=WIDTH, tokens=tokens)
    assert torch.allclose(found, expected, atol=1e-6)


def test_no_texts_have_no_states():
    assert compute_states(Places(), Ragged.of([]), marks=MARKS, width=4).shape == (0, 2)


# Kept states


def test_kept_states_are_those_of_the_model_at_half_precision(pretrained):
    kept = keep_states(pretrained, TEXTS)
    expected = compute_states(pretrained.model, TEXTS, marks=BERT_MARKS, width=WIDTH)
    assert kept.values.dtype == np.float16
    assert np.asarray(kept.values) == pytest.approx(expected.numpy(), abs=2e-3)


def test_rows_of_kept_states_are_picked_like_those_of_pieces(pretrained):
    kept, picked = keep_states(pretrained, TEXTS), np.array([3, 0])
    alone = keep_states(pretrained, TEXTS[picked].pack())
    assert kept.lengths.tolist() == [2, 27, 0, 1, 10]
    assert (kept[picked].pack().values == alone.values).all()


def test_states_are_mapped_and_not_in_memory(pretrained):
    assert isinstance(keep_states(pretrained, TEXTS).values, np.memmap)


@pytest.mark.parametrize("texts", [Ragged.of([]), Ragged.of([[], []])])
def test_texts_of_no_pieces_keep_nothing(pretrained, texts):
    kept = keep_states(pretrained, texts)
    assert (kept.values.shape, kept.shape) == ((0, 16), texts.shape)


def test_how_many_texts_were_read_is_told(pretrained, monkeypatch):
    monkeypatch.setattr(states_module, "TEXTS_AT_ONCE", 2)
    heard = []
    keep_states(pretrained, TEXTS, on_step=lambda *told: heard.append(told))
    note = "reading with the transformer"
    assert heard == [(2, 5, note), (4, 5, note), (5, 5, note)]


def test_what_half_precision_can_not_hold_stays_finite():
    model = Places()
    kept = keep_states(Pretrained(model, None, MARKS, 4), Ragged.of([[100_000]]))
    assert kept.values.tolist() == [[65504, 1]]


def test_a_full_disk_is_told_in_one_line(pretrained, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(states_module, "_read_blocks", full)
    with pytest.raises(WriteError) as caught:
        keep_states(pretrained, TEXTS)
    # 40 pieces of 16 dimensions, two bytes each.
    assert "the states of 40 word pieces, 1,280 bytes, can't be written" in str(caught.value)
    assert str(caught.value).endswith("set TMPDIR to a folder with room for them")


def test_an_encoder_keeps_the_states_of_its_model(tmp_path):
    encoder = HuggingFace(str(save_tiny(tmp_path / "tiny")))
    pieces = encoder.tokenize(["insulin rats", "sleep"]).pieces
    kept = encoder.states(pieces)
    assert kept.lengths.tolist() == [3, 1]
    found = torch.from_numpy(np.array(kept[:1].pack().values, np.float32))
    expected = alone(encoder.pretrained.model, pieces.row(0).tolist())
    assert torch.allclose(found, expected, atol=2e-3)
