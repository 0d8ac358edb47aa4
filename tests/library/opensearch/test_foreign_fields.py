import pytest

from likewise.errors import LibraryError
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.foreign_fields import (
    choose_fields,
    find_copies,
    join_names,
    read_fields,
)

TEXT, KEYWORD, LONG = {"type": "text"}, {"type": "keyword"}, {"type": "long"}
BY_DEFAULT = {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}


def address(fields=""):
    return parse_address(f"opensearch://localhost/theirs{'?' if fields else ''}{fields}")


def mapping(**properties):
    return {"properties": properties}


def chosen(fields="", **properties):
    return choose_fields(address(fields), [mapping(**properties)])


def refused(fields="", **properties):
    with pytest.raises(LibraryError) as raised:
        chosen(fields, **properties)
    assert "\n" not in str(raised.value)
    return str(raised.value)


# The mapping


def test_fields_within_objects_and_made_of_others_have_dotted_names():
    found = read_fields(mapping(meta=mapping(ti={**TEXT, "fields": {"en": TEXT}})))
    assert {name: field.source for name, field in found.items()} == {
        "meta": "meta",
        "meta.ti": "meta.ti",
        "meta.ti.en": "meta.ti",
    }


def test_an_alias_is_the_field_that_it_stands_for():
    found = read_fields(mapping(ti=TEXT, headline={"type": "alias", "path": "ti"}))
    assert found["headline"].name == "ti"


def test_what_is_copied_into_a_field_is_told():
    copying = {**TEXT, "copy_to": ["all", "more"]}
    assert find_copies(mapping(ti=copying, ab={**TEXT, "copy_to": "all"})) == {"all", "more"}


# Text


def test_fields_of_our_own_names_are_taken_without_saying():
    found = chosen(title=TEXT, abstract=TEXT).text
    assert {part: field.name for part, field in found.items()} == {
        "title": "title",
        "abstract": "abstract",
    }


def test_fields_that_are_named_are_taken():
    found = chosen("title=ti.en&abstract=meta.ab", ti={**KEYWORD, "fields": {"en": TEXT}},
                   meta=mapping(ab=TEXT))  # fmt: skip
    assert [found.text[part].name for part in ("title", "abstract")] == ["ti.en", "meta.ab"]
    assert (found.sources["title"], found.sources["abstract"]) == ("ti", "meta.ab")


def test_one_of_title_and_abstract_is_enough():
    found = chosen("abstract=body", body=TEXT)
    assert list(found.text) == ["abstract"]
    assert "title" not in found.sources


def test_text_that_is_made_of_a_keyword_is_found():
    found = chosen(title={**KEYWORD, "fields": {"words": TEXT}})
    assert found.text["title"].name == "title.words"


def test_a_field_that_is_not_there_is_told_with_the_nearest_names():
    assert refused("title=titel", title=TEXT, abstract=TEXT) == (
        "opensearch://localhost:9200/theirs?title=titel: title=titel: the index has no such field; "
        "there is title"
    )


def test_a_keyword_can_not_be_searched_for_words():
    said = refused("title=ti", ti=KEYWORD, body=TEXT)
    assert said.endswith(
        "title=ti: its type is keyword, not text, so words in it can't be found; there is body"
    )


def test_text_that_is_not_indexed_can_not_be_searched():
    said = refused("title=ti", ti={**TEXT, "index": False})
    assert said.endswith("title=ti: it is not indexed, so it can't be searched")


def test_text_in_nested_objects_is_not_searched():
    nested = {"type": "nested", **mapping(ab=TEXT)}
    assert "it lies in a nested object" in refused("abstract=parts.ab", parts=nested, title=TEXT)


def test_an_index_without_title_and_abstract_tells_what_text_it_has():
    said = refused(ti=TEXT, ab=TEXT, pmid=KEYWORD)
    assert said.endswith(
        "it has neither title nor abstract; its text fields are ab, ti; say which is what: "
        "--fields title=ti,abstract=ab"
    )


@pytest.mark.parametrize(
    ("texts", "example"),
    [
        (["x"], "title=x"),
        (["x", "y"], "title=x,abstract=y"),
        (["body", "x"], "title=x,abstract=body"),
    ],
)
def test_the_example_names_what_there_is(texts, example):
    assert refused(**dict.fromkeys(texts, TEXT)).endswith(f"--fields {example}")


def test_an_index_without_text_is_refused():
    assert refused(pmid=KEYWORD).endswith("it has no text field, so nothing can be found")


# Ids


def test_ids_are_those_of_the_server_if_nothing_is_said():
    assert chosen(title=TEXT).id is None


@pytest.mark.parametrize(
    ("named", "kind", "name"),
    [("", KEYWORD, "id"), ("id=pmid", LONG, "pmid"), ("id=pmid", BY_DEFAULT, "pmid.keyword")],
)
def test_ids_are_of_a_field_that_can_be_sorted_by(named, kind, name):
    assert chosen(named, title=TEXT, **{name.split(".")[0]: kind}).id.name == name


@pytest.mark.parametrize("kind", [TEXT, {**KEYWORD, "doc_values": False}, {"type": "date"}])
def test_where_ids_can_not_be_sorted_by_documents_are_known_by_the_servers(kind):
    found = chosen("id=pmid", title=TEXT, pmid=kind)
    assert found.id is None
    assert found.notes == [
        f"pmid is {kind['type']}, and can't be sorted, so documents are known by their _id"
    ]


def test_ids_must_be_in_every_index():
    both = [mapping(title=TEXT, id=KEYWORD), mapping(title=TEXT)]
    assert choose_fields(address(), both).id is None


def test_the_servers_ids_can_be_asked_for():
    assert chosen("id=_id", title=TEXT, id=KEYWORD).id is None


# The rest


def test_headings_are_of_a_keyword_or_of_what_is_made_as_one():
    assert chosen(title=TEXT, mesh=BY_DEFAULT).mesh.name == "mesh.keyword"


def test_headings_that_are_objects_are_counted_by_their_names():
    found = chosen(title=TEXT, mesh=mapping(ui=KEYWORD, name=BY_DEFAULT))
    assert (found.mesh.name, found.sources["mesh"]) == ("mesh.name.keyword", "mesh")


def test_headings_that_can_not_be_counted_are_told():
    found = chosen("mesh=mh", title=TEXT, mh=TEXT)
    assert (found.mesh, found.notes) == (None, ["headings in mh (text) can't be counted"])


def test_papers_are_looked_up_by_identifiers_that_are_indexed():
    found = chosen("pmid=pm", title=TEXT, doi=TEXT, pm=LONG, pmcid={**KEYWORD, "index": False})
    assert {kind: field.name for kind, field in found.identifiers.items()} == {
        "pmid": "pm",
        "doi": "doi",
    }


def test_an_identifier_that_was_named_and_can_not_be_looked_up_by_is_told():
    found = chosen("doi=di", title=TEXT, di={**KEYWORD, "index": False})
    assert found.notes == [
        "papers can't be looked up by di (keyword, not indexed): they are not found by their DOI"
    ]


def test_what_only_comes_back_may_be_an_object():
    found = chosen("authors=by&year=when", title=TEXT, by=mapping(last=TEXT), when={"type": "date"})
    assert (found.sources["authors"], found.sources["year"]) == ("by", "when")


def test_what_only_comes_back_need_not_be_mapped_where_nothing_more_is():
    closed = {"dynamic": "false", **mapping(title=TEXT)}
    assert choose_fields(address("journal=so"), [closed]).sources["journal"] == "so"


def test_a_name_that_nothing_has_is_refused():
    assert "journal=so: the index has no such field" in refused("journal=so", title=TEXT)


def test_very_many_names_are_not_listed():
    assert join_names(map(str, range(14))).endswith("10, 11 and 2 more")
