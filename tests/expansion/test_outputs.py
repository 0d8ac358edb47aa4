import csv
import gzip
import json
import os

import msgspec
import pytest

from expansion.samples import POOL, place, small_expansion
from likewise.documents import read, write
from likewise.documents.document import NOTE_NAMES
from likewise.errors import SettingsError, UnknownFormatError, WriteError
from likewise.expansion.outputs import check_output, format_run, make_notes, write_expansion

FOUND = [document for document in POOL if document.id in ("201", "10.1000/a b", "203")]
REFERENCES = ["found.ris", "found.nbib", "found.bib", "found.enw", "found.endnote.xml"]
TABLES = ["found.csv", "found.tsv", "found.xlsx", "found.jsonl", "found.beir.jsonl"]


def rows(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def ranked(identifier, score):
    return place(identifier, score=score, decision=True)


def explains_nothing(identifier):
    raise RuntimeError("stop")


def test_each_found_document_carries_its_notes(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.csv")
    first = rows(tmp_path / "found.csv")[0]
    assert {name: first[name] for name in ("id", *NOTE_NAMES)} == {
        "id": "201",
        "rank": "2",
        "score": "2.5",
        "probability": "0.9312",
        "decision": "true",
        "seed": "false",
        "words": "blood glucos glucagon dog rais rose gave we",
        "nearest_seed": "102",
        "mark": "",
    }


def test_what_was_said_of_a_document_is_the_last_of_its_notes(tmp_path):
    marked = tuple(
        msgspec.structs.replace(place, mark="relevant") if place.id == "201" else place
        for place in small_expansion().ranking
    )
    write_expansion(small_expansion(ranking=marked), tmp_path / "found.csv")
    assert [row["mark"] for row in rows(tmp_path / "found.csv")] == ["relevant", "", ""]
    assert NOTE_NAMES[-1] == "mark"


def test_only_the_found_documents_are_written_best_first(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.csv")
    assert [row["id"] for row in rows(tmp_path / "found.csv")] == ["201", "10.1000/a b", "203"]


def test_everything_is_the_whole_ranking_with_the_seeds(tmp_path):
    write_expansion(small_expansion(), tmp_path / "all.csv", everything=True)
    found = rows(tmp_path / "all.csv")
    assert [row["rank"] for row in found] == list("123456789")
    assert [row["id"] for row in found if row["seed"] == "true"] == ["102", "101", "mine", "103"]
    assert [row["id"] for row in found if row["decision"] == "false"] == ["204", "205"]


def test_json_lines_have_the_types_of_json(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.jsonl")
    second = json.loads((tmp_path / "found.jsonl").read_text().splitlines()[1])
    assert [second[name] for name in ("id", *NOTE_NAMES)] == [
        *("10.1000/a b", 4, 1.5, 0.8, True, False, "insulin pump", "101", "")
    ]


def test_ris_has_a_note_a_line_to_filter_by(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.ris")
    assert (tmp_path / "found.ris").read_text().count("\nN1  - probability: 0.7\n") == 1


@pytest.mark.parametrize("name", [*TABLES, *REFERENCES])
def test_what_was_found_is_read_back_as_if_it_had_no_notes(tmp_path, name):
    (tmp_path / "plain").mkdir()
    write_expansion(small_expansion(), tmp_path / name)
    write(FOUND, tmp_path / "plain" / name)
    found = list(read(tmp_path / name))
    assert found == list(read(tmp_path / "plain" / name))
    assert [document.id for document in found] == ["201", "10.1000/a b", "203"]


def test_no_note_is_missing_or_unknown_to_the_readers():
    expansion = small_expansion()
    assert tuple(make_notes(expansion, expansion.ranking[0])) == NOTE_NAMES


def test_a_run_file_has_six_words_a_line(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.trec", topic="insulin in dogs")
    assert (tmp_path / "found.trec").read_text().splitlines() == [
        "insulin%20in%20dogs Q0 201 1 2.5 likewise",
        "insulin%20in%20dogs Q0 10.1000/a%20b 2 1.5 likewise",
        "insulin%20in%20dogs Q0 203 3 1.0 likewise",
    ]


def test_a_run_file_may_have_everything(tmp_path):
    write_expansion(small_expansion(), tmp_path / "all.trec", everything=True)
    lines = (tmp_path / "all.trec").read_text().splitlines()
    assert [line.split()[3] for line in lines] == list("123456789")
    assert lines[2] == "topic Q0 101 3 2.0 likewise"


def test_scores_of_a_run_file_never_rise():
    ranking = [ranked("a", 1e-7), ranked("b", -1e-8), ranked("c", 2.0), ranked("d", 1e-6)]
    assert [line.split()[2:5] for line in format_run(ranking, topic="t")] == [
        *(["c", "1", "2.0"], ["d", "2", "0.000001"], ["a", "3", "0.0"], ["b", "4", "0.0"])
    ]


@pytest.mark.parametrize("identifier", ["a\tb", "a\u00a0b", "a\u2028b", " a", "a\nb"])
def test_no_white_space_breaks_a_line_of_a_run_file(identifier):
    (line,) = format_run([ranked(identifier, 1.0)], topic="t")
    assert len(line.split()) == 6


def test_a_topic_without_a_name_is_refused():
    with pytest.raises(SettingsError, match="the topic of a run file has no name"):
        list(format_run([ranked("a", 1.0)], topic=""))


def test_a_report_is_one_page(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.html")
    assert (tmp_path / "found.html").read_text().lower().startswith("<!doctype html>")


def test_gz_packs_any_of_them(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.trec.gz")
    assert gzip.decompress((tmp_path / "found.trec.gz").read_bytes()).startswith(b"topic Q0 201 1")


@pytest.mark.parametrize("name", [*TABLES, *REFERENCES, "found.html", "found.trec"])
def test_the_same_expansion_gives_the_same_bytes(tmp_path, name):
    contents = []
    for _ in range(2):
        write_expansion(small_expansion(), tmp_path / name, everything=True)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]


def test_digits_that_differ_between_machines_do_not_show():
    expansion = small_expansion()
    place = msgspec.structs.replace(expansion.ranking[2], score=0.1 + 0.2, probability=0.12345678)
    notes = make_notes(expansion, place)
    assert (notes["score"], notes["probability"]) == (0.3, 0.1235)


def test_nothing_found_is_a_file_without_documents(tmp_path):
    write_expansion(small_expansion(ranking=()), tmp_path / "found.csv")
    assert rows(tmp_path / "found.csv") == []


@pytest.mark.parametrize("name", ["found.ris", "found.csv", "found.xlsx", "found.jsonl"])
def test_no_half_file_is_left_when_writing_stops_midway(tmp_path, name):
    with pytest.raises(RuntimeError, match="stop"):
        write_expansion(small_expansion(explain=explains_nothing), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", [check_output, lambda path: write_expansion(None, path)])
def test_an_unknown_suffix_names_those_that_work(tmp_path, call):
    with pytest.raises(UnknownFormatError) as error:
        call(tmp_path / "found.docx")
    offered = str(error.value).partition("use one of: ")[2].split()
    assert "found.docx: an expansion is not written as '.docx'" in str(error.value)
    assert {".csv", ".tsv", ".xlsx", ".jsonl", ".ris", ".nbib", ".bib", ".html", ".trec"} <= set(
        offered
    )


def test_no_suffix_is_unknown_too(tmp_path):
    with pytest.raises(UnknownFormatError, match="not written as 'a file without a suffix'"):
        check_output(tmp_path / "found")


@pytest.mark.parametrize("name", ["found.ris", "FOUND.HTML", "found.csv.gz", "a.b.trec"])
def test_an_output_that_can_be_written_is_no_error(tmp_path, name):
    check_output(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_output_in_the_working_folder_is_no_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_output("found.ris")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        WriteError, match=r"found.ris: can't be written: there is no folder .*none;"
    ):
        check_output(tmp_path / "none" / "found.ris")


@pytest.mark.parametrize("taken", ["found.ris", "found.expansion.json"])
def test_a_folder_in_the_place_of_a_file_is_named(tmp_path, taken):
    (tmp_path / taken).mkdir()
    with pytest.raises(WriteError, match=rf"can't be written: .*{taken} is a folder"):
        check_output(tmp_path / "found.ris")


def test_a_folder_that_may_not_be_written_to_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WriteError, match="can't be written: you may not write to the folder"):
        check_output(tmp_path / "found.ris")


def test_a_name_that_no_system_takes_is_one_line(tmp_path):
    with pytest.raises(WriteError, match="can't be written: File name too long"):
        check_output(tmp_path / f"{'x' * 300}.ris")
