import gzip
import zipfile

import pytest

from likewise.errors import LibraryError, ReadError
from likewise.library import open_library, receiving
from likewise.library.collection import Collection
from likewise.library.receiving import (
    add_sample,
    check_unpacked,
    drop_waiting,
    list_waiting,
    receive_file,
    take_waiting,
)


@pytest.fixture
def cats(tmp_path):
    return Collection(tmp_path).create("Cats")


def ris(*titles, year=2001):
    records = (f"TY  - JOUR\nTI  - {title}\nPY  - {year}\nER  - \n" for title in titles)
    return "".join(records).encode()


PURR = "How the purring of cats soothes those who listen"
SLEEP = "The sleep of cats in houses that are heated in winter"
MILK = "Milk in the diet of grown cats and what it does there"


def give(library, content, name="refs.ris"):
    with receive_file(library, name) as reception:
        reception.write(content)
        return reception.finish()


def take(library, content, name="refs.ris"):
    library = Collection(library.path.parent).get(library.id)
    give(library, content, name)
    (taken,) = take_waiting(library)
    return taken


def test_a_file_waits_until_it_is_taken(cats):
    give(cats, ris(PURR))
    assert [file.name for file in list_waiting(cats)] == ["refs.ris"]
    take_waiting(cats)
    assert list_waiting(cats) == []


def test_records_are_counted_as_new_merged_and_unchanged(cats):
    take(cats, ris(PURR, SLEEP))
    again = b"TY  - JOUR\nTI  - " + PURR.encode() + b"\nPY  - 2001\nJO  - Cats\nER  - \n"
    taken = take(cats, again + ris(MILK), name="more.ris")
    assert (taken.records, taken.added, taken.merged) == (2, 1, 1)


def test_what_was_taken_is_in_the_library(cats):
    take(cats, ris(PURR, SLEEP))
    with open_library(cats.path) as library:
        assert library.count() == 2


def test_what_was_taken_is_noted_under_the_name_of_its_file(cats):
    take(cats, ris(PURR))
    (file,) = Collection(cats.path.parent).get(cats.id).note.files
    assert (file.name, file.added, file.is_whole) == ("refs.ris", 1, True)


def test_papers_say_which_file_they_are_from(cats):
    take(cats, ris(PURR))
    with open_library(cats.path) as library:
        assert library.info().sources == {"ris:refs.ris": 1}


def test_a_file_given_twice_is_kept_once_whatever_it_is_called(cats):
    give(cats, ris(PURR))
    assert give(cats, ris(PURR), name="other.ris").same_as == "refs.ris"
    assert len(list_waiting(cats)) == 1


def test_a_file_that_was_taken_is_not_taken_again(cats):
    take(cats, ris(PURR))
    library = Collection(cats.path.parent).get(cats.id)
    assert give(library, ris(PURR)).same_as == "refs.ris"
    assert list_waiting(library) == []


def test_another_file_of_the_same_name_gets_a_number(cats):
    give(cats, ris(PURR), name="export.ris.gz")
    assert give(cats, ris(SLEEP), name="export.ris.gz").file.name == "export-2.ris.gz"


def test_a_file_that_did_not_come_to_its_end_is_not_kept(cats):
    with receive_file(cats, "refs.ris") as reception:
        reception.write(ris(PURR))
    assert list_waiting(cats) == []


def test_a_record_that_cannot_be_read_is_told_by_the_name_of_the_file(cats):
    taken = take(cats, ris(PURR) + b"TY  - JOUR\nAU  - Li, X\nER  - \n")
    assert (taken.added, taken.broken) == (1, 1)
    assert taken.problems[0].startswith("refs.ris:5: ")


def test_a_file_of_no_format_is_told_and_the_next_one_is_taken(cats):
    give(cats, b"\x00\x01nothing that anybody reads", name="a.bin")
    give(cats, ris(PURR), name="b.ris")
    broken, whole = take_waiting(cats)
    assert (broken.is_whole, whole.is_whole) == (False, True)
    assert broken.problems
    assert whole.added == 1


def test_a_file_that_could_not_be_read_can_be_given_again(cats):
    take(cats, b"\x00\x01nothing", name="a.bin")
    assert not give(Collection(cats.path.parent).get(cats.id), b"\x00\x01nothing").same_as


def test_a_file_that_unpacks_to_too_much_is_told_and_nothing_of_it_is_taken(cats):
    give(cats, gzip.compress(ris(PURR) + b" " * 5_000_000), name="refs.ris.gz")
    (taken,) = take_waiting(cats, most_bytes=1_000_000)
    assert taken.records == 0
    assert "holds more than" in taken.problems[0]


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("sheet.xml", b" " * 5_000_000)
    with pytest.raises(ReadError, match="holds more than"):
        check_unpacked(tmp_path / "a.xlsx", most_bytes=1_000_000)


def test_a_process_that_is_killed_leaves_the_file_waiting_and_the_library_as_it_was(
    cats, monkeypatch
):
    give(cats, ris(PURR))

    def kill(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("likewise.library.embedded.EmbeddedLibrary.commit", kill)
    with pytest.raises(KeyboardInterrupt):
        take_waiting(cats)
    monkeypatch.undo()
    with open_library(cats.path) as library:
        assert library.count() == 0
    assert len(list_waiting(cats)) == 1


def test_files_that_wait_can_be_dropped(cats):
    give(cats, ris(PURR))
    drop_waiting(cats)
    assert list_waiting(cats) == []


def test_a_library_deleted_while_a_file_comes_is_told(cats):
    with receive_file(cats, "refs.ris") as reception:
        reception.write(ris(PURR))
        Collection(cats.path.parent).delete(cats.id)
        with pytest.raises(LibraryError, match="Cats: deleted while a file was on its way"):
            reception.finish()


def test_the_sample_waits_like_any_other_file(cats, monkeypatch):
    def fetch(folder, **_):
        folder.mkdir(parents=True)
        (folder / "pubmed.ris").write_bytes(ris(PURR))
        return [folder / "pubmed.ris"]

    monkeypatch.setattr(receiving, "fetch_sample", fetch)
    add_sample(cats)
    assert [file.name for file in list_waiting(cats)] == ["pubmed.ris"]
