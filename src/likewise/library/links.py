"""Links between papers: graphs of who cites whom, in compact arrays for each direction.

A paper is known by a number: its PMID or, if it has none, a number above all PMIDs that is made of
its DOI or of its id in the library. For each direction, a graph holds the papers in order and, one
after another, the papers that each of them is linked with. So what a thousand papers cite is a
thousand stretches of one array, and neither direction has to be computed from the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library.keys import list_keys
from likewise.library.protocol import Library, spell_place

Direction = Literal["cites", "cited_by"]
DIRECTIONS: tuple[Direction, ...] = ("cites", "cited_by")
Papers = NDArray[np.uint64]

NAMED = 1 << 62
"""Numbers from here on stand for DOIs and ids; all others are PMIDs."""


def number_paper(name: str) -> int:
    """Return the number of a paper by its name: its PMID, its DOI, or "id:" and its id.

    >>> number_paper("429554"), number_paper("10.1000/abc") >= NAMED
    (429554, True)
    """
    if name.isdecimal() and name.isascii() and len(name) < 10:
        return int(name)
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return NAMED | int.from_bytes(digest, "big") >> 2


def list_names(document: Document) -> list[str]:
    """Return the names that others may cite a document by; it cites others under the first.

    >>> list_names(Document(id="x", pmid="7", doi="10.1/a")), list_names(Document(id="x"))
    (['7', '10.1/a'], ['id:x'])
    """
    return [name for name in (document.pmid, document.doi) if name] or [f"id:{document.id}"]


class Links(NamedTuple):
    """Links of some papers: each is between one of the papers asked for and another paper."""

    rows: NDArray[np.int64]
    """The place of each link's paper among those asked for, in order."""
    papers: Papers
    """The paper at the other end of each link; no row has the same one twice."""

    @classmethod
    def of(cls, rows: NDArray[np.int64], papers: Papers) -> Links:
        """Return links in order, each once."""
        order = np.lexsort((papers, rows))
        rows, papers = rows[order], papers[order]
        is_new = np.ones(len(rows), dtype=np.bool_)
        is_new[1:] = (rows[1:] != rows[:-1]) | (papers[1:] != papers[:-1])
        return cls(rows[is_new], papers[is_new])


class LinkCounts(NamedTuple):
    """How many links there are, and how many papers at either end of them."""

    links: int = 0
    citing: int = 0
    cited: int = 0


class LinkSource(Protocol):
    """What a library's links can be asked."""

    def follow(self, papers: Papers, direction: Direction) -> Links:
        """Return what papers cite, or what they are cited by."""

    def count(self, papers: Papers, direction: Direction) -> NDArray[np.int64]:
        """Return about how many papers each one cites, or is cited by."""

    def count_all(self) -> LinkCounts:
        """Return how many links and papers there are."""

    def number(self, names: Iterable[str]) -> Papers:
        """Return the numbers of papers that are called by their PMID, DOI or "id:" and id."""

    def name(self, papers: Papers) -> list[str]:
        """Return the name of each paper, as given to `number` or as links tell; "" if unknown."""


@runtime_checkable
class LinkedLibrary(Protocol):
    """What a library can also do if it knows what its papers cite."""

    def open_links(self) -> LinkSource | None:
        """Return the links of the library, or None if it knows of none."""


def open_links(library: Library) -> LinkSource | None:
    """Return the links of a library, or None if it has none."""
    return library.open_links() if isinstance(library, LinkedLibrary) else None


class Adjacency(NamedTuple):
    """One direction of a graph."""

    papers: NDArray[Any]
    """In order, each once."""
    starts: NDArray[np.uint64]
    """Where each paper's stretch of `linked` begins, and finally where the last one ends."""
    linked: NDArray[Any]
    """The papers that they are linked with: stretch after stretch, each in order."""

    def find(self, papers: Papers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of the given papers that are here, and their places in `self.papers`."""
        if not len(self.papers):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        fits = papers <= np.iinfo(self.papers.dtype).max
        asked = papers.astype(self.papers.dtype)
        places = np.minimum(np.searchsorted(self.papers, asked), len(self.papers) - 1)
        rows = np.flatnonzero(fits & (self.papers[places] == asked))
        return rows, places[rows]

    def follow(self, papers: Papers) -> Links:
        """Return the links of some papers."""
        rows, places = self.find(papers)
        begins = self.starts[places].astype(np.int64)
        lengths = self.starts[places + 1].astype(np.int64) - begins
        # The places of all entries of the stretches, stretch after stretch.
        before = np.repeat(np.cumsum(lengths) - lengths, lengths)
        within = np.arange(lengths.sum()) - before + np.repeat(begins, lengths)
        return Links(np.repeat(rows, lengths), self.linked[within].astype(np.uint64))

    def count_links(self, papers: Papers) -> NDArray[np.int64]:
        """Return how many links each of some papers has."""
        rows, places = self.find(papers)
        counts = np.zeros(len(papers), dtype=np.int64)
        counts[rows] = (self.starts[places + 1] - self.starts[places]).astype(np.int64)
        return counts


def stack_pairs(pairs: NDArray[Any]) -> Adjacency:
    """Return one direction of a graph in memory, made of its links in any order.

    >>> pairs = np.array([[7, 1], [5, 3], [7, 1], [5, 2]], dtype=np.uint64)
    >>> [part.tolist() for part in stack_pairs(pairs)]
    [[5, 7], [0, 2, 3], [2, 3, 1]]
    """
    pairs = sort_pairs(pairs)
    papers, starts = np.unique(pairs[:, 0], return_index=True)
    return Adjacency(papers, np.append(starts, len(pairs)).astype(np.uint64), pairs[:, 1].copy())


def sort_pairs(pairs: NDArray[Any]) -> NDArray[Any]:
    """Return pairs in order, each once."""
    if not len(pairs):
        return pairs
    if pairs.dtype == np.uint32:
        # Packed into one number, pairs are sorted many times faster.
        packed = pairs[:, 0].astype(np.uint64) << np.uint64(32)
        packed |= pairs[:, 1]
        packed.sort()
        packed = packed[_find_new(packed[1:] != packed[:-1])]
        return np.stack([packed >> np.uint64(32), packed & np.uint64(2**32 - 1)], 1).astype("u4")
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return pairs[_find_new((pairs[1:] != pairs[:-1]).any(axis=1))]


def _find_new(differs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which values of a sorted list are new, given which ones differ from the one before."""
    return np.concatenate([np.ones(1, dtype=np.bool_), differs])


class LinkGraph(NamedTuple):
    """Both directions of the same links."""

    cites: Adjacency
    cited_by: Adjacency

    @classmethod
    def of(cls, pairs: NDArray[Any]) -> LinkGraph:
        """Return a graph in memory, made of pairs of a citing and a cited paper."""
        return cls(stack_pairs(pairs), stack_pairs(pairs[:, ::-1]))


class Graphs:
    """Links from several graphs, some of which may hold the same links."""

    def __init__(self, graphs: Sequence[LinkGraph]) -> None:
        self.graphs = tuple(graphs)

    def number(self, names: Iterable[str]) -> Papers:
        """Return the numbers of papers that are called by their PMID, DOI or "id:" and id."""
        return np.array([number_paper(name) for name in names], dtype=np.uint64)

    def follow(self, papers: Papers, direction: Direction) -> Links:
        """Return what papers cite, or what they are cited by."""
        papers = np.asarray(papers, dtype=np.uint64)
        found: list[Links] = [getattr(graph, direction).follow(papers) for graph in self.graphs]
        if len(found) == 1:
            return found[0]
        rows = np.concatenate([links.rows for links in found] or [np.empty(0, dtype=np.int64)])
        others = np.concatenate([links.papers for links in found] or [np.empty(0, "u8")])
        return Links.of(rows, others)

    def count(self, papers: Papers, direction: Direction) -> NDArray[np.int64]:
        """Return how many papers each one cites, or is cited by, in the graph that knows most."""
        papers = np.asarray(papers, dtype=np.uint64)
        counts = [getattr(graph, direction).count_links(papers) for graph in self.graphs]
        return np.max(counts, axis=0) if counts else np.zeros(len(papers), dtype=np.int64)

    def count_all(self) -> LinkCounts:
        """Return how many links and papers there are; those in two graphs count twice."""
        return LinkCounts(
            sum(len(graph.cites.linked) for graph in self.graphs),
            sum(len(graph.cites.papers) for graph in self.graphs),
            sum(len(graph.cited_by.papers) for graph in self.graphs),
        )


class MemoryLinks(Graphs):
    """The links of documents that are all in memory."""

    def __init__(self, documents: Iterable[Document]) -> None:
        pairs, self._names = pair_references(documents)
        super().__init__([LinkGraph.of(pairs)] if len(pairs) else [])

    def name(self, papers: Papers) -> list[str]:
        """Return the PMID, the DOI, or "id:" and the id of each paper; "" if it is unknown."""
        return [
            str(paper) if paper < NAMED else self._names.get(paper, "") for paper in papers.tolist()
        ]


def pair_references(documents: Iterable[Document]) -> tuple[Papers, dict[int, str]]:
    """Return the links from documents to their references, and the names of papers with no PMID.

    A link of a paper to itself is left out.
    """
    pairs: list[tuple[int, int]] = []
    names: dict[int, str] = {}
    for document in documents:
        own = [(number_paper(name), name) for name in list_names(document)]
        cited = [(number_paper(name), name) for name in document.references]
        itself = {number for number, _ in own}
        names.update(pair for pair in (*own, *cited) if pair[0] >= NAMED and document.references)
        pairs += [(own[0][0], number) for number, _ in cited if number not in itself]
    return np.array(pairs, dtype=np.uint64).reshape(-1, 2), names


def require_links(library: Library, *, where: str) -> LinkSource:
    """Return the links of a library; raise LibraryError if it has none."""
    if links := open_links(library):
        return links
    links_file = f", or read a file of links with: likewise links {spell_place(library)} FILE"
    raise LibraryError(
        f"{where}: it knows no citations; index files that have them (PubMed XML, with --again "
        f"if they were read before){'' if is_cluster(where) else links_file}"
    )


def is_cluster(address: str) -> bool:
    """Return whether a library's address is that of an index on a cluster.

    >>> is_cluster("opensearch://localhost:9200/papers"), is_cluster("lib")
    (True, False)
    """
    return "://" in address


MOST_CITING = 20_000
"""How many of the papers that cite a paper are asked, at most, what else they cite."""


class Neighbour(NamedTuple):
    """A paper that is linked with another."""

    name: str
    """Its PMID, its DOI, or "id:" and its id in the library."""
    times: int = 1
    """How many papers cite both, if the two are cited together."""
    document: Document | None = None
    """The paper, if the library holds it."""


class Neighbours(NamedTuple):
    """The papers that a paper is linked with."""

    cites: list[Neighbour]
    cited_by: list[Neighbour]
    cited_with: list[Neighbour]
    """Papers that are cited together with it, the most often cited with it first."""


def find_neighbours(
    library: Library, links: LinkSource, document: Document, *, limit: int = 20
) -> Neighbours:
    """Return the papers that a document is linked with; at most `limit` that are cited with it."""
    own = links.number(list_names(document))
    ends: dict[Direction, Papers] = {
        direction: np.unique(links.follow(own, direction).papers)
        for direction in ("cites", "cited_by")
    }
    together = links.follow(ends["cited_by"][:MOST_CITING], "cites").papers
    papers, counts = np.unique(together[~np.isin(together, own)], return_counts=True)
    best = np.lexsort((papers, -counts))[:limit]
    return Neighbours(
        name_neighbours(library, links, ends["cites"]),
        name_neighbours(library, links, ends["cited_by"]),
        name_neighbours(library, links, papers[best], counts=counts[best].tolist()),
    )


def name_neighbours(
    library: Library, links: LinkSource, papers: Papers, *, counts: Sequence[int] = ()
) -> list[Neighbour]:
    """Return papers with their names and, if the library holds them, their documents."""
    names = links.name(papers)
    found = find_named(library, names)
    counted = counts or [1] * len(names)
    return [
        Neighbour(name, count, found.get(name))
        for name, count in zip(names, counted, strict=True)
        if name
    ]


def find_named(library: Library, names: Sequence[str]) -> dict[str, Document]:
    """Return the library's documents that have these names in links, by name."""
    keys = {make_key(name): name for name in names if name}
    found: dict[str, Document] = {}
    for document in library.find(keys):
        for key in list_keys(document):
            if key in keys:
                found.setdefault(keys[key], document)
    return found


def make_key(name: str) -> str:
    """Return the identity key of a paper with this name in links.

    >>> make_key("7"), make_key("10.1/a"), make_key("id:x")
    ('pmid:7', 'doi:10.1/a', 'id:x')
    """
    if name.startswith("id:"):
        return name
    return f"pmid:{name}" if name.isdecimal() else f"doi:{name}"
