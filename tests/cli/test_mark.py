import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, SEEDS
from expansion.corpus import corpus, library_in
from likewise.cli import run
from likewise.documents import Document, write
from likewise.expansion.sessions.session import Session

ONE, TWO, THREE = ON_TOPIC[:3]
OFF = OFF_TOPIC[0]


@pytest.fixture
def mark(run_on_session):
    return partial(run_on_session, "mark")


def labels_in(session):
    with Session.open(session, read_only=True) as opened:
        return {document: mark.label for document, mark in opened.current().items()}


# By hand


def test_several_ids_may_follow_each_label(mark, session):
    code, out, err = mark("--relevant", ONE, TWO, "--irrelevant", OFF, "--maybe", THREE)
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first == "4 documents marked: 2 relevant, 1 irrelevant, 1 maybe."
    assert second.startswith(
        "Marked so far: 2 relevant, 1 irrelevant, 1 maybe. Learn from these marks with"
    )
    assert labels_in(session) == {
        ONE: "relevant", TWO: "relevant", OFF: "irrelevant", THREE: "maybe"
    }  # fmt: skip


def test_a_document_may_be_named_by_its_doi(tmp_path, capsys):
    paper = Document(id="x1", doi="10.1000/bees", title="Pollen and nectar of a hive")
    library = library_in(tmp_path / "lib", *corpus(), paper)
    session = str(tmp_path / "review.likewise")
    run(["expand", library, *SEEDS, "--session", session])
    assert run(["mark", session, "--relevant", "https://doi.org/10.1000/BEES"]) == 0
    assert labels_in(session) == {"x1": "relevant"}


def test_papers_of_a_file_may_all_get_one_label(mark, session, tmp_path):
    write([d for d in corpus() if d.id in (ONE, TWO)], tmp_path / "included.ris")
    assert mark("--relevant", tmp_path / "included.ris", THREE)[0] == 0
    assert set(labels_in(session)) == {ONE, TWO, THREE}
    with Session.open(session) as opened:
        sources = {given.document: given.source for given in opened.history()}
    assert sources == {ONE: "included.ris", TWO: "included.ris", THREE: ""}


def test_unknown_ids_are_told_the_others_are_marked_and_it_ends_with_1(mark, session):
    code, out, err = mark("--relevant", ONE, "99999")
    assert code == 1
    assert out.startswith("1 document marked: 1 relevant.")
    assert err.startswith("99999: not in the library, so not marked; find the right id with:")
    assert labels_in(session) == {ONE: "relevant"}


def test_ten_unknown_ids_are_told_or_all(mark):
    many = [str(number) for number in range(50_000, 50_015)]
    assert len(mark("--relevant", *many)[2].splitlines()) == 11
    assert len(mark("--relevant", *many, "--all-problems")[2].splitlines()) == 15


@pytest.mark.parametrize(
    ("first", "last"), [("relevant", "irrelevant"), ("maybe", "relevant"), ("maybe", "irrelevant")]
)
def test_of_two_labels_in_one_command_the_last_counts_and_it_is_said(first, last, mark, session):
    code, _, err = mark(f"--{first}", ONE, f"--{last}", ONE)
    assert (code, labels_in(session)) == (0, {ONE: last})
    assert err == f"{ONE}: {first} (--{first}) and {last} (--{last}); the last one counts\n"


def test_another_label_than_before_is_said(mark, session):
    mark("--relevant", ONE)
    assert mark("--irrelevant", ONE)[2] == f"{ONE}: was relevant, is irrelevant now\n"
    assert labels_in(session) == {ONE: "irrelevant"}


def test_the_same_label_again_is_counted_and_adds_nothing(mark, session):
    mark("--relevant", ONE)
    assert "1 of them was already marked that way" in mark("--relevant", ONE, TWO)[1]
    with Session.open(session) as opened:
        assert len(opened.history()) == 2


def test_a_seed_marked_irrelevant_is_said(mark):
    assert mark("--irrelevant", SEEDS[0])[2].startswith(f"{SEEDS[0]}: was one of your seeds")


def test_a_seed_that_only_the_session_holds_can_be_marked(tmp_path, capsys):
    library = library_in(tmp_path / "lib", *corpus())
    own = Document(id="mine", title="The pollen of my own hive", abstract="Queen, drone, honey.")
    write([own], tmp_path / "own.jsonl")
    session = str(tmp_path / "review.likewise")
    run(["expand", library, *SEEDS, str(tmp_path / "own.jsonl"), "--session", session])
    assert run(["mark", session, "--irrelevant", "mine"]) == 0
    assert labels_in(session) == {"mine": "irrelevant"}


def test_as_json_it_is_what_programs_may_want_to_know(mark):
    mark("--irrelevant", ONE)
    code, out, _ = mark("--relevant", ONE, "99999", "--maybe", SEEDS[0], "--json")
    assert code == 1
    assert json.loads(out) == {
        "labels": {ONE: "relevant", SEEDS[0]: "maybe"},
        "same": 0,
        "changed": [{"document": ONE, "before": "irrelevant", "now": "relevant"}],
        "contradictions": [],
        "unknown": ["99999"],
        "seeds": [],
        "marks": {"relevant": 1, "irrelevant": 0, "maybe": 1},
    }


# From files


def test_a_file_with_labels_is_read_and_it_is_said_where_they_stood(mark, session, tmp_path):
    file = tmp_path / "screened.csv"
    file.write_text(f"pmid,title,included\n{ONE},,1\n{OFF},,0\n{TWO},,\n")
    code, _, err = mark(file)
    assert (code, labels_in(session)) == (0, {ONE: "relevant", OFF: "irrelevant"})
    assert err == f"{file}: 2 labels in 'included'; 1 record without\n"


def test_a_column_can_be_named(mark, session, tmp_path):
    (tmp_path / "a.csv").write_text(f"pmid,full text\n{ONE},include\n")
    assert mark(tmp_path / "a.csv", "--column", "full text")[0] == 0
    assert labels_in(session) == {ONE: "relevant"}


def test_of_two_files_the_last_counts_and_both_places_are_said(mark, session, tmp_path):
    (tmp_path / "a.csv").write_text(f"pmid,mark\n{ONE},relevant\n")
    (tmp_path / "b.csv").write_text(f"pmid,mark\n{TWO},relevant\n{ONE},no\n")
    _, _, err = mark(tmp_path / "a.csv", tmp_path / "b.csv")
    said = f"{ONE}: relevant ({tmp_path}/a.csv:2) and irrelevant ({tmp_path}/b.csv:3); the last"
    assert said in err
    assert labels_in(session) == {TWO: "relevant", ONE: "irrelevant"}


def test_a_paper_of_a_file_that_the_library_does_not_hold_is_told_with_its_line(mark, tmp_path):
    (tmp_path / "a.csv").write_text(f"pmid,title,mark\n99999,On cats,yes\n{ONE},,no\n")
    code, _, err = mark(tmp_path / "a.csv")
    assert code == 1
    assert f"{tmp_path}/a.csv:2: not in the library, so not marked: On cats" in err


def test_a_label_that_is_not_understood_ends_with_1_and_the_others_are_marked(
    mark, session, tmp_path
):
    (tmp_path / "a.csv").write_text(f"pmid,mark\n{ONE},perhaps\n{TWO},yes\n")
    code, _, err = mark(tmp_path / "a.csv")
    assert (code, labels_in(session)) == (1, {TWO: "relevant"})
    assert f"{tmp_path}/a.csv:2: 'perhaps' in 'mark' is not a label" in err


def test_a_file_without_labels_marks_nothing(mark, session, tmp_path):
    (tmp_path / "a.csv").write_text(f"pmid,title\n{ONE},x\n")
    code, out, err = mark(tmp_path / "a.csv", "--relevant", TWO)
    assert (code, out, labels_in(session)) == (1, "", {})
    assert "no column of labels in it; it has 'pmid', 'title'; name one with --column" in err


# Taking back


def test_undo_takes_back_the_latest_mark(mark, session):
    mark("--relevant", ONE)
    mark("--irrelevant", TWO)
    assert mark("--undo")[:2] == (0, f"{TWO}: no longer irrelevant\n")
    assert labels_in(session) == {ONE: "relevant"}


def test_undo_takes_back_the_marks_of_the_ids_given(mark, session):
    mark("--relevant", ONE, TWO, THREE)
    assert mark("--undo", ONE, f"PMID:{THREE}")[0] == 0
    assert labels_in(session) == {TWO: "relevant"}


def test_undo_restores_the_mark_before(mark, session):
    mark("--relevant", ONE)
    mark("--irrelevant", ONE)
    assert mark("--undo")[:2] == (0, f"{ONE}: no longer irrelevant, relevant again\n")
    assert labels_in(session) == {ONE: "relevant"}
    assert mark("--undo", ONE)[:2] == (0, f"{ONE}: no longer relevant\n")
    assert labels_in(session) == {}


def test_what_is_not_marked_can_not_be_taken_back(mark, session):
    mark("--relevant", ONE)
    code, out, err = mark("--undo", ONE, TWO)
    assert (code, out) == (1, f"{ONE}: no longer relevant\n")
    assert err == f"{TWO}: not marked, so there is nothing to take back\n"


def test_undo_of_nothing_is_said(mark):
    assert mark("--undo") == (1, "", "no mark is left to take back\n")


def test_undo_as_json(mark):
    mark("--relevant", ONE)
    told = json.loads(mark("--undo", "--json")[1])
    assert [given["document"] for given in told["undone"]] == [ONE]
    assert (told["not_marked"], told["marks"]["relevant"]) == ([], 0)


# What can go wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to mark; give --relevant ID, --irrelevant ID or a file"),
        (["123"], "123: no such file; mark a document with --relevant 123"),
        (["--undo", "--relevant", "1"], "--undo takes only ids"),
    ],
)
def test_wrong_usage_ends_with_2(arguments, said, mark, session):
    code, _, err = mark(*arguments)
    assert code == 2
    assert said in err
    assert labels_in(session) == {}


@pytest.mark.parametrize("name", ["missing.likewise", "other.csv"])
def test_a_file_that_is_no_session_is_said(name, tmp_path, capsys):
    (tmp_path / "other.csv").write_text("pmid\n7\n")
    assert run(["mark", str(tmp_path / name), "--relevant", "7"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert name in line


def test_a_library_that_moved_is_said_and_can_be_named(begun, tmp_path, capsys):
    shutil.copytree(Path(begun).parent / "lib", tmp_path / "old")
    session = str(tmp_path / "review.likewise")
    run(["expand", str(tmp_path / "old"), *SEEDS, "--session", session])
    (tmp_path / "old").rename(tmp_path / "new")
    capsys.readouterr()
    assert run(["mark", session, "--relevant", ONE]) == 1
    assert "; say where it is now with --library LIB" in capsys.readouterr().err
    assert run(["mark", session, "--relevant", ONE, "--library", str(tmp_path / "new")]) == 0
    assert labels_in(session) == {ONE: "relevant"}


def test_marked_seeds_are_told_since_status_does_not_count_them(session, capsys):
    run(["mark", session, "--relevant", SEEDS[0], ON_TOPIC[0]])
    assert "Marked so far: 2 relevant, 1 seed among them. Learn" in capsys.readouterr().out
