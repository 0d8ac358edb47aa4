"""CSL-JSON."""

import json

import pytest
from benchmarks.attacks.samples import ARTICLE, CHAPTER
from hypothesis import given

from documents.reading import problems_in, read_bytes, read_text, written
from documents.strategies import FIELDS, documents, plain_words, several
from documents.whole_records import CITATION, add_date
from likewise.documents import Document, read
from likewise.documents.formats import csl_json
from likewise.documents.formats.cells import is_nothing
from likewise.documents.sources import Source

ITEM = {
    "id": "http://zotero.org/users/1/items/ABCD2345",
    "type": "article-journal",
    "title": "Sleep in wards",
    "container-title": "Journal of Invented Sleep",
    "author": [
        {"family": "Dam", "given": "Anna B.", "non-dropping-particle": "van"},
        {"literal": "WARDS Study Group"},
    ],
    "editor": [{"family": "Lind", "given": "Per", "suffix": "Jr"}],
    "issued": {"date-parts": [["2014", 3, 1]]},
    "volume": 12,
    "issue": "2",
    "page": "10-19",
    "DOI": "10.5555/JIS.2014.7",
    "ISSN": "0000-0019, 0000-0027",
    "URL": "https://example.org/jis/7",
    "source": "PubMed",
    "note": "PMID: 90000077\nread twice",
    "accessed": {"date-parts": [[2024, 1, 2]]},
    "title-short": "Sleep",
}


def read_items(*items):
    return read_text(csl_json, json.dumps(items))


def test_an_item_of_zotero():
    assert read_items(ITEM) == [
        Document(
            id="http://zotero.org/users/1/items/ABCD2345",
            title="Sleep in wards",
            year=2014,
            authors=("van Dam, Anna B.", "WARDS Study Group"),
            editors=("Lind, Per, Jr",),
            journal="Journal of Invented Sleep",
            doi="10.5555/jis.2014.7",
            kind="JOUR",
            volume="12",
            issue="2",
            pages="10-19",
            issn=("0000-0019", "0000-0027"),
            date="2014/03/01",
            urls=("https://example.org/jis/7",),
            remarks=("PMID: 90000077", "read twice"),
            database="PubMed",
            pmid="90000077",
            extra=(
                ("csl:accessed", '{"date-parts":[[2024,1,2]]}'),
                ("csl:title-short", "Sleep"),
            ),
        )
    ]


def test_variables_that_no_document_has_are_written_back():
    (item,) = json.loads(written(csl_json, read_items(ITEM)))
    assert (item["accessed"], item["title-short"]) == (ITEM["accessed"], "Sleep")


@pytest.mark.parametrize("document", [ARTICLE, CHAPTER], ids=["article", "chapter"])
def test_a_whole_citation_is_read_back(document):
    assert read_bytes(csl_json, written(csl_json, [document])) == [document]


# In a list of keywords, "null" and the like are what programs write for none.
keywords = plain_words.filter(lambda word: not is_nothing(word))


@given(
    document=documents(FIELDS, **CITATION | {"keywords": several(keywords)}).map(add_date),
)
def test_what_is_written_is_read_back(document):
    assert read_bytes(csl_json, written(csl_json, [document])) == [document]


def test_what_is_written_is_recognised(tmp_path):
    for kind in ("JOUR", "THES"):
        path = tmp_path / f"{kind}.json"
        path.write_bytes(written(csl_json, [Document(id="1", title="x", kind=kind)]))
        assert next(read(path)).source == f"csl:{kind}.json"


def test_nothing_is_an_empty_array():
    assert json.loads(written(csl_json, [])) == []


def test_a_type_that_has_no_kind_is_written_back():
    first = read_items({"id": "1", "type": "musical_score", "title": "x"})
    assert first[0].kind == "GEN"
    assert json.loads(written(csl_json, first))[0]["type"] == "musical_score"


def test_a_value_of_an_unknown_shape_is_kept_as_it_is():
    (found,) = read_items({"type": "book", "title": "x", "publisher": {"name": "P"}})
    assert found.extra == (("csl:publisher", '{"name":"P"}'),)
    assert read_items({"title": "x", "custom": 5})[0].extra == (("csl:custom", "5"),)


def test_an_item_that_says_nothing_is_a_problem():
    (problem,) = problems_in(csl_json, '[{"type": "book", "volume": 1}]')
    assert problem.found == "no title, no abstract and no identifier"


def test_notes_stand_beside_the_variables(tmp_path):
    path = tmp_path / "t.json"
    path.write_bytes(written(csl_json, [CHAPTER], notes={"mark": "relevant", "rank": 3}))
    (record,) = csl_json.read(Source(path))
    assert dict(zip(record.names, record.values, strict=True))["mark"] == "relevant"
    assert record.document == CHAPTER
