"""Texts made to be searched again and again: the time grows with their length, and no faster."""

import pytest

from documents.reading import read_text
from documents.slowness import HOSTILE, assert_linear, grow, measure
from likewise.documents import citations, identity
from likewise.documents.formats import format_by_content, format_named, ids, nbib, ris, wos

cochrane = format_named("cochrane")
enw = format_named("enw")
ovid = format_named("ovid")

CLEANERS = {
    "doi": identity.clean_doi,
    "pmid": identity.clean_pmid,
    "pmcid": identity.clean_pmcid,
    "year": identity.clean_year,
    "doi in link": identity.find_doi_in_link,
    "pmid in link": identity.find_pmid_in_link,
    "pmcid in link": identity.find_pmcid_in_link,
    "pmid in note": identity.find_pmid_in_note,
    "pmcid in note": identity.find_pmcid_in_note,
    "title": identity.normalise_title,
    "date": citations.clean_date,
    "serials": lambda text: citations.find_serials([text]),
    "pages": citations.split_pages,
    "remarks": lambda text: citations.list_remarks([text]),
    "ids": ids.parse_id_line,
}
TAG_LINES = {
    "ris": (ris, "TY  - JOUR\nTI  - On cats\n{}  - {}\nER  - \n", ("AN", "U2", "C2", "M3", "UR",
            "N1", "SN", "DA", "KW", "AU", "L3", "SP")),
    "nbib": (nbib, "PMID- 7\nTI  - On cats\n{:<4}- {}\n", ("AID", "AU", "MH", "IS", "DP", "GN")),
    "enw": (enw, "%0 Book\n%T On cats\n%{} {}\n", ("M", "1", "8", "@", "A", "Z")),
    "wos": (wos, "PT J\nTI On cats\n{} {}\nER\n", ("UT", "SN", "PD", "DE", "AU", "BP")),
    "cochrane": (cochrane, "Record #1 of 1\nTI: On cats\n{}: {}\n", ("PM", "AU", "PG")),
    "ovid": (ovid, "<1>\nTitle\n  On cats\n{}\n  {}\n", ("Source", "Authors", "Keyword Heading")),
}  # fmt: skip


def read_all(module, text):
    return read_text(module, text, on_problem=lambda _: None)


@pytest.mark.parametrize("name", CLEANERS)
def test_a_value_takes_a_time_that_grows_with_its_length(name):
    for beginning, filling in HOSTILE:
        assert_linear(CLEANERS[name], beginning, filling)


@pytest.mark.parametrize("name", TAG_LINES)
def test_a_record_takes_a_time_that_grows_with_its_values(name):
    module, template, tags = TAG_LINES[name]
    for tag in tags:
        for beginning, filling in (("PMC1", " "), ("PMID", " "), ("1", "-"), ("", ";"), ("", "[")):
            assert_linear(
                lambda text, tag=tag: read_all(module, template.format(tag, text)),
                beginning,
                filling,
            )


@pytest.mark.parametrize("name", TAG_LINES)
def test_lines_that_are_almost_tags_take_a_time_that_grows_with_their_length(name):
    module, template, tags = TAG_LINES[name]
    for beginning, filling in (("", " "), ("TY", " "), ("TY  -", " "), ("<1", " "), ("<", "1")):
        assert_linear(
            lambda text: read_all(module, template.format(tags[0], f"x\n{text}\ny")),
            beginning,
            filling,
        )


@pytest.mark.parametrize("filling", ["\n", "\t", " ", "#", "7\n", "@a{", "%\n", ",", '{"_id"',
                                     "<!---->", "<??>", "Database: \n", "Content: \n", "<1>\n",
                                     "title", '"', "7 ", "10.1000/", "TI  - \n"])  # fmt: skip
@pytest.mark.parametrize("beginning", ["", "7", "<", "%0", "Database: ", "{", "@a", "FN ", "<1>"])
def test_a_format_is_recognised_at_once(beginning, filling):
    # The longest beginning that is looked at, four times over.
    assert measure(format_by_content, grow(beginning, filling, 32_768).encode()) < 1
