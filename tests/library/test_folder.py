import json
import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest

from likewise.documents import Document
from likewise.errors import LibraryError, NotALibraryError
from likewise.library import open_library
from likewise.library.tantivy_index import wait_for_merges


@pytest.fixture
def library(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([Document(id="1", title="Cats")])
        library.commit()
    return tmp_path / "lib"


def test_a_folder_that_does_not_exist_is_no_library(tmp_path):
    with pytest.raises(NotALibraryError, match="no library here; make one with: likewise index"):
        open_library(tmp_path / "nowhere")


def test_a_file_is_no_library(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotALibraryError, match="this is a file"):
        open_library(tmp_path / "file", write=True)


def test_a_library_of_a_later_format_is_not_touched(library):
    (library / "likewise.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(
        LibraryError, match="library format 99, but this likewise reads formats up to 4"
    ):
        open_library(library)


def test_a_damaged_marker_is_named(library):
    (library / "likewise.json").write_text("")
    with pytest.raises(NotALibraryError, match=r"likewise\.json: damaged"):
        open_library(library)


def test_a_damaged_index_ends_in_one_line(library):
    (library / "index" / "meta.json").write_text("{")
    with pytest.raises(LibraryError, match="the index is damaged"):
        open_library(library)


def test_a_library_that_was_killed_while_it_was_made_is_made_again(library):
    (library / "likewise.json").unlink()
    with open_library(library, write=True) as opened:
        assert opened.count() == 1


def test_an_empty_folder_becomes_a_library(tmp_path):
    with open_library(tmp_path, write=True) as library:
        assert library.count() == 0


def test_a_library_that_was_opened_for_reading_takes_nothing(library):
    with open_library(library) as opened, pytest.raises(LibraryError, match="for reading only"):
        opened.add([Document(id="2")])


def test_info_tells_size_and_last_change(library):
    with open_library(library) as opened:
        info = opened.info()
    assert info.bytes > 0
    assert info.changed.endswith("+00:00")


def test_an_index_that_lost_its_heart_is_not_made_anew(library):
    (library / "index" / "meta.json").unlink()
    for write in (False, True):
        with pytest.raises(LibraryError, match="the index is damaged"):
            open_library(library, write=write)
    assert list((library / "index").glob("*.store"))


def test_damaged_documents_end_in_one_line(library):
    for path in (library / "index").glob("*.store"):
        path.write_bytes(path.read_bytes()[:10])
    with pytest.raises(LibraryError, match="the index is damaged"):
        open_library(library).get(["1"])


@pytest.mark.parametrize("left", [".likewise.json.abcd", ".sources.json.abcd", "index"])
def test_what_a_kill_left_behind_does_not_stop_the_making_of_a_library(tmp_path, left):
    (tmp_path / left).mkdir()
    with open_library(tmp_path, write=True) as library:
        assert library.count() == 0


def test_a_library_that_was_only_begun_is_no_damaged_one(tmp_path):
    (tmp_path / "index").mkdir()
    (tmp_path / "likewise.json").write_text(json.dumps({"format": 3, "engine": "tantivy"}))
    with pytest.raises(NotALibraryError, match="was begun, but nothing is in it yet; finish it"):
        open_library(tmp_path)
    with open_library(tmp_path, write=True) as library:
        assert library.count() == 0


@pytest.mark.parametrize("left", [".likewise.json.abcd", ".sources.json.abcd", "index/.tmpabcd"])
def test_what_a_kill_left_half_written_is_swept_by_the_next_writer(library, left):
    (library / left).write_text("half")
    open_library(library).close()
    assert (library / left).exists()
    open_library(library, write=True).close()
    assert not (library / left).exists()


SEARCH = """
import sys
from likewise.library import open_library
from likewise.library.protocol import make_words_query
with open_library(sys.argv[1]) as library:
    found = library.find_best(make_words_query("cats", library=library), limit=5)
    titles = [document.title for document in library.get(found.ids)]
    print(found.ids, library.count(), titles, library.info().documents)
    print(library.read_papers(), library.read_rulings())
    links = library._links.name
import os
print(os.path.exists(links))
"""


def test_a_library_on_a_read_only_mount_can_be_searched(library, tmp_path):
    with open_library(library, write=True) as opened:
        opened.note_rulings({"a": "1"})
    # The mount is seen by this process alone, and ends with it.
    mounted = f"mount --bind '{library}' '{library}' && mount -o remount,bind,ro '{library}'"
    unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*unshare, mounted], capture_output=True, check=False).returncode
    ):
        pytest.skip("nothing can be mounted here")
    script = tmp_path / "search.py"
    script.write_text(SEARCH)
    command = f"{mounted} && ! touch '{library}/x' && {sys.executable} {script} '{library}'"
    done = subprocess.run([*unshare, command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['1'] 1 ['Cats'] 1", "{} {'a': '1'}", "False"]


def test_where_nothing_may_be_written_a_library_is_read_all_the_same(library, monkeypatch):
    import tantivy

    def refuse(path):
        if path == str(library / "index"):
            raise ValueError("Failed to acquire Lockfile: IoError(Os { code: 30 })")
        return real(path)

    real = tantivy.Index.open
    monkeypatch.setattr("likewise.library.tantivy_index.tantivy.Index.open", refuse, raising=False)
    with open_library(library) as opened:
        assert [document.title for document in opened.get(["1"])] == ["Cats"]


def test_others_may_read_a_library_as_far_as_the_umask_lets_them(library):
    modes = {path.name: path.stat().st_mode & 0o777 for path in library.rglob("*.json")}
    assert set(modes.values()) == {modes["likewise.json"]}


def test_small_updates_are_merged(tmp_path):
    for day in range(12):
        with open_library(tmp_path / "lib", write=True) as library:
            library.add([Document(id=f"{day}", title="Cats")])
            library.commit()
    meta = json.loads((tmp_path / "lib" / "index" / "meta.json").read_text())
    assert len(meta["segments"]) < 8
    with open_library(tmp_path / "lib") as library:
        assert library.count() == 12


def test_what_a_merge_without_space_has_left_is_deleted(library):
    left = library / "index" / f"{'a' * 32}.store"
    left.write_bytes(b"half")
    managed = library / "index" / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), left.name]))
    open_library(library, write=True).close()
    assert not left.exists()


class SlowWriter:
    """A writer that merges until it is told to end."""

    def __init__(self):
        self.ended = threading.Event()

    def wait_merging_threads(self):
        self.ended.wait(60)
        raise ValueError("no space")


def test_who_presses_ctrl_c_does_not_wait_for_merges():
    writer = SlowWriter()
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        wait_for_merges(writer)
    writer.ended.set()


def test_what_goes_wrong_while_segments_are_merged_is_told():
    writer = SlowWriter()
    writer.ended.set()
    with pytest.raises(ValueError, match="no space"):
        wait_for_merges(writer)
