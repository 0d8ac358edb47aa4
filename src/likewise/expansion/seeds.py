"""The seeds: the documents the user has, each matched with the library's copy of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import msgspec

from likewise.documents import Document, is_same_paper
from likewise.documents.identity import (
    MIN_TITLE_LETTERS,
    clean_pmcid,
    clean_pmid,
    ensure_id,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmid_in_link,
    normalise_title,
)
from likewise.errors import LibraryError, SeedsError
from likewise.expansion.wording import format_count, list_names
from likewise.library.keys import list_keys
from likewise.library.paper_notes import list_identifiers
from likewise.library.protocol import Library, Query, Term, check_is_library, spell_place
from likewise.library.shelf import Arrival, IntakeCounts, Shelf

MIN_SEEDS = 3

_KINDS = ("pmid", "doi", "pmcid")

# No title is longer than this, so a longer text is not looked up as one.
MAX_TITLE = 1_000
# Fewer words than this are part of many titles.
MIN_WORDS = 6
_TERMS = 12
_LOOKED_AT = 10
_ENDS = re.compile(r"[\W_]\Z")
_BEGINS = re.compile(r"[\W_]")


@dataclass(frozen=True)
class Seeds:
    """The documents the user has."""

    matched: tuple[Document, ...]
    """Those the library holds, as it holds them."""
    text_only: tuple[Document, ...]
    """Those it does not hold, used for their text, under ids that it does not hold either."""
    not_found: tuple[str, ...]
    """Identifiers of papers that it does not hold and about which nothing more is known."""
    marked: tuple[Document, ...] = ()
    """Documents of the library that were not given as seeds, but marked relevant since."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """All that can be learned from: seeds in the library, seeds outside it, marked documents.

        Each group is sorted by id, so that the order in which they were given changes nothing.
        """
        return self.given + _sort_by_id(self.marked)

    @property
    def given(self) -> tuple[Document, ...]:
        """The given seeds that can be learned from."""
        return _sort_by_id(self.matched) + _sort_by_id(self.text_only)


def _sort_by_id(documents: Iterable[Document]) -> tuple[Document, ...]:
    return tuple(sorted(documents, key=lambda document: document.id))


def resolve_seeds(library: Library, given: Iterable[Document]) -> Seeds:
    """Match seeds as `match_seeds` does; raise SeedsError if there are too few to learn from."""
    check_is_library(library)
    seeds = match_seeds(library, given)
    check_enough(seeds, library=library)
    return seeds


def match_seeds(library: Library, given: Iterable[Document]) -> Seeds:
    """Match seeds with the documents of a library, each paper once, in the order given."""
    if not library.count():
        raise LibraryError(
            "the library is empty; put documents into it with: "
            f"likewise index FILES --into {spell_place(library)}"
        )
    papers = _merge_same(given)
    ids, copies = _look_up(library, papers)
    matched: dict[str, Document] = {}
    text_only: list[Document] = []
    missing: list[Document] = []
    for paper, held in zip(papers, copies, strict=True):
        if held:
            matched.setdefault(held.id, held)
        elif _normalise_text(paper):
            name = f"seed-{paper.id}" if paper.id in ids else paper.id
            text_only.append(msgspec.structs.replace(paper, id=name))
        else:
            missing.append(paper)
    return Seeds(tuple(matched.values()), tuple(text_only), _name_missing(missing, known=text_only))


def find_copies(library: Library, papers: Iterable[Document]) -> list[Document | None]:
    """Return the library's own copy of each paper; None if it holds none.

    Seeds and marks always refer to these copies.
    """
    return _look_up(library, list(map(ensure_id, papers)))[1]


def _look_up(
    library: Library, papers: Sequence[Document]
) -> tuple[set[str], list[Document | None]]:
    """Return the ids of documents that may be the papers, and the document that each paper is."""
    keys = [_list_keys(paper) for paper in papers]
    held = library.find(set(chain(*keys)))
    by_key: defaultdict[str, list[Document]] = defaultdict(list)
    for document in held:
        for key in list_keys(document):
            by_key[key].append(document)
    copies = []
    for paper, own in zip(papers, keys, strict=True):
        candidates = (document for key in own for document in by_key.get(key, ()))
        copies.append(next((one for one in candidates if _is_copy(one, paper)), None))
    titled = [at for at, paper in enumerate(papers) if not copies[at] and _has_only_title(paper)]
    for at, copy in zip(
        titled, _find_by_title(library, [papers[at] for at in titled]), strict=True
    ):
        copies[at] = copy
    return {document.id for document in held}, copies


def find_irrelevant(
    library: Library, papers: Iterable[Document], *, besides: Collection[str] = ()
) -> list[str]:
    """Return the ids of the library's copies of papers that are irrelevant, each once.

    Ids in `besides` are left out, as something else is said about these documents.
    """
    held = dict.fromkeys(copy.id for copy in find_copies(library, papers) if copy)
    return [identifier for identifier in held if identifier not in besides]


def _merge_same(given: Iterable[Document]) -> list[Document]:
    """Make one record of all that are of the same paper."""
    shelf, counts = Shelf(()), IntakeCounts()
    for document in map(ensure_id, given):
        shelf.put(Arrival.of(document), counts=counts)
    return list(shelf.changed.values())


def _is_copy(document: Document, paper: Document) -> bool:
    """Return whether a document that was found under a key of a paper is that paper."""
    if is_same_paper(document, paper):
        return True
    # A paper that a person has joined with another has the identifiers of both.
    if not set(list_identifiers(paper)).isdisjoint(document.other_ids):
        return True
    if any(getattr(document, kind) and getattr(paper, kind) for kind in _KINDS):
        return False
    # Exports often count from 1, so an id is evidence only if nothing speaks against it.
    text = _normalise_text(paper)
    return text == _normalise_text(document) if text else _is_named_by_id(paper)


def _is_named_by_id(paper: Document) -> bool:
    identifiers = [value for kind in _KINDS if (value := getattr(paper, kind))]
    return not identifiers or paper.id in identifiers


def _list_keys(paper: Document) -> list[str]:
    """Return the keys that a paper may be found under, the likeliest first."""
    keys = Arrival.of(paper).sought
    ids = [key for key in keys if key.startswith("id:")]
    identity = [key for key in keys if not key.startswith("id:")]
    if identity or _normalise_text(paper):
        return [*identity, *ids]
    # There is nothing but an id.
    return [*ids, *(f"{kind}:{value}" for kind, value in guess_identifiers(paper.id).items())]


def guess_identifiers(name: str) -> dict[str, str]:
    """Return the identifiers, by kind, that a person may have meant by an id, the likeliest first.

    >>> guess_identifiers("PMC12"), guess_identifiers("https://doi.org/10.1000/x")
    ({'pmcid': 'PMC12'}, {'doi': '10.1000/x'})
    """
    pmcid = clean_pmcid(name) if "pmc" in name.lower() else ""
    meant = {
        "pmid": clean_pmid(name) or find_pmid_in_link(name),
        "doi": find_doi_in_link(name),
        "pmcid": pmcid or find_pmcid_in_link(name),
    }
    return {kind: value for kind, value in meant.items() if value}


def _normalise_text(document: Document) -> str:
    return normalise_title(document.text)


def _name_missing(missing: Iterable[Document], *, known: Iterable[Document]) -> tuple[str, ...]:
    """Name the papers that are missing, except those that another record describes."""
    keys = {f"{kind}:{getattr(paper, kind)}" for paper in known for kind in _KINDS}
    names = [
        paper.id if _is_named_by_id(paper) else paper.pmid or paper.doi or paper.pmcid
        for paper in missing
        if keys.isdisjoint(_list_keys(paper))
    ]
    return tuple(dict.fromkeys(names))


def _find_by_title(library: Library, papers: Sequence[Document]) -> list[Document | None]:
    """Return the library's copies of papers that are known by their titles alone.

    They are found by the title's words, and recognised by its letters. Such a title may have been
    pasted by a person: it may be cut off at its end, have a subtitle that the library's lacks, or
    be part of a reference, between authors and journal.
    """
    analyzed = library.analyze_all("title", [paper.title for paper in papers])
    terms = [dict.fromkeys(found) for found in analyzed]
    found = [_search(library, some) for some in _choose_rarest(library, terms)]
    wanted = dict.fromkeys(identifier for ids in found for identifier in ids)
    held = {document.id: document for document in library.get(list(wanted))}
    return [
        _recognise(paper, [held[identifier] for identifier in ids if identifier in held])
        for paper, ids in zip(papers, found, strict=True)
    ]


def _has_only_title(paper: Document) -> bool:
    identified = paper.pmid or paper.doi or paper.pmcid or paper.year
    return not identified and 0 < len(paper.title) <= MAX_TITLE


def _choose_rarest(library: Library, terms: Sequence[Collection[str]]) -> list[list[str]]:
    """Return a few terms of each title: the rarest of those that occur in the library's titles."""
    counts = library.document_frequencies("title", {term for some in terms for term in some})
    return [
        sorted((term for term in some if counts.get(term)), key=lambda term: counts[term])[:_TERMS]
        for some in terms
    ]


def _search(library: Library, terms: Sequence[str]) -> list[str]:
    if not terms:
        return []
    query = Query(tuple(Term("title", term) for term in terms))
    return library.find_best(query, limit=_LOOKED_AT).ids


def _recognise(paper: Document, candidates: Sequence[Document]) -> Document | None:
    letters = normalise_title(paper.title)
    same = [document for document in candidates if normalise_title(document.title) == letters]
    is_long = len(letters) >= MIN_TITLE_LETTERS
    # "Editorial" names a paper only if there is one, and if no abstract says that it is another.
    if same and (is_long or (len(same) == 1 and not paper.abstract)):
        return same[0]
    if same or paper.abstract or len(paper.title.split()) < MIN_WORDS:
        return None
    within = [document for document in candidates if _is_part(document.title, paper.title)]
    if within:
        return max(within, key=lambda document: len(document.title))
    # If several titles begin like a cut-off one, it may be any of them.
    longer = [one for one in candidates if normalise_title(one.title).startswith(letters)]
    return longer[0] if letters and len(longer) == 1 else None


def _is_part(title: str, text: str) -> bool:
    """Return whether a text contains a title, set off from the rest by punctuation."""
    letters, words = normalise_title(title), text.split()
    if len(title.split()) < MIN_WORDS or not letters:
        return False
    parts = [normalise_title(word) for word in words]
    begins = list(accumulate(map(len, parts), initial=0))
    start = "".join(parts).find(letters)
    end = start + len(letters)
    if start not in begins or end not in begins:
        return False
    # Of words without letters at a place, such as a dash, these are the first.
    first, last = begins.index(start), begins.index(end)
    before = first == 0 or _ENDS.search(words[first - 1]) is not None
    after = last == len(words) or bool(_ENDS.search(words[last - 1]) or _BEGINS.match(words[last]))
    return before and after


def check_enough(seeds: Seeds, *, library: Library) -> None:
    """Raise SeedsError if there are too few different texts to learn from."""
    texts = {_normalise_text(document) for document in seeds.documents} - {""}
    if len(texts) >= MIN_SEEDS:
        return
    check = f"check ids with: likewise search {spell_place(library)} WORDS"
    missing = f"not in the library: {list_names(seeds.not_found)}" if seeds.not_found else ""
    if not seeds.documents:
        found = f"none of the seeds is usable; {missing}" if missing else "no seeds were given"
        raise SeedsError(f"{found}; give a file with titles and abstracts, or {check}")
    usable = len(seeds.documents)
    if len(texts) == 1 and usable >= MIN_SEEDS:
        raise SeedsError(
            f"all {usable} seeds have the same text; "
            f"give at least {MIN_SEEDS} different papers on the topic"
        )
    marked = f", {len(seeds.marked)} marked relevant" if seeds.marked else ""
    also = f"; {missing}" if missing else ""
    raise SeedsError(
        f"{format_count(len(texts), 'usable seed')} ({len(seeds.matched)} in the library, "
        f"{len(seeds.text_only)} by their text only{marked}{also}); "
        f"{MIN_SEEDS} with different texts are needed: add papers on the topic, or {check}"
    )
