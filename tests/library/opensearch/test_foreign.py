"""Indexes that likewise did not make, and what is said of them at once."""

import logging
import secrets

import pytest

from library.opensearch.theirs import ENGLISH, KEYWORD, their_index
from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryError
from likewise.library import open_library
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.foreign import check_sources, note_oddities
from likewise.library.opensearch.foreign_fields import choose_fields
from likewise.library.protocol import Heading, Query, Term, make_words_query
from likewise.library.where import Where

ROWS = {
    "k9": {
        "ti": "Insulin resistance in rats",
        "ab": ["It rose.", "Insulin was high."],
        "pm": 11,
        "di": "10.1002/14651858.CD001234.pub2",
        "dp": "1999-03-02",
        "au": [{"last": "Doe", "first": "Jane"}],
        "mh": ["Rats", "Insulin"],
        "la": "EN",
        "pt": ["Journal Article", "Review"],
    },
    "k2": {
        "ti": "Sleep",
        "ab": "Rats sleep at night.",
        "pm": 7,
        "mh": ["Rats"],
        "dp": "2010-12-31T23:00:00Z",
        "la": "German",
        "pt": "review",
    },
    "k5": {"ti": "Sleep", "ab": "Cats sleep by day.", "pm": 30, "mh": "Cats"},
}
PROPERTIES = {
    "ti": ENGLISH,
    "ab": ENGLISH,
    "pm": {"type": "long"},
    "di": KEYWORD,
    "dp": {"type": "date"},
    "mh": KEYWORD,
    "la": KEYWORD,
    "pt": {"type": "text"},
}
FIELDS = (
    "title=ti&abstract=ab&pmid=pm&doi=di&year=dp&authors=au&mesh=mh&language=la"
    "&publication_types=pt"
)


@pytest.fixture(scope="module")
def theirs(opensearch_url):
    with their_index(opensearch_url, ROWS, properties=PROPERTIES) as index:
        yield index


@pytest.fixture(params=["", "&id=pm"], ids=["known by _id", "known by a field"])
def library(theirs, request):
    with open_library(f"{theirs.address}?{FIELDS}{request.param}") as opened:
        opened.ids = {"": ["k9", "k2", "k5"], "&id=pm": ["11", "7", "30"]}[request.param]
        yield opened


def test_documents_are_read_as_they_are(library, theirs):
    (found,) = library.get(library.ids[:1])
    assert found == Document(
        id=library.ids[0],
        title="Insulin resistance in rats",
        abstract="It rose. Insulin was high.",
        year=1999,
        authors=("Doe, Jane",),
        doi="10.1002/14651858.cd001234.pub2",
        pmid="11",
        mesh=(MeshHeading("Rats"), MeshHeading("Insulin")),
        publication_types=("Journal Article", "Review"),
        language="EN",
        source=theirs.name,
    )


def test_documents_come_in_the_order_asked_for_and_unknown_ids_are_left_out(library):
    first, second, third = library.ids
    found = library.get([third, "nobody", first, second])
    assert [document.id for document in found] == [third, first, second]


@pytest.mark.parametrize("key", ["pmid:11", "doi:10.1002/14651858.cd001234.pub2"])
def test_a_paper_is_found_by_its_identifiers(library, key):
    assert [document.id for document in library.find([key])] == library.ids[:1]


def test_a_paper_is_found_by_its_id_and_not_by_its_title(library):
    keys = [f"id:{library.ids[2]}", "title:0123:1999", "pmcid:PMC1"]
    assert [document.id for document in library.find(keys)] == library.ids[2:]


def test_documents_are_found_by_words_in_their_fields(library):
    hits = library.find_best(make_words_query("insulin rats", library=library), limit=10)
    assert hits.ids == library.ids[:2]
    assert hits.scores[0] > hits.scores[1] > 0


def test_ties_are_in_the_order_of_ids(library):
    hits = library.find_best(Query((Term("title", "sleep"),)), limit=10)
    assert hits.ids == sorted(library.ids[1:])
    assert library.find_best(Query((Term("title", "sleep"),)), limit=1).ids == hits.ids[:1]


def test_terms_are_as_the_index_makes_them(library):
    assert library.analyze("abstract", "The sleeping cats, and cats") == ["sleep", "cat", "cat"]
    assert library.analyze_all("title", ["Cats", ""]) == [["cat"], []]
    assert not library.analyzes_by_chunk


def test_document_frequencies_are_counted_in_the_field(library):
    counted = library.document_frequencies("abstract", ["sleep", "rat", "nothing"])
    assert counted == {"sleep": 2, "rat": 1, "nothing": 0}


def test_headings_are_counted_and_looked_up_by_name(library):
    assert library.count_headings() == {
        Heading("Rats"): 2,
        Heading("Insulin"): 1,
        Heading("Cats"): 1,
    }
    assert library.find_having([[Heading("Rats")], [Heading("Insulin"), Heading("Cats")]]) == [
        library.ids[0]
    ]
    assert library.list_ids() == sorted(library.ids)


def test_a_library_tells_what_it_holds(library, theirs):
    info = library.info()
    assert (library.count(), info.documents, info.sources) == (3, 3, {theirs.name: 3})
    assert (info.fields["title"], info.fields["year"], info.fields["mesh"]) == (3, 2, 3)


def test_nothing_is_written(library):
    with pytest.raises(LibraryError):
        library.add([Document(id="new", title="New")])


def test_an_index_of_others_is_not_opened_for_writing(theirs):
    with pytest.raises(LibraryError, match="not made by likewise") as raised:
        open_library(theirs.address, write=True)
    assert "\n" not in str(raised.value)


def test_without_headings_it_is_said_why(theirs):
    with (
        open_library(f"{theirs.address}?title=ti") as library,
        pytest.raises(LibraryError, match="mesh=FIELD"),
    ):
        library.count_headings()


def test_one_text_field_is_enough(theirs):
    with open_library(f"{theirs.address}?abstract=ab") as library:
        query = make_words_query("sleep", library=library)
        assert [term.field for term in query.terms] == ["abstract"]
        found = library.find_best(query, limit=5)
        assert found.ids == ["k2", "k5"]
        assert library.document_frequencies("title", ["sleep"]) == {"sleep": 0}
        assert library.get(["k2"])[0].title == ""


def test_more_hits_than_the_index_gives_at_once(opensearch_url):
    rows = {f"d{number:02}": {"title": "cat", "rank": number} for number in range(11)}
    properties = {"title": ENGLISH, "rank": {"type": "integer"}}
    window = {"max_result_window": 3, "number_of_shards": 2}
    with their_index(opensearch_url, rows, properties=properties, settings=window) as index:
        for fields, ids in [("", sorted(rows)), ("?id=rank", sorted(map(str, range(11))))]:
            with open_library(f"{index.address}{fields}") as library:
                assert library.list_ids() == ids
                hits = library.find_best(Query((Term("title", "cat"),)), limit=11)
                assert sorted(hits.ids) == ids


def test_several_indexes_under_one_name(opensearch_url):
    name = f"test-{secrets.token_hex(6)}"
    old, new = {"a": {"title": "old cat"}}, {"b": {"title": "new cat", "abstract": "It purrs."}}
    both = {"title": ENGLISH, "abstract": ENGLISH}
    with (
        their_index(opensearch_url, old, properties={"title": ENGLISH}) as one,
        their_index(opensearch_url, new, properties=both) as other,
    ):
        for index in (one, other):
            index.connection.ask("PUT", f"/{index.name}/_alias/{name}")
        with open_library(one.address.replace(one.name, name)) as library:
            assert [document.id for document in library.get(["b", "a"])] == ["b", "a"]
            assert library.document_frequencies("title", ["cat"]) == {"cat": 2}
            assert library.document_frequencies("abstract", ["purr"]) == {"purr": 1}
            hits = library.find_best(make_words_query("cats purrs", library=library), limit=5)
            assert hits.ids == ["b", "a"]
            mapping = one.connection.ask("GET", f"/{one.name}/_mapping")[one.name]["mappings"]
            assert list(mapping["properties"]) == ["title"]


def test_an_id_must_tell_all_documents_apart(opensearch_url):
    rows = {"1": {"title": "a", "code": "x", "so": "J"}, "2": {"title": "b", "so": "J"}}
    properties = {"title": ENGLISH, "code": KEYWORD, "so": KEYWORD, "id": KEYWORD}
    with their_index(opensearch_url, rows, properties=properties) as index:
        with pytest.raises(LibraryError, match="id=code: 1 of its documents have none"):
            open_library(f"{index.address}?id=code")
        with pytest.raises(LibraryError, match="id=so: several of its documents have the id J"):
            open_library(f"{index.address}?id=so")
        with open_library(index.address) as library:
            assert library.list_ids() == ["1", "2"]


def test_what_is_amiss_is_told_once_in_one_line(opensearch_url, caplog):
    amiss = {**ENGLISH, "norms": False, "similarity": "boolean"}
    properties = {"title": amiss, "abstract": ENGLISH}
    with (
        their_index(opensearch_url, {"1": {"title": "a"}}, properties=properties) as index,
        caplog.at_level(logging.WARNING),
        open_library(index.address) as library,
    ):
        library.find_best(make_words_query("cat", library=library), limit=5)
    (line,) = caplog.messages
    assert line == (
        f"{index.address}: title has no norms: long texts are found more often; "
        "title is scored by boolean, not by the usual BM25"
    )


@pytest.mark.parametrize(
    ("limit", "rows"),
    [
        ("year>=2000", [1]),
        ("year<=2009", [0]),
        ("year=2010", [1]),
        ("language=eng", [0]),
        ("language=english|deu", [0, 1]),
        ("language!=ger", [0, 2]),
        ("type=review", [0, 1]),
        ("type=review and year<2000", [0]),
    ],
)
def test_fields_that_are_named_limit_searches(library, limit, rows):
    where = Where.parse(limit)
    within = sorted(library.ids[row] for row in rows)
    assert (library.list_ids(where), library.count(where)) == (within, len(within))
    query = make_words_query("insulin sleep", library=library, where=where)
    assert sorted(library.find_best(query, limit=10).ids) == within


def test_a_limit_on_a_field_that_is_not_known_says_how_to_name_it(theirs):
    address = f"{theirs.address}?title=ti&abstract=ab"
    with (
        open_library(address) as library,
        pytest.raises(LibraryError, match="no field to limit the year, type by is known in this"),
    ):
        library.count(Where.parse("year>=2000, type=review"))


@pytest.mark.parametrize(
    ("mapping", "early", "late"),
    [
        ({"type": "short"}, 1999, 2010),
        ({"type": "integer"}, 19990302, 2010),
        ({"type": "keyword"}, "1999", "2010-05-01"),
        ({"type": "text", "fields": {"raw": KEYWORD}}, "1999", "2010"),
    ],
)
def test_years_are_limited_however_they_are_kept(opensearch_url, mapping, early, late):
    rows = {"a": {"title": "cat", "year": early}, "b": {"title": "cat", "year": late}}
    properties = {"title": ENGLISH, "year": mapping}
    with (
        their_index(opensearch_url, rows, properties=properties) as index,
        open_library(index.address) as library,
    ):
        assert library.list_ids(Where.parse("year>=2010")) == ["b"]
        assert library.list_ids(Where.parse("year<=1999")) == ["a"]
        assert library.list_ids(Where.parse("year=1999")) == ["a"]


TEXT = {"type": "text"}


def sources(fields, **mapping):
    address = parse_address(f"opensearch://localhost/theirs?{fields}")
    mapping = {"properties": {"ti": TEXT, "ab": TEXT, "so": TEXT}} | mapping
    return check_sources(address, [mapping], choose_fields(address, [mapping]))


def notes(*, settings=({},), **options):
    mapping = {"properties": {"title": {**TEXT, **options}, "abstract": TEXT}}
    address = parse_address("opensearch://localhost/theirs")
    return note_oddities(choose_fields(address, [mapping]), [mapping], settings)


def test_an_index_that_keeps_no_source_is_refused():
    with pytest.raises(LibraryError, match="the index keeps no _source, so the texts"):
        sources("title=ti", _source={"enabled": False})


@pytest.mark.parametrize(
    "kept", [{"excludes": ["ab"]}, {"excludes": ["a*"]}, {"includes": ["ti", "so"]}]
)
def test_text_that_is_not_kept_is_refused(kept):
    with pytest.raises(LibraryError, match="ab: searched, but not kept in _source"):
        sources("title=ti&abstract=ab", _source=kept)


def test_text_in_an_object_that_is_not_kept_is_refused():
    inside = {"meta": {"properties": {"ti": TEXT}}}
    with pytest.raises(LibraryError, match=r"meta\.ti: searched, but not kept"):
        sources("title=meta.ti", properties=inside, _source={"excludes": ["meta"]})


def test_text_that_is_copied_from_other_fields_is_refused():
    copying = {"ti": {**TEXT, "copy_to": "all"}, "all": TEXT}
    with pytest.raises(LibraryError, match="all: searched, but not kept"):
        sources("abstract=all", properties=copying)


def test_what_was_named_and_is_not_kept_is_told():
    told = sources("title=ti&journal=so", _source={"excludes": ["so"]})
    assert told == ["not kept in _source, and so left empty: so"]


def test_what_nobody_named_may_be_missing():
    assert sources("title=ti", _source={"includes": ["ti"]}) == []


def test_text_that_is_not_searched_is_told():
    mapping = {"properties": {"title": TEXT}}
    chosen = choose_fields(parse_address("opensearch://localhost/theirs"), [mapping])
    (told,) = note_oddities(chosen, [mapping], [{}])
    assert told.startswith("no field of abstracts is known, so these are not searched; name it")


def test_nothing_is_to_be_told_of_an_index_as_it_comes():
    assert notes(analyzer="english", term_vector="no") == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"norms": False}, "title has no norms: long texts are found more often"),
        (
            {"index_options": "docs"},
            "title has no frequencies: a word counts once, however often it occurs",
        ),
        ({"similarity": "boolean"}, "title is scored by boolean, not by the usual BM25"),
    ],
)
def test_what_changes_scores_is_told(options, told):
    assert notes(**options) == [told]


@pytest.mark.parametrize(
    ("default", "name"),
    [({"type": "BM25", "b": "0.3"}, "BM25 b=0.3"), ({"type": "LMDirichlet"}, "LMDirichlet")],
)
def test_another_scoring_of_the_index_is_told(default, name):
    told = notes(settings=[{"similarity": {"default": default}}])
    assert told == [f"the index scores by {name}, not by the usual BM25"]


def test_indexes_that_analyse_differently_are_told():
    mappings = [
        {"properties": {"title": {**TEXT, "analyzer": name}, "abstract": TEXT}}
        for name in ("english", "simple")
    ]
    address = parse_address("opensearch://localhost/theirs")
    told = note_oddities(choose_fields(address, mappings), mappings, [{}, {}])
    assert told == [
        "the indexes split title into words in different ways; that of the first is used"
    ]
