"""Files being read."""

import codecs
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import sources
from likewise.documents.sources import Complaint, RecordSize, Source, report_problem
from likewise.errors import Problem, ReadError


@pytest.fixture
def source(tmp_path):
    """Make a source of these bytes."""

    def source(content, *, name="file", **listeners):
        path = tmp_path / name
        path.write_bytes(content)
        return Source(path, **listeners)

    return source


def texts(source):
    return [line.text for line in source.lines()]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_of_three_ways(source, end):
    found = source(f"a{end}{end}b{end}".encode()).lines()
    assert list(found) == [(1, "a"), (2, ""), (3, "b")]


def test_the_last_line_needs_no_end(source):
    assert texts(source(b"a\nb")) == ["a", "b"]


def test_line_ends_may_be_mixed(source):
    assert texts(source(b"a\r\nb\rc\nd")) == ["a", "b", "c", "d"]


pieces = st.lists(st.sampled_from([b"a", b"bc", b"", "é".encode(), b"\n", b"\r\n", b"\r"]))


@given(content=pieces.map(b"".join), size=st.integers(1, 5))
def test_blocks_may_end_anywhere(tmp_path_factory, content, size):
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_bytes(content)
    expected = content.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", size)
        found = list(Source(path).lines())
    assert found == list(enumerate(expected if expected[-1] else expected[:-1], 1))


@pytest.mark.parametrize(
    ("bom", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_mark_of_the_byte_order_is_no_text(source, bom, codec):
    assert texts(source(bom + "é\nz".encode(codec))) == ["é", "z"]


def test_utf16_may_be_cut_between_the_bytes_of_a_letter(source, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 3)
    assert texts(source("é漢\nz".encode("utf-16"))) == ["é漢", "z"]


def test_a_line_that_is_not_utf8_is_windows_1252(source):
    assert texts(source("é\n".encode() + "é “x”\n".encode("cp1252"))) == ["é", "é “x”"]


def test_bytes_that_windows_1252_lacks_are_latin1(source):
    assert texts(source(b"\xe9\x81")) == ["é\x81"]


def test_binary_data_is_refused_with_its_line(source):
    with pytest.raises(ReadError, match="file:2: binary data where text was expected"):
        texts(source(b"a\nb\x00c\n"))


def test_a_line_without_end_is_refused(source, monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 2 << 20)
    with pytest.raises(ReadError, match="file:2: a line of more than 2 MB"):
        texts(source(b"a\n" + b"b" * (4 << 20)))


def test_gzip_is_unpacked_whatever_the_name_says(source):
    assert texts(source(gzip.compress(b"a\nb"), name="refs.ris")) == ["a", "b"]


def test_gzip_may_have_several_members(source):
    assert texts(source(gzip.compress(b"a\n") + gzip.compress(b"b"))) == ["a", "b"]


def test_a_name_that_promises_gzip_may_lie(source):
    assert texts(source(b"a", name="refs.ris.gz")) == ["a"]


def test_gzip_that_is_cut_off_is_refused(source):
    with pytest.raises(ReadError, match="the gzip data is cut off; copy or download"):
        texts(source(gzip.compress(b"a\n" * 10_000)[:-9]))


def test_gzip_that_is_damaged_is_refused(source):
    packed = bytearray(gzip.compress(bytes(range(256)) * 100))
    packed[40:60] = bytes(20)
    with pytest.raises(ReadError, match="the gzip data is damaged"):
        list(source(bytes(packed)).blocks())


def test_the_head_of_damaged_gzip_is_refused_too(source):
    with pytest.raises(ReadError, match="the gzip data is cut off"):
        source(gzip.compress(b"a")[:5]).head()


def test_the_head_is_unpacked(source):
    assert source(gzip.compress(b"a" * 10_000)).head() == b"a" * 8192


def test_a_missing_file_is_told_with_advice(tmp_path):
    with pytest.raises(ReadError, match="gone: no such file; check the path"):
        Source(tmp_path / "gone").head()


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ReadError, match="this is a folder, not a file"):
        Source(tmp_path).head()


def test_an_empty_file_has_no_lines(source):
    assert texts(source(b"")) == []


def test_progress_is_counted_in_bytes_of_the_file(source):
    seen = []
    packed = gzip.compress(b"a" * 5000)
    list(source(packed, on_bytes=seen.append).blocks())
    assert seen[-1] == len(packed)


def test_a_complaint_becomes_a_problem_of_the_file(source):
    problem = source(b"").problem(Complaint("odd", 2, "look"))
    assert str(problem).endswith("file:2: odd; look")


def test_a_problem_raises_if_nobody_listens():
    with pytest.raises(ReadError, match="file:3: record has no title"):
        report_problem(Problem("file", "record has no title", 3), None)


def test_a_problem_is_told_to_who_listens():
    problems = []
    report_problem(Problem("file", "odd"), problems.append)
    assert problems == [Problem("file", "odd")]


def test_a_file_of_limited_size_has_a_limited_number_of_lines(source, monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINES", 3)
    assert len(list(source(b"\n\n\n", most_bytes=100).lines())) == 3
    assert len(list(source(b"\n\n\n\n").lines())) == 4
    with pytest.raises(ReadError, match="file: more than 3 lines; split it"):
        list(source(b"\n\n\n\n", most_bytes=100).lines())


def test_the_error_names_the_line_where_the_record_begins(monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 2 << 20)
    with pytest.raises(ReadError, match=r"\Arefs.ris:7: a record of more than 2 MB; check where"):
        RecordSize(7, Source("refs.ris")).grow("x" * (2 << 20))


def test_many_short_lines_are_too_long_as_well(monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 1000)
    size = RecordSize(1, Source("refs.ris"))
    for _ in range(15):  # each costs 64
        size.grow("")
    with pytest.raises(ReadError):
        size.grow("")
