"""What tests of the engine on a cluster share."""

import pytest

from library.opensearch.fresh import fresh_index
from likewise.library.opensearch import client


@pytest.fixture(scope="module")
def made(opensearch_url):
    """An index of ours on the real server, made once for a module."""
    with fresh_index(opensearch_url) as index:
        yield index


@pytest.fixture
def index(made):
    """The same, emptied for each test."""
    return made.emptied()


@pytest.fixture
def notebook(index):
    return index.notebook


@pytest.fixture
def nothing_is_set(monkeypatch, tmp_path):
    """No credentials and no patience of the person who runs the tests, and short pauses."""
    for name in ("USER", "PASSWORD", "API_KEY", "HOST", "CA", "INSECURE", "PATIENCE"):
        monkeypatch.delenv(f"LIKEWISE_OPENSEARCH_{name}", raising=False)
    monkeypatch.delenv("NETRC", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(client, "_FIRST_PAUSE", 0.02)
