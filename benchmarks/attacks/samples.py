"""Invented records of every format, to be broken, and what would make a careless reader slow."""

from __future__ import annotations

import gzip
import io
from functools import cache

import msgspec

from likewise.documents.document import AnnotatedDocument, Document, MeshHeading
from likewise.documents.formats import formats

ARTICLE = Document(
    id="okafor2014",
    title="Sleep and shift work in nurses: a cohort of 1,204 wards",
    abstract="AIMS: To see who sleeps. RESULTS: Nurses on night shifts sleep 50% less.",
    year=2014,
    authors=("Okafor, Ngozi Adaeze", "van Dam, Anna B.", "WARDS Study Group"),
    journal="Journal of Invented Sleep",
    doi="10.5555/jis.2014.7",
    pmid="90000077",
    pmcid="PMC9000077",
    keywords=("nurses", "shift work"),
    publication_types=("Comparative Study", "Journal Article"),
    language="English",
    kind="JOUR",
    volume="12",
    issue="2 Suppl",
    pages="10-19",
    issn=("0000-0019", "0000-0027"),
    publisher="Imaginary Press",
    place="Utrecht",
    date="2014/03/01",
    urls=("https://example.org/jis/7", "https://example.org/jis/7.pdf"),
    remarks=("Cited by 4", "Cohort of wards"),
    database="Sleepbase",
    accession="SB00012345",
)
"""An article of a journal, with all that a reference to it needs."""

CHAPTER = Document(
    id="lind2001",
    title="Wards at night",
    year=2001,
    authors=("Lind, Per",),
    journal="A Handbook of Dark Rooms",
    kind="CHAP",
    pages="101-118",
    isbn=("978-3-0000-0000-1",),
    series="Rooms of the World",
    edition="2nd",
    editors=("Okafor, Ngozi", "Moreau, Zoé"),
    publisher="Imaginary Press",
    place="Lund",
)
"""A chapter of a book with editors, in a series."""

# The same with what readers stumble over: marks of their syntax in texts, tags of other formats.
_ODD_ARTICLE = msgspec.structs.replace(
    ARTICLE,
    title="Sleep & shift work in nurses: 50 % of 1,204 wards (β = 0.5)",
    abstract="AIMS: To see who sleeps. RESULTS: Nurses on night shifts sleep less, p < 0.05.",
    other_ids=("eid:2-s2.0-8400000077",),
    mesh=(MeshHeading("Sleep", ui="D012890", major=True), MeshHeading("Infant, Newborn")),
    keywords=("nurses", "shift work; nights"),
    language="eng",
    urls=("https://example.org/jis/7", "https://pubmed.ncbi.nlm.nih.gov/90000077/"),
    remarks=("PMID: 90000077 PMCID: PMC9000077", "Cited by 4"),
    extra=(("csv:Funding", "Ward fund; others"), ("bibtex:file", "a.pdf"), ("ris:C1", "x")),
)
_ODD_CHAPTER = msgspec.structs.replace(CHAPTER, id="a chapter, 2001")
_JATS = b"""<?xml version="1.0" encoding="UTF-8"?>
<article article-type="research-article" xml:lang="en" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta><journal-title-group><journal-title>Journal of Invented Sleep</journal-title>
</journal-title-group><issn pub-type="ppub">0000-0019</issn></journal-meta><article-meta>
<article-id pub-id-type="pmid">90000077</article-id><title-group>
<article-title>Sleep in <italic>wards</italic> &amp; rooms</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Lind</surname>
<given-names>Per</given-names></name></contrib></contrib-group>
<pub-date pub-type="ppub"><month>3</month><year>2014</year></pub-date><volume>12</volume>
<fpage>10</fpage><lpage>19</lpage><abstract><sec><title>Aims</title><p>To see.</p></sec></abstract>
</article-meta></front><body><sec><p>Long.</p></sec></body></article>
"""
_SCOPUS = (
    '\ufeff"Authors","Author full names","Title","Year","Source title","Volume","Page start",'
    '"Page end","DOI","Link","PubMed ID","Document Type","Source","EID"\n'
    '"Okafor N.; Lind P.","Okafor, Ngozi (571); Lind, Per (572)","Sleep, ""work"" and wards",'
    '"2014","Journal of Invented Sleep","12","10","19","10.5555/JIS.2014.7",'
    '"https://example.org","90000077","Article","Scopus","2-s2.0-84"\n'
).encode()
_WEB_OF_SCIENCE = (
    b"PT\tAU\tAF\tTI\tSO\tDT\tDE\tAB\tPD\tPY\tVL\tBP\tEP\tDI\tPM\tUT\n"
    b'J\tOkafor, N\tOkafor, Ngozi\t"Sleep" in wards\tJ SLEEP\tArticle\tnurses; work\tThey do.\t'
    b"MAR 1\t2014\t12\t10\t19\t10.5555/jis.2014.7\t90000077\tWOS:000000000000077\n"
)
_LABELLED = (
    b"FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Okafor, N\nAF Okafor, Ngozi\n"
    b"TI Sleep in wards\n   and rooms\nSO JOURNAL OF SLEEP\nPY 2014\nVL 12\nBP 10\nEP 19\n"
    b"UT WOS:000000000000077\nER\n\nEF\n"
)
_OVID = (
    b"<1>\nUnique Identifier\n  90000077\nTitle\n  Sleep in wards\n  and rooms.\nAuthors\n"
    b"  Okafor N.  Lind P.\nSource\n  Journal of Invented Sleep. 12(3):10-19, 2014.\n"
    b"Abstract\n  They do.\nDigital Object Identifier\n  10.5555/jis.2014.7\n"
)
_COCHRANE = (
    b"Record #1 of 1\nID: CN-00000077\nAU: Okafor N\nAU: Lind P\nTI: Sleep in wards\n"
    b"SO: Journal of Invented Sleep\nYR: 2014\nVL: 12\nNO: 3\nPG: 10-19\nPM: PUBMED 90000077\n"
    b"DOI: 10.5555/jis.2014.7\nAB: They do.\n"
)


@cache
def make_samples() -> dict[str, tuple[bytes, ...]]:
    """Return files of every format by its name, some gzipped or in other encodings."""
    samples: dict[str, list[bytes]] = {"jats": [_JATS], "csv": [_SCOPUS], "tsv": [_WEB_OF_SCIENCE]}
    samples |= {"wos": [_LABELLED], "ovid": [_OVID], "cochrane": [_COCHRANE]}
    for known in formats():
        found = samples.setdefault(known.name, [])
        if known.writes:
            stream = io.BytesIO()
            known.write([AnnotatedDocument(_ODD_ARTICLE), AnnotatedDocument(_ODD_CHAPTER)], stream)
            found.append(stream.getvalue())
        if known.name != "xlsx":
            found += [gzip.compress(found[-1]), found[-1].decode().encode("utf-16")]
    return {name: tuple(found) for name, found in samples.items()}


_OURS = (
    b"id,title,abstract,year,authors,journal,doi,pmid,pmcid,other_ids,mesh,keywords,"
    b"publication_types,language,source,extra"
)
_PUBMED = (
    b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>",
    b"</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
)
_RECORD = (b"<xml><records><record><titles><title>", b"</title></titles></record></records></xml>")
SLOW: dict[str, tuple[tuple[bytes, bytes, bytes], ...]] = {
    "bibtex": (
        (b"@article{", b" ", b"x y"),
        (b"@article{k, ", b"a", b"}"),
        (b"@article{k, ", b"a ", b"= {x}}"),
        (b"@article{k, title={x}}\n@a{", b" ", b"{\n"),
        (b"@article{k, title={x}, author={a", b" ", b"x}}"),
        (b"@article{k, title={x}, author={a", b" and ", b"}}"),
        (b"@article{k, title={", b"$a", b"}}"),
        (b"@article{k, title={", b"\\'{a", b"}}"),
        (b"@article{k, title={x}, note={", b"PMID ", b"}}"),
        (b"@article{k, title={x}, url={", b"doi:", b"}}"),
        (b"@string{a = {bcd}}@article{k, title=", b"a # ", b"a}"),
        (b"", b"@a{", b""),
        (b"", b"@a ", b""),
        (b"@a{b,", b"{", b""),
    ),
    "csv": (
        (b"title,authors\nx,", b"a ", b"\n"),
        (b"title,authors\nx,Li N", b" ", b"x\n"),
        (b'title,authors\nx,"', b"Li N, ", b'"\n'),
        (b"title,year,pages,extra\nx,1,2,PMID", b" ", b"x\n"),
        (b"title,doi\nx,10.1234/", b".", b"x/\n"),
        (b"title,date\nx,", b"2021 ", b"\n"),
        (b"title,issn\nx,", b"1-", b"\n"),
        (b"title,mesh\nx,", b"a/", b"\n"),
        (b"title,citation\nx,", b". 2014;1(", b"\n"),
        (b"title,type\nx,", b"_ ", b"\n"),
        (b"title,keywords\nx,", b"[", b"\n"),
        (b"title", b",title", b"\n" + b"x\n" * 50),
        (b"title\n", b'"', b"\n"),
        (_OURS + b"\n1,x,,,", b"\\;", b",,,,,,,,,,,\n"),
    ),
    "tsv": ((b"PT\tTI\tSO\nJ\t", b'"', b"\tx\n"), (b"PT\tTI\tSO\tAF\nJ\tx\ty\t", b"a;", b"\n")),
    "jsonl": (
        (b'{"title": "', b"&#9", b'"}\n'),
        (b'{"title": "x", "authors": "', b"a ", b'"}\n'),
        (b"[", b"[", b""),
        (b"[", b" ", b"x"),
        (b'[{"title": "', b"\\u0041", b""),
        (b'{"title": "x", "n": ', b"9", b"}\n"),
    ),
    "csl": (
        (b'[{"id": "1", "type": "book", "title": "x", "note": "', b"PMID ", b'"}]'),
        (b'[{"id": "1", "type": "book", "title": "x", "issued": "', b"1-", b'"}]'),
        (b'[{"id": "1", "type": "book", "ISSN": "', b"1234-", b'"}]'),
        (b'[{"id": "', b"\\\\", b""),
    ),
    "pubmed": (
        (_PUBMED[0], b"<i>", _PUBMED[1]),
        (_PUBMED[0], b"<i>x</i>", _PUBMED[1]),
        (_PUBMED[0], b"&amp;", _PUBMED[1]),
        (_PUBMED[0], b"<!--", _PUBMED[1]),
        (b"<PubmedArticleSet>", b"<PubmedArticle>", b"</PubmedArticleSet>"),
        (b"<PubmedArticleSet", b" xmlns:a='", b"><PubmedArticle></PubmedArticle>"),
        (b"<?xml ", b"encoding=", b"?><PubmedArticleSet><PubmedArticle></PubmedArticle>"),
    ),
    "endnote": (
        (_RECORD[0], b"<style>a", _RECORD[1]),
        (_RECORD[0], b"a ", _RECORD[1]),
        (b"<xml><records>", b"<record>", b"</records></xml>"),
        (b"<xml><records><record>", b"<a>", b"</record></records></xml>"),
        (b"<xml><records><record><isbn>", b"1-", b"</isbn></record></records></xml>"),
    ),
    "jats": (
        (b"<article", b" a='", b"><front></front>"),
        (b"<article>", b"<front>", b""),
        (b"<article><front><article-meta>", b"<abstract>", b"</article-meta></front></article>"),
    ),
    "ris": (
        (b"TY  - JOUR\nTI  - x\nC2  - PMC1", b" ", b"x\nER  - \n"),
        (b"TY  - JOUR\nTI  - x\nN1  - ", b"PMCID ", b"\nER  - \n"),
        (b"TY  - JOUR\nTI  - x\nUR  - ", b"europepmc.org/", b"\nER  - \n"),
        (b"TY  - JOUR\nTI  - x\nSN  - ", b"1-", b"\nER  - \n"),
        (b"TY  - JOUR\nTI  - x\n", b"\n", b"ER  - \n"),
    ),
    "nbib": ((b"PMID- 7\nTI  - x\nSO  - ", b"doi: ", b"\n"), (b"PMID- 7\nTI  - ", b" ", b"\n")),
    "enw": ((b"%0 Journal Article\n%T x\n%A ", b"a ", b"\n"), (b"%0 a\n%T ", b" ", b"\n")),
    "ids": ((b"7\n", b" ", b"x\n"), (b"", b"10.", b"\n"), (b"", b"PMC1 ", b"\n")),
}
"""What comes before, what is repeated, and what comes after, by format."""
