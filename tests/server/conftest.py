"""What tests of the server share."""

import pytest

from server.guarded import TOKEN, client_of, guarded_app


@pytest.fixture(scope="module")
def client():
    """Ask a guarded app that needs no token."""
    with client_of(guarded_app()) as asking:
        yield asking


@pytest.fixture
def stranger():
    """Ask a guarded app that needs a token."""
    app = guarded_app(host="192.168.0.5", token=TOKEN)
    with client_of(app, address="http://192.168.0.5:8765") as asking:
        yield asking
