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

RATS = (MeshHeading("Rats", "D051381"),)


@pytest.fixture
def format_1(tmp_path):
    """A library of format 1: its schema has no field for MeSH headings."""
    folder = tmp_path / "lib"
    (folder / "index").mkdir(parents=True)
    (folder / "likewise.json").write_text(json.dumps({"format": 1, "engine": "tantivy"}))
    builder = tantivy.SchemaBuilder()
    for name in ("id", "key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in COLUMN_NAMES:
        builder.add_unsigned_field(name, fast=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name="likewise_english", index_option="freq")
    for name in ("has", "source"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_bytes_field("stored", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder / "index"))
    index.register_tokenizer("likewise_english", build_analyzer())
    writer = index.writer(num_threads=1)
    document = Document(id="1", pmid="1", title="Cats", mesh=RATS)
    writer.add_document(to_engine(document, schema, with_mesh=False))
    writer.commit()
    writer.wait_merging_threads()
    return folder


def test_a_library_of_format_1_is_read(format_1):
    with open_library(format_1) as library:
        assert library.search(Query((Term("title", "cat"),)), limit=5).ids == ["1"]
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
        assert library.having() == ["1"]


@pytest.mark.parametrize(
    "ask", [lambda library: library.headings(), lambda library: library.having([[Heading("Rats")]])]
)
def test_headings_of_a_library_of_format_1_are_refused_with_the_way_out(format_1, ask):
    with (
        open_library(format_1) as library,
        pytest.raises(LibraryError, match="no MeSH heading is indexed in it; index its sources"),
    ):
        ask(library)


def test_a_library_of_format_1_whose_marker_was_lost_is_known_by_its_index(format_1):
    (format_1 / "likewise.json").unlink()
    with open_library(format_1, write=True) as library:
        library.add([Document(id="2", title="Dogs", mesh=RATS)])
        library.commit()
        assert library.count() == 2
        with pytest.raises(LibraryError, match="no MeSH heading is indexed"):
            library.headings()
