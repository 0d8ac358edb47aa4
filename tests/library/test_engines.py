"""Which engine opens what: folders, addresses of clusters, and addresses of other packages."""

import ast
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import likewise
from likewise import library as engine_module
from likewise.errors import LibraryError, PlugInError, SettingsError
from likewise.library import (
    GROUP,
    Engine,
    add_fields,
    find_engine,
    list_engines,
    open_library,
)
from likewise.library.memory import MemoryLibrary
from likewise.library.opensearch.address import SCHEMES

TOY = Engine(lambda address, *, write: MemoryLibrary(), name=lambda address: "toy")


@pytest.fixture
def plugged(monkeypatch):
    entry = EntryPoint("toy", f"{__name__}:TOY", GROUP)
    monkeypatch.setattr(engine_module, "plug_ins", lambda group: {"toy": entry})
    monkeypatch.setattr(engine_module, "load_plug_in", lambda entry, *, kind: TOY)


def test_all_that_clusters_are_called_has_an_engine():
    assert list(list_engines()) == [*SCHEMES]


@pytest.mark.parametrize("folder", ["lib", "/a/lib", "C:/lib", Path("lib")])
def test_a_folder_has_no_engine_of_its_own(folder):
    assert find_engine(folder) is None


def test_an_address_that_nothing_answers_to_is_refused_without_its_secrets():
    with pytest.raises(LibraryError, match=r"^ftp://\.\.\.: no engine knows this scheme"):
        open_library("ftp://me:secret@host/papers")


@pytest.mark.usefixtures("plugged")
def test_a_package_adds_an_engine_by_its_scheme():
    assert isinstance(open_library("toy://somewhere"), MemoryLibrary)
    assert find_engine("toy://somewhere").name("toy://somewhere") == "toy"


@pytest.mark.usefixtures("plugged")
@pytest.mark.parametrize("address", ["toy://somewhere", "lib"])
def test_what_is_one_piece_has_neither_shards_nor_fields(address):
    with pytest.raises(SettingsError, match="only an index on a cluster has shards"):
        open_library(address, shards=3)
    with pytest.raises(SettingsError, match="leave it out"):
        add_fields(address, "title=ti")


def test_what_is_no_engine_is_blamed_on_its_package(monkeypatch):
    entry = EntryPoint("toy", "pathlib:Path", GROUP)
    monkeypatch.setattr(engine_module, "plug_ins", lambda group: {"toy": entry})
    with pytest.raises(PlugInError, match="the engine 'toy' of pathlib:Path is not an Engine"):
        open_library("toy://somewhere")


def test_nothing_else_knows_the_engine_on_a_cluster():
    source = Path(likewise.__file__).parent
    own = source / "library" / "opensearch"
    for path in source.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        others = {name for name in imported if name.startswith("likewise.library.opensearch")}
        assert not others or path.is_relative_to(own), f"{path} imports {others}"
