"""Topics: conjunctions of labels, such as MeSH headings, and which documents have them.

A topic is spelled as its terms with pluses or, between identifiers, dots:

    Animals + Brain + Rats
    D000818.D001921.D051381
    Cohen_BetaBlockers.abstract within Cohen_BetaBlockers

*Within* comes before a label of the documents about which the truth is known at all, such as those
that a review has screened; without it, that is the whole library.

A term is a label of a file beside the library, or a MeSH heading of the library's documents, by its
name or its identifier, whatever its case and spaces. A heading is the same one whether documents
name it with its identifier or without. With the tree of MeSH, a heading stands for all below it
too.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from likewise.bench.topics.labels import Labels
from likewise.bench.topics.mesh import MeshTree, fold_name
from likewise.errors import LibraryError, TopicError
from likewise.library import Library
from likewise.library.protocol import Heading, require_headings

PAPER = Path(__file__).with_name("paper.txt")
"""The topics of the paper."""

_UIS = re.compile(r"[A-Z]\d+(\.[A-Z]\d+)*")
# Some headings have a plus in parentheses, such as H(+)-K(+)-Exchanging ATPase.
_PLUS = r"(?<!\()\+|\+(?!\))"


class Topic(NamedTuple):
    """A conjunction: a document is on topic if it has all of these labels."""

    terms: tuple[str, ...]
    """Each by its name or its identifier."""
    within: str = ""
    """The label of the documents about which the truth is known; "" for the whole library."""

    def __str__(self) -> str:
        return " + ".join(self.terms) + (f" within {self.within}" if self.within else "")


def parse_topic(text: str) -> Topic:
    """Return the topic that a text spells; `str` is the inverse.

    >>> parse_topic("Animals+ Brain + Rats").terms
    ('Animals', 'Brain', 'Rats')
    >>> str(parse_topic("D000818.D001921"))
    'D000818 + D001921'
    """
    spelled, _, within = text.strip().partition(" within ")
    separator = r"\." if _UIS.fullmatch(spelled.strip()) else _PLUS
    terms = tuple(term.strip() for term in re.split(separator, spelled))
    if not all(terms) or (" within " in text and not within.strip()):
        raise TopicError(f"{text!r}: write a topic such as Animals + Brain + Rats")
    return Topic(terms, within.strip())


def read_topics(path: Path) -> Iterator[Topic]:
    """Yield each topic of a file once; there is one per line, and comments begin with #."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        advice = "give a text file with a topic on each line"
        raise TopicError(f"{path}: can't be read: {reason}; {advice}") from error
    seen: set[Topic] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            topic = parse_topic(line)
        except TopicError as error:
            raise TopicError(f"{path}:{number}: {error}") from error
        if topic not in seen:
            yield topic
        seen.add(topic)
    if not seen:
        raise TopicError(
            f"{path}: no topic in it; write one on each line, such as Animals + Brain + Rats"
        )


def collect_topics(
    spelled: Iterable[str], *, path: Path | None = None, is_paper: bool = False
) -> list[Topic]:
    """Return topics from all places that may name some, each once.

    Args:
        spelled: Topics as they are written.
        path: A file with a topic on each line.
        is_paper: Whether the topics of the paper are wanted too.
    """
    topics = [parse_topic(text) for text in spelled]
    for file in (path, PAPER if is_paper else None):
        topics += read_topics(file) if file else ()
    return list(dict.fromkeys(topics))


@dataclass(frozen=True, kw_only=True)
class Members:
    """The documents on a topic, and what the topic's terms are called."""

    relevant: tuple[str, ...]
    """The ids of all documents on topic, sorted."""
    known: frozenset[str] | None
    """The ids of the documents about which the truth is known, or None for the whole library."""
    names: tuple[str, ...]
    """The terms' names, in the order of the topic."""
    uis: tuple[str, ...]
    """Their identifiers, or nothing if not all of them have one."""
    counts: tuple[int, ...]
    """How many documents have each term."""
    is_mesh: bool = False
    """Whether a term is a heading; documents without headings may be on topic without saying so."""
    unindexed: int = 0
    """How many documents on topic are left out because they have no abstract."""


def check_enough(found: Members, needed: int, topic: Topic) -> None:
    """Raise TopicError if a topic has fewer documents than are needed."""
    if len(found.relevant) >= needed:
        return
    there = len(found.relevant)
    rarest = min(range(len(found.names)), key=found.counts.__getitem__)
    more = f"{found.unindexed:,} more have no abstract (--keep-unindexed); "
    raise TopicError(
        f"{topic}: {there:,} document{'' if there == 1 else 's'} on topic, {needed:,} are needed; "
        f"{more if found.unindexed else ''}"
        f"its rarest term is {found.names[rarest]} with {found.counts[rarest]:,}"
    )


@dataclass(frozen=True)
class _TopicTerm:
    """A term of a topic, looked up: its headings, or the documents that have its label."""

    name: str
    ui: str = ""
    headings: tuple[Heading, ...] = ()
    labelled: frozenset[str] | None = None


class Vocabulary:
    """The terms that topics of a library can have: its headings, and labels from a file."""

    def __init__(
        self, library: Library, *, labels: Labels | None = None, tree: MeshTree | None = None
    ) -> None:
        self._library = library
        self._labels = labels
        self._tree = tree

    def find_members(self, topic: Topic) -> Members:
        """Return the documents on a topic; raise TopicError if one of its terms is unknown."""
        terms = [self._find_term(text) for text in topic.terms]
        known = self._find_known(topic.within) if topic.within else None
        sets = [term.labelled for term in terms if term.labelled is not None]
        if known is not None:
            sets.append(known)
        headings = [term.headings for term in terms if term.labelled is None]
        ids = require_headings(self._library).find_having(headings) if headings else sorted(sets[0])
        uis = tuple(term.ui for term in terms)
        return Members(
            relevant=tuple(found for found in ids if all(found in some for some in sets)),
            known=known,
            names=tuple(term.name for term in terms),
            uis=uis if all(uis) else (),
            counts=tuple(map(self._count_term, terms)),
            is_mesh=bool(headings),
        )

    @cached_property
    def _counts(self) -> dict[Heading, int]:
        try:
            return require_headings(self._library).count_headings()
        except LibraryError:
            # A library that indexes no headings can still be asked for labels.
            if self._labels is None:
                raise
            return {}

    @cached_property
    def _alike(self) -> dict[str, set[Heading]]:
        alike: defaultdict[str, set[Heading]] = defaultdict(set)
        for heading in self._counts:
            for word in filter(None, heading):
                alike[fold_name(word)].add(heading)
        return dict(alike)

    def _find_known(self, within: str) -> frozenset[str]:
        term = self._find_term(within)
        if term.labelled is not None:
            return term.labelled
        return frozenset(require_headings(self._library).find_having([term.headings]))

    def _count_term(self, term: _TopicTerm) -> int:
        if term.labelled is not None:
            return len(term.labelled)
        if len(term.headings) == 1:
            return self._counts[term.headings[0]]
        return len(require_headings(self._library).find_having([term.headings]))

    def _find_term(self, text: str) -> _TopicTerm:
        if self._labels and (label := self._labels.find_label(text)):
            return _TopicTerm(label, labelled=self._labels.find_ids(label, library=self._library))
        headings = self._find_headings(text)
        if not headings:
            raise self._explain_unknown(text)
        own = self._find_same(text) or headings
        named = self._tree.find_heading(text) if self._tree else None
        named = named or max(own, key=lambda heading: (self._counts[heading], heading))
        ui = named.ui or min((heading.ui for heading in own if heading.ui), default="")
        return _TopicTerm(named.name, ui, tuple(sorted(headings)))

    def _find_headings(self, text: str) -> set[Heading]:
        """Return the headings of the library that a term stands for."""
        below = self._tree.find_below(text) if self._tree else frozenset()
        meant = {text, *(word for heading in below for word in heading if word)}
        return {heading for word in meant for heading in self._find_same(word)}

    def _find_same(self, name_or_ui: str) -> set[Heading]:
        """Return all headings of a name or identifier, even if they lack one or were renamed."""
        found = set(self._alike.get(fold_name(name_or_ui), ()))
        for part in ("ui", "name"):
            words = {fold_name(getattr(heading, part)) for heading in found} - {""}
            found.update(*(self._alike[word] for word in words))
        return found

    def _explain_unknown(self, text: str) -> TopicError:
        known = {fold_name(heading.name): heading.name for heading in self._counts}
        known |= {fold_name(name): name for name in (self._labels.names if self._labels else ())}
        if not known:
            advice = "the library has no MeSH headings; give a file of labels with --labels"
        elif near := difflib.get_close_matches(fold_name(text), known, n=3):
            advice = f"similar ones are {'; '.join(known[name] for name in near)}"
        else:
            advice = "likewise bench suggest LIB shows some"
        return TopicError(f"{text}: no document has this heading or label; {advice}")
