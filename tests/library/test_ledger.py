import os

import pytest
from msgspec.structs import replace

from likewise.documents.releases import Release
from likewise.library import open_library
from likewise.library.memory import MemoryLibrary
from likewise.library.protocol import FileState
from likewise.library.source_files import Ledger


@pytest.fixture
def library():
    return MemoryLibrary()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text("TY  - JOUR\n")
    return path


def is_current(library, path, **options):
    return Ledger(library).is_current(path, path.stat(), **{"format": None} | options)


def recorded(library, path, **options):
    ledger = Ledger(library)
    ledger.record(path, path.stat(), **{"format": None} | options)
    ledger.save()


def put_down_to_be_heard(ledger):
    again = {name: replace(state, to_be_heard_again=True) for name, state in ledger.states.items()}
    ledger.put_down(again)


def test_a_file_that_was_recorded_is_current(library, path):
    recorded(library, path, deletions=3)
    assert is_current(library, path)


def test_a_file_from_before_1970_is_current_too(library, path):
    os.utime(path, (-7, -7))
    recorded(library, path, deletions=3)
    assert is_current(library, path)
    assert not Ledger(library).is_to_be_heard_again(path)


def test_a_file_that_nobody_recorded_is_not(library, path):
    assert not is_current(library, path)


def test_a_file_that_was_recorded_and_not_saved_is_not(library, path):
    Ledger(library).record(path, path.stat(), format=None)
    assert not is_current(library, path)


def test_a_file_of_another_time_is_not(library, path):
    recorded(library, path)
    os.utime(path, (1, 1))
    assert not is_current(library, path)


def test_a_file_read_as_another_format_is_not(library, path):
    recorded(library, path)
    assert not is_current(library, path, format="csv")


def test_only_what_is_new_is_saved(library, path, monkeypatch):
    noted = []
    monkeypatch.setattr(library, "note_files", noted.append)
    ledger = Ledger(library)
    ledger.save()
    ledger.record(path, path.stat(), format=None)
    ledger.save()
    ledger.save()
    assert [list(states) for states in noted] == [[str(path.resolve())]]


STATES = {
    "/a/pubmed26n0002.xml.gz": FileState(1, 1, None, 5),
    "/b/pubmed26n0001.xml.gz": FileState(1, 1),
    "/b/pubmed25n0900.xml.gz": FileState(1, 1, None, 9),
    "/b/pubmed26n0010.xml": FileState(1, 1, "pubmed", 1),
    "/updates.xml": FileState(1, 1, None, 7),
}


def test_the_newest_release_is_that_of_the_latest_year_and_number(library):
    library.note_files(STATES)
    assert Ledger(library).find_newest_release() == Release(26, 10)


def test_without_releases_none_is_the_newest(library):
    library.note_files({"/updates.xml": FileState(1, 1)})
    assert Ledger(library).find_newest_release() is None


def test_later_files_with_deletions_are_known_in_their_order(library):
    library.note_files(STATES)
    later = Ledger(library).list_deleting_after(Release(25, 900))
    assert list(later) == ["/a/pubmed26n0002.xml.gz", "/b/pubmed26n0010.xml"]


def test_a_file_to_be_heard_again_is_current_and_known_for_its_deletions(library, path):
    recorded(library, path, deletions=3)
    ledger = Ledger(library)
    assert not ledger.is_to_be_heard_again(path)
    put_down_to_be_heard(ledger)
    assert Ledger(library).is_to_be_heard_again(path)
    assert is_current(library, path)
    assert library.files_read()[str(path.resolve())].deletions == 3


def test_a_file_that_was_heard_again_and_recorded_is_not_to_be_heard_any_more(library, path):
    recorded(library, path, deletions=3)
    ledger = Ledger(library)
    put_down_to_be_heard(ledger)
    recorded(library, path, deletions=3)
    assert not Ledger(library).is_to_be_heard_again(path)


def test_putting_nothing_down_writes_nothing(library, monkeypatch):
    monkeypatch.setattr(library, "note_files", None)
    assert Ledger(library).put_down({}) is None


def test_the_ledger_of_a_folder_is_written_as_it_always_was(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.note_files({"/a.ris": FileState(7, 99), "/b.txt": FileState(8, 98, "csv")})
    assert (tmp_path / "lib" / "sources.json").read_text() == (
        '{\n  "/a.ris": {\n    "size": 7,\n    "modified": 99\n  },\n'
        '  "/b.txt": {\n    "size": 8,\n    "modified": 98,\n    "format": "csv"\n  }\n}'
    )


def test_the_ledger_of_an_older_likewise_is_read(tmp_path):
    open_library(tmp_path / "lib", write=True).close()
    written = '{"/a.ris": {"size": 7, "modified": 99, "format": null}}'
    (tmp_path / "lib" / "sources.json").write_text(written)
    with open_library(tmp_path / "lib") as library:
        assert library.files_read() == {"/a.ris": FileState(7, 99)}
