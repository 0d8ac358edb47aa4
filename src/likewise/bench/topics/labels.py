"""Labels of documents from a file beside the library, such as the decisions of a review.

A file tells labels in a field of its records, or as TREC's relevance judgements:

    ["a", "b"] or "a; b"                      the labels a and b
    {"X": {"abstract": 1, "included": 0}}     X for being listed, and X.abstract where it is true
    1 or 0, true or false, yes or no          FIELD where it is true, and FIELD.judged for either
    401 0 d7 1                                401 where it is above 0, and 401.judged for either

So "X.abstract within X" is what passed the screen among what was screened, and "401 within
401.judged" what is relevant among what was judged.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.bench.topics.label_files import LabelRow, label_rows
from likewise.bench.topics.mesh_tree import name_key
from likewise.documents.formats.cells import is_nothing, kind
from likewise.documents.sources import Source
from likewise.errors import TopicError
from likewise.library.identifiers import library_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from likewise.library import Library

JUDGED = ".judged"
"""What the label of all documents that were decided on ends with."""

_YES = frozenset({"1", "1.0", "true", "yes"})
_DECISIONS = _YES | {"0", "0.0", "false", "no"}


class Labelled(NamedTuple):
    """A document, by the keys that it may be known under, the surest first, and its labels."""

    keys: tuple[str, ...]
    labels: tuple[str, ...]


class Labels:
    """Labels, and which documents have them."""

    def __init__(self, labelled: Iterable[Labelled], *, path: str | Path = "labels") -> None:
        """Take labels in.

        Args:
            labelled: The documents that have them.
            path: Where they were read, which errors name.
        """
        self.path = path
        self._documents: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for keys, labels in labelled:
            for label in dict.fromkeys(labels):
                self._documents[label].append(keys)
        self._named = {name_key(label): label for label in self._documents}

    @property
    def names(self) -> list[str]:
        """All labels."""
        return list(self._documents)

    def named(self, text: str) -> str | None:
        """Return the label that is meant by a text, case and spaces aside, or None."""
        return text if text in self._documents else self._named.get(name_key(text))

    def ids(self, label: str, *, library: Library) -> frozenset[str]:
        """Return the ids of the library's documents that have a label."""
        documents = self._documents[label]
        found = library.find({key for keys in documents for key in keys})
        by_key: dict[str, str] = {}
        for document in found:
            for key in library_keys(document):
                by_key.setdefault(key, document.id)
        # An id is first of all its own document's, whatever other documents were once called.
        by_key |= {f"id:{document.id}": document.id for document in found}
        matched = (next(filter(None, map(by_key.get, keys)), None) for keys in documents)
        ids = frozenset(filter(None, matched))
        if not ids:
            raise TopicError(
                f"{self.path}: none of the {len(documents):,} documents labelled {label} is in the "
                "library; they are matched by id, PMID or DOI"
            )
        return ids


def read_labels(path: str | Path, field: str = "labels") -> Labels:
    """Read labels from JSON lines, a table with a header, or TREC's relevance judgements."""
    source = Source(path)
    rows = list(label_rows(source, field=field))
    filled = [row for row in rows if not is_nothing(row.value)]
    if not filled:
        raise source.fail(
            f"no record has anything in the field {field!r}", advice="name another with --field"
        )
    # A column of ones and zeros says yes and no, where one of many numbers says which.
    decides = all(_plain(row.value).casefold() in _DECISIONS for row in filled)
    labelled = [
        Labelled(row.keys, tuple(_decided(row) if decides or row.decides else _told(row, source)))
        for row in filled
    ]
    return Labels(labelled, path=path)


def _decided(row: LabelRow) -> Iterator[str]:
    yield f"{row.field}{JUDGED}"
    if _plain(row.value).casefold() in _YES:
        yield row.field


def _told(row: LabelRow, source: Source) -> Iterator[str]:
    value = row.value
    if isinstance(value, dict):
        yield from _nested(value)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, list | dict) or is_nothing(part):
                found = f"{kind(part)} among the labels of {row.field!r}"
                raise source.fail(found, line=row.line, advice="labels in a list are texts")
            yield _plain(part)
    else:
        # The last of them may end with the separator, without the space.
        parts = _plain(value).rstrip("; ").split("; ")
        yield from (part.strip() for part in parts if part.strip())


def _nested(value: dict[str, Any], *, above: str = "") -> Iterator[str]:
    for name, inner in value.items():
        label = f"{above}{name}"
        if isinstance(inner, dict):
            yield label
            yield from _nested(inner, above=f"{label}.")
        elif not is_nothing(inner) and _plain(inner).casefold() not in _DECISIONS - _YES:
            yield label


def _plain(value: Any) -> str:
    """Return a value as a text, whole numbers without a fraction and nothing for what has parts."""
    if isinstance(value, list | dict):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value).strip()
