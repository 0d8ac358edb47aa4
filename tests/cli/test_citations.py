"""likewise links and likewise cited."""

import json

import numpy as np
import pytest

from expansion.test_citing import make_papers
from likewise.cli import run
from likewise.documents import Document
from likewise.library import open_library


@pytest.fixture
def lib(tmp_path):
    """A library of two papers, one of which cites the other."""
    with open_library(tmp_path / "lib", write=True) as library:
        library.add(
            [
                Document(id="7", pmid="7", title="On cats", references=("5", "3")),
                Document(id="5", pmid="5", title="On dogs", year=1999),
            ]
        )
        library.commit()
    return tmp_path / "lib"


@pytest.fixture
def ask(capsys):
    """Runs a command; returns its exit code, what it prints and what it says."""

    def command(*words):
        code = run([str(word) for word in words])
        return code, *capsys.readouterr()

    return command


def test_what_a_paper_cites_is_shown(ask, lib):
    _, printed, said = ask("cited", lib, "7")
    assert "cites: 2" in said
    assert "On dogs" in printed
    assert "(not in the library)" in printed


def test_what_cites_a_paper_is_told_as_json(ask, lib):
    found = json.loads(ask("cited", lib, "5", "--json")[1])
    assert found["cited_by"] == [
        {"name": "7", "times": 1, "id": "7", "year": None, "title": "On cats"}
    ]


def test_what_a_paper_on_a_cluster_cites_is_shown(ask, opensearch_address):
    with open_library(opensearch_address, write=True) as library:
        library.add([Document(id="7", pmid="7", title="On cats", references=("5", "10.5555/x"))])
        library.commit()
    _, printed, said = ask("cited", opensearch_address, "7")
    assert "cites: 2" in said
    assert "10.5555/x" in printed


def test_an_index_without_links_says_how_to_get_them(ask, opensearch_address):
    with open_library(opensearch_address, write=True) as library:
        library.add([Document(id="7", pmid="7", title="On cats")])
        library.commit()
    code, _, said = ask("cited", opensearch_address, "7")
    assert code
    assert "it knows no citations; index files that have them" in said
    assert "likewise links" not in said


def test_a_file_of_links_is_read_beside_them(ask, lib, tmp_path):
    (tmp_path / "links.csv").write_text("citing,referenced\n9,5\n9,9\n9,3\n")
    _, _, said = ask("links", lib, tmp_path / "links.csv")
    assert "2 links from 3 rows, left out: 1 row by papers to themselves" in said
    found = json.loads(ask("cited", lib, "5", "--json")[1])
    assert [one["name"] for one in found["cited_by"]] == ["7", "9"]
    assert [(one["name"], one["times"]) for one in found["cited_with"]] == [("3", 2)]


def test_a_library_without_links_says_where_they_come_from(ask, tmp_path):
    with open_library(tmp_path / "none", write=True) as library:
        library.add([Document(id="7", title="On cats")])
        library.commit()
    code, _, said = ask("cited", tmp_path / "none", "7")
    assert code == 1
    assert "it knows no citations" in said


def test_no_library_is_made_for_a_file_of_links(ask, tmp_path):
    (tmp_path / "links.csv").write_text("7,5\n")
    assert ask("links", tmp_path / "none", tmp_path / "links.csv")[0] == 1
    assert not (tmp_path / "none").exists()


@pytest.fixture
def topic(tmp_path):
    """A library in which every twentieth paper shares references with the seeds."""
    with open_library(tmp_path / "topic", write=True) as library:
        library.add(make_papers(np.random.default_rng(3)))
        library.commit()
    (tmp_path / "seeds.txt").write_text("\n".join(str(number) for number in range(20, 420, 20)))
    return tmp_path / "topic", tmp_path / "seeds.txt"


def test_the_best_finds_tell_how_they_are_linked(ask, topic, monkeypatch):
    said = json.loads(ask("expand", *topic, "--json")[1])
    linked = [each for each in said["best"] if each.get("citations", "").startswith("shares ")]
    assert len(linked) >= 5
    assert "(shares " not in ask("expand", *topic)[1]
    monkeypatch.setattr("likewise.cli.expand.is_terminal", lambda: True)
    assert f"({linked[0]['citations']})" in ask("expand", *topic)[1]
