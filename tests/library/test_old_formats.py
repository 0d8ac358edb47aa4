"""Libraries that earlier versions made: everything goes on working but what they lack."""

import json

import pytest
import tantivy

from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryError
from likewise.library import Query, Term, open_library
from likewise.library.analysis import build_analyzer
from likewise.library.keys import COLUMN_NAMES
from likewise.library.protocol import Heading
from likewise.library.tantivy_index import to_engine
from likewise.library.where import Where

RATS = (MeshHeading("Rats", "D051381"),)


def make_library(folder, *, number):
    """A library of an earlier format, whose schema lacks what was added to it since."""
    (folder / "index").mkdir(parents=True)
    (folder / "likewise.json").write_text(json.dumps({"format": number, "engine": "tantivy"}))
    builder = tantivy.SchemaBuilder()
    for name in ("id", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in COLUMN_NAMES:
        builder.add_unsigned_field(name, fast=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name="likewise_english", index_option="freq")
    for name in ("has", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    additions = ("mesh",) if number > 1 else ()
    for name in additions:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("stored", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder / "index"))
    index.register_tokenizer("likewise_english", build_analyzer())
    writer = index.writer(num_threads=1)
    document = Document(id="1", pmid="1", title="Cats", mesh=RATS, year=1999)
    writer.add_document(to_engine(document, schema, additions=additions))
    writer.commit()
    writer.wait_merging_threads()
    return folder


@pytest.fixture
def format_1(tmp_path):
    """A library without a field for MeSH headings."""
    return make_library(tmp_path / "lib", number=1)


@pytest.fixture(params=[1, 2])
def without_limits(tmp_path, request):
    """A library without fields for years, languages and types."""
    return make_library(tmp_path / "lib", number=request.param)


def test_a_library_of_format_1_is_read(format_1):
    with open_library(format_1) as library:
        assert library.find_best(Query((Term("title", "cat"),)), limit=5).ids == ["1"]
        assert library.get(["1"])[0].mesh == RATS
        assert library.find(["pmid:1"])[0].id == "1"
        assert library.info().fields["mesh"] == 1


def test_a_library_of_format_1_takes_documents_and_stays_of_format_1(format_1):
    with open_library(format_1, write=True) as library:
        library.add([Document(id="2", title="Dogs", mesh=RATS), Document(id="1", title="Cows")])
        library.commit()
        assert [paper.title for paper in library.get(["1", "2"])] == ["Cows", "Dogs"]
    assert json.loads((format_1 / "likewise.json").read_text())["format"] == 1


def test_the_ids_of_a_library_of_format_1_are_told(format_1):
    with open_library(format_1) as library:
        assert library.list_ids() == ["1"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda library: library.count_headings(),
        lambda library: library.find_having([[Heading("Rats")]]),
    ],
)
def test_headings_of_a_library_of_format_1_are_refused_with_the_way_out(format_1, ask):
    with (
        open_library(format_1) as library,
        pytest.raises(LibraryError, match="no MeSH heading is indexed in it; index its files"),
    ):
        ask(library)


def test_a_library_of_format_1_whose_marker_was_lost_is_known_by_its_index(format_1):
    (format_1 / "likewise.json").unlink()
    with open_library(format_1, write=True) as library:
        library.add([Document(id="2", title="Dogs", mesh=RATS)])
        library.commit()
        assert library.count() == 2
        with pytest.raises(LibraryError, match="no MeSH heading is indexed"):
            library.count_headings()


def test_a_library_of_format_2_has_its_headings_and_takes_documents(tmp_path):
    folder = make_library(tmp_path / "lib", number=2)
    with open_library(folder, write=True) as library:
        library.add([Document(id="2", title="Dogs", mesh=RATS, year=2000, language="eng")])
        library.commit()
        assert library.count_headings() == {Heading("Rats", "D051381"): 2}
        assert library.list_ids() == ["1", "2"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda library, where: library.find_best(Query((Term("title", "cat"),), 1, where), limit=5),
        lambda library, where: library.list_ids(where),
        lambda library, where: library.count(where),
    ],
)
def test_limits_in_earlier_libraries_are_refused_in_one_line_with_the_way_out(without_limits, ask):
    with open_library(without_limits) as library, pytest.raises(LibraryError) as caught:
        ask(library, Where.parse("year>=1990"))
    assert str(caught.value) == (
        f"{without_limits}: made by an earlier likewise, which indexed no year, language or type "
        "to limit a search by; index its files, which sources.json lists, again: "
        "likewise index FILES --into NEW-FOLDER"
    )
