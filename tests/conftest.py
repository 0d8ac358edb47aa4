"""What tests of several parts share."""

import fcntl
import gc
import os
import secrets
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import pytest

from likewise.documents.remote import UNREACHABLE, fetch_sample
from likewise.errors import DownloadError

# Before numpy is loaded; what the command line does too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Models of tests are tiny: threads of torch would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Machines are slow at times; and what CI says of a commit must not depend on luck. Who changes a
# property asks for more examples.
hypothesis.settings.register_profile(
    "likewise",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    max_examples=int(os.environ.get("LIKEWISE_TEST_EXAMPLES", "40")),
)
hypothesis.settings.load_profile("likewise")


def pytest_configure() -> None:
    """Prepare a run: Ctrl-C is tested even in the background, whose shell ignores it."""
    # Nothing that is collected is garbage; see `pytest_collection_finish`.
    gc.disable()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


LATE = (
    "bench/runs/",
    "cli/",
    "expansion/sessions/test_store.py",
    "library/test_indexing.py",
    "library/opensearch/test_indexing_killed.py",
    "library/opensearch/test_lock.py",
    "library/opensearch/test_unreliable.py",
    "server/",
    "web/",
    "test_",
)
"""Tests that wait for browsers and for processes, which are late at times on a busy machine."""


LONG = (
    "tests/cli/test_demo.py",
    "tests/server/browser/test_gathering.py",
    "tests/server/browser/test_whole_review.py",
    "tests/test_bare_install.py",
    "tests/test_docs.py",
    "tests/test_notebooks.py",
)
"""Tests that take longest: begun first, so that no process is left with one at the end."""


_collected: list[pytest.Item] = []


def pytest_collection_modifyitems(items) -> None:
    """Put long tests first; let tests that may be late be tried twice more in CI.

    Those are listed as rerun. The option --reruns would have every test wait for the plugin, 30 ms
    each.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))
    if os.environ.get("CI"):
        _collected.extend(items)
        for item in items:
            if any(f"tests/{part}" in item.nodeid for part in LATE):
                item.add_marker(pytest.mark.flaky(reruns=2))


def pytest_runtest_logreport(report) -> None:
    """Blame no test for what one that is tried again left open: it may be found at any time."""
    if report.outcome == "rerun":
        found_late = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
        for item in _collected:
            item.add_marker(found_late)


def pytest_collection_finish() -> None:
    """Let garbage be looked for, but not among the thousands of tests that were collected."""
    gc.freeze()
    gc.enable()


REAL = {"shared_data", "pubmed_sample"}
"""Fixtures of real data."""


def _is_repetitive(item) -> bool:
    """Tell of properties and of tests on real data: the same lines, thousands of times."""
    is_property = hypothesis.is_hypothesis_test(getattr(item, "obj", None))
    return is_property or not REAL.isdisjoint(getattr(item, "fixturenames", ()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Prepare a test; see `pytest_runtest_call`."""
    with _unwatched(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run a test, without coverage if it is repetitive: those take three times as long with it.

    Lines that are reached by luck alone should not count as tested either.
    """
    with _unwatched(item):
        return (yield)


@contextmanager
def _unwatched(item) -> Iterator[None]:
    # The mark no_cover of pytest-cov does this in one process, but not in several.
    watching = sys.gettrace()
    if watching is None or not _is_repetitive(item):
        yield
        return
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(watching)


@pytest.fixture(autouse=True, scope="session")
def _state_of_tests(tmp_path_factory) -> Iterator[None]:
    """Let nothing be remembered where likewise remembers what its user said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is not part of this repository."""
    folder = os.environ.get("LIKEWISE_TEST_DATA")
    if not folder:
        pytest.skip("LIKEWISE_TEST_DATA is not set to the folder of real data")
    return Path(folder)


@pytest.fixture(scope="session")
def pubmed_sample(request) -> list[Path]:
    """Two real PubMed files, fetched once and kept with what pytest keeps between runs."""
    folder = request.config.cache.mkdir("pubmed_sample")
    try:
        # Tests run in several processes: the first to come fetches, the others wait and find it.
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return fetch_sample(folder)
    except DownloadError as error:
        if UNREACHABLE not in str(error):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def make_once(tmp_path_factory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Fill a folder once for all processes of a run; nobody may change what is in it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session")
def opensearch_url() -> str:
    """The address of a real OpenSearch that tests may make indexes on."""
    url = os.environ.get("LIKEWISE_TEST_OPENSEARCH")
    if not url:
        pytest.skip(
            "LIKEWISE_TEST_OPENSEARCH is not set to the address of an OpenSearch for tests; "
            "docs/how-to/opensearch.md says how to start one"
        )
    return url.rstrip("/")


@pytest.fixture
def opensearch_address(opensearch_url) -> Iterator[str]:
    """The address of a library that is not there yet; what a test makes of its name is deleted."""
    name = f"test-{secrets.token_hex(6)}"
    server = urlsplit(opensearch_url)
    scheme = "opensearch+https" if server.scheme == "https" else "opensearch"
    yield f"{scheme}://{server.netloc}/{name}"
    _delete_indexes(opensearch_url, name)


def _delete_indexes(url: str, name: str) -> None:
    """Delete every index whose name begins so, hidden ones too."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    listed = f"{url}/_cat/indices/{name}*?h=index&expand_wildcards=all"
    with ask(listed, timeout=60) as answer:
        indexes = answer.read().decode().split()
    if indexes:
        gone = urllib.request.Request(f"{url}/{','.join(indexes)}", method="DELETE")
        ask(gone, timeout=60).close()


@pytest.fixture(scope="session")
def package_index(tmp_path_factory) -> None:
    """The package index, as far as pip reaches it."""
    folder = tmp_path_factory.mktemp("index")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(folder),
    ]
    done = subprocess.run([*command, "mdurl"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(UNREACHABLE)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail a run that skipped something where everything can be run.

    Of several processes only the one that hands out the tests has a reporter; it hears of all.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped") if reporter else None
    if skipped and os.environ.get("LIKEWISE_TEST_NOTHING_SKIPPED"):
        reporter.write_line(f"{len(skipped)} tests were skipped, and none should be here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
