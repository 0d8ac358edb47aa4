"""Records cut from XML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents.formats import xml_records
from likewise.documents.formats.xml_records import cut_fragments, parse, strip_illegal, text_of
from likewise.documents.sources import Complaint, Source
from likewise.errors import ReadError


@pytest.fixture
def cut(tmp_path):
    """Cut the <r> elements from bytes; a list given for `problems` is filled."""

    def cut(content, *, problems=None):
        path = tmp_path / "file.xml"
        path.write_bytes(content)
        found = list(cut_fragments(Source(path), ("r",)))
        if problems is not None:
            problems += [item for item in found if isinstance(item, Complaint)]
        return [item for item in found if not isinstance(item, Complaint)]

    return cut


def test_records_come_with_the_line_at_which_they_begin(cut):
    found = cut(b"<s>\n<r>1</r>\n\n<r>\n2</r><r/></s>")
    assert [(f.line, f.xml) for f in found] == [
        (2, b"<r>1</r>"),
        (4, b"<r>\n2</r>"),
        (5, b"<r/>"),
    ]


def test_attributes_and_spaces_in_tags_are_no_hindrance(cut):
    assert [f.xml for f in cut(b'<s><r a="1"\n>x</r ></s>')] == [b'<r a="1"\n>x</r >']


def test_a_tag_that_only_begins_alike_is_another(cut):
    assert [f.xml for f in cut(b"<rs><r><rx>1</rx></r></rs>")] == [b"<r><rx>1</rx></r>"]


@given(size=st.integers(1, 40))
def test_blocks_may_end_anywhere(tmp_path_factory, size):
    path = tmp_path_factory.mktemp("xml") / "file.xml"
    path.write_bytes(
        b"<?xml version='1.0'?><!-- <r>no</r> --><s>\n"
        b"<r a='1'>1<!-- </r> --></r >\n<r>2</r><r/></s>"
    )
    whole = [(f.line, f.xml) for f in cut_fragments(Source(path), ("r",))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("likewise.documents.sources.BLOCK", size)
        assert [(f.line, f.xml) for f in cut_fragments(Source(path), ("r",))] == whole


@pytest.mark.parametrize(
    "inside", [b"<!-- </r> <r> -->", b"<![CDATA[</r> <r>]]>", b"<![CDATA[<!--]]>", b"Oh! </ r>"]
)
def test_tags_in_comments_and_cdata_do_not_count(cut, inside):
    assert [f.xml for f in cut(b"<s><r>" + inside + b"</r></s>")] == [b"<r>" + inside + b"</r>"]


def test_records_in_a_comment_are_none(cut):
    assert [f.xml for f in cut(b"<s><!-- <r>1</r> --><r>2</r></s>")] == [b"<r>2</r>"]


def test_a_record_that_is_never_closed_does_not_swallow_the_next(cut):
    problems = []
    found = cut(b"<s>\n<r>1\n<r>2\n<r>3</r>\n</s>", problems=problems)
    assert ([f.xml for f in found], [(p.line, p.found) for p in problems]) == (
        [b"<r>3</r>"],
        [(2, "this record is never closed"), (3, "this record is never closed")],
    )


def test_a_file_that_ends_in_a_record_is_cut_off(cut):
    with pytest.raises(ReadError, match=r":3: the file is cut off: it ends in the middle of a"):
        cut(b"<s>\n<r>1</r>\n<r>2")


def test_a_file_that_ends_between_records_is_cut_off(cut):
    with pytest.raises(ReadError, match="the file is cut off: it ends before </s>"):
        cut(b"<s>\n<r>1</r>\n")


def test_a_file_without_records_is_refused_by_its_root(cut):
    with pytest.raises(ReadError, match=r"no <r> in the file \(its root is <html>\)"):
        cut(b"<html><p>Not found</p></html>")


def test_an_empty_file_is_refused(cut):
    with pytest.raises(ReadError, match="no <r> in the file; export it again"):
        cut(b"")


def test_entities_are_refused_in_one_line(cut):
    bomb = b'<!DOCTYPE s [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;&a;&a;&a;&a;">\n]><s><r>&b;</r></s>'
    with pytest.raises(ReadError, match=r"file.xml:2: the file declares entities of its own"):
        cut(bomb)


def test_entities_declared_before_a_later_record_are_refused_too(cut):
    with pytest.raises(ReadError, match="declares entities"):
        cut(b"<r>1</r>\n<!DOCTYPE s [<!ENTITY a SYSTEM 'file:///etc/hostname'>]><r>&a;</r>")


def test_a_record_that_is_longer_than_any_is_refused(cut, monkeypatch):
    monkeypatch.setattr(xml_records, "MAX_RECORD", 1 << 20)
    with pytest.raises(ReadError, match="2: a record of more than 1 MB"):
        cut(b"<s>\n<r>" + b"a" * (3 << 20) + b"</r></s>")


def test_namespaces_of_the_root_hold_in_the_records(cut):
    (record,) = cut(b'<s xmlns:m="urn:m" xmlns="urn:s"><r><m:x>1</m:x></r></s>')
    assert text_of(parse(record.xml)) == "1"


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("UTF-16", "utf-16"),
        ("UTF-8", "utf-8-sig"),
        ("us-ascii", "utf-8"),
        ("utf-16", "utf-8"),
    ],
)
def test_any_declared_encoding_is_read(cut, name, codec):
    text = f'<?xml version="1.0" encoding="{name}"?><s><r>é</r></s>'
    (record,) = cut(text.encode(codec))
    assert record.xml.decode() == "<r>é</r>"


@pytest.mark.parametrize("name", ["klingon", "base64", "\u00e9"])
def test_an_encoding_that_nobody_knows_is_refused(cut, name):
    with pytest.raises(ReadError, match="an encoding that we don't know"):
        cut(f'<?xml version="1.0" encoding="{name}"?><s><r/></s>'.encode())


def test_bytes_that_are_not_in_the_declared_encoding_are_refused(cut):
    with pytest.raises(ReadError, match="says that it is in shift_jis, but is not"):
        cut(b'<?xml version="1.0" encoding="shift_jis"?><s><r>\x81</r></s>')


def test_a_second_document_in_another_encoding_is_refused(cut):
    first = b'<?xml version="1.0" encoding="utf-8"?><s><r/></s>\n'
    second = b'<?xml version="1.0" encoding="latin-1"?><s><r/></s>'
    with pytest.raises(ReadError, match=r"2: documents in two encodings .*utf-8 and latin-1"):
        cut(first + second)


def test_text_is_all_text_with_plain_spaces():
    element = parse(b"<t> a<i>b</i>\n <b>c<u>d</u></b>\xc2\xa0e </t>")
    assert text_of(element) == "ab cd e"


def test_long_text_with_plain_spaces_is_left_as_it_is():
    assert text_of(parse(b"<t> " + b"ab " * 100 + b"</t>")) == " ".join(["ab"] * 100)


@given(text=st.text())
def test_what_is_legal_can_be_parsed(text):
    kept = strip_illegal(text).replace("&", "").replace("<", "").replace("]]>", "")
    assert text_of(parse(f"<t>{kept}</t>".encode())) == " ".join(kept.split())
