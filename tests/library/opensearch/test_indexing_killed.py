"""Indexing into a real cluster that is broken off, and goes on the next time."""

import signal
import subprocess
import sys

import pytest

from library.releases import title_of, titles_in, write_release
from likewise.documents import Document, write
from likewise.library import open_library
from likewise.library.indexing import IndexSettings, index_files

FILES, PAPERS = 4, 600

SLOW_INDEX = """
import sys, time
from likewise.library.indexing import IndexSettings, index_files

def show(progress):
    print(progress.documents, flush=True)
    time.sleep(0.02)

settings = IndexSettings(commit_documents=600)
index_files(sys.argv[1], sys.argv[2], settings=settings, on_progress=show)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Some files of papers, which tests only read."""
    folder = tmp_path_factory.mktemp("files")
    for file in range(FILES):
        ids = [f"{file}-{number}" for number in range(PAPERS)]
        papers = [Document(id=each, title=f"Paper {each}", abstract="Of rats.") for each in ids]
        write(papers, folder / f"{file}.jsonl")
    return folder


def killed_after(batches, files, address):
    """Index in another process, and kill it when it has taken in some batches."""
    command = [sys.executable, "-c", SLOW_INDEX, str(files), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(batches):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("batches", [1, 5])
def test_a_killed_run_leaves_whole_files_in_the_ledger_and_the_next_finishes_the_job(
    files, opensearch_address, batches
):
    killed_after(batches, files, opensearch_address)
    with open_library(opensearch_address) as library:
        noted = [path.rsplit("/", 1)[-1] for path in library.list_files()]
        promised = [f"{name[0]}-{number}" for name in noted for number in range(PAPERS)]
        assert len(library.get(promised)) == len(promised)
    report = index_files(files, opensearch_address)
    assert (report.skipped, report.read) == (len(noted), FILES - len(noted))
    with open_library(opensearch_address) as library:
        assert len(library.list_ids()) == report.documents == FILES * PAPERS


class Stopped(Exception):  # noqa: N818  # it stands for a power cut
    """What ends a run in the middle."""


@pytest.mark.parametrize(("error", "whole"), [(KeyboardInterrupt, 2), (Stopped, 1)])
def test_after_an_error_in_the_middle_the_next_run_goes_on(files, opensearch_address, error, whole):
    def stop(progress):
        if progress.documents > 2 * PAPERS:
            raise error

    settings = IndexSettings(commit_documents=PAPERS)
    with pytest.raises(error):
        index_files(files, opensearch_address, settings=settings, on_progress=stop)
    report = index_files(files, opensearch_address)
    assert (report.skipped, report.documents) == (whole, FILES * PAPERS)


def test_deletions_are_heard_again_on_a_cluster_too(opensearch_address, tmp_path):
    first = write_release(tmp_path, 1, records=[1, 2])
    second = write_release(tmp_path, 2, records=[1], deletions=[2])
    index_files(second, opensearch_address)
    report = index_files([first, second], opensearch_address)
    assert (report.read, report.reread) == (1, 1)
    with open_library(opensearch_address) as library:
        assert titles_in(library) == {"1": title_of(1, 2)}
