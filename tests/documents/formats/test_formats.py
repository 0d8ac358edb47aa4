import ast
import importlib
from pathlib import Path

import pytest

from likewise.documents import formats as module
from likewise.documents.formats import (
    BUILT_IN,
    Format,
    format_for_writing,
    format_named,
    format_of,
    suffix_of,
)
from likewise.documents.sources import Source
from likewise.errors import ReadError, UnknownFormatError

TESTS = Path(__file__).parent

# The beginning of a file of each format.
HEADS = {
    "pubmed": b'<?xml version="1.0"?>\n<PubmedArticleSet>\n<PubmedArticle>',
    "endnote": b'<?xml version="1.0"?>\n<xml><records><record><database name="x"/>',
    "xlsx": b"PK\x03\x04\x14\x00\x00\x00",
    "nbib": b"\nPMID- 7\nOWN - NLM\nTI  - On cats\n",
    "ris": b"TY  - JOUR\nTI  - On cats\nER  - \n",
    "enw": b"%0 Journal Article\n%T On cats\n",
    "bibtex": b"% from a library\n@article{cats,\n  title = {On cats},\n}\n",
    "beir": b'{"_id": "1", "title": "On cats", "text": "They purr."}\n',
    "jsonl": b'{"id": "1", "title": "On cats"}\n',
    "ids": b"# seeds\n7\nPMC8\n10.1000/cats\n",
    "tsv": b"PMID\tTitle\n7\tOn cats\n",
    "csv": b"PMID,Title\n7,On cats\n",
}


def plugged(monkeypatch, *added):
    class Entry:
        def __init__(self, known):
            self.load = lambda: known

    monkeypatch.setattr(module, "entry_points", lambda group: [Entry(known) for known in added])
    # The plug-ins are looked for once in a process.
    monkeypatch.setattr(module, "formats", module.formats.__wrapped__)


def format_of_bytes(tmp_path, name, head):
    path = tmp_path / name
    path.write_bytes(head)
    return format_of(Source(path)).name


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("a.endnote.xml", "endnote"),
        ("a.xml", "pubmed"),
        ("A.BEIR.JSONL.GZ", "beir"),
        ("a.b.jsonl", "jsonl"),
        ("a.enw", "enw"),
    ],
)
def test_the_longest_suffix_chooses(tmp_path, name, chosen):
    assert format_for_writing(Path(name)).name == chosen
    (tmp_path / name).write_bytes(b"hello\n")
    assert format_of(Source(tmp_path / name)).name == chosen


def test_every_format_has_a_head_to_be_tried_on():
    assert set(HEADS) == {known.name for known in BUILT_IN}


@pytest.mark.parametrize("name", HEADS)
def test_content_decides_under_a_wrong_suffix(tmp_path, name):
    wrong = "t.ris" if name != "ris" else "t.csv"
    assert format_of_bytes(tmp_path, wrong, HEADS[name]) == name


@pytest.mark.parametrize("known", [f for f in BUILT_IN if f.suffixes], ids=lambda f: f.name)
def test_the_suffix_decides_where_content_is_silent(tmp_path, known):
    claimed = next(f.name for f in BUILT_IN if known.suffixes[0] in f.suffixes)
    assert format_of_bytes(tmp_path, f"t{known.suffixes[0]}", b"hello\n") == claimed


@pytest.mark.parametrize("head", [b'sep=;\r\nA;"Title"\r\n', b'"Key";"Title"\n', b"id|DOI\n"])
def test_tables_are_known_by_their_header(tmp_path, head):
    assert format_of_bytes(tmp_path, "t", head) == "csv"


@pytest.mark.parametrize("head", [b"\n[\n {", b"[]", b'[{"a": 1}]'])
def test_arrays_of_objects_are_json(tmp_path, head):
    assert format_of_bytes(tmp_path, "t.json", head) == "jsonl"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_does_not_hide_the_content(tmp_path, encoding):
    head = "\ufeff" * encoding.startswith("utf-16") + HEADS["ris"].decode()
    assert format_of_bytes(tmp_path, "t", head.encode(encoding)) == "ris"


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\x7fELF\x00\x00", "binary data in no format we know"),
        (b"Dear reader, the title, as such, is long\n", "no known format, by content or by suffix"),
    ],
)
def test_what_is_no_format_says_why(tmp_path, head, found):
    with pytest.raises(ReadError, match=found):
        format_of_bytes(tmp_path, "t.doc", head)


def test_an_unknown_suffix_for_writing_lists_what_is_offered():
    with pytest.raises(UnknownFormatError) as error:
        format_for_writing(Path("out.docx"))
    offered = str(error.value).partition("use one of: ")[2]
    assert {".csv", ".jsonl", ".ris", ".xlsx"} <= set(offered.split())


def test_no_suffix_for_writing_says_so():
    with pytest.raises(UnknownFormatError, match="no format is written as 'a file without"):
        format_for_writing(Path("out"))


def test_an_unknown_name_lists_the_names():
    with pytest.raises(UnknownFormatError, match=r"no format is called 'doc'; .*pubmed.*csv"):
        format_named("doc")


@pytest.mark.parametrize("known", [f for f in BUILT_IN if f.writes], ids=lambda f: f.name)
def test_a_writable_format_is_found_by_its_name(known):
    assert format_named(known.name) == known


def test_a_format_that_only_reads_offers_others_for_writing():
    known = Format("notes", "notes", "notes", (".notes",), "", writes=False)
    with pytest.raises(UnknownFormatError, match="'notes' can be read but not written; choose one"):
        _ = known.write


def test_a_plug_in_s_format_is_found_and_comes_first(monkeypatch):
    added = Format("notes", "notes of a program", "notes_format", (".notes",), r"\ANOTES")
    plugged(monkeypatch, added)
    assert module.formats() == (added, *BUILT_IN)


def test_a_plug_in_s_format_is_recognised_by_content(monkeypatch, tmp_path):
    plugged(monkeypatch, Format("notes", "notes", "notes_format", (".notes",), r"\ANOTES"))
    assert format_of_bytes(tmp_path, "t.csv", b"NOTES 1\n") == "notes"


def test_suffixes_are_seen_through_gz():
    assert suffix_of(Path("REFS.CSV.GZ")) == ".csv"


@pytest.mark.parametrize("known", BUILT_IN, ids=lambda f: f.name)
def test_every_format_has_what_it_claims(known):
    loaded = importlib.import_module(known.module)
    assert hasattr(loaded, "read")
    assert hasattr(loaded, "write") == known.writes


def complaints():
    """The calls of `problem` and `fail` in the readers, each with its place."""
    for path in sorted(Path(module.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in ("problem", "fail"):
                yield f"{path.name}:{node.lineno}", {keyword.arg for keyword in node.keywords}


def test_every_complaint_says_what_to_do():
    assert not [place for place, keywords in complaints() if "advice" not in keywords]


@pytest.mark.parametrize("known", BUILT_IN, ids=lambda f: f.name)
def test_every_format_has_a_test_module(known):
    assert (TESTS / f"test_{known.name}.py").exists()


@pytest.mark.parametrize("known", [f for f in BUILT_IN if f.writes], ids=lambda f: f.name)
def test_every_writable_format_has_a_round_trip_test(known):
    text = (TESTS / f"test_{known.name}.py").read_text(encoding="utf-8")
    assert "def test_what_is_written_is_read_back" in text
