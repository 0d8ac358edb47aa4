"""Where a model of Hugging Face is found, and what is said where it is not."""

import pytest

pytest.importorskip("huggingface_hub", reason="the extra transformers is not installed")

import huggingface_hub

from features.hub_cache import COMMIT, Hub, put_into_cache
from likewise.errors import DownloadError, ReadError, SettingsError
from likewise.features.pretrained import is_whole, list_weight_files, locate_model


@pytest.fixture
def hub(monkeypatch, tmp_path):
    return Hub(monkeypatch, tmp_path / "cache")


@pytest.fixture
def model(tmp_path):
    """Files as of a model, with nothing in them."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        (folder / name).write_text(name)
    return folder


def test_what_is_in_the_cache_is_taken_without_asking_the_hub(hub, model):
    put_into_cache(hub.cache, model)
    assert locate_model("owner/tiny").folder.name == COMMIT


def test_the_name_holds_the_commit(hub, model):
    put_into_cache(hub.cache, model)
    assert locate_model("owner/tiny").name == f"owner/tiny@{COMMIT}"


def test_the_name_is_a_spelling_of_the_same_model(hub, model):
    put_into_cache(hub.cache, model)
    assert locate_model(f"owner/tiny@{COMMIT}") == locate_model("owner/tiny")


def test_what_is_not_in_the_cache_is_fetched(hub, model):
    hub.folder = model
    assert locate_model("owner/tiny").name == f"owner/tiny@{COMMIT}"


def test_what_is_in_the_cache_in_part_is_fetched(hub, model, tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "config.json").write_text("{}")
    put_into_cache(hub.cache, tmp_path / "part")
    hub.folder = model
    assert is_whole(locate_model("owner/tiny").folder)


def test_pickles_are_not_fetched_where_there_are_safetensors(hub, model):
    for name in ("pytorch_model.bin", "flax_model.msgpack", "README.md"):
        (model / name).write_text(name)
    hub.folder = model
    locate_model("owner/tiny")
    assert hub.fetched == [["config.json", "model.safetensors", "vocab.txt"]]


def test_offline_it_is_said_where_it_was_looked_for_and_how_to_fetch_it(hub):
    with pytest.raises(DownloadError) as raised:
        locate_model("owner/tiny")
    assert str(raised.value) == (
        f"the model owner/tiny is not in {hub.cache}, and can't be fetched: no answer from "
        "Hugging Face (Name or service not known); on a machine with a network, run "
        "`hf download owner/tiny --local-dir FOLDER`, and give that folder instead"
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("RepositoryNotFoundError", "has no model of that name, or it is a private one"),
        ("RevisionNotFoundError", "it has no revision main"),
        ("GatedRepoError", "its owner asks for an account"),
        ("OfflineModeIsEnabled", "HF_HUB_OFFLINE is set"),
    ],
)
def test_what_the_hub_answers_is_told(hub, error, reason):
    kind = getattr(huggingface_hub.utils, error)
    # Without the answer that it comes with, which is of another class in each version.
    hub.error = kind.__new__(kind)
    with pytest.raises(DownloadError, match=f"can't be fetched: .*{reason}"):
        locate_model("owner/tiny")


def test_a_model_without_weights_for_torch_is_refused(hub, model):
    (model / "model.safetensors").rename(model / "tf_model.h5")
    hub.folder = model
    with pytest.raises(DownloadError, match="no weights for it that torch can read"):
        locate_model("owner/tiny")


def test_a_folder_that_is_there_comes_before_a_name(hub, model, monkeypatch):
    monkeypatch.chdir(model.parent.parent)
    assert locate_model(f"{model.parent.name}/model").folder == model


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "model.safetensors"])
def test_the_name_of_a_folder_changes_with_its_files(model, name):
    before = locate_model(str(model)).name
    (model / name).write_text("other")
    assert locate_model(str(model)).name != before


def test_the_name_of_a_folder_does_not_depend_on_where_it_is(model, tmp_path):
    before = locate_model(str(model)).name
    (tmp_path / "elsewhere").mkdir()
    assert locate_model(str(model.rename(tmp_path / "elsewhere" / "model"))).name == before


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "model.safetensors"])
def test_a_folder_that_lacks_something_is_refused(model, name):
    (model / name).unlink()
    with pytest.raises(ReadError, match=r"not a model of Hugging Face: it needs config.json, a"):
        locate_model(str(model))


@pytest.mark.parametrize("name", ["./nowhere", "a/b/c", "owner/", "owner/-tiny", "x" * 300 + "/y"])
def test_what_is_neither_a_folder_nor_a_name_is_refused(hub, name):
    with pytest.raises(SettingsError, match="a name is written as owner/model"):
        locate_model(name)


def test_weights_in_parts_are_whole_when_all_are_there(model):
    (model / "model.safetensors").rename(model / "model-00001-of-00002.safetensors")
    assert not is_whole(model)
    (model / "model-00002-of-00002.safetensors").touch()
    assert is_whole(model)


def test_pickles_are_taken_where_there_are_no_safetensors():
    assert list_weight_files(["pytorch_model.bin", "model.onnx"]) == ["pytorch_model.bin"]
