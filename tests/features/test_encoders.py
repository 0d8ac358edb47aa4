"""The registry of encoders."""

import sys
from importlib.metadata import EntryPoint

import pytest

from features.encoding import HashEncoder
from likewise.errors import MissingExtraError, SettingsError
from likewise.features import encoders
from likewise.features.encoders import BUILT_IN, GROUP, encoder_named, encoder_names


@pytest.fixture
def plug_in(monkeypatch):
    """Installs a plug-in that offers an encoder."""

    def install(name, value):
        entries = (EntryPoint(name, value, GROUP), *BUILT_IN)
        monkeypatch.setattr(encoders, "_list_entries", lambda: entries)

    return install


def test_a_plug_ins_encoder_is_found_by_its_name(plug_in):
    plug_in("hash", "features.encoding:HashEncoder")
    assert isinstance(encoder_named("hash"), HashEncoder)


def test_a_plug_ins_encoder_comes_before_the_built_in_ones(plug_in):
    plug_in("hash", "features.encoding:HashEncoder")
    assert encoder_names() == ["hash", "minilm-l6-v2"]


def test_plug_ins_are_looked_for_under_our_group(monkeypatch):
    entry = EntryPoint("hash", "features.encoding:HashEncoder", GROUP)
    installed = {"likewise.encoders": [entry]}
    monkeypatch.setattr(encoders, "entry_points", lambda *, group: installed[group])
    assert encoders._list_entries.__wrapped__() == (entry, *BUILT_IN)


def test_an_unknown_name_gives_the_names_there_are(plug_in):
    plug_in("hash", "features.encoding:HashEncoder")
    expected = (
        "no encoder is called 'bert'; the encoders are: hash, minilm-l6-v2, "
        "any model of Hugging Face as owner/model, and any folder that holds one"
    )
    with pytest.raises(SettingsError, match=f"^{expected}$"):
        encoder_named("bert")


@pytest.mark.parametrize("value", ["no.such.module:Encoder", "features.encoding:NoSuchClass"])
def test_a_plug_in_that_cant_be_loaded_is_named(plug_in, value):
    plug_in("broken", value)
    with pytest.raises(
        SettingsError, match=f"'broken' can't be loaded from {value}: .*again"
    ) as raised:
        encoder_named("broken")
    assert "\n" not in str(raised.value)


def test_an_encoder_has_one_name(plug_in):
    plug_in("sash", "features.encoding:HashEncoder")
    with pytest.raises(SettingsError, match=r"'sash' of .* calls itself 'hash'"):
        encoder_named("sash")


def test_a_name_with_an_owner_is_a_model_of_hugging_face(plug_in, monkeypatch):
    monkeypatch.setattr("likewise.features.huggingface.HuggingFace", lambda name: f"model {name}")
    assert encoder_named("owner/tiny@main(pooling=cls)") == "model owner/tiny@main(pooling=cls)"


def test_a_plug_ins_name_comes_before_a_model_of_hugging_face(plug_in):
    plug_in("owner/hash", "features.encoding:HashEncoder")
    with pytest.raises(SettingsError, match="calls itself 'hash'"):
        encoder_named("owner/hash")


def test_a_missing_extra_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError) as raised:
        encoder_named("minilm-l6-v2")
    assert str(raised.value) == (
        "The encoder minilm-l6-v2 needs an optional dependency. "
        "Install it with: pip install 'likewise[minilm]'"
    )


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.name)
def test_what_a_built_in_name_leads_to_has_that_name(entry):
    assert entry.load().name == entry.name
