"""One download at a time into a folder."""

import errno
import fcntl

import pytest

from likewise.documents.remote.folder_lock import locked
from likewise.errors import DownloadError


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    with (
        locked(tmp_path),
        pytest.raises(DownloadError, match="another likewise is downloading into this folder"),
        locked(tmp_path),
    ):
        pass


def test_a_folder_is_free_afterwards(tmp_path):
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()


def test_a_disk_without_locks_is_used_without(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with locked(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()
