"""Answers of many parts, some of which may be failures: then all are asked for once more.

A search that some shard can't answer fails as a whole, and is tried again. But where documents are
asked for one by one, the answer is a success, and says of single ones that their shard could not be
reached: these are not missing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import msgspec

from likewise.library.opensearch.refusals import PASSING
from likewise.library.opensearch.troubles import ClusterError, Trouble, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from likewise.library.opensearch.connection import Connection

    Answer = TypeVar("Answer")

PAUSE = 0.5
"""Seconds between two attempts."""
_LENGTH = 200


class Failure(msgspec.Struct, frozen=True, gc=False):
    """Why a part of an answer is missing."""

    type: str = ""
    reason: str | None = ""


def ask_until_whole(
    connection: Connection,
    ask: Callable[[], Answer],
    failures: Callable[[Answer], Iterable[Failure | None]],
) -> Answer:
    """Return an answer of which no part is missing.

    Args:
        connection: The cluster, and the patience to have with it.
        ask: Asks for all of it.
        failures: Returns what is said of parts that are missing; None for those that are there.
    """
    give_up = time.monotonic() + connection.patience
    while True:
        answer = ask()
        failed = next(filter(None, failures(answer)), None)
        if failed is None:
            return answer
        if failed.type == "index_not_found_exception":
            gone = Trouble(" ".join((failed.reason or "no such index").split()), lacks_index=True)
            raise error_of(connection.address, gone)
        if failed.type not in PASSING or time.monotonic() >= give_up:
            reason = " ".join((failed.reason or failed.type).split())[:_LENGTH]
            raise ClusterError(
                f"{connection.address}: a part of the index can't be read ({reason}); "
                "look at the cluster's health: nodes may be down",
                kinds=frozenset({failed.type}),
            )
        time.sleep(PAUSE)
