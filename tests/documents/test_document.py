"""Notes are written where a format has a place for them, and never change what is read back."""

import csv
import io
import json
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from documents.reading import read_bytes, written
from documents.strategies import FIELDS, documents, texts
from likewise.documents import Document, read, write_annotated
from likewise.documents.document import KNOWN_NOTES, NOTE_NAMES, AnnotatedDocument, format_note
from likewise.documents.formats import BUILT_IN, format_named, tables

CATS = Document(id="7", pmid="7", title="On cats")
DOGS = Document(id="dogs", title="On dogs")
NOTES = {
    "rank": 1,
    "score": -0.5,
    "probability": 0.9312,
    "decision": True,
    "seed": False,
    "words": "cat purr_",
    "nearest_seed": "pmid:5",
    "notice": "retracted",
    "mark": "maybe",
}
LINES = [
    "rank: 1",
    "score: -0.5",
    "probability: 0.9312",
    "decision: true",
    "seed: false",
    "words: cat purr_",
    "nearest_seed: pmid:5",
    "notice: retracted",
    "mark: maybe",
]
FORMATS = {known.name: known for known in BUILT_IN if known.writes}

# Texts that readers would take for something else, if they took notes for what they are not.
misleading = st.sampled_from(
    ["pmid 12345", "PMID: 12345", "pmid:12345", "PMCID: PMC12345", "doi:10.1000/x", "=1+1", "a; b"]
)
notes = st.fixed_dictionaries(
    {
        "rank": st.integers(1),
        "score": st.floats(-9, 9),
        "probability": st.floats(0, 1),
        "decision": st.booleans(),
        "seed": st.booleans(),
        "words": misleading | texts(),
        "nearest_seed": misleading | texts(1, 2),
        "mark": st.sampled_from(["", "relevant", "irrelevant", "maybe"]),
        "marked_at": st.sampled_from(["", "2026-01-31T09:30:00.123Z"]),
    }
)


def annotated(name):
    return written(FORMATS[name], [CATS], notes=NOTES)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"pubmed", "ids"}))
@settings(max_examples=20)
@given(document=documents() | documents(FIELDS - {"pmid", "pmcid"}), notes=notes)
def test_notes_do_not_change_what_is_read(name, document, notes):
    known = FORMATS[name]
    plain = read_bytes(known, written(known, [document] * 2))
    assert read_bytes(known, written(known, [document] * 2, notes=notes)) == plain


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_whether_it_has_a_place_for_notes(name):
    assert (annotated(name) != written(FORMATS[name], [CATS])) == format_named(name).notes


@pytest.mark.parametrize("name", ["ris", "enw", "bibtex"])
def test_the_nearest_seed_s_pmid_is_not_taken_for_the_document_s(name):
    (found,) = read_bytes(FORMATS[name], written(FORMATS[name], [DOGS], notes=NOTES))
    assert (found.id, found.title, found.pmid) == ("dogs", "On dogs", "")


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_with_notes_is_recognised_by_its_content(tmp_path, name):
    write_annotated([AnnotatedDocument(CATS, NOTES)], tmp_path / "found", format=name)
    (found,) = read(tmp_path / "found")
    assert (found.pmid, found.source) == ("7", f"{name}:found")


@pytest.mark.parametrize(("name", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables_have_a_column_for_each_note(name, delimiter):
    table = csv.DictReader(io.StringIO(annotated(name).decode()), delimiter=delimiter)
    (row,) = table
    assert table.fieldnames[-9:] == list(NOTE_NAMES)
    assert [f"{note}: {row[note]}" for note in NOTE_NAMES] == LINES
    assert (row["id"], row["title"]) == ("7", "On cats")


def test_workbooks_have_numbers_to_sort_by():
    sheet = openpyxl.load_workbook(io.BytesIO(annotated("xlsx"))).worksheets[0]
    assert [cell.value for cell in sheet[1]][-9:] == list(NOTE_NAMES)
    assert [cell.value for cell in sheet[2]][-9:] == [
        *(1, -0.5, 0.9312, "true", "false"),
        *("cat purr_", "pmid:5", "retracted", "maybe"),
    ]


def test_json_lines_have_a_key_for_each_note():
    assert json.loads(annotated("jsonl")) == {"id": "7", "pmid": "7", "title": "On cats"} | NOTES


def test_csl_has_notes_in_what_it_calls_custom():
    assert json.loads(annotated("csl"))[0]["custom"] == NOTES


def test_beir_has_notes_in_its_metadata():
    assert json.loads(annotated("beir"))["metadata"] == {"pmid": "7"} | NOTES


@pytest.mark.parametrize(("name", "tag"), [("ris", "N1  - "), ("enw", "%Z "), ("nbib", "GN  - ")])
def test_tagged_formats_have_a_line_for_each_note(name, tag):
    lines = annotated(name).decode().splitlines()
    assert [line.removeprefix(tag) for line in lines if line.startswith(tag)] == LINES


def test_endnote_has_all_notes_in_one_value():
    (found,) = etree.fromstring(annotated("endnote")).iter("notes")
    assert "".join(found.itertext()).split("\n") == LINES


def test_bibtex_has_notes_where_no_bibliography_prints_them():
    expected = "; ".join(LINES).replace("_", r"\_")
    assert f"  annote = {{{expected}}},\n" in annotated("bibtex").decode()


@pytest.mark.parametrize("name", ["pubmed", "ids"])
def test_formats_without_a_place_leave_notes_out(name):
    assert annotated(name) == written(FORMATS[name], [CATS])


def test_every_format_s_notes_are_tested():
    tested = {"csv", "tsv", "xlsx", "jsonl", "beir", "ris", "enw", "nbib", "endnote", "bibtex"}
    assert tested | {"csl", "wos", "pubmed", "ids"} == set(FORMATS)


@pytest.mark.parametrize("name", ["ris", "enw", "nbib", "bibtex", "endnote"])
def test_a_note_that_says_nothing_is_left_out(name):
    assert written(FORMATS[name], [CATS], notes={"words": ""}) == written(FORMATS[name], [CATS])


def test_no_note_has_a_name_that_a_table_s_columns_go_by():
    assert tables.find_places(KNOWN_NOTES) == {}


def test_documents_come_back_exactly_beside_notes_in_json():
    document = Document(id="1", title="A  b", authors=("Li N",), abstract="NA")
    assert read_bytes(FORMATS["jsonl"], written(FORMATS["jsonl"], [document], notes=NOTES)) == [
        document
    ]


def test_a_workbook_says_nothing_of_the_time_it_was_written_at():
    with zipfile.ZipFile(io.BytesIO(annotated("xlsx"))) as parts:
        assert {part.date_time for part in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert parts.read("docProps/core.xml").count(b"1980-01-01T00:00:00Z") == 2


def test_keywords_named_in_a_note_do_not_hide_the_pmid_after_them():
    text = "TY  - JOUR\nTI  - x\nN1  - Key words: cats. PMID: 5\nER  - \n"
    (found,) = read_bytes(FORMATS["ris"], text.encode())
    assert found.pmid == "5"


@pytest.mark.parametrize(
    ("note", "text"),
    [(1e-6, "0.000001"), (-1.5e-7, "-0.00000015"), (2.0, "2.0"), (12, "12"), (True, "true")],
)
def test_numbers_are_written_plainly(note, text):
    assert format_note(note) == text


def test_plain_documents_have_no_notes(tmp_path):
    format_named("csv").write([AnnotatedDocument(CATS)], stream := io.BytesIO())
    assert stream.getvalue().splitlines()[0].endswith(b",source")
