import json

import pytest

from likewise.documents import sources
from likewise.documents.formats.jsonl import is_array, read_array_values
from likewise.documents.sources import Source
from likewise.errors import ReadError


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
