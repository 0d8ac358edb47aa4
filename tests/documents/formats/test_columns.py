import pytest

from likewise.documents.formats.tables import FIELDS, NAMES, find_places


@pytest.mark.parametrize("spelling", ["Publication Year", "publication_year", "PUBLICATION-YEAR:"])
def test_case_spaces_and_punctuation_of_a_name_do_not_matter(spelling):
    assert find_places([spelling]) == {"year": (0,)}


def test_the_id_column_of_web_of_science_holds_keywords():
    assert find_places(["TI", "SO", "ID", "DE"])["keywords"] == (3, 2)


def test_an_id_column_elsewhere_holds_the_id():
    assert find_places(["ID", "Title"])["id"] == (0,)


def test_two_columns_of_one_name_are_both_kept():
    assert find_places(["title", "Title"]) == {"title": (0, 1)}


def test_every_field_of_a_document_has_a_name():
    assert set(FIELDS) <= set(NAMES)


def test_no_name_stands_for_two_fields():
    names = " ".join(NAMES.values()).split()
    assert len(names) == len(set(names))


def test_each_of_our_own_columns_is_known_by_its_name():
    assert [next(iter(find_places([field]))) for field in FIELDS] == list(FIELDS)
