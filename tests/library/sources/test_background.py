"""A gathered library with the background that it lacks."""

import pytest

from likewise.documents import Document
from likewise.library import open_library
from likewise.library.memory import MemoryLibrary
from likewise.library.protocol import Query, Term
from likewise.library.sources.kept import KeptAnswer, KeptAnswers
from likewise.library.sources.terms import BackedLibrary, add_background, load_frequencies


@pytest.fixture
def library():
    library = MemoryLibrary()
    library.add(
        [
            Document(id="1", title="Liver and patients", abstract="Patients."),
            Document(id="2", title="Liver of rats", abstract="Rats."),
            Document(id="3", title="Liver and ears", abstract="Ears."),
        ]
    )
    library.commit()
    return library


def test_documents_and_words_of_the_background_are_counted_too(library):
    backed, table = BackedLibrary(library), load_frequencies()
    forms = sum(table.titles[form] for form in ("liver", "livers") if form in table.titles)
    assert backed.count() == 3 + table.texts
    assert backed.document_frequencies("title", ["liver"]) == {"liver": 3 + forms}


def test_what_is_common_elsewhere_counts_less_than_in_the_library_alone(library):
    query = Query((Term("title", "patient"), Term("title", "ear")))
    plain, backed = (each.find_best(query, limit=9) for each in (library, BackedLibrary(library)))
    assert plain.scores[0] == pytest.approx(plain.scores[1])
    assert (backed.ids, backed.scores[0] > 1.2 * backed.scores[1]) == (["3", "1"], True)


def test_all_else_is_the_librarys_own(library):
    backed = add_background(BackedLibrary(library))
    assert (backed.list_ids(), backed.get(["2"])[0].title) == (["1", "2", "3"], "Liver of rats")


def test_only_a_library_that_was_gathered_has_a_background(tmp_path):
    open_library(tmp_path / "lib", write=True).close()
    with open_library(tmp_path / "lib") as library:
        assert add_background(library) is library
        KeptAnswers(tmp_path / "lib").keep(KeptAnswer("gathering", reach={"1": True}))
        assert isinstance(add_background(library), BackedLibrary)
