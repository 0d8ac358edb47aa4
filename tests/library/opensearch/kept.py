"""Libraries on a real server, for the tests of a module."""

import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit

from likewise.library.opensearch import OpenSearchLibrary
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection


@contextmanager
def filled_library(url, documents, *, shards=1):
    """Make a library of documents on a server, open for reading, that is gone in the end."""
    address = f"opensearch://{urlsplit(url).netloc}/test-{secrets.token_hex(6)}"
    try:
        with OpenSearchLibrary(address, write=True, shards=shards, replicas=0) as library:
            library.add(documents)
            library.commit()
        with OpenSearchLibrary(address) as library:
            yield library
    finally:
        delete_library(address)


def delete_library(address):
    connection = Connection(parse_address(address))
    for name in (connection.address.index, f"{connection.address.index}-likewise"):
        connection.ask("DELETE", f"/{name}", missing={})
    connection.close()


class KeptLibrary:
    """A library that is opened once and emptied before each test: that is far quicker."""

    def __init__(self, index):
        self._index = index
        self._library = None

    def emptied(self):
        """Return the library as if it was new; one that was closed is opened again."""
        if self._library is None or self._library._writer is None:
            self._library = OpenSearchLibrary(str(self._index.connection.address), write=True)
        # What a test has added and not committed has to come before it can go.
        self._library.commit()
        if everything := self._library.list_ids():
            self._library.delete(everything)
            self._library.commit()
        fields = [{"exists": {"field": name}} for name in ("order", "listed")]
        noted = {"query": {"bool": {"should": fields}}}
        path = f"/{self._index.notebook.name}/_delete_by_query"
        self._index.connection.ask("POST", path, body=noted, params={"refresh": True})
        return self._library

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._library is not None:
            self._library.close()
