"""What tests of sessions share."""

import pytest

from likewise.expansion.sessions import store


@pytest.fixture(autouse=True, scope="module")
def _disk_is_not_waited_for():
    """Let no test of this process wait until what it writes is safe from a loss of power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_SETTINGS", ("PRAGMA synchronous = OFF",))
        yield
