"""None"""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_path, written
from documents.strategies import documents
from documents.whole_records import CITATION, EXTRA
from likewise.documents import Document, MeshHeading, read, sources
from likewise.documents.formats import jsonl
from likewise.documents.formats.jsonl import is_array, parse_object, read_array_values, read_objects
from likewise.documents.sources import Complaint, Source
from likewise.errors import ReadError

DATA = Path(__file__).parents[2] / "data"


def read_text(tmp_path, text, **options):
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    return read_path(jsonl, path, **options)


@given(st.lists(documents(**CITATION, extra=EXTRA), min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("jsonl") / "t.jsonl"
    path.write_bytes(written(jsonl, some))
    assert read_path(jsonl, path) == some


@given(documents())
def test_other_programs_may_reorder_and_indent_what_we_wrote(document):
    fields = json.loads(msgspec.json.encode(document))
    assert parse_object(dict(reversed(fields.items()))) == document


def test_keys_of_others_are_understood_beside_ours():
    document = Document(
        title="On cats", authors=("Li, Na",), mesh=(MeshHeading("Cats", "D002415"),)
    )
    fields = {**json.loads(msgspec.json.encode(document)), "score": 0.5}
    assert parse_object(fields) == document


def test_an_unclean_identifier_under_our_name_is_cleaned():
    assert parse_object({"title": "On cats", "doi": "https://doi.org/10.1000/A"}).doi == "10.1000/a"


def test_mesh_names_and_identifiers_in_two_lists_are_paired():
    found = parse_object({"title": "x", "year": "1979", "mesh": ["Cats"], "mesh_ids": ["D002415"]})
    assert (found.mesh, found.year) == ((MeshHeading("Cats", ui="D002415"),), 1979)


def test_each_problem_has_its_line_and_what_was_found():
    problems = []
    found = list(read(DATA / "jsonl_broken_lines.jsonl", on_problem=problems.append))
    assert [document.title for document in found] == ["On cats", "On owls"]
    assert [(problem.line, problem.found) for problem in problems] == [
        (2, "broken JSON (Input data was truncated)"),
        (4, "a list where an object was expected"),
        (5, "the number 42 where an object was expected"),
        (6, "title is the number 5 where a text was expected"),
        (7, "no title, no abstract and no identifier"),
    ]


def test_python_s_nan_is_nothing(tmp_path):
    assert read_text(tmp_path, '{"title": "On cats", "year": NaN}\n')[0].year is None


def test_halves_of_characters_are_joined_or_replaced():
    (found,) = read(DATA / "json_halves_of_characters.jsonl")
    assert found.title == "On cats \U0001f63a and half a cat \ufffd"


def test_a_line_nested_too_deeply_is_left_out_and_the_others_are_read(tmp_path):
    problems = []
    deep = f'{{"title": {"[" * 100_000}{"]" * 100_000}}}'
    text = f'{{"title": "a"}}\n{deep}\n{{"title": "b"}}\n'
    found = read_text(tmp_path, text, on_problem=problems.append)
    assert [document.title for document in found] == ["a", "b"]
    assert [(problem.line, problem.found) for problem in problems] == [
        (2, "JSON nested too deeply")
    ]


def test_what_can_be_decoded_may_still_be_too_deep_to_look_at(tmp_path):
    def looked_at(entry):
        raise RecursionError

    path = tmp_path / "t.jsonl"
    path.write_text('{"title": "a"}\n')
    assert list(read_objects(Source(path), looked_at)) == [Complaint("JSON nested too deeply", 1)]


def test_an_array_of_objects_is_read_as_well():
    found = list(read(DATA / "csl_array.json", format="jsonl"))
    assert found[0] == Document(
        id="10.1000/jss.2014.7",
        title="On cats",
        year=2014,
        authors=("Okafor, Ngozi",),
        journal="J Sleep Stud",
        doi="10.1000/jss.2014.7",
        date="2014/03",
        source="jsonl:csl_array.json",
    )


def test_an_object_over_several_lines_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(ReadError, match=r"t.jsonl:1: JSON that goes over several lines; write"):
        read_text(tmp_path, '{\n  "title": "On cats"\n}\n')


def test_a_file_of_blank_lines_is_an_error(tmp_path):
    with pytest.raises(ReadError, match="no record in it"):
        read_text(tmp_path, "\n \n")


def test_the_line_of_a_record_is_known(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"title": "a"}\n\n{"title": "b"}\n')
    assert [record.line for record in jsonl.read(Source(path))] == [1, 3]


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (["Animals", "Brain", "Rats"], 254),
        (["Female", "Infant, Newborn", "Pregnancy"], 221),
        (["Animals", "Liver", "Rats"], 537),
        (["Humans", "Male", "Schizophrenia"], 560),
    ],
    ids=str,
)
def test_known_counts_of_mesh_conjunctions(shared_mesh, names, count):
    assert sum(indexed.issuperset(names) for indexed in shared_mesh) == count


@pytest.fixture(scope="module")
def shared_mesh(shared_data):
    found = read(shared_data / "mesh.jsonl.gz")
    return [{heading.name for heading in document.mesh} for document in found]


def test_every_record_of_the_review_file_is_read(shared_data):
    assert sum(1 for _ in read(shared_data / "reviews.jsonl.gz")) == 16_700


def test_the_published_task_format_gives_identifiers_of_headings(shared_data):
    document = next(read(shared_data / "dse-sample" / "valid.jsonl.gz"))
    assert (document.id, document.mesh[0]) == ("856262", MeshHeading("", ui="D000244"))


def values(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    return [(line.number, json.loads(line.text)) for line in read_array_values(Source(path))]


def test_values_come_with_the_line_where_they_begin(tmp_path):
    assert values(tmp_path, '\n[{"a":\n 1},\n\n {"a": 2} ]\n') == [(2, {"a": 1}), (5, {"a": 2})]


def test_an_empty_array_has_no_values(tmp_path):
    assert values(tmp_path, "[ ]") == []


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_blocks_may_end_anywhere(tmp_path, monkeypatch, size):
    monkeypatch.setattr(sources, "BLOCK", size)
    text = ' [ {"a": "é\\u00e9 ]}", "b": [1, {"c": true}]},\n{"a": null}]'
    assert values(tmp_path, text) == [
        (1, {"a": "éé ]}", "b": [1, {"c": True}]}),
        (2, {"a": None}),
    ]


def test_a_file_that_is_cut_off_says_so(tmp_path):
    with pytest.raises(ReadError, match=r"t.json:2: the JSON array is cut off"):
        values(tmp_path, '[{"a": 1},\n{"a": "cats')


def test_broken_json_is_reported_with_its_line(tmp_path):
    with pytest.raises(ReadError, match=r"t.json:3: broken JSON"):
        values(tmp_path, '[{"a": 1},\n{"a":\n oops, "b": "and much that follows on it"}]')


def test_lines_of_objects_are_no_array(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('{"a": [1]}\n')
    assert not is_array(Source(path))


def test_references_that_others_wrote_are_cleaned():
    found = parse_object({"title": "On cats", "references": ["PMID: 7", "doi:10.5555/ABC", "?"]})
    assert found.references == ("7", "10.5555/abc")
