"""Indexes on a real server that likewise did not make."""

import json
import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit

from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection

ENGLISH = {"type": "text", "analyzer": "english"}
KEYWORD = {"type": "keyword"}


class TheirIndex:
    """An index, by its name and its address."""

    def __init__(self, url, name):
        self.name = name
        self.address = f"opensearch://{urlsplit(url).netloc}/{name}"
        self.connection = Connection(parse_address(self.address), patience=20)

    def make(self, rows, *, properties, settings=None, **mapping):
        """Make it, with rows by their `_id`."""
        body = {
            "settings": {"index": {"number_of_replicas": 0, **(settings or {})}},
            "mappings": {"properties": properties, **mapping},
        }
        self.connection.ask("PUT", f"/{self.name}", body=body)
        lines = [
            f"{json.dumps({'index': {'_id': identifier}})}\n{json.dumps(row)}\n"
            for identifier, row in rows.items()
        ]
        path = f"/{self.name}/_bulk"
        answer = self.connection.ask(
            "POST", path, body="".join(lines).encode(), params={"refresh": True}
        )
        assert not answer["errors"]
        return self


@contextmanager
def their_index(url, rows, *, properties, **how):
    """An index that is gone in the end."""
    index = TheirIndex(url, f"test-{secrets.token_hex(6)}")
    try:
        yield index.make(rows, properties=properties, **how)
    finally:
        index.connection.ask("DELETE", f"/{index.name}", missing={})
        index.connection.close()
