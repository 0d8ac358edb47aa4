"""Changes: a library tells what came and what was revised since, by its own order, not a clock."""

import shutil
from dataclasses import astuple

import pytest

from library.test_old_formats import make_library
from likewise.documents import Document
from likewise.library import open_library
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.indexing import index_files
from likewise.library.memory import MemoryLibrary
from likewise.library.protocol import LibraryChanges, find_changes

ONE, TWO, THREE = (Document(id=name, title=f"Paper {name}") for name in "123")


@pytest.fixture(params=["memory", "embedded"])
def library(request, tmp_path):
    with (
        MemoryLibrary()
        if request.param == "memory"
        else EmbeddedLibrary(tmp_path / "lib", write=True)
    ) as made:
        made.add([ONE, TWO])
        made.commit()
        yield made


def test_nothing_has_changed_since_now(library):
    now = library.list_changes()
    assert library.list_changes(now.position) == now
    assert now.library


def test_what_was_added_is_told_once(library):
    before = library.list_changes().position
    library.add([THREE])
    library.commit()
    changes = library.list_changes(before)
    assert (changes.added, changes.revised) == (("3",), ())
    assert library.list_changes(changes.position).added == ()


def test_what_was_revised_is_told_apart_from_what_was_added(library):
    before = library.list_changes().position
    library.add([THREE, Document(id="1", title="Paper 1, revised")])
    library.commit()
    assert astuple(library.list_changes(before))[2:] == (("3",), ("1",))


def test_what_was_added_and_then_revised_is_new_to_who_saw_neither(library):
    before = library.list_changes().position
    library.add([THREE])
    library.commit()
    between = library.list_changes().position
    library.add([Document(id="3", title="Paper 3, revised")])
    library.commit()
    assert astuple(library.list_changes(before))[2:] == (("3",), ())
    assert astuple(library.list_changes(between))[2:] == ((), ("3",))


def test_what_was_deleted_is_not_told_and_brings_no_position_back(library):
    library.add([THREE])
    library.commit()
    position = library.list_changes().position
    library.delete(["3"])
    library.commit()
    assert library.list_changes(position).position >= position
    library.add([THREE])
    library.commit()
    assert library.list_changes(position).added == ("3",)


def test_what_is_not_committed_is_not_told(library):
    before = library.list_changes().position
    library.add([THREE])
    assert library.list_changes(before).added == ()


def test_later_processes_go_on_where_earlier_ones_were(tmp_path):
    for document in (ONE, TWO, THREE):
        with EmbeddedLibrary(tmp_path / "lib", write=True) as library:
            before = library.list_changes().position
            library.add([document])
            library.commit()
    with open_library(tmp_path / "lib") as library:
        assert find_changes(library, before).added == ("3",)


def test_a_file_that_is_read_again_changes_nothing_and_one_that_grew_adds_the_rest(tmp_path):
    file = tmp_path / "refs.ris"
    file.write_text("TY  - JOUR\nID  - a\nTI  - Cats and their ways\nER  -\n")
    index_files(file, tmp_path / "lib")
    with open_library(tmp_path / "lib") as library:
        before = find_changes(library)
    file.write_text(file.read_text() + "TY  - JOUR\nID  - b\nTI  - Dogs and their ways\nER  -\n")
    index_files(file, tmp_path / "lib")
    with open_library(tmp_path / "lib") as library:
        assert astuple(find_changes(library, before.position))[2:] == (("b",), ())


def test_a_library_made_anew_in_the_same_place_is_another(tmp_path):
    identities = []
    for _ in range(2):
        with EmbeddedLibrary(tmp_path / "lib", write=True) as library:
            identities.append(library.list_changes().library)
        shutil.rmtree(tmp_path / "lib")
    assert identities[0] != identities[1]


def test_a_library_of_an_earlier_format_keeps_no_order_and_can_be_added_to(tmp_path):
    folder = make_library(tmp_path / "lib", number=2)
    with EmbeddedLibrary(folder, write=True) as library:
        library.add([THREE])
        library.commit()
        assert find_changes(library, 0) == LibraryChanges("", 0)
