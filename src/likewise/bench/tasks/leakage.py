"""Leakage: tasks whose truth can be read from what methods see.

A task is refused if

- a document is named twice: a seed in the pool, or a document in two splits;
- documents with the same text are in different splits, or a seed's text is in the pool;
- documents carry more than title, abstract, year and, if they are kept, PMID and references:
  headings and keywords are labels;
- a document of the pool lists half of the topic among its references, as a review of these papers
  does; when tasks are made, such documents are left out of the pool;
- an identifier of the topic's headings is in a text;
- the documents whose text has every term of the topic are nearly those on topic: then somebody has
  written the labels into the texts;
- the pool's documents without a rank or a score are nearly those on topic.

Real collections hold some papers twice. When tasks are made, all but the first copy of a text are
left out of the pool; a task from elsewhere that has copies in different parts is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable

from likewise.bench.tasks import Task, TaskEntry, Truth
from likewise.documents import Document
from likewise.documents.identity import normalise_title
from likewise.errors import TaskError

TELLING = 0.95
"""A rule leaks the truth if its F1 is at least this."""
LISTED = 0.5
"""A document that cites at least this share of a topic lists it."""
SEEN = ("id", "title", "abstract", "year", "pmid", "references")
"""What methods may see of a document."""
FEWEST = 10
"""With fewer documents on topic, a rule may have such an F1 by chance."""

_UI = re.compile(r"[A-Z]\d{5,}")


def check_leakage(
    task: Task,
    truth: Truth,
    *,
    terms: Iterable[str],
    key_of: Callable[[Document], bytes] | None = None,
) -> None:
    """Raise TaskError if the truth about a task can be read from what methods see of it.

    Args:
        task: What methods see.
        truth: What they must not see.
        terms: The names and identifiers of the topic's headings.
        key_of: Used in place of `hash_text`, if hashes were made before.
    """
    check_entries(task)
    check_documents(task)
    _check_same_text(task, key_of or hash_text)
    _check_terms(task, truth, terms={term for term in terms if term})
    _check_places(task, truth)
    _check_listings(task, truth)


def check_entries(task: Task) -> None:
    """Raise TaskError if a document is named twice."""
    first: dict[str, TaskEntry] = {}
    for entry in task.entries:
        other = first.setdefault(entry.id, entry)
        if other is not entry:
            raise _explain_leak(
                task,
                f"{entry.id} is named twice, {_describe_part(other)} and {_describe_part(entry)}",
            )


def check_documents(task: Task) -> None:
    """Raise TaskError if a document is missing, or has more than methods may see."""
    for entry in task.entries:
        document = task.documents.get(entry.id)
        if document is None:
            raise TaskError(
                f"{task.name}: {entry.id} is not among the documents; make the tasks again"
            )
        if document != strip_labels(document, references=True):
            names = [name for name in document.__struct_fields__ if name not in SEEN]
            kept = [name for name in names if getattr(document, name)]
            raise _explain_leak(task, f"{entry.id} carries {', '.join(kept)}")


def strip_labels(document: Document, *, references: bool = False) -> Document:
    """Return what methods may see of a document, with what it cites if that is to be kept."""
    return Document(
        id=document.id,
        title=document.title,
        abstract=document.abstract,
        year=document.year,
        pmid=document.pmid if references else "",
        references=document.references if references else (),
    )


def name_members(documents: Iterable[Document]) -> frozenset[str]:
    """Return the ids by which references name documents."""
    return frozenset(document.pmid or document.id for document in documents)


def lists_topic(document: Document, named: Collection[str]) -> bool:
    """Return whether a document lists a topic, given the ids that `name_members` returns for it."""
    listed = len(frozenset(named).intersection(document.references))
    return len(named) >= FEWEST and listed >= LISTED * len(named)


def _check_listings(task: Task, truth: Truth) -> None:
    found = [task.documents[name] for name in truth.relevant if name in task.documents]
    named = name_members(found)
    for entry in task.list_entries("unlabeled"):
        if lists_topic(task.documents[entry.id], named):
            raise _explain_leak(task, f"{entry.id} lists the topic's papers as its references")


def hash_text(document: Document) -> bytes:
    """Return a hash that is the same for documents with the same text, however it is spelled."""
    return hashlib.blake2b(normalise_title(document.text).encode(), digest_size=12).digest()


def _check_same_text(task: Task, key_of: Callable[[Document], bytes]) -> None:
    first: dict[bytes, TaskEntry] = {}
    for entry in task.entries:
        other = first.setdefault(key_of(task.documents[entry.id]), entry)
        if (other.label, other.split) != (entry.label, entry.split):
            first_part, part = _describe_part(other), _describe_part(entry)
            found = f"{other.id} {first_part} and {entry.id} {part} have the same text"
            raise _explain_leak(task, found)


def _check_terms(task: Task, truth: Truth, *, terms: Collection[str]) -> None:
    texts = {entry.id: task.documents[entry.id].text for entry in task.entries}
    for term in sorted(terms):
        if _UI.fullmatch(term):
            found = [id_ for id_, text in texts.items() if term in text and _has_phrase(text, term)]
            if found:
                raise _explain_leak(task, f"the text of {found[0]} holds the identifier {term}")
    names = [term.casefold() for term in terms if not _UI.fullmatch(term)]
    folded = {id_: text.casefold() for id_, text in texts.items()}
    pool = [entry.id for entry in task.list_entries("unlabeled")]
    telling = {
        id_
        for id_ in pool
        if all(name in folded[id_] for name in names)
        and all(_has_phrase(folded[id_], name) for name in names)
    }
    if names and _is_telling(telling, truth.relevant.intersection(pool)):
        raise _explain_leak(
            task, "the texts of those on topic, and hardly any others, hold all its terms"
        )


def _check_places(task: Task, truth: Truth) -> None:
    pool = task.list_entries("unlabeled")
    relevant = truth.relevant.intersection(entry.id for entry in pool)
    for name in ("rank", "score"):
        without = {entry.id for entry in pool if getattr(entry, name) is None}
        # If no document has one, that gives nothing away.
        if len(without) < len(pool) and _is_telling(without, relevant):
            raise _explain_leak(
                task, f"nearly all of those on topic, and hardly any others, have no {name}"
            )


def _is_telling(chosen: Collection[str], relevant: Collection[str]) -> bool:
    right = len(set(chosen) & set(relevant))
    return len(relevant) >= FEWEST and 2 * right >= TELLING * (len(chosen) + len(relevant))


def _has_phrase(text: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None


def _describe_part(entry: TaskEntry) -> str:
    kind = {"positive": "a seed", "negative": "a labelled negative", "unlabeled": "in the pool"}
    where = f" ({entry.split})" if entry.split != "all" else ""
    return kind[entry.label] + where


def _explain_leak(task: Task, found: str) -> TaskError:
    return TaskError(f"{task.name}: methods could read the truth: {found}; leave it out")
