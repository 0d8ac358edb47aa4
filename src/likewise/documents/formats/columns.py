"""The names that columns go by, and the field that each stands for."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from likewise.documents.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS = Document.__struct_fields__
"""The columns that we write, in this order; a table that has them all is read back exactly."""

# As `name_key` leaves them. Where a table has several for one field, the first that is filled wins
# (or, for lists, they are put together in this order).
NAMES = {
    "id": """id recordid documentid docid key covidence covidencenumber openalexid refid referenceid
        articleid""",
    "title": "title primarytitle articletitle documenttitle maintitle",
    "abstract": "abstract abstractnote notesabstract abstracttext summary text",
    "year": """year publicationyear pubyear publishedyear yearpublished date publicationdate
        datepublished pubdate coverdate issued published""",
    "authors": """authorfullnames authors author authornames authorlist creators firstauthors
        firstauthor""",
    "journal": """journal journalname journaltitle fulljournalname journalbook sourcetitle
        publicationtitle publicationname containertitle secondarytitle pubtitle venue""",
    "doi": "doi articledoi digitalobjectidentifier doilink",
    "pmid": "pmid pubmedid pubmed pubmedpmid medlinepmid medlineid",
    "pmcid": "pmcid pmc",
    "mesh": "mesh meshterms meshheadings meshheading meshnames meshdescriptors",
    "mesh_ids": "meshids meshset meshuis meshui meshid",
    "keywords": """keywords authorkeywords keyword indexkeywords keywordsplus manualtags
        automatictags subjectterms identifierkeywords""",
    "publication_types": "publicationtypes publicationtype documenttype articletype itemtype type",
    "language": "language languageoforiginaldocument languageofarticle lang",
    "source": "source",
    "other_ids": "otherids",
    "other_ids:eid": "eid",
    "other_ids:embase": "pui",
    "other_ids:lens": "lensid",
    "other_ids:dimensions": "publicationid",
    "other_ids:wos": "utuniquewosid",
    "other_ids:accession": "accessionnumber",
    "other_ids:nihms": "nihmsid",
    # Zotero keeps what it has no field for in "Extra", a name and a value on a line.
    "notes": "extra notes note",
}  # fmt: skip

# Web of Science heads its columns with tags, and its ID is no id but the "Keywords Plus".
WEB_OF_SCIENCE = {
    "title": "TI",
    "abstract": "AB",
    "year": "PY EA",
    "authors": "AF AU CA",
    "journal": "SO",
    "doi": "DI",
    "pmid": "PM",
    "keywords": "DE ID",
    "publication_types": "DT",
    "language": "LA",
    "other_ids:wos": "UT",
}

# Without one of these there is nothing to know a document by.
TELLING = ("title", "abstract", "doi", "pmid", "pmcid", "id")


def places(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return where each field is found among columns of these names, the best place first.

    >>> places(["PMID", "Article Title", "Publication_Year", "Index Keywords", "Author Keywords"])
    {'title': (1,), 'year': (2,), 'pmid': (0,), 'keywords': (4, 3)}
    """
    tagged = {"TI", "SO"} <= set(names)
    known = WEB_OF_SCIENCE if tagged else NAMES
    where: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        where[name if tagged else name_key(name)].append(place)
    found = {
        field: tuple(place for alias in aliases.split() for place in where.get(alias, ()))
        for field, aliases in known.items()
    }
    return {field: places for field, places in found.items() if places}


def name_key(name: str) -> str:
    """Return a column's name without case, spaces, underscores and punctuation.

    >>> name_key("Author(s)"), name_key("Journal/Book")
    ('authors', 'journalbook')
    """
    return re.sub(r"[\W_]+", "", name.casefold())
