import asyncio
from pathlib import Path

import pytest

from expansion.corpus import corpus, library_in
from likewise import __version__
from likewise.errors import NotALibraryError, WriteError
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of, error_of

REFUSAL = {"$ref": "#/components/schemas/RefusalAnswer"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    library = library_in(folder / "lib", *corpus()[:10])
    return ServerSettings(library=library, sessions=folder / "a" / "sessions")


@pytest.fixture(scope="module")
def asked(settings):
    with client_of(make_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def schema(asked):
    return asked.get("/api/openapi.json").json()


def operations(schema):
    return [operation for methods in schema["paths"].values() for operation in methods.values()]


def test_the_schema_says_what_it_is_of(schema):
    assert (schema["info"]["title"], schema["info"]["version"]) == ("likewise", __version__)


def test_every_operation_is_refused_in_the_one_shape(schema):
    shapes = [
        answer["content"]["application/json"]["schema"]
        for operation in operations(schema)
        for status, answer in operation["responses"].items()
        if status[0] in "45"
    ]
    assert len(shapes) >= 2 * len(operations(schema))
    assert all(shape == REFUSAL for shape in shapes)


def test_no_other_shape_of_errors_is_in_the_schema(schema):
    assert not [name for name in schema["components"]["schemas"] if "ValidationError" in name]


def test_every_operation_is_under_api_and_says_what_it_does(schema):
    assert all(path.startswith("/api/") for path in schema["paths"])
    assert all(operation.get("summary") for operation in operations(schema))


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/api/docs"])
def test_no_page_loads_scripts_from_elsewhere(asked, path):
    assert error_of(asked.get(path))["kind"] == "unknown-address"


def test_the_sessions_folder_is_made(asked, settings):
    assert settings.sessions.is_dir()


def test_what_hinders_the_start_is_kept_to_be_told(tmp_path):
    app = make_app(ServerSettings(library=str(tmp_path / "lib"), sessions=tmp_path / "sessions"))
    with pytest.raises(NotALibraryError), client_of(app):
        pass
    assert isinstance(app.state.trouble, NotALibraryError)


def test_a_folder_that_can_not_be_made_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    app = make_app(ServerSettings(library="lib", sessions=tmp_path / "file"))
    with pytest.raises(WriteError, match="file: no sessions can be kept here: this is a file"):
        asyncio.run(_opened(app))


async def _opened(app):
    async with app.router.lifespan_context(app):
        pass


def test_an_app_can_be_made_without_a_library():
    app = make_app(ServerSettings(library="nowhere", sessions=Path("nowhere")))
    assert app.openapi()["paths"]
