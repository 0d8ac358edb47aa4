"""One download at a time into a folder."""

import errno
import fcntl

import pytest

from likewise.documents.remote.file_fetcher import lock_folder
from likewise.errors import DownloadError


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    with (
        lock_folder(tmp_path),
        pytest.raises(DownloadError, match="another likewise is downloading into this folder"),
        lock_folder(tmp_path),
    ):
        pass


def test_a_folder_is_free_afterwards(tmp_path):
    with lock_folder(tmp_path):
        pass
    with lock_folder(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()


def test_a_disk_without_locks_is_used_without(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with lock_folder(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()
