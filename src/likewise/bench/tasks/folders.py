"""Folders of tasks: what methods see of each, and its truth in a file apart.

    tasks.json            what the folder is, how its tasks were made, and which there are
    documents.jsonl.gz    every document that a task names, once
    background.txt        documents drawn at random from the library, an id a line
    L20/TOPIC/draw-0/     metadata.json, input.jsonl.gz (an entry a line), truth.txt (an id a line)

`tasks.json` is written anew when all else is there, so that a folder whose making was broken off
names only tasks that are whole.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from likewise.bench.tasks.describing import fingerprint
from likewise.bench.tasks.folder_files import (
    BACKGROUND,
    DOCUMENTS,
    INPUT,
    METADATA,
    TRUTH,
    content_of,
    damaged,
    decoded,
    lines_of,
    read_entries,
    read_head,
)
from likewise.bench.tasks.leakage import check_documents, check_entries
from likewise.bench.tasks.task import Task, TaskMetadata, Truth
from likewise.documents import Document
from likewise.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.bench.tasks.task import Entry


class TaskFolder:
    """The tasks of a folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.head = read_head(self.path)

    def names(self) -> list[str]:
        """Return the names of all tasks that are whole."""
        if not self.head.tasks:
            raise TaskError(
                f"{self.path}: no task in it is whole, since their making was broken off; "
                "run the same command again to finish it"
            )
        return list(self.head.tasks)

    def metadata(self, name: str) -> TaskMetadata:
        """Return what a task is and how it was made."""
        path = self._file(name, METADATA)
        return decoded(content_of(path), TaskMetadata, path=path)

    def task(self, name: str) -> Task:
        """Return what methods see of a task."""
        task = Task(
            name=name,
            metadata=self.metadata(name),
            entries=self.entries(name),
            documents=self.documents,
            background=self.background,
        )
        check_entries(task)
        check_documents(task)
        return task

    def entries(self, name: str) -> tuple[Entry, ...]:
        """Return the part of each document in a task."""
        self._file(name, INPUT)
        return read_entries(self.path, name)

    def truth(self, name: str) -> Truth:
        """Return which documents are on topic; for measuring alone."""
        path = self._file(name, TRUTH)
        truth = Truth(frozenset(lines_of(path)))
        if fingerprint(self.entries(name), truth) != self.metadata(name).fingerprint:
            raise damaged(path, f"it and {INPUT} are not what the task was made with")
        return truth

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The documents that tasks name, by id; read once for all of them."""
        path = self.path / DOCUMENTS
        decoder = msgspec.json.Decoder(Document)
        try:
            read = [decoder.decode(line) for line in content_of(path).splitlines()]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(path, str(error)) from error
        return {document.id: document for document in read}

    @cached_property
    def background(self) -> tuple[str, ...]:
        """Documents drawn at random from the library; none in tasks that came from elsewhere."""
        return tuple(lines_of(self.path / BACKGROUND))

    def _file(self, name: str, file: str) -> Path:
        if name not in self.head.tasks:
            raise TaskError(f"{self.path}: no task is called {name!r}; see: likewise bench stats")
        return self.path / name / file
