import errno
import gzip
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from likewise import documents
from likewise.documents import (
    Deletion,
    Document,
    Record,
    formats,
    new_file_mode,
    read,
    read_records,
    write,
)
from likewise.documents.formats import BUILT_IN
from likewise.documents.sources import Source
from likewise.errors import ReadError, UnknownFormatError, WriteError

CATS = Document(id="1", title="On cats", source="ris:refs.ris")
DOGS = Document(id="2", title="On dogs", source="ris:refs.ris")
WRITABLE = [known.name for known in BUILT_IN if known.writes]


def then_stop(*documents):
    yield from documents
    raise RuntimeError("stop")


def on_a_full_disk(*arguments):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.csv", "T.CSV.GZ", "t.xlsx"])
def test_what_is_written_is_read_by_its_suffix(tmp_path, name):
    write([CATS, DOGS], tmp_path / name)
    assert list(read(tmp_path / name)) == [CATS, DOGS]


def test_gz_in_the_name_packs_the_file(tmp_path):
    write([CATS], tmp_path / "t.jsonl.gz")
    assert b"On cats" in gzip.decompress((tmp_path / "t.jsonl.gz").read_bytes())


def test_packed_files_are_the_same_each_time(tmp_path):
    write([CATS], tmp_path / "a.jsonl.gz")
    write([CATS], tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes()[10:] == (tmp_path / "b.jsonl.gz").read_bytes()[
        10:
    ]


def test_gzip_is_known_by_its_content(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(gzip.compress(b'{"id": "1", "title": "On cats"}\n'))
    assert next(read(tmp_path / "t.jsonl")).title == "On cats"


def test_a_format_s_name_overrules_content_and_suffix(tmp_path):
    write([CATS], tmp_path / "t.csv", format="jsonl")
    assert list(read(tmp_path / "t.csv", format="jsonl")) == [CATS]


def test_a_document_without_id_gets_one_and_says_where_it_is_from(tmp_path):
    (tmp_path / "t.csv").write_text("title,doi\nOn cats,10.1000/CATS\n")
    found = next(read(tmp_path / "t.csv"))
    assert (found.id, found.source) == ("10.1000/cats", "csv:t.csv")


def test_an_id_that_was_supplied_stays(tmp_path):
    (tmp_path / "t.csv").write_text("id,title,doi\n17,On cats,10.1000/CATS\n")
    assert next(read(tmp_path / "t.csv")).id == "17"


def test_the_first_problem_raises_if_nobody_listens(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id": "1", "title": "On cats"}\noops\n')
    with pytest.raises(ReadError, match=r"t.jsonl:2: broken JSON"):
        list(read(tmp_path / "t.jsonl"))


def test_deletions_are_for_those_who_ask_for_records(tmp_path, monkeypatch):
    class Deleting:
        name = "deleting"
        read = staticmethod(lambda source: iter([Deletion("7"), Record(CATS)]))

    monkeypatch.setattr(documents, "format_of", lambda source: Deleting)
    (tmp_path / "t").write_text("x")
    assert next(iter(read_records(Source(tmp_path / "t")))) == Deletion("7")
    assert [document.title for document in read(tmp_path / "t")] == ["On cats"]


def test_what_has_no_order_is_read_in_one_order(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"title": "On cats", "other_ids": ["pii:S1", "mid:N2"]}\n')
    assert next(read(tmp_path / "t.jsonl")).other_ids == ("mid:N2", "pii:S1")


def test_a_record_that_can_not_be_kept_is_told_and_the_others_are_read(tmp_path, monkeypatch):
    half = Record(Document(title="\ud83d half a character"), 3)

    class Halving:
        name = "halving"
        read = staticmethod(lambda source: iter([half, Record(CATS, 4)]))

    monkeypatch.setattr(documents, "format_of", lambda source: Halving)
    (tmp_path / "t").write_text("x")
    complaint, record = read_records(Source(tmp_path / "t"))
    assert complaint.line == 3
    assert "can't be read" in complaint.found
    assert "UnicodeEncodeError" in complaint.found
    assert record.document.id == CATS.id


@pytest.mark.parametrize("name", WRITABLE)
def test_no_half_file_is_left_when_documents_stop_midway(tmp_path, name):
    with pytest.raises(RuntimeError, match="stop"):
        write(then_stop(CATS, DOGS), tmp_path / "t", format=name)
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_before_stays_when_writing_fails(tmp_path):
    path = tmp_path / "t.jsonl"
    write([CATS], path)
    with pytest.raises(RuntimeError, match="stop"):
        write(then_stop(DOGS), path)
    assert list(read(path)) == [CATS]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".xlsx", ".jsonl.gz"])
def test_a_full_disk_is_one_line_and_leaves_no_file(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(os, "fsync", on_a_full_disk)
    with pytest.raises(WriteError, match=r"can't be written: No space left on device$"):
        write([CATS], tmp_path / f"t{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_disk_that_is_full_at_the_last_byte_is_noticed(tmp_path, monkeypatch):
    def opened(*arguments, **options):
        return os.open("/dev/full", os.O_WRONLY), str(tmp_path / ".aside")

    monkeypatch.setattr("tempfile.mkstemp", opened)
    with pytest.raises(WriteError, match="No space left on device"):
        write([CATS], tmp_path / "t.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(WriteError, match=r"t.jsonl: can't be written: there is no folder"):
        write([CATS], tmp_path / "none" / "t.jsonl")


def test_an_unknown_suffix_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(UnknownFormatError, match=r"t.docx: no format is written as '.docx'"):
        write(then_stop(), tmp_path / "t.docx")


def test_a_written_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write([CATS], tmp_path / "t.jsonl")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "t.jsonl")]
    assert modes[0] == modes[1]


def test_threads_that_write_at_once_do_not_lose_the_umask():
    usual, interval = new_file_mode(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            modes = set(threads.map(lambda _: new_file_mode(), range(5000)))
    finally:
        sys.setswitchinterval(interval)
    assert modes == {usual}


def test_a_plug_in_s_format_is_read(tmp_path, monkeypatch):
    class Entry:
        @staticmethod
        def load():
            return formats.Format(
                "notes", "notes", "likewise.documents.formats.jsonl", (".notes",), ""
            )

    monkeypatch.setattr(formats, "entry_points", lambda group: [Entry])
    monkeypatch.setattr(formats, "formats", formats.formats.__wrapped__)
    write([CATS], tmp_path / "t.notes")
    assert list(read(tmp_path / "t.notes", format="notes")) == [CATS]
