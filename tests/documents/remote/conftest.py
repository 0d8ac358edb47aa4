"""What tests of downloads share: a server of files, and a way to it that never waits long."""

import pytest

from documents.remote.file_server import FileServer
from likewise.web.client import WebClient


@pytest.fixture
def server():
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def web():
    with WebClient(retries=3, pause=0.001, timeout=5) as web:
        yield web
