"""Notices: retractions and doubts are read from what databases say, and told the same way."""

import gzip
from pathlib import Path

import pytest

from likewise.documents import Document, read
from likewise.documents.document import Notice, describe_warning, find_notices, find_warning
from likewise.documents.formats.pubmed_article import read_article
from likewise.documents.formats.pubmed_plain import read_plain_article
from likewise.documents.formats.xml_records import parse

RETRACTED = b"""<PubmedArticle>
  <MedlineCitation Status="MEDLINE" Owner="NLM">
    <PMID Version="1">9500320</PMID>
    <Article PubModel="Print">
      <Journal><ISSN IssnType="Print">0140-6736</ISSN><JournalIssue CitedMedium="Print">
        <Volume>351</Volume><Issue>9103</Issue><PubDate><Year>1998</Year></PubDate></JournalIssue>
        <Title>Lancet</Title></Journal>
      <ArticleTitle>An invented study of cats.</ArticleTitle>
      <Language>eng</Language>
      <PublicationTypeList>
        <PublicationType UI="D016441">Retracted Publication</PublicationType>
      </PublicationTypeList>
    </Article>
    <CommentsCorrectionsList>
      <CommentsCorrections RefType="CommentIn"><RefSource>Vet</RefSource></CommentsCorrections>
      <CommentsCorrections RefType="RetractionIn"><RefSource>Lancet. 2010 Feb 6;375:445</RefSource>
        <PMID Version="1">20137807</PMID></CommentsCorrections>
      <CommentsCorrections RefType="ErratumIn"><RefSource>Lancet. 2004 Mar 6;363:750.</RefSource>
        </CommentsCorrections>
    </CommentsCorrectionsList>
  </MedlineCitation>
  <PubmedData><ArticleIdList><ArticleId IdType="pubmed">9500320</ArticleId></ArticleIdList>
  </PubmedData>
</PubmedArticle>"""
POINTERS = (
    ("nbib:RIN", "Lancet. 2010 Feb 6;375:445. PMID: 20137807"),
    ("nbib:EIN", "Lancet. 2004 Mar 6;363:750."),
)


def test_pubmed_xml_tells_of_retractions_and_corrections_but_keeps_no_comments():
    document, _ = read_article(parse(RETRACTED))
    assert document.extra == POINTERS


def test_the_quick_reader_says_the_same():
    plain = read_plain_article(RETRACTED)
    assert plain is not None
    assert plain.extra == POINTERS


def test_a_list_of_references_alone_is_passed_over():
    only_cited = RETRACTED.replace(b"RetractionIn", b"Cites").replace(b"ErratumIn", b"CommentOn")
    plain = read_plain_article(only_cited)
    assert plain is not None
    assert plain.extra == ()


def test_the_tagged_format_tells_the_same_notice_in_the_same_words(tmp_path):
    path = tmp_path / "one.nbib"
    path.write_text("PMID- 9500320\nTI  - An invented study of cats.\nPT  - Retracted Publication\n"
                    "RIN - Lancet. 2010 Feb 6;375:445. PMID: 20137807\n")  # fmt: skip
    (document,) = read(path)
    assert describe_warning(document) == f"retracted ({POINTERS[0][1]})"


def test_a_file_of_pubmed_tells_it_too(tmp_path):
    path = Path(tmp_path, "pubmed24n1300.xml.gz")
    path.write_bytes(gzip.compress(b"<PubmedArticleSet>\n" + RETRACTED + b"\n</PubmedArticleSet>"))
    (document,) = read(path)
    assert find_notices(document) == [
        Notice("retracted", POINTERS[0][1]),
        Notice("corrected", POINTERS[1][1]),
    ]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document(publication_types=("Article", "Retracted Publication")), "retracted"),
        (Document(title="RETRACTED ARTICLE: On cats"), "retracted"),
        (Document(title="[Retracted] On cats"), "retracted"),
        (Document(title="Retraction note to: On cats"), "notice on another paper"),
        (Document(publication_types=("Retraction of Publication",)), "notice on another paper"),
        (Document(extra=(("nbib:ECI", "Vet. 2001"),)), "expression of concern (Vet. 2001)"),
        (Document(title="Retracted papers in oncology: a survey"), ""),
        (Document(title="Retraction of the eyelid: two cases"), ""),
        (Document(extra=(("nbib:EIN", "Vet. 2001"),)), ""),
        (Document(extra=(("ris:RIN", "no tag of ours"),)), ""),
    ],
)
def test_what_readers_are_warned_of(document, said):
    assert describe_warning(document) == said


def test_the_worst_notice_is_the_one_warned_of():
    document = Document(extra=(("nbib:ECI", "a"), ("nbib:RIN", "b")))
    assert find_warning(document) == Notice("retracted", "b")
