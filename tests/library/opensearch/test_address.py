"""Addresses of clusters: one spelling, no secrets, and names of fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.errors import LibraryError, LikewiseError, SettingsError
from likewise.library.opensearch.address import (
    Address,
    Fields,
    Host,
    add_fields,
    parse_address,
)

hosts = st.builds(
    Host,
    st.sampled_from(["localhost", "node-1.example.org", "10.0.0.7", "::1", "2001:db8::1"]),
    st.integers(1, 65535),
)
names = st.text(st.characters(categories=["L", "N", "P"]), min_size=1)
fields = st.dictionaries(st.sampled_from(Fields._fields), names, max_size=3)
addresses = st.builds(
    Address,
    st.lists(hosts, min_size=1, max_size=3, unique=True).map(tuple),
    st.from_regex(r"[a-zé0-9.][a-z0-9_.+@&=-]{0,20}x", fullmatch=True),
    kind=st.sampled_from(["opensearch", "elasticsearch"]),
    secure=st.booleans(),
    fields=fields.map(lambda given: Fields(**given)),
)


@given(addresses)
def test_what_is_spelled_is_read_back(address):
    assert parse_address(str(address)) == address


def test_ports_that_are_not_said_are_9200_or_that_of_https():
    plain, secure = "opensearch://a,b:1/papers", "elasticsearch+https://a,b:1/papers"
    assert parse_address(plain).hosts == (Host("a", 9200), Host("b", 1))
    assert parse_address(secure).hosts == (Host("a", 443), Host("b", 1))


def test_an_address_has_one_spelling():
    written = "OpenSearch+HTTPS://Node.Example.org,node.example.org/papers/?title=ti&id=pmid"
    spelled = "opensearch+https://node.example.org:443/papers?id=pmid&title=ti"
    assert str(parse_address(written)) == spelled


def test_fields_that_were_not_said_are_left_out():
    address = parse_address("opensearch://a/papers?abstract=text.en")
    assert address.fields.to_dict() == {"abstract": "text.en"}


@pytest.mark.parametrize(
    "text",
    [
        "opensearch://me:s3cret@host:9200/papers",
        "opensearch://me:s3/cret@host:9200/papers",
        "opensearch://me:s3?cret@host:9200/papers",
        "opensearch://host:s3cret/papers",
        "opensearch://host/papers?password=s3cret",
        "opensearch://host/papers?api_key=s3cret&title=ti",
    ],
)
def test_secrets_in_an_address_are_refused_and_not_repeated(text):
    with pytest.raises(LikewiseError) as caught:
        parse_address(text)
    assert "s3" not in str(caught.value)
    assert "cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_who_writes_a_password_into_an_address_is_told_where_it_belongs():
    with pytest.raises(LibraryError, match=r"LIKEWISE_OPENSEARCH_USER.*netrc"):
        parse_address("opensearch+https://me:secret@host/papers")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("opensearch://host", "name of an index is missing"),
        ("opensearch://host/", "name of an index is missing"),
        ("opensearch:///papers", "is not a host and port"),
        ("opensearch://host:0/papers", "is not a host and port"),
        ("opensearch://host:99999/papers", "is not a host and port"),
        ("opensearch://a,,b/papers", "is not a host and port"),
        ("opensearch://host/a/b", "is not the name of an index"),
        ("opensearch://host/a,b", "is not the name of an index"),
        ("opensearch://host/papers-*", "is not the name of an index"),
        ("opensearch://host/_all", "is not the name of an index"),
        ("opensearch://host/%2e%2E", "is not the name of an index"),
        ("opensearch://host/" + "x" * 256, "is not the name of an index"),
        ("https://host/papers", "not the address of a cluster"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_with_an_example(text, said):
    with pytest.raises(LibraryError, match=said) as caught:
        parse_address(text)
    assert "papers" in str(caught.value)


@pytest.mark.parametrize("text", ["papers", "opensearch", "C:\\opensearch", "opensearch:a"])
def test_only_the_schemes_of_clusters_make_an_address(text):
    assert parse_address("OPENSEARCH://a/b") == parse_address("opensearch://a/b")
    with pytest.raises(LibraryError, match=r"^not the address of a cluster"):
        parse_address(text)


def test_fields_are_folded_into_the_address():
    folded = add_fields("opensearch://a/papers?title=old&mesh=mh", "title=ti, abstract=ab")
    assert folded == "opensearch://a:9200/papers?title=ti&abstract=ab&mesh=mh"


def test_fields_with_signs_of_addresses_survive():
    folded = add_fields("opensearch://a/papers", "id=@id,title=a&b")
    assert parse_address(folded).fields == Fields(id="@id", title="a&b")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("titel=ti", "no field 'titel'.*give some of id, title, abstract"),
        ("title", "title is given without the name"),
        ("title=", "title is given without the name"),
        ("title=a,title=b", "title is given twice"),
        ("", "no field ''"),
    ],
)
def test_wrong_fields_are_refused_by_name(fields, said):
    with pytest.raises(SettingsError, match=said):
        add_fields("opensearch://a/papers", fields)


def test_this_machine_is_known_by_its_names():
    assert all(Host(name, 1).is_loopback for name in ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
    assert not any(Host(name, 1).is_loopback for name in ["example.org", "10.0.0.1", "::2"])
