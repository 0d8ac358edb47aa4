import pytest

from likewise.documents import Document
from likewise.errors import LibraryError, LibraryNameError, UnknownLibraryError
from likewise.library import open_library
from likewise.library.collection import NOTE, Collection


@pytest.fixture
def collection(tmp_path):
    return Collection(tmp_path)


def names(collection):
    return [library.name for library in collection.list_libraries()]


def test_a_library_that_is_made_is_listed_under_its_name(collection):
    collection.create("  Ménière's\n disease ")
    assert names(collection) == ["Ménière's disease"]


def test_the_folder_of_a_library_is_called_by_plain_letters(collection):
    assert collection.create("Ménière's disease").id == "meniere-s-disease"


def test_names_that_differ_in_signs_alone_get_folders_of_their_own(collection):
    assert [collection.create(name).id for name in ("A/B", "A+B")] == ["a-b", "a-b-2"]


def test_a_new_library_can_be_opened_and_is_empty(collection):
    with open_library(collection.create("Cats").path) as library:
        assert library.count() == 0


def test_the_same_name_twice_is_refused_whatever_its_case(collection):
    collection.create("Cats")
    with pytest.raises(LibraryNameError, match="there is a library 'Cats' already"):
        collection.create("cats ")


def test_a_name_that_says_nothing_is_refused(collection):
    with pytest.raises(LibraryNameError, match="needs a name"):
        collection.create("  ")


def test_a_name_that_steers_screens_is_refused(collection):
    with pytest.raises(LibraryNameError, match="needs a name"):
        collection.create("a\x1bb")


def test_a_library_called_sessions_is_not_where_sessions_are(collection):
    assert collection.create("Sessions").id == "sessions-2"


def test_renaming_keeps_the_folder(collection):
    made = collection.create("Cats")
    assert collection.rename(made.id, "Dogs").path == made.path
    assert names(collection) == ["Dogs"]


def test_a_library_may_keep_its_own_name_when_it_is_renamed(collection):
    made = collection.create("cats")
    assert collection.rename(made.id, "Cats").name == "Cats"


def test_a_deleted_library_is_gone_with_its_files(collection):
    made = collection.create("Cats")
    collection.delete(made.id)
    assert not list(collection.folder.iterdir())


@pytest.mark.parametrize("identifier", ["", "..", "nothing", "a/b", "sessions"])
def test_what_is_no_library_is_not_found(collection, identifier):
    with pytest.raises(UnknownLibraryError):
        collection.get(identifier)


def test_a_library_that_was_indexed_into_the_folder_is_called_by_it(collection):
    with open_library(collection.folder / "papers", write=True) as library:
        library.add([Document(id="1", title="On cats")])
        library.commit()
    assert names(collection) == ["papers"]


def test_what_a_killed_process_left_is_neither_listed_nor_kept(collection):
    open_library(collection.folder / ".new-abc", write=True).close()
    assert names(collection) == []
    collection.sweep()
    assert not list(collection.folder.iterdir())


def test_a_damaged_note_is_told_with_the_way_out(collection):
    made = collection.create("Cats")
    (made.path / NOTE).write_text("{")
    with pytest.raises(LibraryError, match=r"collected\.json: damaged .*; delete it"):
        collection.get(made.id)
