"""The format in which the authors of the paper published their tasks.

A task is a folder such as L50/D000818.D001921.D051381/ with `metadata.json` and the files
`train.jsonl`, `valid.jsonl` and `test.jsonl`, gzipped or not. A line is a document with its
`title`, `abstract`, `pmid`, `mesh_set`, the engine's `score` and `rank` (which seeds do not have),
what is known of it (`label_L100`, where 100 is the number of all seeds) and the truth
(`label_true`).

What a task of ours has beyond that is written too, so that it can be read back: `year`, `above`,
documents known to be off topic as "negative/labeled", and the whole pool of a transductive task as
`all.jsonl.gz`. Headings (`mesh_set`) are labels, so they are neither read nor written. Methods are
also measured on the seeds of the test part, and do not know that they are seeds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from likewise.bench.tasks import (
    Label,
    Split,
    Task,
    TaskEntry,
    TaskMetadata,
    Truth,
    fingerprint_task,
    name_topic,
)
from likewise.bench.tasks.leakage import check_leakage
from likewise.documents import Document, replace_file
from likewise.documents.sources import Source
from likewise.errors import TaskError

METADATA = "metadata.json"
PARTS: dict[str, Split] = {"train": "train", "valid": "validation", "test": "test", "all": "all"}
"""The files of a task, and the split that each of them holds."""
ON_TOPIC = "positive/labeled"
OFF_TOPIC = "negative/unlabeled"
KNOWN_OFF_TOPIC = "negative/labeled"

_LABELS: dict[str, Label] = {
    ON_TOPIC: "positive",
    OFF_TOPIC: "unlabeled",
    KNOWN_OFF_TOPIC: "negative",
}
_WHOLE = "copy its whole folder again"


class ImportedTask(NamedTuple):
    """A task in this format, as it was read."""

    task: Task
    truth: Truth
    missing: tuple[str, ...] = ()
    """The names of files that should be there and are not."""


def find_dse_folders(path: Path) -> list[Path]:
    """Return the folders of tasks in this format at or below a path, in order."""
    found = [path, *(metadata.parent for metadata in sorted(path.rglob(METADATA)))]
    return [
        folder
        for folder in dict.fromkeys(found)
        if _find_files(folder) and (folder / METADATA).is_file()
    ]


def read_dse_metadata(folder: Path) -> TaskMetadata:
    """Return the metadata of a task; it counts the whole task, even if files are missing."""
    path = folder / METADATA
    try:
        fields = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        names, uis = fields.get("mesh_conjunction_str", []), fields.get("mesh_conjunction", [])
        defaults = {
            "topic": " + ".join(names) or ".".join(uis) or folder.name,
            "seeds": fields.get("train_LP_size") or fields["LP_size"],
            "draw": 0,
            "number": 0,
            "setting": "transductive" if "all" in _find_files(folder) else "inductive",
            "pool_of": "all" if "all" in _find_files(folder) or "pool" in fields else "train",
        }
        return msgspec.convert({**defaults, **fields}, TaskMetadata)
    except OSError as error:
        raise TaskError(f"{path}: can't be read: {error.strerror or error}; {_WHOLE}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise TaskError(f"{path}: not the metadata of a task ({error}); {_WHOLE}") from error


def read_dse(folder: Path) -> ImportedTask:
    """Return a task from the files that exist; raise TaskError if they contradict the metadata."""
    metadata = read_dse_metadata(folder)
    entries: list[TaskEntry] = []
    documents: dict[str, Document] = {}
    relevant: set[str] = set()
    files = _find_files(folder)
    for part, path in files.items():
        rows = list(_read_rows(path, split=PARTS[part]))
        _check_counts(rows, part, metadata=metadata, path=path)
        relevant.update(row.entry.id for row in rows if row.is_on_topic)
        entries += (row.entry for row in rows)
        documents |= {row.document.id: row.document for row in rows}
    truth = Truth(frozenset(relevant))
    ordered = tuple(sorted(entries, key=_make_order_key))
    metadata = msgspec.structs.replace(metadata, seeds=_count_seeds(ordered))
    place = name_topic(metadata.mesh_conjunction_str, metadata.mesh_conjunction)
    task = Task(
        name=f"L{metadata.seeds}/{place or name_topic([metadata.topic])}/draw-{metadata.draw}",
        metadata=msgspec.structs.replace(metadata, fingerprint=fingerprint_task(ordered, truth)),
        entries=ordered,
        documents=documents,
    )
    check_leakage(task, truth, terms=metadata.mesh_conjunction_str + metadata.mesh_conjunction)
    wanted = ("all",) if metadata.setting == "transductive" else ("train", "valid", "test")
    return ImportedTask(
        task, truth, tuple(f"{part}.jsonl.gz" for part in wanted if part not in files)
    )


def write_dse(task: Task, truth: Truth, folder: Path) -> None:
    """Write a task and its truth to a folder; `read_dse` is the inverse."""
    folder.mkdir(parents=True, exist_ok=True)
    label = f"label_L{task.metadata.LP_size}"
    for part, split in PARTS.items():
        entries = [entry for entry in task.entries if entry.split == split]
        if not entries:
            continue
        with replace_file(folder / f"{part}.jsonl.gz") as stream:
            for entry in entries:
                row = _make_row(entry, task.documents[entry.id], label=label)
                row["label_true"] = ON_TOPIC if entry.id in truth.relevant else OFF_TOPIC
                stream.write(msgspec.json.encode(row) + b"\n")
    with replace_file(folder / METADATA) as stream:
        stream.write(msgspec.json.encode(task.metadata))


def _make_row(entry: TaskEntry, document: Document, *, label: str) -> dict[str, Any]:
    known = {name: of for of, name in _LABELS.items()}
    placed = {"score": entry.score, "rank": entry.rank, "above": entry.above, "year": document.year}
    return {
        "title": document.title,
        "abstract": document.abstract,
        "pmid": document.id,
        "mesh_set": "",
        **{name: value for name, value in placed.items() if value is not None},
        label: known[entry.label],
    }


class _DseRow(NamedTuple):
    """A line of a file."""

    entry: TaskEntry
    document: Document
    is_on_topic: bool


def _read_rows(path: Path, *, split: Split) -> Iterator[_DseRow]:
    source = Source(path)
    for line in source.lines():
        if not line.text.strip():
            continue
        try:
            yield _read_row(msgspec.json.decode(line.text, type=dict[str, Any]), split=split)
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise source.fail(
                f"not a document of a task ({error})", line=line.number, advice=_WHOLE
            ) from error


def _read_row(row: Mapping[str, Any], *, split: Split) -> _DseRow:
    label = next((name for name in row if re.fullmatch(r"label_L\d+", name)), "label_L")
    placed = {name: row.get(name) for name in ("rank", "score", "above")}
    fields = {"id": str(row["pmid"]), "label": _LABELS[row[label]], "split": split, **placed}
    entry = msgspec.convert(fields, TaskEntry)
    texts = {name: row[name] or "" for name in ("title", "abstract")}
    document = msgspec.convert({"id": entry.id, **texts, "year": row.get("year")}, Document)
    return _DseRow(entry, document, _LABELS[row["label_true"]] == "positive")


def _check_counts(rows: list[_DseRow], part: str, *, metadata: TaskMetadata, path: Path) -> None:
    for label, name in (("positive", "LP_size"), ("unlabeled", "U_size")):
        size = getattr(metadata, name if part == "all" else f"{part}_{name}")
        found = sum(row.entry.label == label for row in rows)
        if found != size:
            raise TaskError(
                f"{path}: {found:,} documents are {label}, but {METADATA} says {size:,}; {_WHOLE}"
            )


def _count_seeds(entries: Sequence[TaskEntry]) -> int:
    """Return |LP|: the seeds for training or, if that file is missing, for validation."""
    counts = Counter(entry.split for entry in entries if entry.label == "positive")
    return next((counts[split] for split in ("all", "train", "validation") if counts[split]), 0)


def _make_order_key(entry: TaskEntry) -> tuple[int, int, str]:
    """Return a key that sorts seeds first, then the pool by rank: order must not leak the truth."""
    return (0, 0, "") if entry.label == "positive" else (1, entry.rank or 0, entry.id)


def _find_files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for part in PARTS:
        for suffix in (".jsonl.gz", ".jsonl"):
            if (folder / f"{part}{suffix}").is_file():
                found.setdefault(part, folder / f"{part}{suffix}")
    return found
