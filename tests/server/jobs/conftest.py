"""What tests of jobs share."""

import pytest

from expansion.corpus import corpus, library_in


@pytest.fixture
def anyio_backend():
    """Tests of the event loop run in asyncio's, as the server does."""
    return "asyncio"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Where a library on the disk lies; nobody writes to it."""
    return library_in(tmp_path_factory.mktemp("library") / "lib", *corpus())
