"""BibTeX as people and programs write it."""

import pytest
from benchmarks.attacks.samples import ARTICLE, CHAPTER
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import DATA, lines_of, problems_in, read_data, read_path, read_text, written
from documents.strategies import FIELDS, documents, headings, several, texts
from documents.whole_records import CITATION, add_date
from likewise.documents import Document, MeshHeading
from likewise.documents.formats import bibtex
from likewise.documents.formats.bibtex import (
    find_other_ids,
    find_pmcid,
    find_pmid,
    read_list,
    read_names,
    write_list,
    write_names,
)
from likewise.documents.formats.bibtex_syntax import BibtexEntry
from likewise.documents.sources import Source
from likewise.errors import ReadError


def read_one(fields):
    (document,) = read_text(bibtex, f"@article{{key, title = {{A title}}, {fields}}}")
    return document


# --- programs


def test_jabref():
    assert read_data(bibtex, "jabref_strings_and_comments.bib") == [
        Document(
            id="Ozturk2012",
            title="The DNA of β-blockers: 50% of “nothing”",
            abstract="A dose of 5 mg was found in 50% of trials with < 10 people.",
            year=2012,
            authors=("Öztürk, Ayşe", "García, José", "European Group of Dose Finders"),
            journal="Journal of Invented Pharmacy, Part 2",
            doi="10.5555/jip_2012.1",
            pmid="22220001",
            keywords=("dose finding", "beta-blockers"),
            kind="JOUR",
        )
    ]


def test_biblatex_with_parentheses():
    first, second = read_data(bibtex, "biblatex_parentheses.bib")
    assert first == Document(
        id="vanDijk2020",
        title="Parentheses (of all kinds): a note",
        year=2020,
        authors=("van Dijk, Jan", "van der Berg Smith, Ludwig", "King, Martin, Jr"),
        journal="Delimiters of Nowhere",
        pmid="32220002",
        keywords=("Lung Diseases, Obstructive", "Humans"),
        kind="JOUR",
        date="2020/03/01",
        extra=(("bibtex:eprint", "32220002"), ("bibtex:eprinttype", "pubmed")),
    )
    assert second.other_ids == ("arxiv:2003.00001",)


# --- quirks


def test_missing_commas_and_quotes_are_forgiven():
    assert read_data(bibtex, "bibtex_missing_commas.bib") == [
        Document(
            id="loose",
            title="Commas are missing",
            year=1999,
            journal="Unquoted Words of Nowhere",
            authors=("Doe, Jane",),
            kind="JOUR",
        )
    ]


def test_an_entry_without_a_key_has_no_id():
    (document,) = read_text(bibtex, "@article{title = {On cats}}")
    assert document == Document(title="On cats", kind="JOUR")


def test_an_empty_key_is_no_id():
    (document,) = read_text(bibtex, "@article{, title = {On cats}}")
    assert document == Document(title="On cats", kind="JOUR")


def test_names_of_fields_and_macros_have_no_case():
    (document,) = read_text(bibtex, "@STRING{Joc = {J Cats}}@Misc{a, TITLE={x}, Journal = jOC}")
    assert document.journal == "J Cats"


def test_the_first_of_two_equal_fields_counts():
    assert read_one("year = 2001, year = 2002").year == 2001


def test_quotes_inside_braces_inside_quotes():
    assert read_one('journal = "The {"}Cat{"} Journal"').journal == 'The "Cat" Journal'


@pytest.mark.parametrize(
    "field",
    [
        "doi = {https://doi.org/10.5555/X.1}",
        "url = {https://doi.org/10.5555/x.1}",
        r"doi = {10.5555/x.1}",
    ],
)
def test_dois(field):
    assert read_one(field).doi == "10.5555/x.1"


@pytest.mark.parametrize(
    "field",
    [
        "pmid = 77",
        "note = {PMID: 77}",
        "eprint = {77}, eprinttype = {PubMed}",
        "url = {https://pubmed.ncbi.nlm.nih.gov/77}",
    ],
)
def test_pmids(field):
    assert read_one(field).pmid == "77"


def test_a_bare_number_in_a_note_is_no_pmid():
    assert read_one("note = {77}").pmid == ""


@pytest.mark.parametrize("field", ["pmcid = {PMC5}", "pmc = 5", "pmcid = {PMCID: PMC5}"])
def test_pmcids(field):
    assert read_one(field).pmcid == "PMC5"


def test_editors_are_no_authors():
    found = read_one("editor = {Doe, Jane and Roe, Rick}")
    assert (found.authors, found.editors) == ((), ("Doe, Jane", "Roe, Rick"))


def test_zotero_keeps_identifiers_in_a_note():
    (document,) = read_data(bibtex, "zotero_note.bib")
    assert (document.pmid, document.pmcid) == ("23456789", "PMC3456789")


def test_scopus():
    assert read_data(bibtex, "scopus_export.bib") == [
        Document(
            id="Okafor2014101",
            title="Sleep and shift work in nurses",
            year=2014,
            authors=("Okafor, Ngozi", "Lind, Per"),
            journal="Journal of Sleep Studies",
            pmid="23456789",
            keywords=("nurses", "shift work", "human", "sleep"),
            publication_types=("Article",),
            kind="JOUR",
            remarks=("Cited by: 4",),
            database="Scopus",
        )
    ]


# --- what is wrong


def test_an_unclosed_entry_is_a_problem_and_the_next_are_read():
    problems = []
    path = DATA / "bibtex_unclosed_entry.bib"
    ids = [document.id for document in read_path(bibtex, path, on_problem=problems.append)]
    assert (ids, [problem.line for problem in problems]) == (["good1", "good2"], [4])


def test_a_file_that_is_cut_off_fails_and_the_entries_before_are_read():
    found = bibtex.read(Source(DATA / "bibtex_cut_off.bib"))
    assert next(found).document.id == "whole"
    with pytest.raises(ReadError, match=r"bib:4: this @article is not closed up to the end"):
        next(found)


def test_an_empty_entry_is_a_problem_that_names_it():
    (problem,) = problems_in(bibtex, "@misc{a, title={x}}\n@misc{b, author={Doe, J}}")
    assert problem.found == "the entry 'b' has no title, no abstract and no identifier"


def test_a_file_without_entries_fails(tmp_path):
    path = tmp_path / "notes.bib"
    path.write_text("Mail to joe@example.org (at home).\n")
    with pytest.raises(ReadError, match=r"notes\.bib: no BibTeX entry in it"):
        read_path(bibtex, path)


def test_the_source_knows_where_each_entry_begins():
    assert lines_of(bibtex, "@misc{a,\ntitle={x}}\n\n@misc{b, title={y}}") == [1, 4]


# --- writing


def test_a_written_entry():
    document = Document(
        id="doe2001",
        title="50% of {cats}",
        year=2001,
        authors=("Doe, Ann", "Cat Group", "King, Martin, Jr"),
        keywords=("a, b", "c"),
        mesh=(MeshHeading("Cats", ui="D002415", major=True),),
    )
    assert written(bibtex, [document]).decode() == (
        "@article{doe2001,\n"
        "  title = {50\\% of \\textbraceleft{}cats\\textbraceright{}},\n"
        "  author = {Doe, Ann and {Cat Group} and King, Jr, Martin},\n"
        "  year = {2001},\n"
        "  keywords = {{a, b}, c},\n"
        "  mesh = {*Cats},\n"
        "}\n\n"
    )


def test_an_id_that_is_no_key_is_kept_in_a_field():
    assert b"  likewise-id = {a b}" in written(bibtex, [Document(id="a b", title="x")])


def test_ids_that_look_alike_get_different_keys():
    entries = written(bibtex, [Document(id="a b", title="x"), Document(id="ab ", title="x")])
    keys = [line for line in entries.splitlines() if line.startswith(b"@")]
    assert len(set(keys)) == 2


starless = headings.filter(lambda heading: not heading.name.startswith("*")).map(
    lambda heading: MeshHeading(heading.name, major=heading.major)
)


@given(
    originals=st.lists(
        documents(FIELDS - {"source"}, mesh=several(starless), **CITATION).map(add_date),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_back(originals):
    assert read_text(bibtex, written(bibtex, originals).decode()) == originals


@pytest.mark.parametrize("document", [ARTICLE, CHAPTER], ids=["article", "chapter"])
def test_a_whole_citation_is_read_back(document):
    assert read_text(bibtex, written(bibtex, [document]).decode()) == [document]


def test_a_citation_of_another_program_is_kept_whole():
    (found,) = read_text(
        bibtex,
        "@mastersthesis{k, title={Wards}, school={Lund University}, address={Lund}, year=2001,\n"
        "month=mar, day=7, pages={10--19}, note={Draft}, url={https://example.org/w},\n"
        "issn={0000-0019}, howpublished={On paper}, file={w.pdf:PDF}}",
    )
    assert (found.kind, found.publisher, found.place) == ("THES", "Lund University", "Lund")
    assert (found.date, found.pages, found.remarks) == ("2001/03/07", "10-19", ("Draft",))
    assert (found.urls, found.issn) == (("https://example.org/w",), ("0000-0019",))
    assert found.extra == (
        ("bibtex:entrytype", "mastersthesis"),
        ("bibtex:howpublished", "On paper"),
        ("bibtex:file", "w.pdf:PDF"),
    )


def test_web_of_science_puts_whole_fields_into_braces():
    (found,) = read_data(bibtex, "webofscience_double_braces.bib")
    assert found.keywords == ("sleep", "shift work, at night", "nurses")
    assert (found.issn, found.date) == (("0000-0019", "0000-0027"), "2014/03")
    assert (found.accession, found.year) == ("WOS:000300000000007", 2014)


def test_a_day_may_be_told_with_the_month():
    (found,) = read_text(bibtex, '@article{k, title={Wards}, year=2001, month = mar # "~15"}')
    assert (found.date, found.extra) == ("2001/03/15", ())


def test_fields_and_types_that_no_document_has_are_written_back():
    text = "@mastersthesis{k,\n  title = {Wards},\n  howpublished = {On 50\\% paper},\n}\n\n"
    assert written(bibtex, read_text(bibtex, text)).decode() == text


def test_a_kind_of_work_that_bibtex_has_no_type_for_is_kept():
    assert read_one("likewise-kind = {NEWS}").kind == "NEWS"
    (found,) = read_text(bibtex, written(bibtex, [Document(title="x", kind="MAP")]).decode())
    assert found.kind == "MAP"


def test_notes_of_ours_are_no_remarks():
    notes = {"rank": 1, "mark": "relevant"}
    (found,) = read_text(bibtex, written(bibtex, [CHAPTER], notes=notes).decode())
    assert found == CHAPTER


def entry(**fields):
    return BibtexEntry(1, "article", "key", fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"pmid": "{77}"},
        {"pubmed_id": "77"},
        {"eprinttype": "pubmed", "eprint": "77"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/77/"},
        {"note": "{PMID:} 77"},
        {"note": "Cited by 5", "annote": "PMID: 77"},
    ],
    ids=str,
)
def test_pmids_of_an_entry(fields):
    assert find_pmid(entry(**fields)) == "77"


def test_a_note_names_the_pmcid_on_the_line_of_the_pmid():
    assert find_pmcid(entry(note="PMID: 77 PMCID: PMC88")) == "PMC88"


def test_a_preprint_has_a_number_of_its_own():
    found = find_other_ids(entry(archiveprefix="arXiv", eprint="arXiv:2001.00001"))
    assert found == ("arxiv:2001.00001",)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Doe, Jane", ("Doe, Jane",)),
        ("Jane Doe", ("Doe, Jane",)),
        ("Jane~A. Doe", ("Doe, Jane A.",)),
        ("Plato", ("Plato",)),
        ("Ludwig van Beethoven", ("van Beethoven, Ludwig",)),
        ("van Beethoven, Ludwig", ("van Beethoven, Ludwig",)),
        ("King, Jr, Martin", ("King, Martin, Jr",)),
        ("{World Health Organization}", ("World Health Organization",)),
        ("{Barnes and Noble} AND Doe, J", ("Barnes and Noble", "Doe, J")),
        ("Doe, J\n  and Roe, R", ("Doe, J", "Roe, R")),
        ("Doe, J and others", ("Doe, J",)),
        ("Charles de la Vall{\\'e}e Poussin", ("de la Vallée Poussin, Charles",)),
        ("{\\'E}mile Zola", ("Zola, Émile",)),
        ("Anderson, Andy", ("Anderson, Andy",)),
        ("", ()),
    ],
)
def test_names(value, names):
    assert read_names(value) == names


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("a, b", ("a", "b")),
        ("a, b; c", ("a, b", "c")),
        ("{a, b}, c", ("a, b", "c")),
        ("a,, b,", ("a", "b")),
        ("", ()),
    ],
)
def test_lists(value, items):
    assert read_list(value) == items


@given(names=st.lists(texts(1, 4).filter(lambda name: name != "others")))
def test_any_names_are_read_back(names):
    assert read_names(write_names(names)) == tuple(names)


@given(items=st.lists(texts(1, 4)))
def test_any_list_is_read_back(items):
    assert read_list(write_list(items)) == tuple(items)
