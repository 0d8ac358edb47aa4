"""An index of ours on the real server, made once for a module and emptied for each test."""

import pytest

from library.opensearch.fresh import fresh_index


@pytest.fixture(scope="module")
def made(opensearch_url):
    with fresh_index(opensearch_url) as index:
        yield index


@pytest.fixture
def index(made):
    return made.emptied()


@pytest.fixture
def notebook(index):
    return index.notebook
