import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_path, written
from documents.strategies import documents
from documents.whole_records import CITATION, EXTRA
from likewise.documents import Document, MeshHeading, read
from likewise.documents.formats import csv as table
from likewise.documents.sources import MAX_LINE, Source
from likewise.errors import ReadError

DATA = Path(__file__).parents[2] / "data"
TITLE = "Sleep and shift work in nurses"


def only(name):
    [document] = read(DATA / name)
    return document


def read_text(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_path(table, path, **options)


@given(st.lists(documents(**CITATION, extra=EXTRA), min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(written(table, some))
    assert read_path(table, path) == some


def test_line_ends_and_outer_spaces_survive_too(tmp_path):
    document = Document(id=" 1", title="=1+1", abstract="AIM: a\n\nEND: b ")
    assert read_text(tmp_path, written(table, [document])) == [document]


def test_control_characters_are_removed_on_writing(tmp_path):
    document = Document(id="1", title="On\x00 cats\x0b\x1f", abstract="a\tb\r\nc\rd")
    (found,) = read_text(tmp_path, written(table, [document]))
    assert (found.title, found.abstract) == ("On cats", "a\tb\nc\nd")


def test_a_list_with_half_a_character_can_be_written_again(tmp_path):
    (found,) = read_text(tmp_path, "title;keywords\nOn cats;['\\ud800']\n")
    assert found.keywords == ("\ufffd",)


def test_write_leaves_the_stream_open_for_its_owner():
    stream = io.BytesIO()
    table.write([], stream)
    assert not stream.closed


def test_rayyan():
    assert only("rayyan_export.csv") == Document(
        id="rayyan-481516",
        title=TITLE,
        abstract="Nurses on night shifts sleep less.",
        year=2014,
        authors=("Okafor, Ngozi", "Lind, Per"),
        journal="J Sleep Stud",
        pmid="23456789",
        pmcid="PMC3456789",
        language="eng",
        volume="12",
        issue="2",
        pages="10-19",
        issn=("1234-5678",),
        publisher="Example Press",
        date="2014/03/01",
        urls=("https://example.org/a",),
        source="csv:rayyan_export.csv",
    )


def test_scopus():
    assert only("scopus_export.csv") == Document(
        id="23456789",
        title=TITLE,
        year=2014,
        authors=("Okafor, Ngozi", "Lind, Per"),
        journal="Journal of Sleep Studies",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        other_ids=("eid:2-s2.0-8490000000",),
        keywords=("nurses", "shift work", "human", "sleep"),
        publication_types=("Article",),
        language="English",
        kind="JOUR",
        urls=("https://example.org",),
        database="Scopus",
        accession="2-s2.0-8490000000",
        extra=(
            ("csv:Author(s) ID", "57190000001; 57190000002"),
            ("csv:Authors", "Okafor N.; Lind P."),
        ),
        source="csv:scopus_export.csv",
    )


def test_pubmed_summary():
    assert only("pubmed_summary.csv") == Document(
        id="23456789",
        title=TITLE,
        year=2014,
        authors=("Okafor, N", "van Dam, AB", "WHO Study Group"),
        journal="J Sleep Stud",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        pmcid="PMC3456789",
        other_ids=("nihms:NIHMS55555",),
        volume="12",
        issue="2",
        pages="10-19",
        date="2014/03/01",
        extra=(
            ("csv:Citation", "J Sleep Stud. 2014 Mar 1;12(2):10-19."),
            ("csv:Create Date", "2013/12/24"),
            ("csv:First Author", "Okafor N"),
        ),
        source="csv:pubmed_summary.csv",
    )


def test_dimensions_has_a_line_above_its_header():
    found = only("dimensions_preamble.csv")
    assert found.mesh == (
        MeshHeading("Humans"),
        MeshHeading("Infant, Newborn"),
        MeshHeading("Sleep"),
    )


def test_lens():
    found = only("lens_export.csv")
    assert (found.other_ids, found.authors, found.journal) == (
        ("lens:000-111-222-333-444",),
        ("Ngozi Okafor", "Per Lind"),
        "J Sleep Stud",
    )


def test_covidence():
    found = only("covidence_export.csv")
    assert (found.id, found.year, found.authors) == ("#412", 2014, ("Okafor, N.", "Lind, P."))


def test_asreview():
    found = only("asreview_aliases.csv")
    assert (found.id, found.year, found.doi, found.keywords) == (
        "17",
        2014,
        "10.1000/jss.2014.7",
        ("nurses", "shift work"),
    )


def test_zotero():
    found = only("zotero_export.csv")
    assert (found.id, found.journal, found.keywords) == (
        "ABCD2345",
        "J Sleep Stud",
        ("nurses", "Sleep"),
    )


def test_zotero_keeps_identifiers_in_extra():
    found = only("zotero_extra.csv")
    assert (found.pmid, found.pmcid) == ("23456789", "PMC3456789")


def test_embase():
    assert only("embase_export.csv") == Document(
        id="23456789",
        title=TITLE,
        abstract="Nurses on night shifts sleep less.",
        year=2014,
        authors=("Okafor, N.", "Lind, P."),
        journal="Journal of Sleep Studies",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        other_ids=("embase:L2012345678",),
        language="English",
        accession="L2012345678",
        source="csv:embase_export.csv",
    )


def test_fields_of_embase_may_be_rows():
    first, second = read(DATA / "embase_fields_by_row.csv")
    assert (first.title, first.authors, first.year) == (TITLE, ("Okafor, N.", "Lind, P."), 2014)
    assert (first.journal, first.pmid) == ("Journal of Sleep Studies", "23456789")
    assert (second.title, second.year, second.abstract) == ("Wards at night", 2015, "")


def test_a_record_of_rows_that_never_ends_is_refused(tmp_path):
    rows = b"title,x\nabstract,y\n" + b'abstract,"' + b"z" * (MAX_LINE // 4) + b'"\n'
    with pytest.raises(ReadError, match="a record of more than"):
        read_text(tmp_path, rows + rows.splitlines(keepends=True)[2] * 5)


def test_embase_may_have_a_citation_in_its_source_and_a_link_behind_the_pmid():
    found = only("embase_citation_in_source.csv")
    assert (found.journal, found.pmid, found.doi) == (
        *("Journal of Sleep Studies", "23456789"),
        "10.1000/jss.2014.7",
    )
    assert (found.date, found.language, found.issn) == ("2014/03/01", "English", ("0000-0019",))
    assert dict(found.extra)["csv:Source"].startswith("Journal of Sleep Studies (2014) 12:2")


@pytest.mark.parametrize(
    ("name", "authors"),
    [
        ("cochrane_journal_in_source.csv", ("Okafor, N", "Lind, P")),
        ("publishorperish_initials_first.csv", ("Okafor, N", "Lind, PO")),
    ],
)
def test_a_source_is_the_journal_where_no_other_column_is(name, authors):
    found = only(name)
    assert (found.journal, found.database) == ("Journal of Sleep Studies", "")
    assert (found.authors, found.doi, found.pages) == (authors, "10.1000/jss.2014.7", "10-19")


def test_europe_pmc_has_numbers_of_pubmed_among_others():
    found = only("europepmc_external_id.csv")
    assert (found.pmid, found.pmcid, found.database) == ("23456789", "PMC3456789", "MED")
    assert (found.issn, found.pages) == (("0000-0019", "0000-0027"), "10-19")


def test_trials_of_a_registry():
    found = only("clinicaltrials_export.csv")
    assert (found.title, found.abstract) == (TITLE, "Nurses on night shifts sleep less.")
    assert (found.other_ids, found.accession) == (("nct:NCT00000001",), "NCT00000001")


def test_openalex():
    found = only("openalex_export.csv")
    assert (found.pmid, found.journal) == ("23456789", "Journal of Sleep Studies")
    assert found.authors == ("Ngozi Okafor", "P. Lind")


def test_ebsco_has_no_space_in_its_dates():
    found = only("ebsco_joined_date.csv")
    assert (found.date, found.year, found.kind) == ("2014/03", 2014, "JOUR")
    assert found.keywords == ("SLEEP", "NURSES")


def test_proquest():
    found = only("proquest_export.csv")
    assert (found.journal, found.keywords) == ("Journal of Sleep Studies", ("Nurses", "Sleep"))


def test_the_first_line_may_be_an_order_to_excel():
    found = only("excel_sep_line.csv")
    assert (found.title, found.abstract) == ("Sleep; shift work", "Nurses sleep less.")


def test_windows_1252():
    found = only("excel_windows1252.csv")
    assert found.title == "Schlaf bei Krankenschwestern – eine Übersicht"  # noqa: RUF001


def test_rows_that_are_short_or_have_empty_ends_are_read_and_long_ones_are_not():
    problems = []
    found = list(read(DATA / "table_ragged_rows.csv", on_problem=problems.append))
    assert ([d.title for d in found], [p.line for p in problems]) == (
        ["On cats", "On owls", "On mice"],
        [3],
    )


def test_a_quote_that_is_never_closed_is_reported_where_it_begins():
    problems = []
    found = list(read(DATA / "table_open_quote.csv", on_problem=problems.append))
    assert ([d.title for d in found], [p.line for p in problems]) == (["On cats"], [3])


def test_a_stray_quote_costs_only_the_rows_that_it_joins():
    problems = []
    found = list(read(DATA / "table_stray_quote.csv", on_problem=problems.append))
    assert ([d.title for d in found], [p.line for p in problems]) == (["On cats", "On mice"], [3])


def test_a_table_without_a_header_names_what_is_there_and_what_is_asked_for():
    with pytest.raises(ReadError) as error:
        list(read(DATA / "table_without_header.csv"))
    assert str(error.value).endswith(
        "table_without_header.csv:1: no header with a column that we know; the first row has "
        "'cats', '2001', 'purring'; name at least one column title, abstract, doi, pmid, pmcid "
        "or id"
    )


def test_of_columns_of_one_name_the_filled_one_counts():
    found = only("table_duplicate_columns.csv")
    assert (found.title, found.doi) == ("On cats", "10.1000/cats")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(tmp_path, delimiter):
    text = f'id{delimiter}title\n1{delimiter}"On cats, dogs; and | owls"'
    assert read_text(tmp_path, text)[0].title == "On cats, dogs; and | owls"


def test_spaces_behind_the_commas_of_the_header_are_skipped_in_rows_too(tmp_path):
    found = read_text(tmp_path, 'title, abstract, year\nOn cats, "They purr, mostly.", 2001\n')
    assert found[0].abstract == "They purr, mostly."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_do_not_hide_the_first_column(tmp_path, encoding):
    assert read_text(tmp_path, "title,year\nÜber Katzen,2001\n".encode(encoding))[0].title == (
        "Über Katzen"
    )


def test_null_bytes_stop_the_reading_with_their_line(tmp_path):
    with pytest.raises(ReadError, match=r"t.csv:3: binary data"):
        read_text(tmp_path, b"title\nOn cats\nOn \x00dogs\n")


def test_the_line_of_a_record_is_where_it_begins(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('title,abstract\n"On\ncats",a\n\nOn dogs,b\n')
    assert [record.line for record in table.read(Source(path))] == [2, 5]


def test_cells_may_be_longer_than_the_limit_of_the_csv_module(tmp_path):
    long = "word " * 40_000
    assert len(read_text(tmp_path, f"title,abstract\nOn cats,{long}\n")[0].abstract) == 199_999


def test_a_higher_limit_that_others_set_stays(tmp_path):
    before = csv.field_size_limit(MAX_LINE * 2)
    read_text(tmp_path, "title\nOn cats\n")
    after = csv.field_size_limit(before)
    assert after == MAX_LINE * 2


def test_a_header_alone_is_an_error(tmp_path):
    with pytest.raises(ReadError, match="a header but no rows"):
        read_text(tmp_path, "title,abstract\n")
