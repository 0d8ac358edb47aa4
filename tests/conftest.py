"""What tests of several parts share."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from likewise.documents.sample import UNREACHABLE, fetch_sample
from likewise.errors import DownloadError

# Before numpy is loaded; what the command line does too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Models of tests are tiny: threads of torch would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Machines are slow at times; and what CI says of a commit must not depend on luck.
hypothesis.settings.register_profile(
    "likewise", deadline=None, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("likewise")


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
