"""What tests of desks share."""

import pytest

from expansion.corpus import corpus, library_of
from likewise.expansion.sessions import store


@pytest.fixture
def anyio_backend():
    """Tests of the event loop run in asyncio's, as the server does."""
    return "asyncio"


@pytest.fixture(scope="module")
def library():
    """A library in memory; nobody writes to it."""
    return library_of(*corpus())


@pytest.fixture(autouse=True, scope="module")
def _disk_is_not_waited_for():
    """Let no test of this process wait until what it writes is safe from a loss of power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_SETTINGS", ("PRAGMA synchronous = OFF",))
        yield
