"""Which ids can be marked: those of the ranking, of the seeds and of the library."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from likewise.errors import UnknownDocumentError
from likewise.expansion.wording import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.library.protocol import Library
    from likewise.server.desks.desk import Desk
    from likewise.server.desks.reading import Reading


async def check_known(desk: Desk, ids: Iterable[str], *, library: Library) -> None:
    """Raise UnknownDocumentError if there are ids that nothing is known of.

    Nearly always, what was last read knows them all, so that a mark need not wait for readers.
    """
    known = desk.last_read
    unknown = known.unknown(ids) if known else set(ids)
    if unknown:
        held = await asyncio.to_thread(library.get, sorted(unknown))
        unknown -= {document.id for document in held}
    if unknown:
        unknown = await desk.read(_unknown, unknown)
    if unknown:
        raise UnknownDocumentError(
            f"neither in the ranking nor in the library: {named(sorted(unknown))}; "
            "nothing was marked"
        )


def _unknown(reading: Reading, ids: set[str]) -> set[str]:
    seeds = {seed.id for seed in reading.session.start.seeds}
    return reading.standing().unknown(ids) - seeds
