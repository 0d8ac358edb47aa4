"""JATS XML: the front of articles."""

import pytest

from documents.reading import lines_of, problems_in, read_text
from likewise.documents import Document, read
from likewise.documents.formats import jats
from likewise.errors import ReadError

ARTICLE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving 1.2//EN" "a.dtd">
<article article-type="research-article" xml:lang="en"
  xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta>
<journal-id journal-id-type="nlm-ta">J Inv Sleep</journal-id>
<journal-title-group><journal-title>Journal of Invented Sleep</journal-title></journal-title-group>
<issn pub-type="ppub">0000-0019</issn><issn pub-type="epub">0000-0027</issn>
<publisher><publisher-name>Imaginary Press</publisher-name>
<publisher-loc>Utrecht</publisher-loc></publisher></journal-meta>
<article-meta><article-id pub-id-type="pmid">90000077</article-id>
<article-id pub-id-type="pmc">PMC9000077</article-id>
<article-id pub-id-type="doi">10.5555/JIS.2014.7</article-id>
<article-id pub-id-type="publisher-id">jis-7</article-id>
<article-categories><subj-group subj-group-type="heading"><subject>Original Paper</subject>
</subj-group></article-categories>
<title-group><article-title>Sleep in <italic>wards</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>van Dam</surname>
<given-names>Anna B.</given-names></name></contrib>
<contrib contrib-type="author"><collab>WARDS Study Group</collab></contrib>
<contrib contrib-type="editor"><name><surname>Lind</surname><given-names>Per</given-names></name>
</contrib></contrib-group>
<pub-date pub-type="epub"><day>1</day><month>2</month><year>2014</year></pub-date>
<pub-date pub-type="ppub"><month>3</month><year>2014</year></pub-date>
<volume>12</volume><issue>2</issue><fpage>10</fpage><lpage>19</lpage>
<self-uri xlink:href="https://example.org/jis/7"/>
<abstract abstract-type="teaser"><p>Read this.</p></abstract>
<abstract><sec><title>Aims</title><p>To see who sleeps.</p></sec>
<sec><title>Results:</title><p>Nurses do.</p></sec></abstract>
<kwd-group><kwd>nurses</kwd><kwd>shift work</kwd></kwd-group></article-meta></front>
<body><sec><title>Introduction</title><p>Long.</p></sec></body></article>
"""


def test_an_article_of_pubmed_central():
    assert read_text(jats, ARTICLE) == [
        Document(
            title="Sleep in wards",
            abstract="Aims: To see who sleeps. Results: Nurses do.",
            year=2014,
            authors=("van Dam, Anna B.", "WARDS Study Group"),
            editors=("Lind, Per",),
            journal="Journal of Invented Sleep",
            doi="10.5555/jis.2014.7",
            pmid="90000077",
            pmcid="PMC9000077",
            other_ids=("publisher-id:jis-7",),
            keywords=("nurses", "shift work"),
            publication_types=("research-article",),
            language="en",
            kind="JOUR",
            volume="12",
            issue="2",
            pages="10-19",
            issn=("0000-0019", "0000-0027"),
            publisher="Imaginary Press",
            place="Utrecht",
            date="2014/03",
            urls=("https://example.org/jis/7",),
            extra=(("jats:subject", "Original Paper"),),
        )
    ]


def front(inside):
    return f"<article><front><article-meta>{inside}</article-meta></front></article>"


def test_several_articles_in_one_file_are_all_read():
    both = "<pmc-articleset>{}\n{}</pmc-articleset>".format(
        *(front(f"<article-id pub-id-type='pmid'>{n}</article-id>") for n in (7, 8))
    )
    assert [document.pmid for document in read_text(jats, both)] == ["7", "8"]
    assert lines_of(jats, both) == [1, 2]


def test_an_article_number_stands_for_pages():
    title = "<title-group><article-title>A</article-title></title-group>"
    (found,) = read_text(jats, front(f"{title}<elocation-id>e17</elocation-id>"))
    assert found.pages == "e17"


def test_a_front_that_says_nothing_is_a_problem():
    (problem,) = problems_in(jats, front("<volume>1</volume>"))
    assert problem.found == "the record has no title, no abstract and no identifier"


def test_a_malformed_front_costs_only_itself():
    good = front("<article-id pub-id-type='pmid'>7</article-id>")
    problems = []
    text = f"<articles>{front('<volume>')}{good}</articles>"
    assert len(read_text(jats, text, on_problem=problems.append)) == 1
    assert "malformed XML in this record" in problems[0].found


def test_an_article_without_a_front_is_refused():
    with pytest.raises(ReadError, match="no <front> in the file"):
        read_text(jats, "<article><body/></article>")


def test_the_format_is_recognised_by_what_it_holds(tmp_path):
    (tmp_path / "a.xml").write_text(ARTICLE)
    assert next(read(tmp_path / "a.xml")).source == "jats:a.xml"


CITED = """<back><ref-list><title>References</title>
<ref id="B1"><element-citation><pub-id pub-id-type="pmid">429554</pub-id>
<pub-id pub-id-type="doi">10.1000/abc</pub-id></element-citation></ref>
<ref-list><ref id="B2"><mixed-citation>Berg 2002. <pub-id pub-id-type="doi">10.1000/DEF</pub-id>
</mixed-citation></ref></ref-list>
<ref id="B3"><mixed-citation>A thesis.</mixed-citation></ref></ref-list></back></article>"""


def test_what_an_article_cites_is_read_from_its_end():
    (found,) = read_text(jats, ARTICLE.replace("</article>", CITED))
    assert found.references == ("429554", "10.1000/def")


def test_each_article_has_its_own_references():
    one = ARTICLE.replace("</article>", CITED)
    other = ARTICLE.partition("?>")[2].partition(">")[2]
    first, second = read_text(jats, f"{one}{other}")
    assert (len(first.references), second.references) == (2, ())
