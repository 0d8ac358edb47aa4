"""Text in PubMed XML that is read without a parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from likewise.documents.formats.pubmed_text import UnusualError, plain_text, plain_texts
from likewise.documents.formats.xml_records import parse, text_of

PIECES = ["a", " ", "  ", "\n", "\u00a0", "é", "<i>", "</i>", "<b>", "</b>", "<sub>", "</sub>"]
PIECES += ["&lt;", "&amp;", "&quot;", "&#65;", "&", "&bad;", "lt;", "amp;", "<", ">", "]]>", "\x02"]


@given(raw=st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_text_is_read_as_a_parser_reads_it_or_not_at_all(raw):
    try:
        said = plain_text(raw.encode())
    except (UnusualError, etree.XMLSyntaxError):
        return
    assert said == text_of(parse(f"<t>{raw}</t>".encode()))


@pytest.mark.parametrize("raw", ["a\x02b", "a\x1cb", "é\x02", "é\ufffe"])
def test_what_xml_cannot_hold_is_unusual(raw):
    with pytest.raises(UnusualError):
        plain_text(raw.encode())


def test_plain_texts_are_read_together():
    assert plain_texts([b"a b", b" c", "é".encode()]) == ["a b", "c", "é"]


@pytest.mark.parametrize("raw", ["a  b", "a\nb", "a\u00a0b", "a &amp; b", "<i>a</i>", "\x02"])
def test_one_that_is_not_plain_spoils_the_rest(raw):
    assert plain_texts([b"a", raw.encode()]) is None
