"""What every engine must do, asked of each of them."""

import pytest

from library.opensearch.fresh import fresh_index
from library.opensearch.kept import KeptLibrary
from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryError, UnknownDocumentError
from likewise.library import Query, Term
from likewise.library.analysis import split_chunks
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.memory import MemoryLibrary
from likewise.library.opensearch import OpenSearchLibrary
from likewise.library.paper_notes import PaperNote, PaperNotebook, TakenRecord
from likewise.library.protocol import FileState, Heading, HeadingIndex
from likewise.library.where import Where

ENGINES = {
    "memory": lambda folder, request: MemoryLibrary(),
    "embedded": lambda folder, request: EmbeddedLibrary(folder / "lib", write=True),
    "opensearch": lambda folder, request: OpenSearchLibrary(
        request.getfixturevalue("opensearch_address"), write=True
    ),
}

AGAIN = {
    MemoryLibrary: lambda library: library,
    EmbeddedLibrary: lambda library: EmbeddedLibrary(library.path),
    OpenSearchLibrary: lambda library: OpenSearchLibrary(str(library.address)),
}

PAPERS = [
    Document(id="1", title="Insulin resistance in obese rats", abstract="Insulin was given."),
    Document(id="2", title="Leptin in rats", abstract="Resistance to insulin and leptin."),
    Document(id="3", title="Sleep in humans", abstract="Humans sleep at night."),
]


@pytest.fixture(scope="module")
def kept_library(opensearch_url):
    with fresh_index(opensearch_url) as index, KeptLibrary(index) as library:
        yield library


@pytest.fixture(params=ENGINES)
def untouched(request, tmp_path):
    """A library from which nothing was ever deleted: what was may count in statistics for long."""
    with ENGINES[request.param](tmp_path, request) as library:
        yield library


@pytest.fixture(params=ENGINES)
def library(request, tmp_path):
    if request.param == "opensearch":
        yield request.getfixturevalue("kept_library").emptied()
        return
    with ENGINES[request.param](tmp_path, request) as library:
        yield library


@pytest.fixture
def filled(library):
    library.add(PAPERS)
    library.commit()
    return library


def any_of(*words, field="abstract", minimum=1):
    return Query(tuple(Term(field, word) for word in words), minimum)


def test_nothing_is_found_in_an_empty_library(library):
    assert library.find_best(any_of("insulin"), limit=5).ids == []


def test_an_empty_query_finds_nothing(filled):
    assert filled.find_best(Query(()), limit=5).ids == []


def test_a_limit_of_zero_finds_nothing(filled):
    assert filled.find_best(any_of("insulin"), limit=0).ids == []


def test_what_is_added_is_not_seen_before_it_is_committed(library):
    library.add(PAPERS)
    assert library.count() == 0


def test_what_is_committed_is_counted(filled):
    assert filled.count() == 3


def test_documents_come_back_whole(library):
    paper = Document(id="x", title="Ünïcode", pmid="7", authors=("A, B",), year=1999, source="s:f")
    library.add([paper])
    library.commit()
    assert library.get(["x"]) == [paper]


def test_documents_come_back_in_the_order_asked_and_unknown_ids_are_left_out(filled):
    assert [paper.id for paper in filled.get(["3", "nobody", "1"])] == ["3", "1"]


def test_asking_for_no_documents_gives_none(filled):
    assert filled.get([]) == []


def test_an_id_asked_for_twice_comes_back_twice(filled):
    assert [paper.id for paper in filled.get(["1", "1"])] == ["1", "1"]


def test_adding_an_id_again_replaces_its_document(filled):
    filled.add([Document(id="1", title="New")])
    filled.commit()
    assert (filled.count(), filled.get(["1"])[0].title) == (3, "New")


def test_the_last_of_two_documents_of_one_id_in_one_commit_wins(library):
    library.add([Document(id="1", title="Old")])
    library.add([Document(id="1", title="New")])
    library.commit()
    assert [paper.title for paper in library.get(["1"])] == ["New"]


def test_a_replaced_document_is_no_longer_found_by_its_old_words(filled):
    filled.add([Document(id="3", title="New")])
    filled.commit()
    assert filled.find_best(any_of("sleep"), limit=5).ids == []


def test_a_deleted_document_is_gone(filled):
    filled.delete(["1", "nobody"])
    filled.commit()
    assert (filled.count(), filled.get(["1"])) == (2, [])


def test_a_document_added_and_deleted_in_one_commit_is_gone(library):
    library.add([Document(id="1", title="A")])
    library.delete(["1"])
    library.commit()
    assert library.count() == 0


def test_a_document_deleted_and_added_in_one_commit_is_there(filled):
    filled.delete(["1"])
    filled.add([Document(id="1", title="Again")])
    filled.commit()
    assert filled.get(["1"])[0].title == "Again"


def test_documents_are_found_by_any_identity_key(library):
    library.add([Document(id="a", pmid="7"), Document(id="b", doi="10.1/x"), Document(id="c")])
    library.commit()
    assert [paper.id for paper in library.find(["doi:10.1/x", "pmid:7", "pmid:8"])] == ["a", "b"]


def test_a_document_is_found_under_an_id_that_gave_way(library):
    library.add([Document(id="a", other_ids=("id:b",))])
    library.commit()
    assert [paper.id for paper in library.find(["id:b"])] == ["a"]


def test_terms_are_stemmed_lower_case_and_without_stop_words_and_accents(library):
    terms = library.analyze("abstract", "The patient's IL-6 responses in Sjögren's syndromes")
    assert terms == ["patient", "il", "6", "respons", "sjogren", "syndrom"]


def test_many_texts_are_analysed_each_as_it_would_be_alone(library):
    texts = ["Insulin in rats", "", "The responses"]
    assert library.analyze_all("title", texts) == [["insulin", "rat"], [], ["respons"]]


def test_where_chunks_are_analysed_apart_they_have_the_terms_of_the_text(library):
    text = "The patient's IL-6 responses in Sjögren's syndromes, 5 μg/ml"
    chunks = library.analyze_all("title", split_chunks(text))
    assert library.analyzes_by_chunk
    assert [term for terms in chunks for term in terms] == library.analyze("abstract", text)


def test_no_texts_have_no_terms(library):
    assert library.analyze_all("abstract", []) == []


def test_document_frequencies_count_documents_of_the_field(untouched):
    untouched.add(PAPERS)
    untouched.commit()
    frequencies = untouched.document_frequencies("abstract", ["insulin", "resist", "nothing"])
    assert frequencies == {"insulin": 2, "resist": 1, "nothing": 0}


def test_only_the_field_asked_for_is_searched(filled):
    assert filled.find_best(any_of("insulin", field="title"), limit=5).ids == ["1"]


def test_scores_are_those_of_bm25(untouched):
    untouched.add([Document(id="1", title="cat cat dog"), Document(id="2", title="bird")])
    untouched.commit()
    # Worked out by hand: ln(1 + 1.5/1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2)).
    found = untouched.find_best(any_of("cat", field="title"), limit=5)
    assert found.scores == pytest.approx([0.6931472 * 4.4 / 3.65], rel=1e-5)


def test_a_weight_multiplies_a_terms_score(filled):
    plain = filled.find_best(Query((Term("title", "insulin", 1.0),)), limit=1)
    heavy = filled.find_best(Query((Term("title", "insulin", 2.5),)), limit=1)
    assert heavy.scores[0] == pytest.approx(2.5 * plain.scores[0])


def test_a_document_must_have_the_minimum_of_terms(filled):
    assert filled.find_best(any_of("insulin", "leptin", minimum=2), limit=5).ids == ["2"]


def test_a_minimum_above_the_number_of_terms_finds_nothing(filled):
    assert filled.find_best(any_of("insulin", "leptin", minimum=3), limit=5).ids == []


def test_excluded_documents_make_room_for_others(filled):
    best = filled.find_best(any_of("insulin"), limit=1).ids
    assert filled.find_best(any_of("insulin"), limit=1, exclude=best).ids not in ([], best)


def test_nothing_has_an_empty_id(filled):
    assert [paper.id for paper in filled.get(["", "1"])] == ["1"]


@pytest.mark.parametrize("limit", [1, 2, 299])
def test_ties_are_in_order_of_their_ids_even_where_the_limit_cuts_them(library, limit):
    ids = [str(number) for number in range(1000)]
    library.add(Document(id=identifier, title="same words") for identifier in reversed(ids[:500]))
    library.commit()
    library.add(Document(id=identifier, title="same words") for identifier in ids[500:])
    library.commit()
    assert library.find_best(any_of("word", field="title"), limit=limit).ids == sorted(ids)[:limit]


@pytest.mark.parametrize(
    "identifier",
    ["0", "007", "10.1016/j.jclinepi.2020.01.001", "ünï", "x" * 71, "y" * 72, "z" * 300],
)
def test_ids_of_every_shape_come_back_from_a_search(library, identifier):
    library.add([Document(id=identifier, title="cat"), Document(id="1", title="dog")])
    library.commit()
    assert library.find_best(any_of("cat", field="title"), limit=2).ids == [identifier]


def test_info_counts_fields_and_sources(library):
    library.add([Document(id="1", title="A", source="ris:x"), Document(id="2", title="B", year=1)])
    library.commit()
    info = library.info()
    assert (info.documents, info.fields, info.sources["ris:x"]) == (2, {"title": 2, "year": 1}, 1)


def test_an_engine_says_its_name_and_no_more_than_a_version(library):
    name, *version = library.engine.split(" ")
    assert name in {"memory", "tantivy", "opensearch", "elasticsearch"}
    assert len(version) == (name != "memory")


def test_a_library_that_has_read_no_file_knows_of_none(library):
    assert library.list_files() == {}


def test_files_that_were_noted_are_known_without_a_commit(library):
    states = {"/a/b.ris": FileState(7, 99), "/ü\\xff.xml": FileState(8, 10**18, "pubmed", 3)}
    library.note_files(states)
    assert library.list_files() == states


def test_files_noted_later_join_the_others_or_take_their_place(library):
    library.note_files({"/a": FileState(1, 1), "/b": FileState(2, 2)})
    library.note_files({"/b": FileState(3, 3), "/c": FileState(4, 4)})
    assert {path: state.size for path, state in library.list_files().items()} == {
        "/a": 1,
        "/b": 3,
        "/c": 4,
    }


def make_note(*ids):
    records = [TakenRecord(Document(id=name, title=f"On {name}"), f"a.ris:{name}") for name in ids]
    return PaperNote(tuple(records))


def test_every_engine_of_ours_keeps_notes_of_papers(library):
    assert isinstance(library, PaperNotebook)


def test_a_library_of_single_records_has_no_notes(library):
    assert (library.read_papers(), library.read_papers(["1"]), library.read_rulings()) == (
        {},
        {},
        {},
    )


def test_notes_of_papers_are_known_without_a_commit(library):
    notes = {"1": make_note("1", "2"), "ü": make_note("ü", "x")}
    library.note_papers(notes)
    assert AGAIN[type(library)](library).read_papers() == notes
    assert library.read_papers(["ü", "nowhere"]) == {"ü": notes["ü"]}


def test_a_note_takes_the_place_of_an_earlier_one_or_erases_it(library):
    library.note_papers({"1": make_note("1", "2"), "3": make_note("3", "4")})
    library.note_papers({"1": make_note("1", "2", "5"), "3": None, "nowhere": None})
    assert library.read_papers() == {"1": make_note("1", "2", "5")}


def test_of_two_rulings_on_a_record_the_later_holds(library):
    library.note_rulings({"a": "1", "b": "2"})
    library.note_rulings({"a": "3"})
    assert AGAIN[type(library)](library).read_rulings() == {"a": "3", "b": "2"}


def test_what_was_not_committed_is_dropped_at_the_end(library):
    library.add(PAPERS)
    library.close()
    with AGAIN[type(library)](library) as again:
        assert again.count() == 0


def test_every_engine_of_the_package_is_in_this_suite():
    assert set(ENGINES) == {"memory", "embedded", "opensearch"}


def test_documents_without_an_id_get_one(library):
    library.add([Document(pmid="7", title="Cats"), Document(doi="10.1/x", title="Dogs")])
    library.commit()
    assert [paper.title for paper in library.get(["7", "10.1/x"])] == ["Cats", "Dogs"]


def test_an_endless_id_is_refused_and_nothing_is_lost(filled):
    with pytest.raises(LibraryError, match="an id of 70,000 characters"):
        filled.add([Document(id="x" * 70_000, title="Cats")])
    filled.commit()
    assert filled.count() == 3


RATS = MeshHeading("Rats", "D051381")
BRAIN = MeshHeading("Brain", "D001921")
LABELLED = [
    Document(id="2", title="A", mesh=(RATS, BRAIN)),
    Document(id="10", title="B", mesh=(RATS, MeshHeading("Rats", "D051381", major=True))),
    Document(id="3", title="C", mesh=(MeshHeading("Brain"),)),
    Document(id="x", title="D"),
]


@pytest.fixture
def labelled(library):
    library.add(LABELLED)
    library.commit()
    return library


def test_headings_are_counted_once_a_document_and_by_name_and_identifier(labelled):
    counts = {Heading("Rats", "D051381"): 2, Heading("Brain", "D001921"): 1, Heading("Brain"): 1}
    assert labelled.count_headings() == counts


def test_a_library_without_headings_has_none(filled):
    assert filled.count_headings() == {}


def test_all_documents_have_no_terms_in_common_and_come_in_order_of_their_ids(labelled):
    assert labelled.list_ids() == ["10", "2", "3", "x"]


def test_documents_must_have_a_heading_of_each_term(labelled):
    brain = [Heading("Brain", "D001921"), Heading("Brain")]
    assert labelled.find_having([brain]) == ["2", "3"]
    assert labelled.find_having([brain, [Heading("Rats", "D051381")]]) == ["2"]


def test_no_document_has_an_unknown_heading_or_one_of_none(labelled):
    assert labelled.find_having([[Heading("Zebras")]]) == []
    assert labelled.find_having([[Heading("Rats", "D051381")], []]) == []


def test_an_empty_library_has_no_ids(library):
    assert (library.list_ids(), library.find_having([[Heading("Rats")]])) == ([], [])


def test_headings_of_replaced_and_deleted_documents_are_gone(labelled):
    labelled.add([Document(id="2", title="A")])
    labelled.delete(["3"])
    labelled.commit()
    assert labelled.count_headings() == {Heading("Rats", "D051381"): 1}
    assert labelled.list_ids() == ["10", "2", "x"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (MeshHeading("Fatty Acids, 18:1", "D1"), {Heading("Fatty Acids, 18:1", "D1"): 1}),
        (MeshHeading("Cats", "mesh:D2"), {Heading("Cats"): 1}),
        (MeshHeading("", "D3"), {Heading("", "D3"): 1}),
        (MeshHeading(""), {}),
        (MeshHeading("x" * 70_000), {}),
        (MeshHeading("Sjögren's\tSyndrome"), {Heading("Sjögren's\tSyndrome"): 1}),
    ],
)
def test_headings_of_every_shape_are_kept_alike(library, given, kept):
    library.add([Document(id="1", title="A", mesh=(given,))])
    library.commit()
    assert library.count_headings() == kept
    assert all(library.find_having([[heading]]) == ["1"] for heading in kept)


DATED = [
    Document(id="a", title="Sleep", year=1999, language="eng", publication_types=("Review",)),
    Document(id="b", title="Sleep apnea", year=2010, language="German"),
    Document(
        id="c",
        title="Sleep in rats",
        year=2015,
        language="en",
        publication_types=("Journal Article", "Clinical Trial, Phase II"),
    ),
    Document(id="d", title="Sleep", publication_types=("x" * 70_000,)),
]
LIMITS = {
    "": "abcd",
    "year>=2010": "bc",
    "year<2010": "a",
    "year=2010": "b",
    "year>=2000, year<=2012": "b",
    "language=english": "ac",
    "language=de|fr": "b",
    "language!=eng": "bd",
    "type=clinical trial, phase ii": "c",
    "type=review|journal article": "ac",
    "type!=review": "bcd",
    "type!=review and year>=1990 and language=eng": "c",
    "type=comment": "",
}


@pytest.fixture
def dated(library):
    library.add(DATED)
    library.commit()
    return library


@pytest.mark.parametrize(("limit", "within"), LIMITS.items())
def test_a_search_finds_what_lies_within_its_limit_and_scores_it_as_without(dated, limit, within):
    terms = (Term("title", "sleep"), Term("title", "rat", 2.0))
    everything = dated.find_best(Query(terms), limit=9)
    scores = dict(zip(everything.ids, everything.scores, strict=True))
    found = dated.find_best(Query(terms, where=Where.parse(limit)), limit=9)
    assert found.ids == [name for name in everything.ids if name in within]
    assert found.scores == [scores[name] for name in found.ids]


@pytest.mark.parametrize(("limit", "within"), LIMITS.items())
def test_what_lies_within_a_limit_is_told_and_counted(dated, limit, within):
    where = Where.parse(limit)
    assert (dated.list_ids(where), dated.count(where)) == (list(within), len(within))


def test_a_limit_leaves_as_many_as_are_asked_for(dated):
    query = Query((Term("title", "sleep"),), where=Where.parse("year>=2000"))
    assert dated.find_best(query, limit=1, exclude=["b"]).ids == ["c"]


def test_a_document_that_changes_its_year_changes_sides(dated):
    dated.add([Document(id="a", title="Sleep", year=2020)])
    dated.commit()
    assert dated.list_ids(Where.parse("year>=2016")) == ["a"]


def test_every_engine_of_ours_can_be_asked_for_headings(library):
    assert isinstance(library, HeadingIndex)


def test_plain_words_find_documents_the_best_first(filled):
    assert [paper.id for paper in filled.search("leptin, or insulin")] == ["2", "1"]


def test_a_search_by_words_is_limited_in_number_and_by_where(dated):
    everything = dated.search("sleeping rats")
    assert dated.search("sleeping rats", limit=1) == everything[:1]
    within = [paper for paper in everything if paper.year and paper.year >= 2010]
    assert dated.search("sleeping rats", where="year>=2010") == within
    assert 0 < len(within) < len(everything)


def test_a_library_is_as_long_as_it_has_documents_and_true_even_if_empty(library):
    assert (len(library), bool(library)) == (0, True)
    library.add(PAPERS)
    library.commit()
    assert len(library) == 3


@pytest.mark.parametrize(
    ("identifier", "is_there"), [("1", True), (1, True), ("9", False), (9, False), (None, False)]
)
def test_an_id_is_in_a_library_as_a_number_or_a_text(filled, identifier, is_there):
    assert (identifier in filled) == is_there


def test_a_document_is_looked_up_by_its_id(filled):
    assert filled["3"] == filled[3] == PAPERS[2]


def test_an_unknown_id_is_named_with_the_library(filled):
    with pytest.raises(
        UnknownDocumentError, match="no document has the id '9'; if it has another id"
    ):
        filled[9]


def test_a_library_yields_its_documents_in_the_order_of_ids(filled):
    assert list(filled) == PAPERS


def test_a_library_tells_in_one_line_where_it_is(filled):
    assert repr(filled).startswith(f"<Library {filled.place or 'in memory'}")


def test_a_notebook_shows_what_a_library_holds(filled):
    html = filled._repr_html_()
    assert "3 documents in" in html
    assert "abstract" in html
