"""The settings of an index while much is written to it, and putting back what they were.

Nothing is refreshed but by commits, and of several replicas one is kept: with none, a lost node
would cost documents. How it was is noted before anything changes, so that if this process is
killed, the next one puts it back.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import msgspec

from likewise.errors import LibraryError
from likewise.library.opensearch.notebook import PutBack
from likewise.library.opensearch.troubles import ClusterError

if TYPE_CHECKING:
    from likewise.library.opensearch.notebook import Notebook

logger = logging.getLogger(__name__)

REFRESH = "index.refresh_interval"
REPLICAS = "index.number_of_replicas"
AUTO_EXPAND = "index.auto_expand_replicas"
NEVER = "-1"
KEPT_REPLICAS = 1
WAIT, PAUSE = 15.0, 0.2
"""How many seconds to wait for replicas of a new index, and between two looks."""


class BulkSettings:
    """What is changed in an index for the time of writing."""

    def __init__(self, notebook: Notebook, index: str) -> None:
        self._path = f"/{index}"
        self._notebook = notebook
        self._uuid = ""

    def prepare(self) -> None:
        """Change the settings for writing, once what they were is noted."""
        self._uuid = self._current()["index.uuid"]
        self._notebook.begin(self._uuid)
        self.put_back()
        current = self._current()
        replicas = int(current.get(REPLICAS, 0))
        wants = {REFRESH: NEVER}
        before = PutBack(refresh_interval=current.get(REFRESH))
        # What the server sets by itself is its own business.
        if replicas > KEPT_REPLICAS and current.get(AUTO_EXPAND, "false") == "false":
            wants[REPLICAS] = str(KEPT_REPLICAS)
            before = msgspec.structs.replace(before, replicas=replicas)
        state = self._notebook.state()
        self._notebook.note_state(msgspec.structs.replace(state, put_back=before))
        self._change(wants)
        self._wait_for_replicas(min(replicas, KEPT_REPLICAS))

    def put_back(self) -> None:
        """Put back what was noted, unless somebody has changed it meanwhile."""
        state = self._notebook.state()
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
        """Raise an error if the index is not the one any more that was opened.

        The server makes an index of what is sent to a name that is gone, and that is no library.
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
        """Give a new index time for its copies, so that the first documents are in them too."""
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
