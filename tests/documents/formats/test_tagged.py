"""Records of tagged lines."""

import re

import pytest

from likewise.documents import sources as module
from likewise.documents.formats.tagged import (
    TagDialect,
    TaggedRecord,
    one_line,
    read_tagged_records,
)
from likewise.documents.sources import Line, Source
from likewise.errors import ReadError

DIALECT = TagDialect(
    tag_line=re.compile(r"([A-Z]{2}): (.*)"),
    opening="AA",
    once=frozenset({"AA"}),
    closing="ZZ",
    names={"XX": "YY"},
)


def records(*texts):
    lines = [Line(number, text) for number, text in enumerate(texts, 1)]
    return list(read_tagged_records(lines, DIALECT, source=Source("refs.txt")))


def test_a_line_without_a_tag_goes_on_with_the_value_before():
    (record,) = records("AA: one", "two")
    assert record.values("AA") == ["one\ntwo"]


def test_values_of_several_tags_come_in_the_files_order():
    (record,) = records("BB: 1", "CC: 2", "BB: 3")
    assert record.values("CC", "BB") == ["1", "2", "3"]


def test_the_first_value_is_that_of_the_first_tag_that_says_something():
    (record,) = records("BB:  ", "CC: here", "DD: there")
    assert record.first("BB", "CC", "DD") == "here"


def test_text_between_records_is_passed_over():
    first, second = records("AA: 1", "ZZ: ", "between", "AA: 2")
    assert (first.values("AA"), second.line) == (["1"], 4)


def test_an_opening_after_a_blank_line_begins_a_record():
    assert len(records("BB: 1", "", "AA: 2")) == 2


def test_a_closing_without_a_record_is_nothing():
    assert records("ZZ: ", "ZZ: ") == []


def test_a_tag_may_be_known_by_another_name():
    (record,) = records("AA: 1", "XX: 2")
    assert record.values("YY") == ["2"]


@pytest.mark.parametrize("line", ["word", "BB: word"])
def test_a_record_that_fills_the_memory_is_an_error_with_its_line(monkeypatch, line):
    monkeypatch.setattr(module, "MAX_LINE", 1 << 20)
    with pytest.raises(ReadError, match=r"refs.txt:3: a record of more than 1 MB"):
        records("AA: 1", "ZZ: ", "AA: 2", *[line] * 20_000)


def test_records_may_be_long_together(monkeypatch):
    monkeypatch.setattr(module, "MAX_LINE", 1 << 20)
    assert len(records(*["AA: 1", *["word"] * 5_000] * 4)) == 4


def test_a_record_knows_its_tags():
    record = TaggedRecord(1, [("AA", "x")])
    assert "AA" in record
    assert "BB" not in record


def test_one_line_has_no_null_characters():
    assert one_line("a\x00b\u2028c") == "a b c"
