"""All the PMIDs that a query finds, also where PubMed does not list them at once.

PubMed lists some ten thousand PMIDs of a query and no more. What finds more is asked for by the
days on which records came into PubMed (the Entrez date, which every record has), half a span at a
time, until all of a span are listed.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from likewise.documents.remote.eutils import Days
from likewise.documents.remote.eutils_answers import Found
from likewise.errors import DownloadError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likewise.documents.remote.eutils import Eutils

# Before the oldest record, and after all that can come.
ALL_DAYS = Days(dt.date(1700, 1, 1), dt.date(2100, 12, 31))


def find_pmids(
    query: str,
    *,
    eutils: Eutils,
    limit: int,
    on_progress: Callable[[int, int], None] | None = None,
) -> Found:
    """Return every PMID that a query finds, those that came into PubMed last first.

    Args:
        query: In PubMed's own language.
        eutils: Where to ask.
        limit: How many it may find; a query that finds more is refused.
        on_progress: Called with how many are listed, and how many there are.
    """
    if not query.strip():
        raise SettingsError("the query is empty; say what to look for")
    found = eutils.search(query)
    if found.total > limit:
        raise SettingsError(
            f"the query finds {found.total:,} records of PubMed, and at most {limit:,} were asked "
            "for; narrow it, or raise --limit"
        )
    if len(found.pmids) >= found.total:
        return found
    pmids: dict[str, None] = {}
    for some in _by_day(query, ALL_DAYS, eutils=eutils):
        pmids |= dict.fromkeys(some)
        if on_progress:
            on_progress(len(pmids), found.total)
    notes = list(found.notes)
    if len(pmids) < found.total:
        notes.append(f"PubMed counts {found.total:,} records, and lists {len(pmids):,} of them")
    return Found(found.total, list(pmids), notes)


def _by_day(query: str, days: Days, *, eutils: Eutils) -> Iterator[list[str]]:
    found = eutils.search(query, days=days)
    if len(found.pmids) >= found.total:
        yield found.pmids
        return
    if days.first == days.last:
        raise DownloadError(
            f"PubMed lists only {len(found.pmids):,} of the {found.total:,} records that came into "
            f"it on {days.first} and that the query finds; narrow the query"
        )
    middle = days.first + (days.last - days.first) // 2
    yield from _by_day(query, Days(middle + dt.timedelta(1), days.last), eutils=eutils)
    yield from _by_day(query, Days(days.first, middle), eutils=eutils)
