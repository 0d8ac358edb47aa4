"""Files made to fill the memory, to take hours or to reach out: each ends in one line, quickly."""

import gzip
import io
import struct
import zipfile

import pytest

from documents.reading import written
from likewise.documents import Document, read, write
from likewise.documents.formats import bibtex_syntax, csv, jsonl, xlsx, xml_records
from likewise.documents.sources import Source
from likewise.errors import ReadError

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">'
    '<!ENTITY file SYSTEM "file://{}"><!ENTITY % net SYSTEM "http://127.0.0.1:9/x.dtd"> %net;]>'
)
PUBMED = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article>"
    "<ArticleTitle>{}</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
ENDNOTE = "<xml><records><record><titles><title>{}</title></titles></record></records></xml>"
SECRET = "what no reader may load"
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def fails(tmp_path):
    """Read a file of these bytes, and return the one line that it ends in."""

    def fails(content, *, name="file", **options):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ReadError) as caught:
            list(read(tmp_path / name, on_problem=lambda _: None, **options))
        message = str(caught.value)
        assert "\n" not in message
        return message.removeprefix(f"{tmp_path}/")

    return fails


def workbook(**parts):
    """A workbook with one paper, and with other contents of some of its parts."""
    content, changed = written(xlsx, [Document(id="1", title="On cats")]), io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, parts[name](content) if name in parts else content)
    return changed.getvalue()


# More bytes than may be


def test_a_file_that_is_too_large_is_refused(fails):
    message = fails(b"title\n" + b"On cats\n" * 1000, most_bytes=5000)
    assert message == (
        "file: it holds more than 5,000 bytes when unpacked; "
        "split it, or leave out what is not needed"
    )


def test_a_file_that_just_fits_is_read(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"title\nOn cats\n")
    assert len(list(read(tmp_path / "t.csv", most_bytes=14))) == 1


def test_gzip_that_unpacks_to_too_much_is_refused(fails):
    packed = gzip.compress(b"title\nOn cats\n" + b"a" * (3 << 20))
    assert fails(packed, most_bytes=2 << 20).startswith("file: it holds more than 2 MB when unp")


def test_the_members_of_gzip_are_counted_together(fails):
    member = gzip.compress(b"title\n" + b"On cats\n" * 1000)
    assert "more than 20,000 bytes" in fails(member * 3, most_bytes=20_000)


def test_a_member_of_gzip_is_unpacked_a_block_at_a_time(tmp_path):
    (tmp_path / "file").write_bytes(gzip.compress(b"a" * (5 << 20)) * 2)
    sizes = [len(block) for block in Source(tmp_path / "file").blocks()]
    assert (sum(sizes), max(sizes)) == (10 << 20, 1 << 20)


def test_a_workbook_s_parts_are_counted_together(fails):
    content = workbook()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    assert len(content) < unpacked - 1
    assert "it holds more than" in fails(content, most_bytes=unpacked - 1)


def test_a_workbook_inside_gzip_is_counted_unpacked(fails):
    packed = gzip.compress(workbook() + bytes(1 << 20))
    assert "it holds more than 100,000 bytes" in fails(packed, most_bytes=100_000)


def test_a_directory_that_tells_too_small_a_size_is_found_out(fails):
    content = bytearray(workbook(**{SHEET: lambda sheet: sheet + b" " * 50_000}))
    at = content.rindex(SHEET.encode()) - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    struct.pack_into("<I", content, at + 24, 900)
    assert "the workbook is damaged" in fails(bytes(content), most_bytes=20_000)


def test_a_directory_of_more_names_than_a_workbook_has_is_not_read(fails, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_DIRECTORY", 100)
    assert "a zip file of more parts than a workbook has" in fails(workbook())


def test_a_workbook_in_a_packing_that_unpacks_without_bound_is_refused(fails):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert "a workbook packed in an unusual way" in fails(stream.getvalue())


# Entities


@pytest.mark.parametrize("entity", ["&c;", "&file;"])
@pytest.mark.parametrize("template", [PUBMED, ENDNOTE], ids=["pubmed", "endnote"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_with_entities_of_its_own_is_refused(fails, tmp_path, template, entity, encoding):
    (tmp_path / "secret").write_text(SECRET)
    prolog = f'<?xml version="1.0" encoding="{encoding}"?>'
    text = prolog + LAUGHS.format(tmp_path / "secret") + template.format(entity)
    assert "the file declares entities of its own" in fails(text.encode(encoding))


@pytest.mark.parametrize("template", [PUBMED, ENDNOTE], ids=["pubmed", "endnote"])
def test_an_external_document_type_is_not_loaded(tmp_path, template):
    (tmp_path / "x.dtd").write_text(f'<!ENTITY a "{SECRET}">')
    text = f'<!DOCTYPE x SYSTEM "{tmp_path}/x.dtd">' + template.format("On &a; cats")
    (tmp_path / "t.xml").write_text(text)
    problems = []
    found = list(read(tmp_path / "t.xml", on_problem=problems.append))
    assert [SECRET in document.title for document in found] in ([], [False])


@pytest.mark.parametrize("entity", [b"&c;", b"&file;"])
@pytest.mark.parametrize("part", [SHEET, "xl/workbook.xml", "[Content_Types].xml"])
def test_a_workbook_with_a_document_type_is_refused(fails, part, entity):
    def hostile(content):
        return LAUGHS.encode() + content.replace(b"On cats", entity)

    message = fails(workbook(**{part: hostile}))
    assert f"{part} in it declares a document type" in message


def test_an_encoding_does_not_hide_a_document_type(fails):
    def hostile(content):
        text = LAUGHS + content.decode().replace("On cats", "&c;")
        return text.encode("utf-16")

    assert "declares a document type" in fails(workbook(**{SHEET: hostile}))


# Without end


def test_a_row_that_says_it_is_the_billionth_is_refused(fails, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_ROWS", 1000)
    content = workbook(**{SHEET: lambda sheet: sheet.replace(b'<row r="2">', b'<row r="2000000">')})
    assert fails(content) == (
        "file:1001: a sheet of more rows or cells than Excel makes; save it as .csv"
    )


def test_rows_that_all_end_in_the_last_column_are_refused(fails, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_CELLS", 50_000)
    far = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (row, row) for row in range(3, 7))
    end = b"</sheetData>"
    content = workbook(**{SHEET: lambda sheet: sheet.replace(end, far + end)})
    assert "file:6: a sheet of more rows or cells" in fails(content)


@pytest.mark.parametrize("limits", [{"MAX_ROW": 20_000}, {"MAX_ROW": 20_000, "MAX_TAGS": 1_000}])
def test_a_sheet_with_too_much_in_a_row_is_refused(fails, monkeypatch, limits):
    for name, limit in limits.items():
        monkeypatch.setattr(xlsx, name, limit)
    end = b"</row></sheetData>"
    content = workbook(**{SHEET: lambda sheet: sheet.replace(end, b"<c/>" * 10_000 + end)})
    found = "more than 1,000 cells" if "MAX_TAGS" in limits else "a row of more than"
    assert f"{SHEET} in it has {found}" in fails(content, most_bytes=1 << 20)


@pytest.mark.parametrize("content", [b'{"a":' * 100_000, b'[{"a":' * 100_000])
def test_json_nested_without_end_is_refused(tmp_path, content):
    (tmp_path / "t.jsonl").write_bytes(content)
    with pytest.raises(ReadError, match="nested too deeply"):
        list(read(tmp_path / "t.jsonl"))


def test_an_object_of_too_many_names_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "MAX_NAMES", 3)
    (tmp_path / "t.jsonl").write_text('{"title": "x", "a": 1, "b": 2, "c": 3}\n{"title": "y"}\n')
    problems = []
    assert [d.title for d in read(tmp_path / "t.jsonl", on_problem=problems.append)] == ["y"]
    assert "an object of 4 values" in str(problems[0])


def test_a_line_of_a_table_that_never_ends_is_refused(fails):
    assert "t.csv:2: a line of more than 16 MB" in fails(
        b"title\n" + b"a" * (18 << 20), name="t.csv"
    )


def test_a_row_of_nothing_but_commas_is_refused(fails, monkeypatch):
    monkeypatch.setattr(csv, "MAX_CELLS", 100)
    assert "file:2: a row of more than 100 values" in fails(b"title,year\n" + b"," * 101 + b"\n")


def test_a_header_of_nothing_but_commas_is_none(fails):
    message = fails(b"title" + b"," * 100_000 + b"\nOn cats\n", name="t.csv")
    assert "no header with a column that we know" in message


def test_a_quotation_that_takes_line_after_line_is_refused(fails):
    message = fails(b'title\n"' + b"\n" * 300_000)
    assert message.startswith("file:2: a record of more than 16 MB")


def test_tags_without_a_record_among_them_are_refused(fails, monkeypatch):
    monkeypatch.setattr(xml_records, "MAX_TAGS", 50)
    assert "50 tags and no <PubmedArticle>" in fails(b"<PubmedArticleSet>" + b"<a>" * 60)


def test_namespaces_are_kept_to_a_length_that_records_can_bear(tmp_path):
    spaces = "".join(f"<a{n} xmlns:a{n}='{n}'>" for n in range(5_000))
    text = f"<PubmedArticleSet>{spaces}" + PUBMED.format("On cats").removeprefix(
        "<PubmedArticleSet>"
    )
    (tmp_path / "t.xml").write_text(text)
    source = Source(tmp_path / "t.xml")
    cutter = xml_records.Cutter(source, ("PubmedArticle",))
    (fragment,) = cutter.feed(text.encode())
    assert len(fragment.xml) < len(PUBMED) + xml_records.MAX_NAMESPACES + 100


def test_a_macro_used_without_end_fills_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(bibtex_syntax, "MAX_VALUE", 25)
    macro = '@string{a = "ten words."}\n@article{x, title = ' + "a # " * 1000 + "a}\n"
    (tmp_path / "t.bib").write_text(macro)
    (found,) = read(tmp_path / "t.bib")
    assert found.title == "ten words.ten words.ten w"


SPACES = " " * 60_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("csv", f'title,authors\nOn cats,"Li N{SPACES}x"\n'),
        ("csv", f'title,extra\nOn cats,"PMID{SPACES}x"\n'),
        ("csv", f"title,doi\nOn cats,10.1234/{'.' * 60_000}x/\n"),
        ("csv", f"title,pmid\nOn cats,1{SPACES}x\n"),
        ("bibtex", f"@article{{x, title={{On cats}}, author={{Li{SPACES}x}}}}\n"),
        ("ris", f"TY  - JOUR\nTI  - On cats\nUR  - {'europepmc.org/' * 4_000}\nER  - \n"),
        ("ris", f"TY  - JOUR\nTI  - On cats\nUR  - 10.{'1' * 60_000}\nER  - \n"),
    ],
    ids=["authors", "note", "doi", "pmid", "names", "link", "bare-doi"],
)
def test_no_value_is_searched_again_and_again(tmp_path, name, text):
    (tmp_path / "file").write_text(text)
    (found,) = read(tmp_path / "file", format=name)
    assert (found.title, found.pmid, found.pmcid) == ("On cats", "", "")


def test_a_record_that_comes_in_many_blocks_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.documents.sources.BLOCK", 100)
    papers = [Document(id=f"{n}", pmid=f"{n}", title="cat " * 9, abstract="purr " * 60 * n)
              for n in range(1, 5)]  # fmt: skip
    write(papers, tmp_path / "t.xml")
    assert [document.abstract.count("purr") for document in read(tmp_path / "t.xml")] == [
        *(60, 120, 180, 240)
    ]


def test_an_array_that_comes_in_many_blocks_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.documents.sources.BLOCK", 100)
    values = [f'{{"title": "{"cat " * 60 * n}"}}' for n in range(1, 5)]
    (tmp_path / "t.json").write_text(f"[{', '.join(values)}]")
    assert [document.title.count("cat") for document in read(tmp_path / "t.json")] == [
        *(60, 120, 180, 240)
    ]
