import json
import shutil

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, SEEDS, begin, copied
from likewise.cli import run
from likewise.documents import read
from likewise.expansion.sessions.session import Session

ONE, TWO, THREE = ON_TOPIC[:3]
OFF = OFF_TOPIC[0]
LABELS = {ONE: "relevant", TWO: "maybe", OFF: "irrelevant"}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    session = begin(tmp_path_factory.mktemp("begun"))
    run(["mark", session, "--relevant", ONE, THREE, "--maybe", TWO, "--irrelevant", OFF])
    run(["mark", session, "--undo", THREE])
    return session


@pytest.fixture
def export(begun, capsys):
    """Export the session, and return the exit code and what was printed."""

    def exported(*arguments):
        capsys.readouterr()
        code = run(["export", begun, *map(str, arguments)])
        return code, *capsys.readouterr()

    return exported


def test_as_json_it_is_everything_that_was_ever_said(export, tmp_path):
    assert export("-o", tmp_path / "everything.json")[0] == 0
    told = json.loads((tmp_path / "everything.json").read_text())
    marks = [(mark["document"], mark.get("label")) for mark in told["marks"]]
    assert (THREE, "relevant") in marks
    assert marks[-1] == (THREE, None)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx", "jsonl", "ris", "nbib", "bib", "enw"])
def test_marks_are_read_back_from_what_was_exported(suffix, export, begun, tmp_path, capsys):
    file, other = tmp_path / f"screened.{suffix}", copied(begun, tmp_path)
    assert export("-o", file)[0] == 0
    run(["mark", other, "--undo", *LABELS])
    assert run(["mark", other, str(file)]) == 0
    with Session.open(other) as opened:
        assert {name: mark.label for name, mark in opened.current().items()} == LABELS


def test_seeds_marks_and_decided_are_written_or_the_whole_pool(export, tmp_path):
    export("-o", tmp_path / "some.ris")
    export("-o", tmp_path / "all.ris", "--all")
    some, all_of_it = (
        {document.id for document in read(tmp_path / name)} for name in ("some.ris", "all.ris")
    )
    assert {*SEEDS, *LABELS} <= some < all_of_it
    assert len(all_of_it) == 320


def test_what_is_relevant_is_written_alone(export, tmp_path):
    export("-o", tmp_path / "relevant.ris", "--relevant")
    relevant = {name for name, label in LABELS.items() if label == "relevant"}
    told_otherwise = set(LABELS) - relevant
    written = {document.id for document in read(tmp_path / "relevant.ris")}
    assert written == {*SEEDS, *relevant} - told_otherwise


def test_several_files_are_written_and_named(export, tmp_path):
    code, out, err = export("-o", tmp_path / "a.json", "-o", tmp_path / "a.csv")
    assert (code, out) == (0, "")
    first, second = err.splitlines()
    assert first == f"{tmp_path / 'a.json'}: everything"
    assert second.startswith(f"{tmp_path / 'a.csv'}: ")
    assert second.endswith(" documents")


def test_as_json_the_files_are_named(export, tmp_path):
    told = json.loads(export("-o", tmp_path / "a.jsonl", "--all", "--json")[1])
    assert told == {"outputs": {str(tmp_path / "a.jsonl"): 320}}


def test_everything_needs_no_library(export, tmp_path):
    arguments = ["--library", tmp_path / "nowhere", "-o"]
    assert export(*arguments, tmp_path / "a.json")[0] == 0
    code, _, err = export(*arguments, tmp_path / "a.csv")
    assert (code, "no library here" in err) == (1, True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.docx", "a session can't be written as '.docx'; use one of:"),
        ("no/a.csv", "can't be written"),
    ],
)
def test_what_can_not_be_written_ends_in_one_line(name, said, export, tmp_path):
    code, _, err = export("-o", tmp_path / "b.json", "-o", tmp_path / name)
    assert code == 1
    assert said in err.splitlines()[-1]


def test_the_session_is_not_written_over(begun, tmp_path, capsys):
    session = tmp_path / "review.csv"
    shutil.copy(begun, session)
    assert run(["export", str(session), "-o", str(session)]) == 1
    assert "this is the session" in capsys.readouterr().err
    Session.open(session).close()


def test_an_output_is_asked_for(export):
    code, _, err = export()
    assert (code, "-o" in err) == (2, True)
