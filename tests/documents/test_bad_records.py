"""One bad record stops nothing, and whatever goes wrong is told in one line, with its place."""

import pytest

from documents.reading import written
from likewise.documents import Document, read, read_records
from likewise.documents.formats import xlsx
from likewise.documents.sources import CAUGHT, Complaint, Record, Source, try_record
from likewise.errors import LikewiseError, ReadError

CATS = Document(id="1", title="On cats")


def read_all(path, **options):
    """The titles in a file, and what is wrong with it."""
    problems = []
    titles = [found.title for found in read(path, on_problem=problems.append, **options)]
    return titles, [str(problem) for problem in problems]


def test_whatever_a_record_raises_is_a_complaint_about_it():
    def divide(number):
        return 1 / number

    assert try_record(7, divide, 0) == Complaint(
        f"this record {CAUGHT} (ZeroDivisionError: division by zero)", 7
    )


def test_errors_of_ours_are_passed_on():
    source = Source("t.csv")

    def fail():
        raise source.fail("it is cut off")

    with pytest.raises(ReadError, match="it is cut off"):
        try_record(7, fail)


def test_a_record_that_no_id_can_be_made_for_costs_only_itself(tmp_path, monkeypatch):
    def choke(document, *, source):
        if document.title == "On dogs":
            raise ValueError("no id\nfor dogs")
        return document

    monkeypatch.setattr("likewise.documents.settle", choke)
    (tmp_path / "t.csv").write_text("title\nOn cats\nOn dogs\nOn owls\n")
    titles, (problem,) = read_all(tmp_path / "t.csv")
    assert titles == ["On cats", "On owls"]
    assert problem == (
        f"{tmp_path}/t.csv:3: this record {CAUGHT} (ValueError: no id for dogs); it was left out"
    )


def test_a_reader_that_trips_ends_in_one_line_that_says_how_far_it_came(tmp_path):
    def trip():
        yield Record(CATS, 41)
        raise KeyError("a\nb")

    items = Source(tmp_path / "t.x").watch(trip())
    assert next(items).document == CATS
    with pytest.raises(ReadError) as caught:
        next(items)
    assert str(caught.value) == (
        f"{tmp_path}/t.x: the file {CAUGHT} after the record at line 41 (KeyError: 'a\\nb'); "
        "the file is damaged, or not what its name says"
    )


@pytest.mark.parametrize("said", ["a\nb", "a\r\nb", "a\x00b", "a\u2028b"])
def test_a_message_is_one_line_whatever_it_is_made_of(said):
    message = str(Source("t.csv").fail(said, advice=said))
    assert message == "t.csv: a b; a b"


def test_a_message_is_no_longer_than_a_person_reads():
    assert len(str(Source("t.csv").fail("a" * 10_000))) < 600


def test_a_title_with_a_number_of_5000_digits_stops_nothing(tmp_path):
    hostile = f"On &#{'9' * 5000}; dogs, and nothing else"
    (tmp_path / "t.csv").write_text(f"title\nOn cats\n{hostile}\nOn owls\n")
    titles, _ = read_all(tmp_path / "t.csv")
    assert [title for title in titles if "dogs" not in title] == ["On cats", "On owls"]


@pytest.mark.parametrize("name", ["year", "pmid", "volume", "title", "anything"])
@pytest.mark.parametrize("form", ["{}\n{}\n", "[{},\n{}]"], ids=["lines", "array"])
def test_a_number_of_50000_digits_costs_only_its_record(tmp_path, name, form):
    hostile = f'{{"abstract": "On dogs", "{name}": {"9" * 50_000}}}'
    (tmp_path / "t.jsonl").write_text(form.format(hostile, '{"title": "On cats"}'))
    titles, problems = read_all(tmp_path / "t.jsonl")
    assert titles[-1] == "On cats"
    assert all("\n" not in problem and len(problem) < 1000 for problem in problems)


def test_a_workbook_with_a_flipped_byte_is_read_or_refused_in_one_line(tmp_path):
    content = written(xlsx, [CATS])
    path = tmp_path / "t.xlsx"
    refused = 0
    for at in range(0, len(content), 41):
        path.write_bytes(content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :])
        try:
            list(read_records(Source(path), format="xlsx"))
        except LikewiseError as error:
            assert "\n" not in str(error)  # noqa: PT017  # most are read all the same
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("encoding", ["ut\x00f-8", "punycode", "hex", "klingon"])
def test_an_encoding_that_is_none_of_files_is_refused(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><PubmedArticleSet><PubmedArticle>'
    (tmp_path / "t.xml").write_text(text)
    with pytest.raises(ReadError, match="in an encoding that we don't know"):
        list(read(tmp_path / "t.xml", format="pubmed"))


@pytest.mark.parametrize("name", ["pubmed", "endnote", "jats"])
def test_bad_utf_8_costs_only_its_record(tmp_path, name):
    tags = {
        "pubmed": b"<PubmedArticle><MedlineCitation><Article><ArticleTitle>%b</ArticleTitle>"
        b"</Article></MedlineCitation></PubmedArticle>",
        "endnote": b"<record><titles><title>%b</title></titles></record>",
        "jats": b"<front><article-meta><title-group><article-title>%b</article-title></title-group>"
        b"</article-meta></front>",
    }
    records = b"\n".join(tags[name] % title for title in (b"On \xff\xfe dogs", b"On cats"))
    (tmp_path / "t.xml").write_bytes(b"<all>\n" + records + b"</all>")
    titles, (problem,) = read_all(tmp_path / "t.xml", format=name)
    assert titles == ["On cats"]
    assert problem.startswith(f"{tmp_path}/t.xml:2: malformed XML in this record")


def test_a_wide_sheet_of_nothing_is_refused_before_it_takes_long(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_NOTHING", 50_000)
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet()
    sheet.append(["title"])
    for _ in range(40):
        sheet.append([*[None] * 2_000, "x"])
    workbook.save(tmp_path / "t.xlsx")
    with pytest.raises(ReadError, match=r"t.xlsx:\d+: a sheet with rows as wide as 2,001 cells"):
        list(read(tmp_path / "t.xlsx", on_problem=lambda _: None))
