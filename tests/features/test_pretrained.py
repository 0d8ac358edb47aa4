"""Loading transformers, and refusing what is none or would not be safe."""

import os
from types import SimpleNamespace

import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

import torch
from safetensors.torch import load_file, save_file
from transformers import RobertaConfig, RobertaModel

from features.tiny import save_tiny
from likewise.errors import ReadError
from likewise.features import pretrained
from likewise.features.pretrained import _find_limit, load_pretrained


class Harm:
    """What a pickle may hold: something that is done when it is read."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def as_pickle(folder, content):
    (folder / "model.safetensors").unlink()
    torch.save(content, folder / "pytorch_model.bin")


@pytest.fixture
def folder(tmp_path):
    return save_tiny(tmp_path / "tiny")


def test_what_is_loaded_neither_learns_nor_drops_anything_out(folder):
    model = load_pretrained(folder).model
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())


def test_weights_of_16_bits_become_32(folder):
    tensors = load_file(folder / "model.safetensors")
    halved = {name: tensor.half() for name, tensor in tensors.items()}
    save_file(halved, folder / "model.safetensors", metadata={"format": "pt"})
    assert {p.dtype for p in load_pretrained(folder).model.parameters()} == {torch.float32}


def test_loading_draws_no_random_numbers(folder):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    load_pretrained(folder)
    assert torch.rand(1) == expected


def test_a_pickle_of_tensors_is_the_same_model(folder):
    tensors = load_file(folder / "model.safetensors")
    as_pickle(folder, tensors)
    weights = load_pretrained(folder).model.state_dict()
    assert all((weights[name] == tensor).all() for name, tensor in tensors.items())


def test_a_pickle_of_anything_else_is_refused_and_nothing_of_it_is_done(folder, tmp_path):
    as_pickle(folder, {"embeddings": Harm(tmp_path / "harm")})
    with pytest.raises(ReadError, match="tiny: can't be loaded: Weights only load failed") as error:
        load_pretrained(folder)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "harm").exists()


def test_a_pickle_is_refused_by_a_torch_that_does_not_read_it_safely(folder, monkeypatch):
    as_pickle(folder, load_file(folder / "model.safetensors"))
    old = SimpleNamespace(__version__="2.9.1+cpu")
    with pytest.raises(ReadError, match=r"is a pickle, which torch 2\.9\.1\+cpu can't read safely"):
        pretrained._check_safety(old, folder)


def test_safetensors_are_read_by_any_torch(folder):
    pretrained._check_safety(SimpleNamespace(__version__="2.4.0"), folder)


def test_code_that_a_model_brings_along_is_not_run(folder):
    text = (folder / "config.json").read_text().replace('"model_type": "bert"', '"model_type": "x"')
    code = '"auto_map": {"AutoConfig": "harm.Config", "AutoModel": "harm.Model"},'
    (folder / "config.json").write_text(text.replace("{", "{" + code, 1))
    (folder / "harm.py").write_text("raise SystemExit")
    with pytest.raises(ReadError, match="can't be loaded"):
        load_pretrained(folder)


def test_broken_weights_are_one_line(folder):
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ReadError, match=r"can't be loaded: .*; fetch it again, or choose another"):
        load_pretrained(folder)


def test_weights_that_lack_something_are_refused(folder):
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.1.output.dense.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ReadError, match=r"lack 1 tensors, such as encoder.layer.1.output.dense.weight"
    ):
        load_pretrained(folder)


def test_weights_without_the_layer_above_the_states_will_do(folder):
    tensors = load_file(folder / "model.safetensors")
    rest = {name: tensor for name, tensor in tensors.items() if "pooler" not in name}
    save_file(rest, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_pretrained(folder).width == 10


def test_roberta_counts_places_from_behind_its_padding():
    sizes = {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = RobertaConfig(
        **sizes, intermediate_size=4, vocab_size=9, max_position_embeddings=14, pad_token_id=1
    )
    assert _find_limit(RobertaModel(config), SimpleNamespace(model_max_length=10**30)) == 12


def test_the_tokenizers_limit_counts_if_it_is_lower(folder):
    model = load_pretrained(folder).model
    assert _find_limit(model, SimpleNamespace(model_max_length=8)) == 8
