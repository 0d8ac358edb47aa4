"""What tests of the web share: a server of files, and a way to it that never waits long."""

import pytest

from likewise.web import WebClient
from web.file_server import FileServer


@pytest.fixture
def server():
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def web():
    with WebClient(retries=3, pause=0.001, timeout=5) as web:
        yield web
