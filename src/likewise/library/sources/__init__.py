"""What every source must do; a source is a service on the network to gather papers from.

A source knows papers by keys of its own, as PubMed does by PMIDs. It finds the keys of given
papers, of papers linked with them, and of papers that match some terms; and it fetches records by
their keys. Answers that take several requests are yielded request by request, so that the caller
can stop in between.

Another package can add a source with an entry point in the group `likewise.sources`. Its name is
the source's, as in `likewise expand NAME seeds.ris`, and it points to a function that opens it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Literal, NamedTuple, Protocol

from likewise.documents import Document
from likewise.errors import Problem, SettingsError
from likewise.extras import Offer, load_plug_in, plug_ins

GROUP = "likewise.sources"
BUILT_IN = (
    EntryPoint("pubmed", "likewise.library.sources.pubmed:PubmedSource", GROUP),
    EntryPoint("europepmc", "likewise.library.sources.europepmc:open_europe_pmc", GROUP),
)

LABELS = {"pubmed": "PubMed", "europepmc": "Europe PMC"}
"""What people call the built-in sources."""

LinkKind = Literal["similar", "citing", "cited"]


class SearchTerm(NamedTuple):
    """A word of titles and abstracts, or a heading that indexers give, to search for."""

    text: str
    is_heading: bool = False


@dataclass(frozen=True)
class Arrivals:
    """What one request for records brought."""

    documents: Sequence[Document]
    missing: Sequence[str] = ()
    """Keys that the source has no record of."""
    unusable: Sequence[str] = ()
    """Keys whose records came, but can't be read or have no text."""
    problems: Sequence[Problem] = ()


class RemoteSource(Protocol):
    """A service that finds papers and sends their records."""

    @property
    def label(self) -> str:
        """What people call it, such as "PubMed"."""

    @property
    def links(self) -> Sequence[LinkKind]:
        """The links that it has between papers."""

    @property
    def lists_at_once(self) -> bool:
        """Whether a search takes one request, however many keys it lists."""

    @property
    def requests(self) -> int:
        """How many requests were sent so far, including those that were sent again."""

    def key_of(self, paper: Document) -> str:
        """Return the key that a paper has in this source; "" if its record does not tell."""

    def identity_of(self, key: str) -> str:
        """Return the identity key by which a library knows a paper, such as pmid:7; "" if none."""

    def find_papers(self, papers: Sequence[Document]) -> Iterator[list[str]]:
        """Yield the keys of papers whose records have none, found by DOI, PMCID or title."""

    def find_linked(self, keys: Sequence[str], kind: LinkKind) -> Iterator[dict[str, list[str]]]:
        """Yield the keys that are linked with each of some keys, the best first."""

    def search(
        self, terms: Sequence[SearchTerm], *, limit: int, since: dt.date | None = None
    ) -> list[str]:
        """Return the keys of the papers that have any of the terms, the best match first.

        Args:
            terms: What to look for.
            limit: How many keys at most.
            since: Only records that came into the source on this day or later.
        """

    def fetch(self, keys: Sequence[str]) -> Iterator[Arrivals]:
        """Yield the records of keys."""

    def close(self) -> None:
        """Close the connections."""


def list_sources() -> Mapping[str, EntryPoint]:
    """Return each source's entry point by its name, without loading any."""
    return {entry.name: entry for entry in BUILT_IN} | dict(plug_ins(GROUP))


def open_source(name: str) -> RemoteSource:
    """Open the source of this name."""
    known = list_sources()
    if name not in known:
        raise SettingsError(f"there is no source {name!r}; use one of: {', '.join(known)}")
    opening = load_plug_in(known[name], kind="source")
    offer = Offer.of(known[name], kind="source")
    if not callable(opening):
        raise offer.error("is not a function that opens a source")
    with offer.blame():
        source: RemoteSource = opening()
        return source


def split_groups(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield keys in groups of a size, as many as a request may name."""
    return (keys[start : start + size] for start in range(0, len(keys), size))
