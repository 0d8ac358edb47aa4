"""The records of a file in batches, which is how they travel from the process that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.documents import Deletion, Document, read_records
from likewise.documents.identity import with_id
from likewise.documents.sources import Source
from likewise.errors import LikewiseError, Problem, ReadError
from likewise.library.identifiers import MAX_ID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BATCH = 500
REPORT = "this is a mistake of likewise: please report it with the file"


class Batch(msgspec.Struct):
    """Some records of a file, in the order documents then deletions, and what was wrong."""

    documents: list[Document] = []
    lines: list[int | None] = []
    """Where each document begins."""
    deletions: list[Deletion] = []
    problems: list[Problem] = []
    position: int = 0
    """How many bytes of the file were taken so far."""
    last: bool = False
    failed: bool = False
    """Whether the file could not be read to its end."""


encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Batch).decode


def batches(path: Path, format: str | None = None) -> Iterator[Batch]:  # noqa: A002
    """Yield the records of a file; what stops the file is in the last batch, as a problem."""
    batch = Batch()

    def advance(position: int) -> None:
        batch.position = position

    def report(problem: Problem) -> None:
        batch.problems.append(problem)

    source = Source(path, on_problem=report, on_bytes=advance)
    try:
        for record in read_records(source, format=format):
            full = len(batch.documents) + len(batch.deletions) >= BATCH
            if full or (batch.deletions and isinstance(record, Document)):
                yield batch
                batch = Batch(position=batch.position)
            _put(record, batch, source)
    except ReadError as error:
        batch.problems.append(error.problem)
        batch.failed = True
    except LikewiseError as error:
        batch.problems.append(source.fail(str(error)).problem)
        batch.failed = True
    except Exception as error:  # noqa: BLE001  # one file's trouble must not stop the others
        found = f"{type(error).__name__} while reading it ({error})"
        batch.problems.append(source.fail(found, advice=REPORT).problem)
        batch.failed = True
    batch.last = True
    yield batch


def _put(record: Document | Deletion, batch: Batch, source: Source) -> None:
    if isinstance(record, Deletion):
        batch.deletions.append(record)
    elif record.title or record.abstract:
        if len(record.id) > MAX_ID:
            source.problem(f"an id of {len(record.id):,} characters", advice="another was made")
            record = with_id(msgspec.structs.replace(record, id=""))
        if record.year is not None and not 0 < record.year < 10_000:
            source.problem(f"the year {str(record.year)[:20]}", advice="it was left out")
            record = msgspec.structs.replace(record, year=None)
        batch.documents.append(record)
        batch.lines.append(source.line)
    else:
        source.problem(
            f"record {record.id[:80]!r} has neither title nor abstract",
            advice="it was left out; there is nothing to search in it",
        )
