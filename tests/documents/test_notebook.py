"""Documents as notebooks and prompts show them."""

from likewise.documents import Document
from likewise.documents.notebook import MOST_LINES, DocumentList, render_table

CATS = Document(
    id="7",
    pmid="7",
    title="On cats <b>",
    abstract="They purr & sleep. " * 100,
    authors=("Li, X",),
    year=1999,
)


def test_a_document_is_one_short_line():
    assert repr(CATS) == "<Document 7: On cats <b> (1999)>"


def test_a_long_title_is_cut():
    assert len(repr(Document(id="7", title="cat " * 100))) < 100


def test_a_document_without_a_title_is_known_by_what_it_has():
    assert repr(Document(pmid="7", abstract="They purr.")) == "<Document: They purr.>"
    assert repr(Document(id="7", year=1999)) == "<Document 7 (1999)>"


def test_a_notebook_shows_title_authors_abstract_and_links():
    html = CATS._repr_html_()
    assert "On cats &lt;b&gt;" in html
    assert "Li, 1999" in html
    assert "They purr &amp; sleep." in html
    assert 'href="https://pubmed.ncbi.nlm.nih.gov/7/"' in html


def test_a_retracted_document_says_so():
    retracted = Document(id="7", title="On cats", publication_types=("Retracted Publication",))
    assert 'class="warning"' in retracted._repr_html_()


def test_a_list_of_documents_has_a_line_for_each_and_counts_the_rest():
    lines = repr(DocumentList([CATS] * (MOST_LINES + 5))).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == " ... 5 more]"


def test_a_notebook_shows_a_list_of_documents_as_a_table_and_counts_the_rest():
    html = DocumentList([CATS] * (MOST_LINES + 5))._repr_html_()
    assert html.count("<tr>") == MOST_LINES + 1
    assert "5 more." in html


def test_what_stands_in_a_cell_is_no_html():
    assert "&lt;i&gt;" in render_table(["a"], [["<i>"]])
