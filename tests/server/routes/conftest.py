"""What tests of routes share: an app with a small library, and sessions in it."""

import shutil
from itertools import count

import pytest

from expansion.corpus import corpus, library_in, seeds_on
from likewise.expansion.saved import fingerprint_library
from likewise.expansion.sessions import store
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.library import open_library
from likewise.server import ServerSettings
from likewise.server.app import make_app
from server.guarded import client_of

_NUMBERS = count()


@pytest.fixture(autouse=True, scope="module")
def _disk_is_not_waited_for():
    """Let no test of this process wait until what it writes is safe from a loss of power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_SETTINGS", ("PRAGMA synchronous = OFF",))
        yield


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Where a library on the disk lies; nobody writes to it."""
    return library_in(tmp_path_factory.mktemp("library") / "lib", *corpus())


@pytest.fixture(scope="session")
def expanded_file(library, tmp_path_factory):
    """A session on sugar, expanded once."""
    path = tmp_path_factory.mktemp("expanded") / "expanded.likewise"
    with open_library(library) as opened:
        fingerprint = fingerprint_library(opened.info())
    given = {"library": library, "fingerprint": fingerprint, "seeds": seeds_on("sugar")}
    with Session.make(path, **given, name="On sugar") as session:
        expand_session(session)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of sessions."""
    return tmp_path_factory.mktemp("sessions")


@pytest.fixture(scope="module")
def api(library, folder):
    """A client of the app."""
    settings = ServerSettings(library=library, sessions=folder, jobs_per_minute=1_000)
    with client_of(make_app(settings)) as client:
        yield client


@pytest.fixture
def expanded(expanded_file, folder):
    """The address of a session that was expanded once; the test's own."""
    identifier = f"expanded-{next(_NUMBERS)}"
    shutil.copy(expanded_file, folder / f"{identifier}.likewise")
    return f"/api/sessions/{identifier}"


@pytest.fixture
def begun(api):
    """The address of a session that nothing was expanded in yet; the test's own."""
    seeds = [{"id": seed.id} for seed in seeds_on("sugar")]
    made = api.post("/api/sessions", json={"seeds": seeds})
    return f"/api/sessions/{made.json()['id']}"
