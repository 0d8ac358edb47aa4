"""What tests of several parts share."""

import os
from pathlib import Path

import pytest

from likewise.documents.sample import UNREACHABLE, fetch_sample
from likewise.errors import DownloadError


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
        return fetch_sample(folder)
    except DownloadError as error:
        if UNREACHABLE not in str(error):
            raise
        pytest.skip(str(error))
