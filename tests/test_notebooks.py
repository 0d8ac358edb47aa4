"""The notebooks in examples/ run, and what they show is what they put out."""

import json
import re
import runpy
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import likewise

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_notebooks.py"))
NAMES = ["method", "opensearch", "review"]


def read(name):
    return json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))


@pytest.fixture
def here(tmp_path, monkeypatch, pubmed_sample):
    """A folder in which the sample is there already."""
    (tmp_path / "sample").symlink_to(pubmed_sample[0].parent)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def list_kinds(notebook):
    """What each cell puts out: text, HTML, or nothing."""
    return [
        sorted(kind for output in cell["outputs"] for kind in output.get("data", ["stream"]))
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == NAMES


def test_the_review_shows_what_it_puts_out(here):
    pytest.importorskip("pandas")
    kept = read("review")
    made = SCRIPT["run_notebook"](kept)
    assert list_kinds(made) == list_kinds(kept)
    seeds = re.search(r"mine = \[(.*?)\]", json.dumps(kept))[1].split(", ")
    screened = list(likewise.read(here / "screened.csv"))
    assert {seed.pmid for seed in screened} > set(seeds)


def test_the_method_of_ones_own_is_measured_beside_ours(here):
    pytest.importorskip("pandas")
    pytest.importorskip("ir_measures")
    kept = read("method")
    made = SCRIPT["run_notebook"](kept)
    assert list_kinds(made) == list_kinds(kept)
    table = "".join(made["cells"][-2]["outputs"][0]["data"]["text/plain"])
    assert {"all", "bm25", "contrast", "linear"} <= set(table.split())


def test_the_index_on_a_server_is_expanded(here, monkeypatch, opensearch_address):
    pytest.importorskip("pandas")
    server = urlsplit(opensearch_address)
    monkeypatch.setenv("OPENSEARCH", f"{server.scheme}://{server.netloc}")
    monkeypatch.setenv("OPENSEARCH_PREFIX", server.path.strip("/"))
    kept = read("opensearch")
    assert list_kinds(SCRIPT["run_notebook"](kept)) == list_kinds(kept)


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_kept_and_tell_no_place_of_the_machine_they_were_made_on(name):
    notebook = read(name)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(cell["outputs"]) for cell in cells) >= len(cells) / 2
    text = json.dumps([cell["outputs"] for cell in cells])
    assert not re.search(r"/(tmp|home|root|work|var|Users)/", text)


def test_a_cell_keeps_what_it_prints_and_what_its_last_line_is():
    printed, shown = SCRIPT["run_cell"]("print('seen')\n[1, 2]", {}, number=3)
    assert printed["text"] == ["seen\n"]
    assert shown["data"] == {"text/plain": ["[1, 2]"]}
    assert shown["execution_count"] == 3


def test_a_cell_that_ends_in_a_statement_shows_nothing():
    assert SCRIPT["run_cell"]("seen = 1", {}, number=1) == []
