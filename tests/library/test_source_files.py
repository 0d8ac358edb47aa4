"""The files of a library: the ledger, and deletions that are heard again."""

import itertools
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from library.releases import title_of, titles_in, write_release
from likewise.documents.releases import Release
from likewise.library import open_library
from likewise.library.indexing import IndexSettings, index_files
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
    assert library.list_files()[str(path.resolve())].deletions == 3


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
        assert library.list_files() == {"/a.ris": FileState(7, 99)}


@pytest.fixture
def releases(tmp_path):
    """A baseline of two files, and two updates that delete from it."""
    return [
        write_release(tmp_path, 1, records=[1, 2]),
        write_release(tmp_path, 2, records=[3, 4]),
        write_release(tmp_path, 3, records=[1], deletions=[2, 3]),
        write_release(tmp_path, 4, records=[3], deletions=[4]),
    ]


def indexed(library, *sources, **settings):
    """Index into a library in memory, which lives on from run to run."""
    problems = []
    with patch("likewise.library.indexing.open_library", lambda *_, **__: library):
        report = index_files(
            sources, "lib", settings=IndexSettings(**settings), on_problem=problems.append
        )
    return report, [str(problem) for problem in problems]


LEFT = {"1": title_of(1, 3), "3": title_of(3, 4)}


def test_baseline_and_updates_are_read_in_the_order_of_their_numbers(releases, library):
    report, _ = indexed(library, *reversed(releases))
    assert titles_in(library) == LEFT
    assert (report.read, report.reread, report.counts.deleted) == (4, 0, 3)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_files_given_one_by_one_in_any_order_and_then_together_give_the_same(
    releases, library, order
):
    for place in order:
        indexed(library, releases[place])
    indexed(library, *releases)
    assert titles_in(library) == LEFT


def test_what_later_files_deleted_does_not_come_back_with_an_earlier_one(releases, library):
    indexed(library, *releases[1:])
    report, problems = indexed(library, *releases)
    assert titles_in(library) == LEFT
    assert (report.read, report.reread, report.skipped, problems) == (1, 2, 1, [])


def test_files_whose_deletions_are_not_at_hand_are_named_and_read_when_they_are(releases, library):
    baseline, *others = releases
    indexed(library, *others)
    _, problems = indexed(library, baseline)
    found = "an earlier file of PubMed was read after its notices of deletion, and after those of 1"
    advice = "deleted records may be back: index these files again"
    assert problems == [f"{others[1]}: {found} more; {advice}"]
    assert "2" in titles_in(library)
    report, problems = indexed(library, *releases)
    assert (titles_in(library), report.read, report.reread, problems) == (LEFT, 0, 2, [])


def test_an_earlier_file_that_brings_nothing_has_nothing_read_again(releases, library):
    indexed(library, *releases)
    releases[2].write_text(releases[2].read_text() + "\n")
    report, problems = indexed(library, *releases)
    assert (report.read, report.reread, report.skipped, problems) == (1, 0, 3, [])
    assert indexed(library, *releases)[0].skipped == 4


def test_files_moved_to_another_folder_are_read_again_and_nobody_misses_the_old_ones(
    releases, library, tmp_path
):
    indexed(library, *releases)
    (tmp_path / "moved").mkdir()
    moved = [path.rename(tmp_path / "moved" / path.name) for path in releases]
    report, problems = indexed(library, *moved)
    assert (titles_in(library), report.read, problems) == (LEFT, 4, [])


def test_a_persons_own_record_is_not_deleted_by_notices_that_are_heard_again(
    releases, library, tmp_path
):
    indexed(library, *releases[1:])
    (tmp_path / "mine.csv").write_text("id,pmid,title\n4,4,Kept by me\n")
    indexed(library, tmp_path / "mine.csv")
    report, _ = indexed(library, *releases)
    assert report.reread == 2
    assert titles_in(library) == LEFT | {"4": "Kept by me"}


def test_a_record_that_came_after_its_deletion_in_one_file_stays_when_that_is_heard_again(
    library, tmp_path
):
    first = write_release(tmp_path, 1, records=[1])
    second = write_release(tmp_path, 2, records=[2], deletions=[2], deleted_first=True)
    indexed(library, second)
    assert indexed(library, first, second)[0].reread == 1
    assert titles_in(library) == {"1": title_of(1, 1), "2": title_of(2, 2)}


def test_a_file_of_another_name_may_delete_whatever_it_names(releases, library, tmp_path):
    indexed(library, *releases)
    notices = write_release(tmp_path / "other", 5, deletions=[1]).rename(tmp_path / "notices.xml")
    indexed(library, notices)
    assert set(titles_in(library)) == {"3"}


def test_files_of_a_new_year_come_after_all_of_the_last(releases, library, tmp_path):
    again = write_release(tmp_path, 1, records=[2], year=27)
    indexed(library, again, *releases)
    assert titles_in(library) == LEFT | {"2": title_of(2, 1)}


class BrokenOffError(Exception):
    """What ends a run as a power cut would."""


def broken_off(library, sources, *, after, commit_documents):
    """Index until some records were taken in; what was not committed by then is lost."""

    counted = itertools.count(1)

    def show(_):
        if next(counted) == after:
            raise BrokenOffError

    with (
        suppress(BrokenOffError),
        patch("likewise.library.indexing.open_library", lambda *_, **__: library),
        patch("likewise.library.reading.BATCH", 1),
    ):
        settings = IndexSettings(commit_documents=commit_documents)
        index_files(sources, "lib", settings=settings, on_progress=show)


@pytest.mark.parametrize("after", range(1, 9))
def test_a_run_broken_off_while_reading_again_is_made_good_by_the_next(releases, library, after):
    indexed(library, *releases[1:])
    broken_off(library, releases, after=after, commit_documents=1)
    indexed(library, *releases)
    assert titles_in(library) == LEFT


pmids = st.sets(st.integers(1, 4), max_size=3)
contents = st.tuples(pmids, pmids, st.booleans())
runs = st.tuples(st.permutations(range(4)), st.integers(1, 4), st.integers(1, 9), st.integers(1, 3))


@settings(max_examples=60)
@given(st.lists(contents, min_size=4, max_size=4), st.lists(runs, max_size=4))
def test_any_order_and_interruption_ends_in_the_library_of_one_run(told, broken):
    """Each run is given some of the files, and is broken off after some records."""
    library, undisturbed = MemoryLibrary(), MemoryLibrary()
    with tempfile.TemporaryDirectory() as folder:
        files = [
            write_release(Path(folder), number, records, deletions, deleted_first=first)
            for number, (records, deletions, first) in enumerate(told, 1)
        ]
        for order, count, after, commit in broken:
            given = [files[place] for place in order[:count]]
            broken_off(library, given, after=after, commit_documents=commit)
        indexed(library, *files)
        indexed(undisturbed, *files)
    assert titles_in(library) == titles_in(undisturbed)
    assert library.get(library.list_ids()) == undisturbed.get(undisturbed.list_ids())
