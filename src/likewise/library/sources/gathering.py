"""Gathering: from seeds to candidates of a source, in a folder that is an ordinary library.

Candidates are the papers that a source links with the seeds, or finds for the seeds' terms. It
can't be asked to weigh terms. So several searches are made, with few of the heaviest terms and with
many: papers that have the heaviest terms are found by most of them. A candidate's score is the sum,
over all lists that it is in, of

    weight / (DEPTH + rank)

and the best are brought into the library as long as the budget lasts. Each search leaves out one
fold of the seeds, and so shows whether the others would have brought these in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec

from likewise.documents import Document
from likewise.errors import NotALibraryError, Problem
from likewise.library import find_engine, open_library
from likewise.library.fetching import FetchReport, fetch_records, find_held
from likewise.library.folder import MARKER
from likewise.library.links import list_names
from likewise.library.protocol import Library
from likewise.library.sources import RemoteSource, split_groups
from likewise.library.sources.kept import Asker
from likewise.library.sources.terms import pick_best, weigh_terms

FOLDS = 5
SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
"""How many terms the searches have; docs/how-to/pubmed.md says what it was chosen on."""
FEW_SIZES = (2, 8, 30)
"""The same for sources where a search takes many requests."""
DEPTH = 300
"""How far down a list a place is worth half as much as the first."""
LEARNED_PAPERS = 100
"""How many of the papers that were learned to be on topic are used to find similar ones."""
FETCHED_AT_ONCE, FETCHED_WITHIN_BUDGET = 1000, 200
"""How many records are fetched before they are committed and the budget is checked again."""


@dataclass(frozen=True)
class RankedList:
    """Keys, the best first, and the fold of seeds that it was made without or is from."""

    keys: Sequence[str]
    weight: float
    without: int | None = None
    """The fold that a search was made without."""
    of: int | None = None
    """The fold of the seed that a link leads from."""

    def is_blind_to(self, fold: int) -> bool:
        """Return whether the seeds of a fold had no part in this list."""
        return self.without == fold or (self.of is not None and self.of != fold)


def find_reached(
    lists: Sequence[RankedList], folds: Sequence[Sequence[str]], *, count: int
) -> set[str]:
    """Return the seeds that others would have brought in among the best `count` candidates."""
    reached: set[str] = set()
    for fold, keys in enumerate(folds):
        others = {key for dealt in folds for key in dealt} - set(keys)
        blind = [each for each in lists if each.is_blind_to(fold)]
        reached |= set(keys).intersection(fuse_lists(blind, exclude=others)[:count])
    return reached


def fuse_lists(lists: Iterable[RankedList], *, exclude: Collection[str] = ()) -> list[str]:
    """Return the keys of all lists, sorted by the sum of what their places are worth.

    >>> fuse_lists([RankedList(["a", "b"], 1.0), RankedList(["c", "b"], 1.0)], exclude=["c"])
    ['b', 'a']
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for each in lists:
        for rank, key in enumerate(each.keys):
            scores[key] += each.weight / (DEPTH + rank)
    return sorted(scores.keys() - set(exclude), key=lambda key: (-scores[key], key))


def find_candidates(asker: Asker, seeds: Sequence[Document], *, limit: int) -> list[RankedList]:
    """Ask a source for papers that it links with seeds, or that match their terms.

    Args:
        asker: Asks the source.
        seeds: The seeds as far as they are known, in the order in which folds are dealt.
        limit: How many keys a search may list.
    """
    folds = deal_seeds(asker, seeds)
    keys = [key for dealt in folds for key in dealt]
    sizes = choose_sizes(asker.source)
    # All lists of one kind of link count as much as all searches.
    fold_of = {key: fold for fold, dealt in enumerate(folds) for key in dealt}
    lists = [
        RankedList(linked, len(sizes) / len(keys), of=fold_of[key])
        for kind in asker.source.links
        for key, linked in asker.find_linked(keys, kind).items()
    ]
    number = len(folds)
    for without in range(number):
        some = [seed for at, seed in enumerate(seeds) if at % number != without] or list(seeds)
        worth = weigh_terms(some)
        for size in sizes:
            found = asker.search(pick_best(worth, size), limit=limit)
            lists.append(RankedList(found, 1 / number, without=without))
    return lists


def choose_sizes(source: RemoteSource) -> Sequence[int]:
    """Return how many terms each search of a source has."""
    return SIZES if source.lists_at_once else FEW_SIZES


def deal_seeds(asker: Asker, seeds: Sequence[Document]) -> list[list[str]]:
    """Return the keys of the seeds of each fold; seeds that the source lacks are left out."""
    number = max(1, min(FOLDS, len(seeds)))
    keys = [asker.source.key_of(seed) for seed in seeds]
    return [list(filter(None, keys[fold::number])) for fold in range(number)]


def find_more(
    asker: Asker, papers: Sequence[Document], *, weights: Sequence[float], limit: int
) -> list[RankedList]:
    """Return candidates like the papers that were learned to be on topic.

    Args:
        asker: Asks the source.
        papers: The papers learned to be on topic, the likeliest first.
        weights: How likely each is, seeds the most.
        limit: How many keys a search may list.
    """
    worth, sizes = weigh_terms(papers, weights), choose_sizes(asker.source)
    lists = [RankedList(asker.search(pick_best(worth, size), limit=limit), 1.0) for size in sizes]
    keyed = zip(map(asker.source.key_of, papers), weights, strict=True)
    near = dict(islice(((key, weight) for key, weight in keyed if key), LEARNED_PAPERS))
    if near and "similar" in asker.source.links:
        linked = asker.find_linked(list(near), "similar")
        share = len(sizes) / sum(near.values())
        lists += [RankedList(keys, near[key] * share) for key, keys in linked.items()]
    return lists


def note_citations(
    asker: Asker, address: str | Path, seeds: Sequence[Document], *, chosen: Collection[str]
) -> None:
    """Add the citations from and to seeds to the records.

    The source named them when it was asked for candidates, so this costs no request. Europe PMC's
    records have no references, and PubMed's only some. `chosen` are the keys of the records that
    were brought, the seeds' among them.
    """
    cited = _list_cited(asker, seeds, chosen=chosen)
    if not cited:
        return
    with open_library(address) as library:
        held = _find_by_key(library, set(cited).union(*cited.values()), asker)
    changed = []
    for key, others in cited.items():
        if key not in held:
            continue
        own = list_names(held[key])
        names = (_name_key(other, held, asker) for other in others)
        both = dict.fromkeys([*held[key].references, *filter(None, names)])
        references = tuple(name for name in both if name not in own)
        if len(references) > len(held[key].references):
            changed.append(msgspec.structs.replace(held[key], references=references))
    if changed:
        with open_library(address, write=True) as library:
            library.add(changed)
            library.commit()


def _list_cited(
    asker: Asker, seeds: Sequence[Document], *, chosen: Collection[str]
) -> dict[str, dict[str, None]]:
    """Return what records cite, by key: everything that seeds cite, and the seeds others cite."""
    keys = [key for seed in seeds if (key := asker.source.key_of(seed))]
    kinds = set(asker.source.links)
    cited: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, others in (asker.find_linked(keys, "cited") if "cited" in kinds else {}).items():
        cited[key] |= dict.fromkeys(others)
    for key, others in (asker.find_linked(keys, "citing") if "citing" in kinds else {}).items():
        for other in set(others).intersection(chosen):
            cited[other][key] = None
    return {key: others for key, others in cited.items() if others}


def _find_by_key(library: Library, keys: Collection[str], asker: Asker) -> dict[str, Document]:
    """Return the documents that a library has for a source's keys."""
    # A paper without an identity key is found by its id in the source.
    sought = {asker.source.identity_of(key) or f"id:{key.rpartition('/')[2]}" for key in keys}
    found = {asker.source.key_of(document): document for document in library.find(sought)}
    return {key: found[key] for key in keys if key in found}


def _name_key(key: str, held: Mapping[str, Document], asker: Asker) -> str:
    """Return the name to cite a paper by: its PMID, or another if the library holds it; else ""."""
    if key in held:
        return list_names(held[key])[0]
    scheme, _, name = asker.source.identity_of(key).partition(":")
    return name if scheme == "pmid" else ""


def check_folder(address: str | Path) -> Path | None:
    """Return the folder in which to keep answers beside records; None on a cluster.

    Raises NotALibraryError if the folder holds other things.
    """
    if find_engine(address):
        return None
    folder = Path(address)
    is_other = folder.is_dir() and not (folder / MARKER).is_file() and any(folder.iterdir())
    if is_other or folder.is_file():
        kind = "this is a file" if folder.is_file() else "this folder holds other files"
        raise NotALibraryError(f"{address}: {kind} and is not a library; name a new folder")
    return folder


class Porter:
    """Brings records into a library, and notes which were asked for."""

    def __init__(
        self,
        asker: Asker,
        address: str | Path,
        *,
        is_limited: bool = False,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_fetched: Callable[[], None] = lambda: None,
    ) -> None:
        self._asker = asker
        self._address = address
        self._size = FETCHED_WITHIN_BUDGET if is_limited else FETCHED_AT_ONCE
        self._on_problem = on_problem
        self._on_fetched = on_fetched
        self.report = FetchReport()

    def bring(self, keys: Sequence[str]) -> None:
        """Bring the records that are not there and were not asked for before."""
        kept = self._asker.kept
        held, self.report.documents = find_held(keys, self._address, source=self._asker.source)
        wanted = [key for key in keys if key not in held and key not in kept.fetched]
        self.report.asked += len(keys)
        self.report.skipped += len(keys) - len(wanted)
        for some in split_groups(wanted, self._size):
            if not self._asker.may_ask():
                break
            self._bring_some(some)
        kept.save()

    def _bring_some(self, keys: Sequence[str]) -> None:
        done = fetch_records(
            keys,
            self._address,
            source=self._asker.source,
            again=True,  # `bring` has left out what is there
            on_problem=self._on_problem,
            on_progress=lambda _fetched, _wanted: self._on_fetched(),
        )
        self.report.fetched += done.fetched
        self.report.missing += done.missing
        self.report.left_out += done.left_out
        self.report.counts.add(done.counts)
        self.report.documents = done.documents or self.report.documents
        self._asker.kept.note_fetched(keys)

    def count(self) -> int:
        """Return how many documents the library holds."""
        return find_held((), self._address, source=self._asker.source)[1]
