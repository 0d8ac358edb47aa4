"""A real browser, and a server whose library holds papers on known topics, and hostile ones."""

import os
import shutil
from pathlib import Path

import pytest

from expansion.corpus import corpus, library_in, on, seeds_on
from likewise.documents import Document, write
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from server.browser.visiting import Visits
from server.serving import served

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = Document(
    id="hostile",
    title='<img src=x onerror="window.hacked=1"> insulin glucose <script>window.hacked=2</script>',
    abstract="<b onmouseover=alert(1)>insulin</b> glucose diabetes pancreas islet glucagon & more.",
    journal="<iframe src=javascript:window.hacked=3></iframe>",
    year=2001,
    authors=("<svg/onload=window.hacked=4>",),
    doi="10.1/javascript:alert(1)",
)


def chromium():
    """Return where Chromium is; skip, and say how to get it, where it is not.

    The one without windows takes three quarters of the time.
    """
    names = ("chromium-headless-shell", "chromium")
    path = os.environ.get("LIKEWISE_TEST_CHROMIUM") or next(
        filter(None, map(shutil.which, names)), None
    )
    if path:
        return path
    how = "the page is tested in Chromium: apt-get install chromium, or set LIKEWISE_TEST_CHROMIUM"
    return (pytest.fail if os.environ.get("LIKEWISE_TEST_BROWSER") else pytest.skip)(how)


@pytest.fixture(scope="module")
def browser():
    """A browser for a module: tests that run a loop of their own could not run beside it."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("browser") / "lib", *corpus(), HOSTILE)


@pytest.fixture(scope="session")
def server(library, tmp_path_factory):
    with served(library, tmp_path_factory.mktemp("sessions")) as running:
        yield running


@pytest.fixture(scope="session")
def seeds_file(tmp_path_factory):
    """Twelve papers on one topic, as a reference manager would export them."""
    path = tmp_path_factory.mktemp("seeds") / "sugar papers.ris"
    write(seeds_on("sugar"), path)
    return path


@pytest.fixture(scope="session")
def expanded_file(library, tmp_path_factory):
    """A session on sugar that was expanded once; a hostile document is in its list."""
    path = tmp_path_factory.mktemp("expanded") / "expanded.likewise"
    given = {"library": library, "fingerprint": "", "seeds": seeds_on("sugar")}
    with Session.make(path, **given, name="On sugar") as session:
        expand_session(session)
    return path


@pytest.fixture(scope="session")
def relearned_file(expanded_file, tmp_path_factory):
    """A session that learned again: the hostile document, marked before, came above the line."""
    path = tmp_path_factory.mktemp("relearned") / "relearned.likewise"
    shutil.copy(expanded_file, path)
    with Session.open(path) as session:
        best = [place.id for place in session.expansion().ranking if not place.seed][:4]
        session.mark({HOSTILE.id: "irrelevant"})
        expand_session(session)
        session.undo()
        session.mark({document: "irrelevant" for document in best if document != HOSTILE.id})
        expand_session(session)
    return path


@pytest.fixture(scope="session")
def begun_file(library, tmp_path_factory):
    """A session in which nothing was expanded; among its seeds is a hostile document."""
    path = tmp_path_factory.mktemp("begun") / "begun.likewise"
    given = {"library": library, "fingerprint": "", "seeds": [*on("sugar")[-8:], HOSTILE]}
    Session.make(path, **given, name="Not begun").close()
    return path


@pytest.fixture
def session(server, expanded_file):
    """The id of a session that was expanded once; the test's own."""
    return server.put(expanded_file)


@pytest.fixture
def relearned(server, relearned_file):
    """The id of a session that learned again; the test's own."""
    return server.put(relearned_file)


@pytest.fixture
def begun(server, begun_file):
    """The id of a session in which nothing was expanded yet; the test's own."""
    return server.put(begun_file)


@pytest.fixture
def visits(browser, server):
    """Open pages; the test fails if a script fails in one, or if it asks another server."""
    with Visits(browser, server.address) as opened:
        yield opened


@pytest.fixture
def page(visits):
    """A page of a browser without a past."""
    return visits.page()


@pytest.fixture(scope="session")
def artefacts(request):
    """The folder of screenshots, which stay to be looked at."""
    folder = Path(request.config.rootpath, "artefacts", "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
