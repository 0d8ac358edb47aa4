"""Made-up releases of PubMed: small files whose records say which release they are of."""

from likewise.documents import Document


def write_release(folder, number, records=(), deletions=(), *, deleted_first=False, year=26):
    """Write the file of a release; return its path."""
    name = f"pubmed{year}n{number:04}.xml"
    articles = "".join(
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>'
        f"<ArticleTitle>{title_of(pmid, number)}</ArticleTitle>"
        "<Abstract><AbstractText>Of rats.</AbstractText></Abstract>"
        "</Article></MedlineCitation></PubmedArticle>\n"
        for pmid in records
    )
    notices = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deletions)
    deleted = f"<DeleteCitation>{notices}</DeleteCitation>\n" if deletions else ""
    inside = deleted + articles if deleted_first else articles + deleted
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"<PubmedArticleSet>\n{inside}</PubmedArticleSet>\n")
    return folder / name


def title_of(pmid, number):
    """Return the title that a paper has in a release."""
    return f"Paper {pmid} as told in {number}."


def titles_in(library):
    """Return the title of every document of a library, by id."""
    found: list[Document] = library.get(library.list_ids())
    return {document.id: document.title for document in found}
