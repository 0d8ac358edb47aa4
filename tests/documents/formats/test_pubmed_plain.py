"""PubMed records read without a parser: as a parser would, or not at all."""

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from documents.reading import DATA, written
from documents.strategies import FIELDS, documents
from documents.whole_records import CITATION, add_date
from likewise.documents import Document
from likewise.documents.formats import pubmed
from likewise.documents.formats.pubmed_article import read_article
from likewise.documents.formats.pubmed_plain import read_plain_article
from likewise.documents.formats.xml_records import (
    UnusualError,
    cut_fragments,
    parse,
    read_plain_text,
    read_plain_texts,
    text_of,
)
from likewise.documents.sources import Source


def parsed(xml):
    document, _ = read_article(parse(xml))
    return document


def cut(content):
    """The only record in a file."""
    begin, end = content.index(b"<PubmedArticle>"), content.index(b"</PubmedArticleSet>")
    return content[begin:end].strip()


BASELINE = cut((DATA / "pubmed_baseline.xml").read_bytes())


def changed(old, new):
    """The record of the baseline file, with the first `old` in it replaced."""
    assert old in BASELINE.decode()
    return BASELINE.decode().replace(old, new, 1).encode()


def test_a_record_as_pubmed_lays_it_out_needs_no_parser():
    assert read_plain_article(BASELINE) == parsed(BASELINE)


# Without a year or a title there is more to think about, and that is left to the parser.
@given(
    document=documents(FIELDS - {"id", "source"}, year=st.integers(1500, 2199), **CITATION).map(
        add_date
    )
)
def test_what_we_write_is_read_as_a_parser_reads_it(document):
    xml = cut(written(pubmed, [document]))
    assert read_plain_article(xml) in (None, parsed(xml))


def test_what_we_write_needs_no_parser():
    document = Document(id="7", pmid="7", title="A < B & C.", year=1999, authors=("Örn, A",))
    assert read_plain_article(cut(written(pubmed, [document]))) == document


@pytest.mark.parametrize(
    "said",
    [
        "p &lt; 0.05 &amp; q &gt; 1, &quot;so&quot;",
        "&amp;lt; is no tag",
        "caf&#233; &#x3b1;",
        "it&apos;s",
        "<i>in <b>vivo</b></i> CO<sub>2</sub>",
        "<i class='>'>in vivo</i>",
        "two  spaces,\n a line, a\ttab",
        "a\u00a0b\u2009c\u202fd\u2028e\u200bf\u00adg",
        " \u00a0 ",
        "漢字 \U0001f600",
        "&amp;<i>lt;</i>",
        "<x/>",
        "> than",
    ],
)
@pytest.mark.parametrize(
    "place",
    [
        "Plants take up",
        "a trial",
        "Örn",
        "Ada B",
        "Annals of imagined medicine",
        "Carbon Dioxide",
        "plants",
        "Growth",
        "NIHMS900001",
        "Randomized Controlled Trial",
        "Fictitia Study Group",
        "0000-0001",
        "7</Volume>",
        "Dec",
    ],
)
def test_any_text_is_read_as_a_parser_reads_it(said, place):
    xml = changed(f"{place}", f"{said} {place}{said}")
    assert read_plain_article(xml) in (None, parsed(xml))


@pytest.mark.parametrize(
    "said",
    [
        "<![CDATA[a <b> c]]>",
        "<!-- a comment -->",
        "<!-- </AbstractText> -->",
        "<?instruction </AbstractText> ?>",
        "&nbsp;",
        "&",
        "AT&T;",
        "&am<i>p;</i>",
        "]]>",
        "a\x01b",
        "a\x1fb",
        "a\uffffb",
        "<i>never closed",
        "closed twice</i>",
        "<i><b>crossed</i></b>",
        "</AbstractText>",
        "<mml:mi>x</mml:mi>",
    ],
)
def test_what_takes_a_parser_is_left_to_it(said):
    assert read_plain_article(changed("Plants take up", f"Plants {said} take up")) is None


def test_bytes_that_are_not_utf8_are_left_to_the_parser():
    assert read_plain_article(BASELINE.replace(b"take up", b"take \xe9 up")) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('Version="1"', 'Version="2"'),
        ('<PMID Version="1">90000001</PMID>', ""),
        ("<ArticleTitle>", '<ArticleTitle book="x">'),
        ("Uptake of", "[Not Available]. Uptake of"),
        ("<Year>2019</Year>", "<Season>Winter</Season>"),
        ("</Journal>", "</Journal><Language>ger</Language>"),
        ("</PublicationTypeList>", "</PublicationTypeList><Abstract></Abstract>"),
        ("</AbstractText>", ""),
        ("</Abstract>", ""),
        ("</Article>", ""),
        ("</MedlineCitation>", ""),
        ("<AuthorList ", "<!-- <AuthorList> --><AuthorList "),
        ("<ArticleIdList>", "<ArticleIdList><ArticleId>5</ArticleId>"),
        ("<ArticleIdList>", "<!-- <ArticleIdList></ArticleIdList> --><ArticleIdList>"),
        ("<PublicationStatus>", "<ReferenceList></ReferenceList><PublicationStatus>"),
        ("</MeshHeading>", ""),
        ("</DescriptorName>", ""),
        ("</QualifierName>", ""),
        ("</Author>", ""),
        ("</Keyword>", ""),
        ("<CopyrightInformation>", "<CopyrightInformation><b>"),
        # What is remembered for the next record is short.
        ("<Title>", "<Title>" + "Journal of " * 500),
        ("</Article>", f"</Article><MedlineJournalInfo>{' ' * 5000}</MedlineJournalInfo>"),
        ("</DescriptorName>", "s" * 5000 + "</DescriptorName>"),
        ("</PublicationType>", "s" * 5000 + "</PublicationType>"),
    ],
)
def test_a_record_that_is_laid_out_in_another_way_is_left_to_the_parser(old, new):
    assert read_plain_article(changed(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('ValidYN="Y"', "ValidYN='Y'"),
        ('<Author ValidYN="Y">', '<Author ValidYN="Y" EqualContrib="Y">'),
        ('<Author ValidYN="Y">', "<Author>"),
        ("<LastName>Örn</LastName>", "<LastName>Örn\u00a0</LastName>"),
        ("<ForeName>Ada B</ForeName>", ""),
        ("<ForeName>Ada B</ForeName>", "<ForeName> Ada  B </ForeName>"),
        ("<Initials>AB</Initials>", "<Initials>AB</Initials><Suffix>3rd </Suffix>"),
        ("Fictitia Study Group", " "),
        (' Label="BACKGROUND"', " Label='BACKGROUND'"),
        ('"BACKGROUND"', '" A > B:"'),
        ('"BACKGROUND"', '"A &amp; B"'),
        ('"UNLABELLED"', '"UNLABELLED "'),
        ("<Language>", "<Language >"),
        ("</KeywordList>", "</KeywordList\n>"),
        ('<Keyword MajorTopicYN="Y">', "<Keyword>"),
        ("</Keyword>", "</Keyword >"),
        ("</ArticleId>", "</ArticleId >"),
        ('MajorTopicYN="Y">physiology', "MajorTopicYN='Y'>physiology"),
        ("<MeshHeadingList>", "<MeshHeadingList >"),
        ("<DateCompleted>", "<KeywordList><Keyword>early</Keyword></KeywordList><DateCompleted>"),
        ("<ReferenceList>", "<?pmcsd ?><ReferenceList>"),
        ("<Journal>", "\n<Journal\t>"),
        ("S0000-0001(19)30001-2", "S0000-0001(19) 30001-2&lt;1&gt;"),
    ],
)
def test_no_other_spelling_of_the_same_misleads(old, new):
    xml = changed(old, new)
    assert read_plain_article(xml) in (None, parsed(xml))


@pytest.mark.network
def test_nearly_all_real_records_need_no_parser_and_lose_nothing(pubmed_sample):
    for path in pubmed_sample:
        fragments = cut_fragments(Source(path), ("PubmedArticle",))
        records = [fragment.xml for fragment in islice(fragments, 0, None, 10)]
        plain = [(read_plain_article(xml), xml) for xml in records]
        assert all(document in (None, parsed(xml)) for document, xml in plain)
        assert sum(document is not None for document, _ in plain) > 0.97 * len(records)


PIECES = ["a", " ", "  ", "\n", "\u00a0", "é", "<i>", "</i>", "<b>", "</b>", "<sub>", "</sub>"]
PIECES += ["&lt;", "&amp;", "&quot;", "&#65;", "&", "&bad;", "lt;", "amp;", "<", ">", "]]>", "\x02"]


@given(raw=st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_text_is_read_as_a_parser_reads_it_or_not_at_all(raw):
    try:
        said = read_plain_text(raw.encode())
    except (UnusualError, etree.XMLSyntaxError):
        return
    assert said == text_of(parse(f"<t>{raw}</t>".encode()))


@pytest.mark.parametrize("raw", ["a\x02b", "a\x1cb", "é\x02", "é\ufffe"])
def test_what_xml_cannot_hold_is_unusual(raw):
    with pytest.raises(UnusualError):
        read_plain_text(raw.encode())


def test_plain_texts_are_read_together():
    assert read_plain_texts([b"a b", b" c", "é".encode()]) == ["a b", "c", "é"]


@pytest.mark.parametrize("raw", ["a  b", "a\nb", "a\u00a0b", "a &amp; b", "<i>a</i>", "\x02"])
def test_one_that_is_not_plain_spoils_the_rest(raw):
    assert read_plain_texts([b"a", raw.encode()]) is None


def cite(*lists):
    """A plain record of PubMed's that cites papers of these identifiers."""
    record = written(pubmed, [Document(title="On cats", pmid="7", year=2001, language="eng")])
    (fragment,) = re.findall(rb"<PubmedArticle>.*?</PubmedArticle>", record, re.DOTALL)
    cited = "".join(
        f"<Reference><Citation>Cats!</Citation><ArticleIdList>{ids}</ArticleIdList></Reference>"
        for ids in lists
    )
    listed = f"<ReferenceList>{cited}</ReferenceList></PubmedData>"
    return fragment.replace(b"</PubmedData>", listed.encode())


def name_id(kind, value):
    return f'<ArticleId IdType="{kind}">{value}</ArticleId>'


@pytest.mark.parametrize(
    ("lists", "found"),
    [
        ([name_id("pubmed", "12"), name_id("pubmed", "13")], ("12", "13")),
        ([name_id("pubmed", "12"), name_id("pubmed", "12")], ("12",)),
        ([name_id("doi", "10.5555/A") + name_id("pmcid", "P9") + name_id("pubmed", "12")], ("12",)),
        ([name_id("doi", "https://doi.org/10.5555/A&lt;b&gt;")], ("10.5555/a<b>",)),
        ([name_id("pmcid", "PMC9")], ()),
        ([name_id("pubmed", "012"), name_id("pubmed", "none")], ("12",)),
        ([name_id("pubmed", "none") + name_id("doi", "10.5555/abc")], ("10.5555/abc",)),
        ([], ()),
    ],
)  # fmt: skip
def test_references_are_read_as_a_parser_reads_them(lists, found):
    record = cite(*lists)
    plain = read_plain_article(record)
    assert parsed(record).references == found
    assert plain is None or plain.references == found


def test_usual_references_need_no_parser():
    ids = name_id("doi", "10.5555/abc"), name_id("pubmed", "12") + name_id("doi", "10.5555/x")
    assert read_plain_article(cite(*ids)).references == ("10.5555/abc", "12")


def test_a_list_without_end_is_bounded():
    assert (
        len(read_plain_article(cite(*(name_id("pubmed", n) for n in range(1, 10_100)))).references)
        == 10_000
    )
