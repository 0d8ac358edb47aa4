import pytest

from likewise.errors import LibraryError
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.foreign import check_sources, note_oddities
from likewise.library.opensearch.foreign_fields import choose_fields

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
    assert told == ["so not kept in _source, so that stays empty"]


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
        ({"similarity": "boolean"}, "title is scored by boolean, not by BM25 as it comes"),
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
    assert told == [f"the index scores by {name}, not by BM25 as it comes"]


def test_indexes_that_analyse_differently_are_told():
    mappings = [
        {"properties": {"title": {**TEXT, "analyzer": name}, "abstract": TEXT}}
        for name in ("english", "simple")
    ]
    address = parse_address("opensearch://localhost/theirs")
    told = note_oddities(choose_fields(address, mappings), mappings, [{}, {}])
    assert told == [
        "title is made into words in different ways by its indexes; the first one's is used"
    ]
