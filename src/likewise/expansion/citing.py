"""Citations in an expansion: what they bring into the pool, and how finds are linked.

Links are described in words, and drawn as a map by year: the seeds above, the best linked finds
below. This module decides which dots there are, and where; the report (`draw_map`) and the page
draw them. Years are cells of equal width, as many as there is room for, and the dots of a cell
stand side by side, then in further rows. Of several links between two papers, one is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy.special import betaincinv

from likewise.documents import Document
from likewise.documents.notebook import find_links
from likewise.expansion.figures import draw_label, make_element
from likewise.expansion.records import Recapture, SeedLink
from likewise.expansion.wording import format_count
from likewise.learn.citations import CitationFeatures, SeedLinks, compute_log_odds
from likewise.learn.estimates import Interval
from likewise.library.links import Direction, LinkSource, Papers, find_named, list_names
from likewise.library.protocol import Library
from likewise.library.where import Where

HUB = 1000
"""Papers with more links than this say little about any one of them, and lead to too many."""
LEAST_ODDS = 8.0
"""The log odds, against chance, that a paper's links must give for it to join the pool."""
LOOKED_UP = 2000
LEAST_RECAPTURED = 5
"""If citations find fewer papers on topic than this, they tell nothing about what words miss."""


def describe_links(
    links: SeedLinks, ids: Sequence[str], *, seeds: Sequence[Document]
) -> Iterator[tuple[str, str]]:
    """Yield the id of each document that is linked with seeds, and its links in words.

    Args:
        links: How documents are linked, row by row.
        ids: The ids of the rows.
        seeds: The documents of the first rows.
    """
    names = list(map(name_paper, seeds))
    columns = zip(ids, *(column.tolist() for column in links), strict=True)
    for identifier, cites, cited_by, shared, sharing, together, cited_with in columns:
        parts = [
            cites and f"cites {_count_papers(cites)}",
            cited_by and f"is cited by {_count_papers(cited_by)}",
            shared and f"shares {format_count(shared, 'reference')} with {names[sharing]}",
            together
            and f"is cited together with {names[cited_with]} {format_count(together, 'time')}",
        ]
        if any(parts):
            yield identifier, "; ".join(filter(None, parts))


def list_seed_links(
    features: CitationFeatures, links: SeedLinks, rows: Mapping[str, int], *, seeds: Sequence[str]
) -> Iterator[SeedLink]:
    """Yield the links between documents and seeds, the strongest kind first for each document.

    Of the seeds that share its references, or are cited with it, only the closest is named.

    Args:
        features: The links of documents, row by row.
        links: How they are linked with seeds, row by row.
        rows: The rows of the documents to list, by id.
        seeds: The ids of the first rows.
    """
    direct = features.direct
    for identifier, row in rows.items():
        cited = direct[row, : len(seeds)].nonzero()[1].tolist()
        citing = direct[: len(seeds), row].nonzero()[0].tolist()
        yield from (SeedLink(identifier, seeds[seed], "cites") for seed in cited)
        yield from (SeedLink(identifier, seeds[seed], "cited_by") for seed in citing)
        if shared := int(links.references[row]):
            yield SeedLink(identifier, seeds[links.sharing[row]], "shares", shared)
        if together := int(links.together[row]):
            yield SeedLink(identifier, seeds[links.cited_with[row]], "together", together)


def _count_papers(count: int) -> str:
    return "one of your papers" if count == 1 else f"{count:,} of your papers"


def name_paper(paper: Document) -> str:
    """Return a paper as people name it in a sentence, with its id.

    >>> name_paper(Document(id="7", authors=("Okafor, Ngozi",), year=2014))
    'Okafor 2014 (7)'
    """
    family = paper.authors[0].partition(",")[0] if paper.authors else ""
    name = " ".join(filter(None, (family, str(paper.year or ""))))
    return f"{name} ({paper.id})" if name else paper.id


def find_linked(
    library: Library, links: LinkSource, seeds: Sequence[Document], *, limit: int, where: Where
) -> list[str]:
    """Return the ids of papers that are strongly linked with the seeds, the strongest first.

    The library must hold them, and they must be within the limits `where`.
    """
    own = np.unique(links.number(name for seed in seeds for name in list_names(seed)))
    papers, odds = _weigh_neighbours(links, own, seeds=len(seeds))
    kept = (odds >= LEAST_ODDS) & ~np.isin(papers, own)
    best = papers[kept][np.lexsort((papers[kept], -odds[kept]))][: 10 * limit]
    found: dict[str, None] = {}
    for start in range(0, len(best), LOOKED_UP):
        if len(found) >= limit:
            break
        names = links.name(best[start : start + LOOKED_UP])
        held = find_named(library, names)
        found |= {held[n].id: None for n in names if n in held and where.matches(held[n])}
    return list(found)[:limit]


def estimate_missed(
    chances: Mapping[str, float],
    *,
    words: Collection[str],
    links: Collection[str],
    relevant: Interval,
) -> Recapture | None:
    """Estimate how many papers on topic neither words nor citations found, from what both did.

    With n found by words, k by citations and m by both, the share m / k of what citations found was
    found by words too. If citations find what words miss as often as what words find, then words
    found that share of all papers on topic as well (Lincoln 1930, Petersen 1896), and

        missed = (n - m) (k - m) / (m + 1)        as Chapman (1951) corrects it

    Its interval covers the 80 % interval (Jeffreys') of the share, and that of how many are on
    topic. Returns None if citations found too few to tell.

    Args:
        chances: How likely candidates are on topic.
        words: The ids that words found, of papers whose links are known.
        links: The ids that citations found.
        relevant: How many of the candidates are on topic.
    """
    found, second = set(words), set(links)
    n, k, m = (
        sum(chances[name] for name in chances if name in arm)
        for arm in (found, second, found & second)
    )
    if k < LEAST_RECAPTURED:
        return None
    low, high = (float(betaincinv(m + 0.5, k - m + 0.5, share)) for share in (0.1, 0.9))
    value = (n - m) * (k - m) / (m + 1)
    fewest, most = (
        n * bound / max(relevant.value, 1e-9) for bound in (relevant.low, relevant.high)
    )
    least = max(0.0, fewest * (1 - high) / high - (k - m))
    largest = most * (1 - low) / low - (k - m)
    return Recapture(n, k, m, Interval(value, min(value, least), max(value, largest)))


def _weigh_neighbours(
    links: LinkSource, own: Papers, *, seeds: int
) -> tuple[Papers, NDArray[np.float64]]:
    """Return all papers linked with the seeds, directly or through one other, with log odds."""
    total = links.count_all()
    reached: list[Papers] = []
    worth: list[NDArray[np.float64]] = []
    ways: tuple[tuple[Direction, Direction, int], ...] = (
        ("cites", "cited_by", total.citing),
        ("cited_by", "cites", total.cited),
    )
    for out, back, size in ways:
        near, counts = np.unique(links.follow(own, out).papers, return_counts=True)
        degrees = links.count(near, back)
        odds = compute_log_odds(
            counts.astype(np.float64), np.maximum(degrees, 1) / max(size, 1), seeds
        )
        is_telling = (odds > 0) & (degrees <= HUB)
        beyond = links.follow(near[is_telling], back)
        reached += [near, beyond.papers]
        worth += [odds, odds[is_telling][beyond.rows]]
    papers, inverse = np.unique(np.concatenate(reached), return_inverse=True)
    odds = np.zeros(len(papers))
    np.add.at(odds, inverse, np.concatenate(worth))
    return papers, odds


MOST_FINDS, MOST_SEEDS = 30, 20
MAP_WIDTH = 400
"""The width of the report's map: its texts can be read on a phone too."""
STEP, RADIUS = 15, 5
MARGIN, GAP = 8, 96
SEEDS_FROM = 24
CELL_YEARS = (1, 2, 5, 10, 20, 50, 100)
"""How many years a cell may cover."""
TICK_ROOM = 44

LineKind = Literal["direct", "shares", "together"]
LINE_NAMES: dict[LineKind, str] = {
    "direct": "cites, or is cited",
    "shares": "shares references",
    "together": "cited together",
}
_LINE_KINDS: dict[str, LineKind] = {
    "cites": "direct",
    "cited_by": "direct",
    "shares": "shares",
    "together": "together",
}


@dataclass(frozen=True)
class MapDot:
    """A paper."""

    id: str
    title: str
    year: int | None
    told: str
    """How it is linked with the seeds, or that it is one."""
    is_seed: bool
    x: float
    y: float

    @property
    def label(self) -> str:
        """Its title, its year and how it is linked, in one line."""
        year = f" ({self.year})" if self.year else ""
        return f"{self.title.rstrip('.')}{year}: {self.told}"


class MapLine(NamedTuple):
    """A link between a seed and a find, by the numbers of their dots."""

    seed: int
    find: int
    kind: LineKind


class MapTick(NamedTuple):
    """A year on the axis."""

    x: float
    text: str


@dataclass(frozen=True)
class LinkMap:
    """Everything that is drawn, and where."""

    width: int
    height: float
    dots: list[MapDot]
    """Seeds first, then finds, the best first."""
    lines: list[MapLine]
    ticks: list[MapTick]
    caption: str


def lay_out_map(
    links: Sequence[SeedLink],
    documents: Mapping[str, Document],
    *,
    told: Mapping[str, str],
    width: int = MAP_WIDTH,
) -> LinkMap | None:
    """Return the map of links, or None if there are none.

    Args:
        links: The links between finds and seeds, the best finds first.
        documents: The papers by id.
        told: How finds are linked, in words, by id.
        width: How wide the drawing is.
    """
    kept = _choose_links(links)
    if not kept:
        return None
    counts = Counter(link.seed for link in kept)
    seeds = sorted(counts, key=lambda name: (documents[name].year or 0, -counts[name], name))
    finds = list(dict.fromkeys(link.document for link in kept))
    cells = _Cells.of([documents[name].year for name in (*seeds, *finds)], width=width)
    above, below = ([documents[name].year for name in names] for names in (seeds, finds))
    # The first row of each band is the one nearest to the lines.
    seed_places, find_places = cells.stack(above), cells.stack(below)
    seeds_end = SEEDS_FROM + STEP * max(row for _, row in seed_places)
    finds_from = seeds_end + GAP
    finds_end = finds_from + STEP * max(row for _, row in find_places)
    dots = [
        _make_dot(documents[name], x, seeds_end - STEP * row, told=_count_papers(1), is_seed=True)
        for name, (x, row) in zip(seeds, seed_places, strict=True)
    ] + [
        _make_dot(documents[name], x, finds_from + STEP * row, told=told.get(name, ""))
        for name, (x, row) in zip(finds, find_places, strict=True)
    ]
    numbers = {dot.id: number for number, dot in enumerate(dots)}
    lines = [
        MapLine(numbers[each.seed], numbers[each.document], _LINE_KINDS[each.kind]) for each in kept
    ]
    caption = _describe_map(len(finds), len(seeds), all_finds=len(told))
    return LinkMap(width, finds_end + 46, dots, lines, cells.list_ticks(), caption)


def _make_dot(
    document: Document, x: float, y: float, *, told: str, is_seed: bool = False
) -> MapDot:
    title = document.title or document.id
    return MapDot(document.id, title, document.year, told, is_seed, round(x, 1), round(y, 1))


def _describe_map(finds: int, seeds: int, *, all_finds: int) -> str:
    of = f"The best {finds:,} of {all_finds:,}" if all_finds > finds else f"{finds:,}"
    linked = f"linked {'find' if max(finds, all_finds) == 1 else 'finds'}"
    papers, them = _count_papers(seeds), "it" if finds == 1 else "them"
    return f"{of} {linked}, and the {papers} that citations link {them} with, by year."


def _choose_links(links: Iterable[SeedLink]) -> list[SeedLink]:
    """Return one link of each pair, for the best finds and the seeds with the most links."""
    finds: dict[str, None] = {}
    chosen: dict[tuple[str, str], SeedLink] = {}
    for link in links:
        if len(finds) == MOST_FINDS and link.document not in finds:
            break
        finds[link.document] = None
        # The stronger link of a pair comes first.
        chosen.setdefault((link.seed, link.document), link)
    counts = Counter(seed for seed, _ in chosen)
    most = set(sorted(counts, key=lambda name: (-counts[name], name))[:MOST_SEEDS])
    return [link for link in chosen.values() if link.seed in most]


@dataclass(frozen=True)
class _Cells:
    """The axis of years, in cells."""

    first: int
    years: int
    """How many years a cell covers."""
    number: int
    left: float
    size: float
    has_undated: bool

    @classmethod
    def of(cls, years: Sequence[int | None], *, width: int) -> _Cells:
        dated = [year for year in years if year]
        has_undated = len(dated) < len(years)
        low, high = (min(dated), max(dated)) if dated else (0, 0)
        left = MARGIN + (TICK_ROOM if has_undated else 0)
        room = width - MARGIN - left
        for step in CELL_YEARS:
            first = low // step * step
            count = (high - first) // step + 1
            if count * (STEP + 3) <= room:
                break
        return cls(first, step, count, left, room / count, has_undated)

    def stack(self, years: Sequence[int | None]) -> list[tuple[float, int]]:
        """Return each paper's place across, and its row in its cell, from 0."""
        places: dict[int, list[int]] = {}
        for number, year in enumerate(years):
            places.setdefault((year - self.first) // self.years if year else -1, []).append(number)
        found: dict[int, tuple[float, int]] = {}
        for cell, numbers in places.items():
            fits = max(1, int((self.size - 4) // STEP)) if cell >= 0 else 2
            for start in range(0, len(numbers), fits):
                row = numbers[start : start + fits]
                for place, number in enumerate(row):
                    x = self._find_middle(cell) + (place - (len(row) - 1) / 2) * STEP
                    found[number] = x, start // fits
        return [found[number] for number in range(len(years))]

    def _find_middle(self, cell: int) -> float:
        return self.left + (cell + 0.5) * self.size if cell >= 0 else MARGIN + TICK_ROOM / 2 - 4

    def list_ticks(self) -> list[MapTick]:
        """Return as many years as there is room for."""
        every = max(1, -(-TICK_ROOM // int(self.size)))
        ticks = [
            MapTick(
                round(self.left + cell * self.size + (self.size / 2 if self.years == 1 else 4), 1),
                str(self.first + cell * self.years),
            )
            for cell in range(0, self.number, every)
            if self.first
        ]
        undated = [MapTick(round(self._find_middle(-1), 1), "no year")] if self.has_undated else []
        return undated + ticks


def draw_map(
    found: LinkMap, *, anchors: Mapping[str, str], documents: Mapping[str, Document]
) -> Markup:
    """Return the drawing of a map; its dots lead to papers in the page, or else online.

    `anchors` says where in the page papers are listed, by id.
    """
    dots = []
    for number, dot in enumerate(found.dots):
        links = find_links(documents[dot.id])
        address = anchors.get(dot.id) or (links[0].address if links else "#map-words")
        dots.append(_draw_dot(dot, number=number, address=address))
    paths = [_draw_line(found, line) for line in found.lines]
    ticks = [
        draw_label(tick.text, x=tick.x, y=found.height - 8, text_anchor="middle")
        for tick in found.ticks
    ]
    return make_element(
        "svg",
        *paths,
        draw_label("your papers", x=0, y=11),
        draw_label("finds", x=0, y=found.height - 24),
        *ticks,
        *dots,
        viewBox=f"0 0 {found.width} {found.height:.0f}",
        role="group",
        aria_labelledby="map-heading",
        aria_describedby="map-caption",
    )


def _draw_dot(dot: MapDot, *, number: int, address: str) -> Markup:
    r = RADIUS
    shape = (
        make_element(
            "rect", x=dot.x - r + 0.5, y=dot.y - r + 0.5, width=2 * r - 1, height=2 * r - 1
        )
        if dot.is_seed
        else make_element("circle", cx=dot.x, cy=dot.y, r=r)
    )
    return make_element(
        "a",
        make_element("title", dot.label),
        # The area that a finger hits is larger than the dot.
        make_element("circle", cx=dot.x, cy=dot.y, r=STEP / 2, class_="reach"),
        shape,
        href=address,
        class_="dot seed" if dot.is_seed else "dot find",
        tabindex="-1" if number else "0",
        data_dot=str(number),
    )


def _draw_line(found: LinkMap, line: MapLine) -> Markup:
    seed, find = found.dots[line.seed], found.dots[line.find]
    middle = (seed.y + find.y) / 2
    path = (
        f"M{seed.x:g} {seed.y:g}C{seed.x:g} {middle:g} {find.x:g} {middle:g} {find.x:g} {find.y:g}"
    )
    ends = f"{line.seed} {line.find}"
    return make_element("path", d=path, class_=f"link {line.kind}", data_ends=ends)
