import json

import pytest

from likewise.cli import run
from likewise.documents import Document, MeshHeading
from likewise.library import open_library

BRAIN, RATS = MeshHeading("Brain", "D001921"), MeshHeading("Rats", "D051381")
SMALL = ["--terms", "2", "--min", "5", "--max", "50"]


@pytest.fixture
def library(tmp_path):
    headings = [(BRAIN, RATS)] * 10 + [(BRAIN,)] * 10 + [(RATS,)] * 30 + [()] * 100
    with open_library(tmp_path / "lib", write=True) as opened:
        opened.add(
            Document(id=str(number), title="A", mesh=mesh) for number, mesh in enumerate(headings)
        )
        opened.commit()
    return str(tmp_path / "lib")


def test_suggest_prints_a_line_a_topic_for_a_pipe(library, capsys):
    assert run(["bench", "suggest", library, *SMALL]) == 0
    assert capsys.readouterr().out == "10\t1.00\t1\t2.0\tBrain + Rats\n"


def test_suggest_as_json(library, capsys):
    run(["bench", "suggest", library, *SMALL, "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["documents"], printed["sampled"]) == (150, 150)
    assert [(t["topic"], t["documents"]) for t in printed["topics"]] == [("Brain + Rats", 10)]


def test_suggest_says_so_if_there_is_nothing(library, capsys):
    assert run(["bench", "suggest", library]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("no 3 headings share 200 to 5,000 documents")


def test_suggest_says_if_it_looked_at_a_sample(library, capsys, monkeypatch):
    from likewise.bench.topics.suggestions import SuggestSettings

    monkeypatch.setattr(SuggestSettings.__init__, "__kwdefaults__", {
        **SuggestSettings.__init__.__kwdefaults__, "sample": 140,
    })  # fmt: skip
    run(["bench", "suggest", library, *SMALL])
    assert capsys.readouterr().err.startswith("found in a sample of 140 of 150 documents")


def test_sizes_that_make_no_sense_end_in_one_line(library, capsys):
    assert run(["bench", "suggest", library, "--min", "9", "--max", "3"]) == 1
    assert capsys.readouterr().err.startswith("likewise: from 9 to 3 documents")


@pytest.mark.parametrize("terms", ["1", "6", "many"])
def test_a_number_of_terms_that_makes_no_sense_is_wrong_usage(library, terms, capsys):
    assert run(["bench", "suggest", library, "--terms", terms]) == 2
