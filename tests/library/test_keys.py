import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import UnknownDocumentError
from likewise.library.keys import (
    COLUMN_NAMES,
    list_filled_fields,
    list_keys,
    look_up_documents,
    pack_id,
    unpack_ids,
)
from likewise.library.memory import MemoryLibrary

numbers = st.integers(0, 10**20).map(str)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.lists(st.one_of(numbers, texts, texts.map(lambda text: text * 9)), max_size=20))
def test_ids_come_back_from_their_columns(ids):
    packed = [pack_id(identifier) for identifier in ids]

    def column(name, rows):
        return [packed[row].get(name, 0) for row in rows]

    assert unpack_ids(len(ids), column=column, whole=ids.__getitem__) == ids


@given(texts)
def test_columns_hold_numbers_of_64_bits(identifier):
    assert all(0 <= number < 2**64 for number in pack_id(identifier).values())


def test_a_pmid_needs_one_column():
    assert pack_id("33982933") == {"id_0": 33982933}


def test_a_doi_needs_as_many_columns_as_it_is_long():
    assert list(pack_id("10.1016/j.jclinepi.2020.01.001")) == list(COLUMN_NAMES[:4])


def test_a_number_with_leading_zeros_is_not_taken_for_another():
    assert pack_id("007") != pack_id("7")


def test_a_document_is_found_by_its_id_its_identity_and_its_former_ids():
    paper = Document(id="a", pmid="7", doi="10.1/x", other_ids=("id:b", "pii:c"))
    assert list_keys(paper) == ["id:a", "id:b", "pmid:7", "doi:10.1/x"]


def test_fields_that_say_something_are_named():
    assert list_filled_fields(Document(id="a", title="Cats", year=1999)) == ["title", "year"]


@pytest.fixture
def library():
    library = MemoryLibrary()
    library.add(
        [
            Document(id="a", pmid="7", doi="10.1000/x", pmcid="PMC5", title="A"),
            Document(id="7", title="Its id is the other's PMID"),
        ]
    )
    library.commit()
    return library


@pytest.mark.parametrize("asked", ["a", "pmid 7", "PMID:7", "doi:10.1000/X", "PMC5", "pmc5"])
def test_any_identifier_finds_a_document(library, asked):
    assert [paper.id for paper in look_up_documents(library, [asked])] == ["a"]


def test_an_id_goes_before_a_pmid(library):
    assert [paper.id for paper in look_up_documents(library, ["7"])] == ["7"]


def test_documents_come_in_the_order_asked(library):
    assert [paper.id for paper in look_up_documents(library, ["PMC5", "7"])] == ["a", "7"]


def test_what_is_not_there_is_named(library):
    with pytest.raises(UnknownDocumentError, match="no document x, y;"):
        look_up_documents(library, ["x", "a", "y"])
