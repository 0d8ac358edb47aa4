"""The writer: takes changes to an index of ours, sends them in batches, and commits.

Documents are kept until a batch is full, and sent while the next one is made. Ids to delete are
kept until the commit, and sent when all documents are there: a document is written before those
that it replaces are deleted, wherever the process is killed.

During writing, only commits refresh the index, and of several replicas one is kept: without any, a
lost node would cost documents. The settings are noted before anything changes, so that the next
process puts them back if this one is killed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec

from likewise.documents import Document
from likewise.errors import ClusterError, LibraryError, RecordError
from likewise.library.keys import prepare_document
from likewise.library.opensearch.bulk import Bulk, Senders, make_delete_lines, make_put_lines
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.lock import Lock
from likewise.library.opensearch.notebook import Notebook, PutBack

logger = logging.getLogger(__name__)

BATCH_BYTES = 5_000_000
BATCH_DOCUMENTS = 4000
BATCH_DELETIONS = 20_000
THREADS = 2
"""How many batches are under way at once."""
CLOSING = 5.0
"""Seconds that closing waits for a server that has failed."""
REFRESH_PAUSE = 0.5
"""Seconds between two attempts to refresh."""

REFRESH = "index.refresh_interval"
REPLICAS = "index.number_of_replicas"
AUTO_EXPAND = "index.auto_expand_replicas"
NEVER = "-1"
KEPT_REPLICAS = 1
WAIT, PAUSE = 15.0, 0.2
"""How many seconds to wait for replicas of a new index, and between two checks."""


class IndexWriter:
    """Writes to an index that likewise made; nobody else can until it is closed."""

    def __init__(self, connection: Connection, layout: OwnLayout) -> None:
        self.notebook = Notebook(connection, layout.index)
        self._connection = connection
        self._layout = layout
        self._batch: dict[str, bytes] = {}
        self._bytes = 0
        self._deleted: set[str] = set()
        self._closed = False
        self._lock = Lock(self.notebook)
        self._settings = BulkSettings(self.notebook, layout.index, made=layout.made)
        self._bulk = Bulk(connection, layout.index)
        self.notebook.make()
        self._lock.take()
        try:
            self._settings.prepare()
            # From here on, searches see what a killed process has sent.
            self._refresh()
        except BaseException:
            self._let_go()
            raise
        self._senders = Senders(self._bulk.send, threads=THREADS)

    def add(
        self, documents: Iterable[Document], *, keys: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add documents, replacing those of the same ids; visible and durable after `commit`."""
        for document in map(prepare_document, documents):
            stored_id = self._layout.find_stored_id(document.id)
            lines = make_put_lines(stored_id, self._encode_source(document, keys or {}))
            self._deleted.discard(stored_id)
            self._bytes += len(lines) - len(self._batch.get(stored_id, b""))
            self._batch[stored_id] = lines
            if self._bytes >= BATCH_BYTES or len(self._batch) >= BATCH_DOCUMENTS:
                self._send()

    def delete(self, ids: Iterable[str]) -> None:
        """Remove documents, as of the next `commit`; unknown ids are ignored."""
        for identifier in ids:
            stored_id = self._layout.find_stored_id(identifier)
            # Half a character is in no index, and can't be sent.
            if any("\ud800" <= sign <= "\udfff" for sign in stored_id):
                continue
            self._deleted.add(stored_id)
            self._bytes -= len(self._batch.pop(stored_id, b""))

    def commit(self) -> None:
        """Make everything added and deleted so far durable, and visible to searches."""
        self._send()
        self._senders.wait()
        self._send_deletions()
        self._lock.check()
        self._settings.check()
        self._refresh()
        changed = datetime.now(UTC).isoformat(timespec="seconds")
        state = msgspec.structs.replace(self.notebook.read_state(), changed=changed)
        self.notebook.note_state(state)

    def close(self) -> None:
        """Put back the settings, and let others write; what was not sent is dropped."""
        if self._closed:
            return
        self._closed = True
        self._bulk.stopping.set()
        if self._senders.stop(seconds=CLOSING):
            # After waiting for the server in vain, nobody wants to wait as long again.
            self.notebook.patience = CLOSING
        self._let_go()

    def _encode_source(self, document: Document, keys: Mapping[str, Sequence[str]]) -> bytes:
        try:
            return self._layout.to_source(document, keys=keys.get(document.id))
        except UnicodeError as error:
            raise RecordError(
                f"{self._connection.address}: the document {document.id!r} holds half a character "
                f"({error}); nothing was lost"
            ) from error

    def _send(self) -> None:
        self._lock.check()
        if self._batch:
            # A copy is sent, which does not change any more, and the batch is kept until then:
            # after Ctrl-C it is sent twice rather than never.
            self._senders.send(dict(self._batch))
            self._batch, self._bytes = {}, 0

    def _send_deletions(self) -> None:
        while some := list(islice(self._deleted, BATCH_DELETIONS)):
            self._bulk.send({stored_id: make_delete_lines(stored_id) for stored_id in some})
            self._deleted.difference_update(some)

    def _refresh(self) -> None:
        path = f"/{self._layout.index}/_refresh"
        give_up = time.monotonic() + self._connection.patience
        # The shards of a node that was just lost are failures until others are chosen.
        while failures := self._connection.ask("POST", path)["_shards"].get("failures"):
            if time.monotonic() > give_up:
                reason = " ".join(str(failures[0].get("reason", {}).get("reason")).split())
                raise LibraryError(
                    f"{self._connection.address}: not all that was written can be seen "
                    f"({reason[:200]}); run the command again when the cluster has recovered"
                )
            time.sleep(REFRESH_PAUSE)

    def _let_go(self) -> None:
        try:
            try:
                if not self._lock.is_lost:
                    self._settings.put_back()
            finally:
                self._lock.release()
        except LibraryError as error:
            logger.warning(
                "%s: settings for bulk writing were not put back (%s); "
                "the next likewise index into it will do so",
                self._connection.address,
                error,
            )


class BulkSettings:
    """The settings of an index that are changed while it is written to."""

    def __init__(self, notebook: Notebook, index: str, *, made: str = "") -> None:
        self._path = f"/{index}"
        self._made = made
        self._notebook = notebook
        self._uuid = ""

    def prepare(self) -> None:
        """Note the settings as they are, then change them for writing."""
        self._uuid = self._current()["index.uuid"]
        self._notebook.begin(self._uuid, made=self._made)
        self.put_back()
        current = self._current()
        replicas = int(current.get(REPLICAS, 0))
        wants = {REFRESH: NEVER}
        before = PutBack(refresh_interval=current.get(REFRESH))
        # What the server sets by itself is its own business.
        if replicas > KEPT_REPLICAS and current.get(AUTO_EXPAND, "false") == "false":
            wants[REPLICAS] = str(KEPT_REPLICAS)
            before = msgspec.structs.replace(before, replicas=replicas)
        state = self._notebook.read_state()
        self._notebook.note_state(msgspec.structs.replace(state, put_back=before))
        self._change(wants)
        self._wait_for_replicas(min(replicas, KEPT_REPLICAS))

    def put_back(self) -> None:
        """Put back what was noted, unless somebody has changed it meanwhile."""
        state = self._notebook.read_state()
        if state.put_back is None:
            return
        current = self._current()
        before: dict[str, str | None] = {}
        if current.get(REFRESH) == NEVER:
            before[REFRESH] = state.put_back.refresh_interval
        if state.put_back.replicas is not None and current.get(REPLICAS) == str(KEPT_REPLICAS):
            before[REPLICAS] = str(state.put_back.replicas)
        if before:
            self._change(before)
        self._notebook.note_state(msgspec.structs.replace(state, put_back=None))

    def check(self) -> None:
        """Raise an error if the index is no longer the one that was opened.

        If it is gone, the server makes a new index of what is sent to it, which is not a library.
        """
        if self._current()["index.uuid"] != self._uuid:
            raise LibraryError(
                f"{self._notebook.connection.address}: the index was deleted or replaced while "
                "it was written to; delete it, and index its files again"
            )

    def _current(self) -> dict[str, Any]:
        params = {"flat_settings": "true"}
        answer = self._notebook.ask("GET", f"{self._path}/_settings", params=params)
        if len(answer) != 1:
            raise LibraryError(
                f"{self._notebook.connection.address}: this name stands for {len(answer)} indexes; "
                "name the one to write to"
            )
        settings: dict[str, Any] = next(iter(answer.values()))["settings"]
        return settings

    def _change(self, settings: dict[str, Any]) -> None:
        self._notebook.ask("PUT", f"{self._path}/_settings", body=settings)

    def _wait_for_replicas(self, replicas: int) -> None:
        """Give a new index time to make its copies, so that they get the first documents too."""
        give_up = time.monotonic() + WAIT
        while replicas and time.monotonic() < give_up:
            try:
                health = self._notebook.ask("GET", f"/_cluster/health{self._path}")
            except ClusterError as error:
                logger.debug("the health of the index is not known: %s", error)
                return
            if health["status"] == "green" or health["number_of_data_nodes"] <= replicas:
                return
            time.sleep(PAUSE)
