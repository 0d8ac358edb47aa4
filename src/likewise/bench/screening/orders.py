"""Orders in which other tools looked at the records of the same reviews, from the same starts.

A file has a line for each: {"review": "X", "draw": 1, "ids": ["7", "12", ...]}, seeds and whatever
else the tool was given to begin with left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.bench.screening.results import ScreenResult
from likewise.documents.sources import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likewise.bench.screening.reviews import Review
    from likewise.bench.screening.starts import Start


class OtherOrder(msgspec.Struct, frozen=True):
    """The order of another tool."""

    review: str
    draw: int
    ids: tuple[str, ...]


def read_orders(
    path: Path, *, tool: str, reviews: Mapping[str, Review], starts: Mapping[tuple[str, int], Start]
) -> list[ScreenResult]:
    """Return the results of a tool on the reviews and starts that are asked for.

    Args:
        path: The file.
        tool: The name that it has in tables.
        reviews: By name.
        starts: By review and draw; orders of others are left out.
    """
    source = Source(path)
    decoder = msgspec.json.Decoder(OtherOrder)
    found = []
    for line in source.lines():
        if not line.text.strip():
            continue
        try:
            order = decoder.decode(line.text)
        except msgspec.MsgspecError as error:
            advice = 'write {"review": "X", "draw": 1, "ids": ["7", "12"]}'
            raise source.fail(f"no order ({error})", line=line.number, advice=advice) from error
        if start := starts.get((order.review, order.draw)):
            _check(order, reviews[order.review], start, source=source, line=line.number)
            found.append(_result(order, reviews[order.review], start, tool=tool))
    return found


def _check(order: OtherOrder, review: Review, start: Start, *, source: Source, line: int) -> None:
    """Raise if an order is not one of the records that are left after the seeds."""
    known = {document.id for document in review.documents}
    where = f"{order.review}, draw {order.draw}"
    if strange := [one for one in order.ids if one not in known]:
        raise source.fail(
            f"{where}: {strange[0]!r} is no record of it", line=line, advice="order its records"
        )
    if given := [one for one in order.ids if one in start.seeds]:
        raise source.fail(
            f"{where}: {given[0]!r} is one of its seeds", line=line, advice="leave seeds out"
        )
    if len(set(order.ids)) < len(order.ids):
        raise source.fail(f"{where}: a record is in it twice", line=line, advice="name each once")


def _result(order: OtherOrder, review: Review, start: Start, *, tool: str) -> ScreenResult:
    places = (place for place, one in enumerate(order.ids, 1) if one in review.on_topic)
    return ScreenResult(
        review=review.name,
        draw=order.draw,
        fingerprint=review.fingerprint,
        method=tool,
        kind=review.kind,
        seeds=len(start.seeds),
        records=len(review.documents) - len(start.seeds),
        on_topic=len(review.on_topic) - len(start.seeds),
        looked_at=len(order.ids),
        found_at=tuple(places),
    )
