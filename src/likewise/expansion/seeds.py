"""The seeds: the documents the user has, each matched with the library's copy of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from likewise.documents import Document, same_paper
from likewise.documents.formats.links import doi_in_link, pmcid_in_link, pmid_in_link
from likewise.documents.identity import clean_pmcid, clean_pmid, normalise_title, with_id
from likewise.errors import LibraryError, SeedsError
from likewise.expansion.seed_titles import copies_by_title
from likewise.expansion.wording import counted, named
from likewise.library.identifiers import library_keys
from likewise.library.shelf import Counts, Shelf, shelf_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.library.protocol import Library

MIN_SEEDS = 3

_KINDS = ("pmid", "doi", "pmcid")
_CHECK = "check ids with: likewise search LIB WORDS"


@dataclass(frozen=True)
class Seeds:
    """The documents the user has."""

    matched: tuple[Document, ...]
    """Those the library holds, as it holds them."""
    text_only: tuple[Document, ...]
    """Those it does not hold, used for what they say, under ids that it does not hold either."""
    not_found: tuple[str, ...]
    """Identifiers of papers that it does not hold and that nothing more is known of."""
    marked: tuple[Document, ...] = ()
    """Documents of the library that were no seeds at first, and were marked relevant since."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """All that can be learned from: those in the library, those that are not, marked ones.

        In each group they come by their ids, so that the order they were given in tells nothing.
        """
        return self.given + _by_id(self.marked)

    @property
    def given(self) -> tuple[Document, ...]:
        """What was given as seeds and can be learned from."""
        return _by_id(self.matched) + _by_id(self.text_only)


def _by_id(documents: Iterable[Document]) -> tuple[Document, ...]:
    return tuple(sorted(documents, key=lambda document: document.id))


def resolve_seeds(library: Library, given: Iterable[Document]) -> Seeds:
    """Match seeds as `match_seeds` does; raise SeedsError where there are too few to learn from."""
    seeds = match_seeds(library, given)
    check_enough(seeds)
    return seeds


def match_seeds(library: Library, given: Iterable[Document]) -> Seeds:
    """Match seeds with the documents of a library, each paper once, in the order given."""
    if not library.count():
        raise LibraryError(
            "the library is empty; put documents into it with: likewise index FILES --into LIB"
        )
    papers = _distinct(given)
    holdings = _Holdings(library.find({key for paper in papers for key in _keys(paper)}))
    copies = {paper.id: copy for paper in papers if (copy := holdings.copy_of(paper))}
    copies |= copies_by_title(library, (paper for paper in papers if paper.id not in copies))
    matched: dict[str, Document] = {}
    text_only: list[Document] = []
    missing: list[Document] = []
    for paper in papers:
        held = copies.get(paper.id)
        if held:
            matched.setdefault(held.id, held)
        elif _letters(paper):
            text_only.append(holdings.beside(paper))
        else:
            missing.append(paper)
    return Seeds(tuple(matched.values()), tuple(text_only), _names(missing, told=text_only))


def held_copies(library: Library, papers: Iterable[Document]) -> list[Document | None]:
    """Return the library's own copy of each paper; None where it holds none."""
    known = list(map(with_id, papers))
    holdings = _Holdings(library.find({key for paper in known for key in _keys(paper)}))
    return [holdings.copy_of(paper) for paper in known]


def _distinct(given: Iterable[Document]) -> list[Document]:
    """Make one record of all that are of the same paper."""
    shelf, counts = Shelf(()), Counts()
    for document in map(with_id, given):
        shelf.put(document, shelf_keys(document), counts=counts)
    return list(shelf.changed.values())


class _Holdings:
    """The documents of a library that may be the same papers as the seeds."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_key: defaultdict[str, list[Document]] = defaultdict(list)
        self._ids: set[str] = set()
        for document in documents:
            self._ids.add(document.id)
            for key in library_keys(document):
                self._by_key[key].append(document)

    def copy_of(self, paper: Document) -> Document | None:
        """Return the document that is this paper, if there is one."""
        candidates = (document for key in _keys(paper) for document in self._by_key.get(key, ()))
        return next((document for document in candidates if _is_copy(document, paper)), None)

    def beside(self, paper: Document) -> Document:
        """Return a paper that is none of these, under an id that is none of theirs."""
        if paper.id not in self._ids:
            return paper
        return msgspec.structs.replace(paper, id=f"seed-{paper.id}")


def _is_copy(document: Document, paper: Document) -> bool:
    """Tell whether a document that was found under a key of a paper is that paper."""
    if same_paper(document, paper):
        return True
    if any(getattr(document, kind) and getattr(paper, kind) for kind in _KINDS):
        return False
    # Exports often count from 1, so an id is evidence only where nothing speaks against it.
    text = _letters(paper)
    return text == _letters(document) if text else _is_named_by_id(paper)


def _is_named_by_id(paper: Document) -> bool:
    identifiers = [value for kind in _KINDS if (value := getattr(paper, kind))]
    return not identifiers or paper.id in identifiers


def _keys(paper: Document) -> list[str]:
    """Return the keys that a paper may be found under, the likeliest first."""
    keys = shelf_keys(paper)
    ids = [key for key in keys if key.startswith("id:")]
    identity = [key for key in keys if not key.startswith("id:")]
    if identity or _letters(paper):
        return [*identity, *ids]
    # There is nothing but an id, and a person may have meant any of these by it.
    meant = {
        "pmid": clean_pmid(paper.id) or pmid_in_link(paper.id),
        "doi": doi_in_link(paper.id),
        "pmcid": clean_pmcid(paper.id) if "pmc" in paper.id.lower() else "",
    }
    meant["pmcid"] = meant["pmcid"] or pmcid_in_link(paper.id)
    return [*ids, *(f"{kind}:{value}" for kind, value in meant.items() if value)]


def _letters(document: Document) -> str:
    return normalise_title(document.text)


def _names(missing: Iterable[Document], *, told: Iterable[Document]) -> tuple[str, ...]:
    """Name the papers that are missing, but for those that another record tells of."""
    known = {f"{kind}:{getattr(paper, kind)}" for paper in told for kind in _KINDS}
    names = [
        paper.id if _is_named_by_id(paper) else paper.pmid or paper.doi or paper.pmcid
        for paper in missing
        if known.isdisjoint(_keys(paper))
    ]
    return tuple(dict.fromkeys(names))


def check_enough(seeds: Seeds) -> None:
    """Raise SeedsError if there are too few different texts to learn from."""
    texts = {_letters(document) for document in seeds.documents} - {""}
    if len(texts) >= MIN_SEEDS:
        return
    missing = f"not in the library: {named(seeds.not_found)}" if seeds.not_found else ""
    if not seeds.documents:
        found = f"none of the seeds is usable; {missing}" if missing else "no seeds were given"
        raise SeedsError(f"{found}; give a file with titles and abstracts, or {_CHECK}")
    usable = len(seeds.documents)
    if len(texts) == 1 and usable >= MIN_SEEDS:
        raise SeedsError(
            f"all {usable} seeds have the same text; "
            f"give at least {MIN_SEEDS} different papers on the topic"
        )
    marked = f", {len(seeds.marked)} marked relevant" if seeds.marked else ""
    told = f"{len(seeds.matched)} in the library, {len(seeds.text_only)} by their text only{marked}"
    raise SeedsError(
        f"{counted(len(texts), 'usable seed')} ({'; '.join(filter(None, (told, missing)))}); "
        f"{MIN_SEEDS} with different texts are needed: add papers on the topic, or {_CHECK}"
    )
