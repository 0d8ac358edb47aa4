"""The registry of encoders."""

import signal
import sqlite3
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from features.encoding import HashEncoder
from likewise.errors import MissingExtraError, ReadError, SettingsError, WriteError
from likewise.features import encoders
from likewise.features.encoders import (
    BUILT_IN,
    GROUP,
    EncodingProgress,
    VectorCache,
    encode_texts,
    encoder_named,
    find_cache_folder,
    list_encoder_names,
)


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
    assert list_encoder_names() == ["hash", "minilm-l6-v2"]


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


CATS, DOGS, BIRDS = "On cats", "On dogs", "On birds"


@pytest.fixture
def encoder():
    return HashEncoder()


@pytest.fixture
def cache(tmp_path):
    return VectorCache(tmp_path / "cache" / "vectors.sqlite")


def test_there_is_a_row_for_each_text_in_their_order(encoder, cache):
    found = encode_texts([DOGS, CATS, DOGS], encoder=encoder, cache=cache)
    assert found.tolist() == [encoder.vector(text).tolist() for text in (DOGS, CATS, DOGS)]


def test_the_rows_are_32_bit_numbers(encoder, cache):
    assert encode_texts([CATS], encoder=encoder, cache=cache).dtype == np.float32


def test_no_texts_give_no_rows(encoder, cache):
    assert encode_texts([], encoder=encoder, cache=cache).shape == (0, 4)


def test_equal_texts_are_encoded_once(encoder, cache):
    encode_texts([CATS, DOGS, CATS], encoder=encoder, cache=cache)
    assert encoder.asked == [[CATS, DOGS]]


def test_what_is_in_the_cache_is_not_encoded_again(encoder, cache):
    encode_texts([CATS, DOGS], encoder=encoder, cache=cache)
    encode_texts([DOGS, BIRDS], encoder=encoder, cache=VectorCache(cache.path))
    assert encoder.asked == [[CATS, DOGS], [BIRDS]]


def test_what_comes_from_the_cache_is_what_was_encoded(encoder, cache):
    first = encode_texts([CATS, DOGS], encoder=encoder, cache=cache)
    again = encode_texts([CATS, DOGS], encoder=encoder, cache=cache)
    assert (first == again).all()


def test_a_changed_text_is_encoded_anew(encoder, cache):
    encode_texts([CATS], encoder=encoder, cache=cache)
    encode_texts([f"{CATS}."], encoder=encoder, cache=cache)
    assert encoder.asked == [[CATS], [f"{CATS}."]]


def test_each_encoder_has_vectors_of_its_own(encoder, cache):
    other = HashEncoder("other")
    encode_texts([CATS], encoder=encoder, cache=cache)
    assert (encode_texts([CATS], encoder=other, cache=cache) == other.vector(CATS)).all()


def test_vectors_of_another_length_are_made_anew(encoder, cache):
    encode_texts([CATS], encoder=encoder, cache=cache)
    longer = HashEncoder(dimensions=6)
    assert encode_texts([CATS], encoder=longer, cache=cache).shape == (1, 6)
    assert list(cache.get([CATS], encoder=longer)) == [CATS]


def test_more_texts_than_sqlite_takes_at_once_are_found(encoder, cache):
    texts = [str(number) for number in range(1001)]
    encode_texts(texts, encoder=encoder, cache=cache)
    assert len(cache.get(texts, encoder=encoder)) == 1001


def test_progress_begins_with_what_is_there_and_ends_with_everything(encoder, cache, monkeypatch):
    monkeypatch.setattr(encoders, "BATCH", 2)
    encode_texts(["1"], encoder=encoder, cache=cache)
    seen = []
    texts = ["1", "2", "3", "4", "4"]
    encode_texts(texts, encoder=encoder, cache=cache, on_progress=seen.append)
    assert seen == [EncodingProgress(1, 4), EncodingProgress(3, 4), EncodingProgress(4, 4)]


def test_an_encoder_that_makes_something_else_is_named(cache):
    encoder = HashEncoder()
    encoder.dimensions, encoder.vector = 4, lambda text: [1.0, 2.0]
    with pytest.raises(
        SettingsError, match=r"'hash' made an array of shape \(1, 2\) instead of \(1, 4\)"
    ):
        encode_texts([CATS], encoder=encoder, cache=cache)


RUN = """
import os, signal, sys
from pathlib import Path
from features.encoding import HashEncoder
from likewise.features import encoders

class Killed(HashEncoder):
    def encode(self, texts, /):
        if len(self.asked) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts)

path, encoder, start, end = sys.argv[1:]
encoders.BATCH = 5
texts = [str(number) for number in range(int(start), int(end))]
cache = encoders.VectorCache(Path(path))
encoders.encode_texts(texts, encoder=globals()[encoder](), cache=cache)
"""


def start_run(cache, *arguments):
    command = [sys.executable, "-c", RUN, cache.path, *map(str, arguments)]
    return subprocess.Popen(command, cwd=Path(__file__).parents[1])


def test_a_killed_run_keeps_the_batches_it_finished(encoder, cache):
    assert start_run(cache, "Killed", 0, 20).wait(timeout=120) == -signal.SIGKILL
    encode_texts([str(number) for number in range(12)], encoder=encoder, cache=cache)
    assert encoder.asked == [["10", "11"]]


def test_two_processes_at_once_lose_nothing(encoder, cache):
    runs = [start_run(cache, "HashEncoder", *ends) for ends in ((0, 300), (200, 500))]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    assert len(cache.get([str(number) for number in range(500)], encoder=encoder)) == 500


def test_reading_makes_no_file(encoder, cache):
    assert cache.get([CATS], encoder=encoder) == {}
    assert not cache.path.exists()


def test_an_empty_file_is_a_new_cache(encoder, cache):
    cache.path.parent.mkdir()
    cache.path.touch()
    encode_texts([CATS], encoder=encoder, cache=cache)
    assert list(cache.get([CATS], encoder=encoder)) == [CATS]


def test_a_file_that_is_no_cache_is_named_with_the_way_out(encoder, cache):
    cache.path.parent.mkdir()
    cache.path.write_text("something else\n" * 1000)
    with pytest.raises(ReadError, match=r"vectors\.sqlite: .*; delete it") as raised:
        encode_texts([CATS], encoder=encoder, cache=cache)
    assert "\n" not in str(raised.value)


def test_a_damaged_cache_is_named_with_the_way_out(encoder, cache):
    texts = [str(number) for number in range(1000)]
    encode_texts(texts, encoder=encoder, cache=cache)
    whole = cache.path.read_bytes()
    cache.path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(ReadError, match=r"vectors\.sqlite: .*damaged.*; delete it"):
        encode_texts(texts, encoder=encoder, cache=cache)


def test_a_folder_that_cant_be_made_is_named_with_the_way_out(encoder, tmp_path):
    (tmp_path / "file").touch()
    cache = VectorCache(tmp_path / "file" / "vectors.sqlite")
    with pytest.raises(WriteError, match=r"file/vectors\.sqlite: .*; set LIKEWISE_CACHE"):
        encode_texts([CATS], encoder=encoder, cache=cache)


def test_a_cache_that_another_process_holds_for_long_is_named(encoder, cache, monkeypatch):
    encode_texts([CATS], encoder=encoder, cache=cache)
    monkeypatch.setattr(encoders, "_PATIENCE", 0)
    holder = sqlite3.connect(cache.path)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(WriteError, match="another process has locked it; try again"):
        encode_texts([CATS], encoder=encoder, cache=cache)
    holder.close()


def test_the_cache_is_in_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    assert VectorCache().path == tmp_path / "vectors.sqlite"


texts_with_vectors = st.dictionaries(
    st.text(st.characters()),  # halves of characters among them
    arrays.arrays(np.float32, 4, elements=st.floats(width=32)),
)


@given(made=texts_with_vectors)
def test_what_is_added_is_got_back(made, tmp_path_factory):
    cache = VectorCache(tmp_path_factory.mktemp("cache") / "vectors.sqlite")
    cache.add(made, encoder=HashEncoder())
    found = cache.get(list(made), encoder=HashEncoder())
    assert {text: v.tobytes() for text, v in found.items()} == {
        t: v.tobytes() for t, v in made.items()
    }


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LIKEWISE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


def test_it_is_in_the_home_folder(home):
    assert find_cache_folder() == home / ".cache" / "likewise"


def test_it_is_in_the_folder_that_the_desktop_names(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert find_cache_folder() == Path("/var/cache/likewise")


@pytest.mark.parametrize("named", ["", "caches"])
def test_a_relative_folder_of_the_desktop_is_passed_over(home, monkeypatch, named):
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert find_cache_folder() == home / ".cache" / "likewise"


def test_our_own_variable_wins(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    monkeypatch.setenv("LIKEWISE_CACHE", "/data/likewise")
    assert find_cache_folder() == Path("/data/likewise")


def test_our_own_variable_may_begin_at_home(home, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", "~/vectors")
    assert find_cache_folder() == home / "vectors"


def test_a_home_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", "~no-such-user/vectors")
    with pytest.raises(SettingsError, match="no such home folder; set LIKEWISE_CACHE"):
        find_cache_folder()
