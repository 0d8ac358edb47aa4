"""An index of ours on a real server, made once for the tests of a module."""

import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit

from likewise.documents import Document
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.layouts import OwnLayout, make_index_body
from likewise.library.opensearch.notebook import Notebook


@contextmanager
def fresh_index(url):
    """Make an index, with a notebook, that is gone in the end."""
    index = FreshIndex(f"opensearch://{urlsplit(url).netloc}/test-{secrets.token_hex(6)}")
    try:
        yield index.make()
    finally:
        for name in (index.name, index.notebook.name):
            index.connection.ask("DELETE", f"/{name}", missing={})
        index.connection.close()


class FreshIndex:
    """A connection, and an index behind it."""

    def __init__(self, address, *, patience=20.0):
        self.connection = Connection(parse_address(address), patience=patience)
        self.name = self.connection.address.index
        self.layout = OwnLayout(self.name)
        self.notebook = Notebook(self.connection, self.name)

    def make(self):
        self.connection.ask("PUT", f"/{self.name}", body=make_index_body(shards=1, replicas=0))
        self.notebook.make()
        return self

    def emptied(self):
        """Return it as if it was new, but quicker."""
        both = f"/{self.name},{self.notebook.name}"
        self.connection.ask("POST", f"{both}/_refresh")
        query = {"query": {"match_all": {}}}
        self.connection.ask(
            "POST", f"{both}/_delete_by_query", body=query, params={"refresh": True}
        )
        self.change(refresh_interval=None)
        return self

    def settings(self):
        params = {"flat_settings": "true"}
        answer = self.connection.ask("GET", f"/{self.name}/_settings", params=params)
        return answer[self.name]["settings"]

    def refresh_interval(self):
        return self.settings().get("index.refresh_interval")

    def change(self, **settings):
        self.connection.ask("PUT", f"/{self.name}/_settings", body={"index": settings})

    def titles(self):
        """What searches see: titles by `_id`."""
        asked = {"size": 1000, "query": {"match_all": {}}}
        hits = self.connection.ask("POST", f"/{self.name}/_search", body=asked)["hits"]["hits"]
        return {hit["_id"]: hit["_source"].get("title", "") for hit in hits}


def papers(*ids, title="On cats"):
    return [Document(id=str(identifier), title=title) for identifier in ids]
