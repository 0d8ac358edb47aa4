import csv
import json

import pytest

from likewise.cli import run
from likewise.documents import Document, write

TITLE = "Sleep of nurses who work at night in winter"
PAPERS = [
    Document(id="talk", title=TITLE, year=2001, journal="Talks", authors=("Doe, Jane",)),
    Document(pmid="7", title=TITLE, year=2001, journal="Sleep", authors=("Doe, J",)),
    Document(pmid="9", title=f"{TITLE}: a trial", year=2001, authors=("Doe, J",)),
]


@pytest.fixture
def refs(tmp_path):
    write(PAPERS, tmp_path / "refs.jsonl")
    return str(tmp_path / "refs.jsonl")


@pytest.fixture
def library(refs, tmp_path, capsys):
    assert run(["index", refs, "--into", str(tmp_path / "lib")]) == 0
    capsys.readouterr()
    return str(tmp_path / "lib")


def test_indexing_writes_a_report_of_duplicates(refs, tmp_path, capsys):
    report = tmp_path / "duplicates.csv"
    assert run(["index", refs, "--into", str(tmp_path / "lib"), "--report", str(report)]) == 0
    assert capsys.readouterr().err == f"{report}: 1 duplicate written\n"
    with report.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows == [
        {
            "kept_id": "talk",
            "kept_title": TITLE,
            "kept_source": "jsonl:refs.jsonl",
            "other_id": "7",
            "other_title": TITLE,
            "other_source": "jsonl:refs.jsonl",
            "other_place": f"{refs}:2",
            "matched_by": "title",
        }
    ]


def test_a_report_that_can_not_be_written_is_told_before_anything_is_read(refs, tmp_path, capsys):
    report = str(tmp_path / "nowhere" / "duplicates.csv")
    assert run(["index", refs, "--into", str(tmp_path / "lib"), "--report", report]) == 1
    assert "can't be written" in capsys.readouterr().err
    assert not (tmp_path / "lib").exists()


def test_duplicates_are_listed(library, refs, capsys):
    assert run(["duplicates", library]) == 0
    assert capsys.readouterr().out == f"talk\t7\ttitle\t{refs}:2\t{TITLE}\n"


def test_duplicates_are_listed_as_json(library, capsys):
    assert run(["duplicates", library, "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)
    assert [(pair["kept_id"], pair["other_id"], pair["matched_by"]) for pair in pairs] == [
        ("talk", "7", "title")
    ]


def test_near_duplicates_are_listed_and_written(library, tmp_path, capsys):
    assert run(["duplicates", library, "--near"]) == 0
    assert capsys.readouterr().out == f"9\ttalk\t1.00\t2001\t{TITLE}: a trial\n"
    assert run(["duplicates", library, "--near", "-o", str(tmp_path / "near.csv")]) == 0
    header, row = (tmp_path / "near.csv").read_text().splitlines()
    assert (header.split(",")[-1], row.split(",")[-1]) == ("likeness", "1.0")


def test_papers_are_split_and_joined(library, refs, capsys):
    assert run(["duplicates", library, "--split", "talk"]) == 0
    assert run(["duplicates", library, "--join", "9", "7"]) == 0
    assert capsys.readouterr().out == "talk: split into talk, 7\n9: joined with 7\n"
    assert run(["duplicates", library, "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)
    assert [(pair["kept_id"], pair["other_id"], pair["matched_by"]) for pair in pairs] == [
        ("9", "7", "ruling")
    ]


def test_what_was_split_and_joined_is_told_as_json(library, capsys):
    assert run(["duplicates", library, "--split", "talk", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"split": [{"paper": "talk", "into": ["talk", "7"]}], "joined": []}


def test_a_library_without_duplicates_is_told(tmp_path, capsys):
    write([Document(pmid="1", title="One"), Document(pmid="2", title="Two")], tmp_path / "a.jsonl")
    run(["index", str(tmp_path / "a.jsonl"), "--into", str(tmp_path / "lib")])
    capsys.readouterr()
    for options, said in [
        ([], "no record was merged with another"),
        (["--near"], "no two papers look the same"),
    ]:
        assert run(["duplicates", str(tmp_path / "lib"), *options]) == 0
        assert capsys.readouterr().err == f"{tmp_path / 'lib'}: {said}\n"


@pytest.mark.parametrize("options", [["--near"], ["-o", "a.csv"]])
def test_nothing_is_listed_while_something_is_changed(options, library, capsys):
    assert run(["duplicates", library, "--split", "talk", *options]) == 2
    assert "list its duplicates after that" in capsys.readouterr().err


def test_what_can_not_be_split_ends_in_one_line(library, capsys):
    assert run(["duplicates", library, "--split", "9"]) == 1
    said = capsys.readouterr().err
    assert said == "likewise: 9: can't be split: it is made of one record only\n"


def test_no_library_is_made_to_be_corrected(tmp_path, capsys):
    assert run(["duplicates", str(tmp_path / "nowhere"), "--split", "1"]) == 1
    assert "no library here" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
