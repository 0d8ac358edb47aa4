"""What tests of downloads share with those of the web."""

from web.conftest import server, web

__all__ = ["server", "web"]
