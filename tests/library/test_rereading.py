"""Releases of PubMed read in the wrong order, in part, or broken off."""

import itertools
import tempfile
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.releases import title_of, titles_in, write_release
from likewise.library.indexing import IndexSettings, index_files
from likewise.library.memory import MemoryLibrary


@pytest.fixture
def library():
    return MemoryLibrary()


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
    found = "an earlier file of PubMed was read after its notices of deletion, as after those of 1"
    advice = "what they delete may be back: index them once more"
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
