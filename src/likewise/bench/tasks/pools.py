"""Pools: what the engine finds for seeds, and where it would put the seeds themselves.

*Case-control*, the paper's main way: the seeds are the query, and the pool is what it finds.
*Censoring*, that of its appendix A: all documents on topic are the query, and the pool is what it
finds beside them, together with all of them that are no seeds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, cast

from likewise.expansion.retrieval import retrieve
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.library.more_like import MoreLike, more_like_these
from likewise.library.query import Hits, Query

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np

    from likewise.documents import Document
    from likewise.library.protocol import Library

WIDER = 4
"""How many times more documents are asked for where too few of those found can be used."""


class Pool(NamedTuple):
    """What was found, best first, and what share of it stands above each seed."""

    hits: Hits
    above: dict[str, float]
    """By the seed's id; missing for those that are not retrieved when they are held out."""


def case_control(
    library: Library,
    seeds: Sequence[Document],
    *,
    size: int,
    more_like: MoreLike,
    rng: np.random.Generator,
) -> Pool:
    """Find the pool for seeds, without them."""
    settings = ExpandSettings(pool=size, more_like=more_like)
    found = retrieve(library, Seeds(tuple(seeds), (), ()), settings=settings, rng=rng)
    shares = zip(seeds, found.above.tolist(), strict=True)
    return Pool(found.hits, {seed.id: above for seed, above in shares if not math.isnan(above)})


def censoring(
    library: Library,
    members: Sequence[Document],
    *,
    seeds: Sequence[Document],
    size: int,
    more_like: MoreLike,
    rng: np.random.Generator,
) -> Pool:
    """Find documents for all of a topic, join to them its own but for the seeds, and rank all.

    They are ranked as the seeds alone would find them: a query made of the whole topic tells the
    truth about it. What shares no term with the seeds, on topic or off, is not found.
    """
    wanted = {member.id for member in members}
    found = more_like_these(library, members, limit=size + len(wanted), settings=more_like).hits
    others = [identifier for identifier in found.ids if identifier not in wanted][:size]
    return case_control(
        within(library, {*wanted, *others}),
        seeds,
        size=len(wanted) + len(others) - len(seeds),
        more_like=more_like,
        rng=rng,
    )


def within(library: Library, known: Collection[str] | None) -> Library:
    """Return a library whose searches find only documents about which the truth is known."""
    return library if known is None else cast("Library", _Within(library, frozenset(known)))


class _Within:
    """A library, but for what its searches find."""

    def __init__(self, library: Library, known: frozenset[str]) -> None:
        self._library = library
        self._known = known

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Find as many known documents as are asked for and there are."""
        everything = self._library.count()
        asked = limit
        while True:
            found = self._library.search(query, limit=asked, exclude=exclude)
            rows = [row for row, identifier in enumerate(found.ids) if identifier in self._known]
            if len(rows) >= limit or len(found) < asked or asked >= everything:
                best = rows[:limit]
                return Hits([found.ids[row] for row in best], [found.scores[row] for row in best])
            asked = min(WIDER * asked, everything)
