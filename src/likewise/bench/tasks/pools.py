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
    from collections.abc import Callable, Collection, Iterable, Sequence

    import numpy as np

    from likewise.documents import Document
    from likewise.library.protocol import Heading, Library

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
    """Take a topic but for the seeds, fill up with what all of it finds, and rank the whole.

    It is ranked as the seeds alone would find it: a query made of the whole topic tells the truth
    about it. What shares no term with the seeds, on topic or off, comes last and scores 0.
    """
    wanted = {member.id for member in members}
    room = max(0, size - len(wanted) + len(seeds))
    found = more_like_these(library, members, limit=room + len(wanted), settings=more_like).hits
    others = [identifier for identifier in found.ids if identifier not in wanted][:room]
    everyone = {*wanted, *others}
    pool = everyone - {seed.id for seed in seeds}
    chosen = cast("Library", Within(library, everyone.intersection))
    ranked = case_control(chosen, seeds, size=len(pool), more_like=more_like, rng=rng)
    last = sorted(pool.difference(ranked.hits.ids))
    hits = Hits([*ranked.hits.ids, *last], [*ranked.hits.scores, *(0.0 for _ in last)])
    return ranked._replace(hits=hits)


class Within:
    """A library, but for what its searches find: only documents that can be judged."""

    def __init__(self, library: Library, accept: Callable[[Sequence[str]], Iterable[str]]) -> None:
        """Wrap a library.

        Args:
            library: Where it is searched.
            accept: Returns those of some documents that may be found.
        """
        self._library = library
        self._accept = accept
        self.passed_over: list[int] = []
        """How many documents each search passed over among those that it found."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def having(self, terms: Sequence[Collection[Heading]] = ()) -> list[str]:
        """Return the ids of all documents that have a heading of each of the terms."""
        return list(self._accept(self._library.having(terms)))

    def search(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Find as many documents as are asked for and there are."""
        everything = self._library.count()
        asked = limit
        while True:
            found = self._library.search(query, limit=asked, exclude=exclude)
            accepted = set(self._accept(found.ids))
            rows = [row for row, identifier in enumerate(found.ids) if identifier in accepted]
            if len(rows) >= limit or len(found) < asked or asked >= everything:
                best = rows[:limit]
                self.passed_over.append(best[-1] + 1 - len(best) if best else len(found))
                return Hits([found.ids[row] for row in best], [found.scores[row] for row in best])
            asked = min(WIDER * asked, everything)
