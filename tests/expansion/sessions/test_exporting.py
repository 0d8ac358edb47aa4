import csv
import gzip
import json

import pytest

from expansion.samples import MATCHED, POOL
from expansion.sessions.samples import new_session, small_saved
from likewise.documents import read
from likewise.errors import SessionError, UnknownFormatError, WriteError
from likewise.expansion.mark_files import read_marks
from likewise.expansion.sessions.exporting import ExportResult, check_export, export_session
from likewise.learn.estimates import Target
from likewise.library.memory import MemoryLibrary

TIME = "2026-01-31T09:30:00.123Z"
SUFFIXES = ("csv", "tsv", "xlsx", "ris", "nbib", "bib", "enw", "jsonl")
LISTED = ["102", "201", "101", "10.1000/a b", "mine", "203", "204", "103"]
"""Seeds, decided and marked, in the order of the small expansion; 205 is none of these."""


@pytest.fixture
def library():
    with MemoryLibrary() as library:
        library.add([*MATCHED, *POOL])
        library.commit()
        yield library


@pytest.fixture
def session(tmp_path, monkeypatch):
    """A session in which 201 and 204 are marked against what was decided, and 203 is unsure."""
    monkeypatch.setattr("likewise.expansion.sessions.session_file.read_clock", lambda: TIME)
    with new_session(tmp_path, library="opensearch://here") as session:
        session.add_expansion(small_saved())
        session.add_audit(["204"], population=["204", "205"])
        session.mark({"201": "irrelevant", "204": "relevant", "203": "maybe", "205": "maybe"})
        session.undo(["205"])
        yield session


def rows(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_everything_is_one_json_document(session, tmp_path):
    assert export_session(session, tmp_path / "all.json") == ExportResult(0, ())
    found = json.loads((tmp_path / "all.json").read_bytes())
    assert (found["kind"], found["format"]) == ("likewise exported session", 1)
    assert found["start"]["library"] == "opensearch://here"
    assert [seed["id"] for seed in found["start"]["seeds"]] == ["101", "102", "103", "mine"]
    assert [mark["document"] for mark in found["marks"]] == ["201", "204", "203", "205", "205"]
    assert list(found["marks"][1].values()) == [
        *(2, "204", "relevant", TIME, 1),
        *(7, 0.25, "audit", 1, "", "", "", False),
    ]
    assert list(found["marks"][1])[:4] == ["number", "document", "label", "time"]
    assert found["expansions"][0]["content"]["ranking"][0]["id"] == "102"
    assert found["audits"][0]["population"] == ["204", "205"]


def test_everything_has_names_moved_lines_and_targets_too(session, tmp_path):
    session.rename("Bees")
    session.choose_target(Target(0.9, 0.8, "audits"))
    session.move_threshold(2)
    export_session(session, tmp_path / "all.json")
    found = json.loads((tmp_path / "all.json").read_bytes())
    assert [name["name"] for name in found["names"]] == ["Bees"]
    assert [(line["expansion"], line["decided"]) for line in found["thresholds"]] == [(1, 2)]
    assert found["expansions"][0]["decided"] == 1
    assert list(found["targets"][0].values()) == [1, TIME, 0.9, 0.8, "audits"]


def test_everything_may_be_packed(session, tmp_path):
    export_session(session, tmp_path / "all.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "all.json.gz").read_bytes()))["marks"]


def test_seeds_decided_and_marked_documents_are_written_in_the_order_of_the_ranking(
    session, tmp_path, library
):
    exported = export_session(session, tmp_path / "found.csv", library=library)
    assert exported == ExportResult(8, ())
    assert list(rows(tmp_path / "found.csv")) == LISTED


def test_the_whole_pool_is_written_if_asked_for(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv", library=library, which="all")
    assert list(rows(tmp_path / "found.csv")) == [*LISTED, "205"]


def test_what_is_relevant_is_written_alone(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv", library=library, which="relevant")
    written = rows(tmp_path / "found.csv").values()
    assert {(row["seed"], row["mark"]) for row in written} == {("true", ""), ("false", "relevant")}


def test_notes_say_where_a_document_stands_and_what_was_said(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv", library=library)
    row = rows(tmp_path / "found.csv")["204"]
    names = ("rank", "score", "probability", "decision", "seed", "mark", "marked_at")
    assert [row[name] for name in names] == [
        *("7", "-0.5", "0.25", "true", "false", "relevant", TIME)
    ]


def test_what_was_said_counts_more_than_what_was_learned(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv", library=library)
    decisions = {key: row["decision"] for key, row in rows(tmp_path / "found.csv").items()}
    assert (decisions["201"], decisions["204"], decisions["203"]) == ("false", "true", "true")


def test_tables_have_the_labels_that_asreview_reads(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv", library=library)
    labels = {key: row["label_included"] for key, row in rows(tmp_path / "found.csv").items()}
    assert (labels["204"], labels["201"], labels["203"], labels["101"]) == ("1", "0", "", "")


def test_ris_has_the_words_that_asreview_reads(session, tmp_path, library):
    export_session(session, tmp_path / "found.ris", library=library)
    lines = (tmp_path / "found.ris").read_text().splitlines()
    assert [line for line in lines if "ASReview" in line] == [
        "N1  - asreview: ASReview_irrelevant",
        "N1  - asreview: ASReview_relevant",
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_marks_are_read_back_out_of_what_is_written(session, tmp_path, library, suffix):
    path = tmp_path / f"found.{suffix}"
    export_session(session, path, library=library)
    marks = {mark.document.pmid: mark.label for mark in read_marks(path).marks}
    assert marks == {"201": "irrelevant", "204": "relevant", "203": "maybe"}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_documents_are_read_back_as_the_library_holds_them(session, tmp_path, library, suffix):
    path = tmp_path / f"found.{suffix}"
    export_session(session, path, library=library)
    found = {document.id: document for document in read(path)}
    assert found["201"] == POOL[0]


def test_documents_that_the_library_lost_are_named(session, tmp_path, library):
    library.delete(["204", "103"])
    library.commit()
    exported = export_session(session, tmp_path / "found.csv", library=library)
    assert exported == ExportResult(6, ("204", "103"))


def test_before_any_expansion_seeds_and_marked_documents_are_written(tmp_path, library):
    with new_session(tmp_path) as session:
        session.mark({"205": "relevant", "102": "irrelevant"})
        export_session(session, tmp_path / "found.csv", library=library)
    found = rows(tmp_path / "found.csv")
    assert list(found) == ["101", "102", "103", "mine", "205"]
    assert [row["seed"] for row in found.values()] == ["true"] * 4 + ["false"]
    assert (found["205"]["rank"], found["102"]["decision"]) == ("", "false")


def test_documents_need_the_library(session, tmp_path):
    with pytest.raises(SessionError, match=r"found.csv: the documents are in the library; give it"):
        export_session(session, tmp_path / "found.csv")


@pytest.mark.parametrize(("name", "said"), [("found.html", "'.html'"), ("found", "without a")])
def test_what_a_session_is_not_written_as_is_said_at_once(name, said):
    with pytest.raises(UnknownFormatError, match=rf"can't be written as .*{said}.*\.json .*\.ris"):
        check_export(name)


def test_a_file_that_can_t_be_written_is_one_line(session, tmp_path):
    with pytest.raises(WriteError, match="can't be written: there is no folder"):
        export_session(session, tmp_path / "none" / "all.json")


def test_a_csv_begins_with_the_mark_by_which_excel_knows_its_accents(session, tmp_path, library):
    for name in ("found.csv", "found.tsv"):
        export_session(session, tmp_path / name, library=library)
    assert (tmp_path / "found.csv").read_bytes().startswith(b"\xef\xbb\xbfrank,probability,")
    assert (tmp_path / "found.tsv").read_bytes().startswith(b"rank\tprobability\t")


def test_a_packed_csv_has_that_mark_inside(session, tmp_path, library):
    export_session(session, tmp_path / "found.csv.gz", library=library)
    packed = gzip.decompress((tmp_path / "found.csv.gz").read_bytes())
    assert packed.startswith(b"\xef\xbb\xbfrank,")


def test_who_marked_what_is_written(session, tmp_path, library):
    session.mark({"204": "relevant"}, reviewer="Ann")
    session.mark({"204": "irrelevant"}, reviewer="Bob")
    export_session(session, tmp_path / "found.csv", library=library)
    row = rows(tmp_path / "found.csv")["204"]
    assert row["mark"] == "maybe"
    assert row["marked_by"] == "(no name): relevant; Ann: relevant; Bob: irrelevant"
