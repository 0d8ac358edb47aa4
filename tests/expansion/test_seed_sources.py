"""What a person pastes into a box: identifiers, titles, references, or a file's text."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import ReadError
from likewise.expansion.seed_sources import parse_content, parse_line, read_seeds, sort_seeds

TITLE = "The sleep of shift workers in winter"
RIS = "TY  - JOUR\nTI  - On cats\nPY  - 2001\nER  - \n"
NBIB = "PMID- 7\nTI  - On cats\nDP  - 2001\n"
BIBTEX = "@article{cats, title = {On cats}, year = 2001}\n"
XML = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><Journal>"
    "<JournalIssue><PubDate><Year>2001</Year></PubDate></JournalIssue></Journal>"
    "<ArticleTitle>On cats</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
    "</PubmedArticleSet>"
)
CSV = 'title,year\n"On cats",2001\n'
TSV = "Title\tYear\nOn cats\t2001\n"
JSON = '{"title": "On cats", "year": 2001}\n'


def parse_papers(text, **options):
    return parse_content(text.encode("utf-8", "replace"), name="pasted text", **options)


def ids(text):
    return [paper.id for paper in parse_papers(text)]


def titles(text):
    return [paper.title for paper in parse_papers(text)]


@pytest.mark.parametrize(
    "text",
    [
        "12\n34\n56",
        "12, 34, 56",
        "12;34;56",
        "12 34\n56,",
        " 12\r\n\r\n- 34\n* 56 \n",
        "12\t34\n56",
    ],
)
def test_a_list_of_numbers_is_a_paper_each(text):
    assert ids(text) == ["12", "34", "56"]


@pytest.mark.parametrize(
    ("line", "paper"),
    [
        ("PMID: 123", Document(pmid="123")),
        ("PMC123", Document(pmcid="PMC123")),
        ("10.1000/ABC", Document(doi="10.1000/abc")),
        ("doi:10.1000/abc", Document(doi="10.1000/abc")),
        ("https://doi.org/10.1000/abc", Document(doi="10.1000/abc")),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", Document(pmid="123")),
        ("1. 123456", Document(id="123456")),
        ("[12] PMID: 123", Document(pmid="123")),
        ("own-3", Document(id="own-3")),
        ("• made-0a1b,", Document(id="made-0a1b")),
        ("PMID: 123 # the first one", Document(pmid="123")),
    ],
    ids=str,
)
def test_an_identifier_is_a_paper(line, paper):
    assert parse_line(line) == [paper]


def test_identifiers_of_several_kinds_may_share_a_line():
    found = parse_line("PMC5, 10.1000/abc; PMID: 7")
    assert found == [Document(pmcid="PMC5"), Document(doi="10.1000/abc"), Document(pmid="7")]


@pytest.mark.parametrize(
    "line",
    [
        TITLE,
        f"- {TITLE}",
        f"12. {TITLE}",
        f"(3) {TITLE};",
        f'"{TITLE}"',
        f"\u201c{TITLE}\u201d,",
        f"\u2022 \u00ab {TITLE} \u00bb",
        "  The sleep  of shift\u00a0workers in winter ",
        f"2001\t{TITLE}\tJ Cats",
    ],
)
def test_a_line_of_words_is_a_title_without_what_lists_put_around_it(line):
    assert parse_line(line) == [Document(title=TITLE)]


@pytest.mark.parametrize(
    "title",
    [
        "5-HT receptors of the cat",
        "Drug #2 of the third trial",
        "Cats: 12, 34 and 56 of them",
        "Does COVID-19 end? A guess.",
        "A 10.5 year follow up, 2 of 3",
    ],
)
def test_numbers_and_marks_in_a_title_stay(title):
    assert titles(title) == [title]


@pytest.mark.parametrize(
    ("line", "paper"),
    [
        (
            "1. Smith J. On cats. J Cats. 2001;3:4-9. doi:10.1000/x. PMID: 123",
            Document(doi="10.1000/x", pmid="123"),
        ),
        ("Smith J, Doe A. On cats. 2001. https://doi.org/10.1000/x.", Document(doi="10.1000/x")),
        ("On cats. J Cats 2001. 10.1000/x", Document(doi="10.1000/x")),
        ("On cats. PMCID: PMC12", Document(pmcid="PMC12")),
        ("12345\tOn cats and dogs", Document(id="12345")),
        ("On cats and dogs\thttps://pubmed.ncbi.nlm.nih.gov/123/", Document(pmid="123")),
    ],
    ids=str,
)
def test_a_reference_is_taken_for_its_identifier(line, paper):
    assert parse_line(line) == [paper]


def test_a_doi_in_an_address_of_a_publisher_is_not_guessed():
    line = "On cats. https://a.example/articles/10.1000/x/full"
    assert parse_line(line) == [Document(title=line)]


def test_a_title_of_one_long_word_without_spaces_is_one():
    assert parse_line("交代勤務者の睡眠と疲労について") == [
        Document(title="交代勤務者の睡眠と疲労について")
    ]


@pytest.mark.parametrize("text", ["", " \n\n", "# all mine\n", "PMID\n", "- \n", '""'])
def test_what_names_nothing_is_nothing(text):
    assert parse_papers(text) == []


@pytest.mark.parametrize("text", [RIS, NBIB, BIBTEX, XML, CSV, TSV, JSON])
def test_the_text_of_a_file_is_read_as_that_file_is(text):
    (paper,) = parse_papers(text)
    assert (paper.title, paper.year) == ("On cats", 2001)


def test_a_column_of_titles_may_have_its_name_above_it():
    assert titles("Title\nOn cats, dogs and owls\nOn mice\n") == [
        "On cats, dogs and owls",
        "On mice",
    ]


def test_lines_that_only_look_like_a_table_are_lines():
    text = "The sleep of nurses\tJ Sleep\nThe sleep of bakers, and of others\tJ Sleep\n"
    assert titles(text) == ["The sleep of nurses", "The sleep of bakers, and of others"]


def test_records_that_cannot_be_read_are_told_of_the_pasted_text():
    problems = []
    assert len(parse_papers(JSON + "{broken\n", on_problem=problems.append)) == 1
    assert [(problem.path, problem.line) for problem in problems] == [("pasted text", 2)]


def test_without_a_listener_the_first_problem_raises():
    with pytest.raises(ReadError, match=r"^pasted text:2: broken JSON"):
        parse_papers(JSON + "{broken\n")


def test_the_paste_of_a_file_that_is_cut_off_raises():
    with pytest.raises(ReadError, match=r"^pasted text:1: this @article is not closed"):
        parse_papers("@article{cats, title = {On cats},")


@pytest.mark.parametrize("text", ["1 2 3", "a\nb\nc", RIS * 3], ids=["ids", "lines", "file"])
def test_more_papers_than_may_be_are_refused(text):
    assert len(parse_papers(text, most=3)) == 3
    with pytest.raises(ReadError, match=r"^pasted text: more than 2 papers; give fewer"):
        parse_papers(text, most=2)


def test_bytes_may_be_packed_or_in_another_encoding():
    assert [
        parse_content(content, name="standard input")[0].title
        for content in (gzip.compress(RIS.encode()), RIS.encode("utf-16"), "Ü ber".encode("cp1252"))
    ] == ["On cats", "On cats", "Ü ber"]


def test_binary_bytes_are_refused():
    with pytest.raises(ReadError, match=r"^standard input:1: binary data where text was expected"):
        parse_content(b"abc\x00\x01", name="standard input")


@given(st.text(max_size=60))
def test_whatever_is_pasted_is_papers_or_a_reason(text):
    try:
        papers, reason = parse_papers(text, on_problem=lambda _: None), ""
    except ReadError as error:
        papers, reason = [], str(error)
    assert all(paper.id or paper.is_identifiable for paper in papers)
    assert not reason or reason.startswith("pasted text")


# --- files


def read_file(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    return read_seeds([str(tmp_path / name)])


@pytest.mark.parametrize("name", ["titles.txt", "titles"])
def test_a_list_of_titles_in_a_file_is_read_as_it_is_pasted(tmp_path, name):
    text = f"Titles\n1. {TITLE}\n2. On cats. J Cats 2001. doi:10.1000/x\n"
    assert read_file(tmp_path, name, text) == parse_papers(text)


def test_a_list_of_titles_in_a_file_gives_seeds_to_commands_too(tmp_path):
    (tmp_path / "titles.txt").write_text(f"{TITLE}\nOn cats and dogs\n12\n")
    given = sort_seeds([str(tmp_path / "titles.txt")])
    assert [paper.title or paper.pmid for paper in given.seeds] == [TITLE, "On cats and dogs", "12"]


def test_numbers_in_a_file_are_pmids(tmp_path):
    found = read_file(tmp_path, "t.txt", f"pmid\n12\n34, 56  # good\n{TITLE}\n")
    assert found == [*(Document(pmid=pmid) for pmid in ("12", "34", "56")), Document(title=TITLE)]


@pytest.mark.parametrize("text", [RIS, NBIB, BIBTEX, XML, CSV, TSV, JSON])
def test_a_file_called_text_is_read_for_what_it_is(tmp_path, text):
    (paper,) = read_file(tmp_path, "t.txt", text)
    assert (paper.title, paper.year) == ("On cats", 2001)


def test_a_text_under_another_suffix_is_no_list_of_titles(tmp_path):
    with pytest.raises(ReadError, match="no known format, by content or by suffix"):
        read_file(tmp_path, "t.rtf", f"{TITLE}\n")


def test_of_quotes_without_end_only_some_are_taken_off():
    quotes = '"' * 12
    assert [paper.title for paper in parse_line(f"{quotes}On cats{quotes}")] == ['""On cats""']


# What files say of their papers

DECIDED = {
    "rayyan.csv": (
        "title,year,notes\n"
        'On the purring of cats,2001,"RAYYAN-INCLUSION: {""Ann""=>""Included""}"\n'
        'On the barking of dogs,2002,"RAYYAN-INCLUSION: {""Ann""=>""Excluded""}"\n'
        'On the humming of bees,2003,"RAYYAN-INCLUSION: {""Ann""=>""Maybe""}"\n'
    ),
    "asreview.csv": (
        "title,year,asreview_label\n"
        "On the purring of cats,2001,1\n"
        "On the barking of dogs,2002,0\n"
        "On the humming of bees,2003,\n"
    ),
    "covidence.csv": (
        "Title,Published Year,Covidence #,Status\n"
        "On the purring of cats,2001,#1,Included\n"
        "On the barking of dogs,2002,#2,Excluded\n"
        "On the humming of bees,2003,#3,\n"
    ),
    "asreview.ris": (
        "TY  - JOUR\nTI  - On the purring of cats\nPY  - 2001\nN1  - ASReview_relevant\nER  - \n"
        "TY  - JOUR\nTI  - On the barking of dogs\nPY  - 2002\nN1  - ASReview_irrelevant\nER  - \n"
        "TY  - JOUR\nTI  - On the humming of bees\nPY  - 2003\nN1  - ASReview_not_seen\nER  - \n"
    ),
}


@pytest.mark.parametrize("name", DECIDED)
def test_excluded_papers_of_a_file_are_irrelevant_and_open_ones_neither(tmp_path, name):
    (tmp_path / name).write_text(DECIDED[name])
    given = sort_seeds([str(tmp_path / name)])
    assert [paper.title for paper in given.seeds] == ["On the purring of cats"]
    assert [paper.title for paper in given.irrelevant] == ["On the barking of dogs"]


def test_what_a_file_decides_is_said_in_a_line(tmp_path):
    (tmp_path / "a.csv").write_text(DECIDED["asreview.csv"])
    (said,) = sort_seeds([str(tmp_path / "a.csv")]).decisions
    assert said == (
        "a.csv: 'asreview_label' says what was decided; 1 relevant are seeds, and 1 irrelevant are "
        "taken as off topic; 1 left open are neither"
    )


def test_where_exclusions_alone_are_noted_what_is_not_excluded_is_a_seed(tmp_path):
    rows = ["On cats,", "On bees,Seen in 2001", "On dogs,Exclusion reason: Wrong animal;"]
    (tmp_path / "covidence.csv").write_text("\n".join(["Title,Notes", *rows]))
    given = sort_seeds([str(tmp_path / "covidence.csv")])
    assert [paper.title for paper in given.seeds] == ["On cats", "On bees"]
    assert [paper.title for paper in given.irrelevant] == ["On dogs"]
    assert "2 not excluded are seeds" in given.decisions[0]


def test_all_papers_of_a_file_without_decisions_are_seeds(tmp_path):
    (tmp_path / "a.csv").write_text("title,year\nOn cats,2001\nOn dogs,2002\n")
    given = sort_seeds([str(tmp_path / "a.csv")])
    assert (len(given.seeds), given.irrelevant, given.decisions) == (2, [], [])


def test_a_column_that_is_only_called_like_one_of_labels_decides_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("title,status\nOn cats,Published\nOn dogs,In press\n")
    given = sort_seeds([str(tmp_path / "a.csv")])
    assert (len(given.seeds), given.decisions) == (2, [])


def test_a_column_of_labels_that_nobody_filled_in_decides_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("title,mark\nOn cats,\nOn dogs,\n")
    assert len(sort_seeds([str(tmp_path / "a.csv")]).seeds) == 2
