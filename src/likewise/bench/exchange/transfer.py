"""Importing and exporting whole folders of tasks."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from likewise.bench.exchange.dse import ImportedTask, find_dse_folders, read_dse, write_dse
from likewise.bench.exchange.qrels import find_corpus, read_beir_topics, write_beir, write_trec
from likewise.bench.tasks.folders import (
    FolderHead,
    TaskFolder,
    write_documents,
    write_head,
    write_task,
)
from likewise.bench.tasks.making import OnProgress, make_tasks
from likewise.bench.tasks.settings import TaskSettings
from likewise.documents import read
from likewise.errors import TaskError
from likewise.library import open_library

DSE, BEIR = "dse", "beir"


class ImportReport(NamedTuple):
    """What was imported."""

    format: str
    tasks: tuple[str, ...]
    notes: tuple[str, ...]
    """What was missing or left out, a line each."""


def import_tasks(
    folder: Path,
    out: Path,
    *,
    settings: TaskSettings,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Make a folder of tasks from one in another format, which is recognised by its files.

    Args:
        folder: Tasks as the authors of the paper published them, or a BEIR collection.
        out: The folder of tasks to make.
        settings: How tasks are made of a collection; the authors' are taken as they are.
        on_progress: Called with how many tasks are done, of how many, and the next one's name.
    """
    if corpus := find_corpus(folder):
        return _import_beir(folder, corpus, out=out, settings=settings, on_progress=on_progress)
    found = find_dse_folders(folder)
    if not found:
        raise TaskError(
            f"{folder}: no tasks that can be read; give a folder with metadata.json and "
            "train, valid or test.jsonl(.gz), or one with corpus.jsonl and qrels/"
        )
    return _import_dse(found, out, on_progress=on_progress)


def _import_dse(
    folders: Sequence[Path], out: Path, *, on_progress: OnProgress | None
) -> ImportReport:
    if out.exists() and any(out.iterdir()):
        raise TaskError(f"{out}: a folder with something in it; give another --out")
    read_in: list[ImportedTask] = []
    for done, folder in enumerate(folders):
        if on_progress:
            on_progress(done, len(folders), folder.name)
        read_in.append(read_dse(folder))
    names = [imported.task.name for imported in read_in]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise TaskError(f"{folders[place]}: a second task {name}; import them one by one")
    for imported in read_in:
        write_task(out, imported.task, imported.truth)
    documents = chain.from_iterable(imported.task.documents.values() for imported in read_in)
    write_documents(out, {each.id: each for each in documents}.values(), background=())
    write_head(out, FolderHead(made={"imported": DSE}, tasks=tuple(names)))
    return ImportReport(DSE, tuple(names), tuple(filter(None, map(_describe_missing, read_in))))


def _describe_missing(imported: ImportedTask) -> str:
    if not imported.missing:
        return ""
    return f"{imported.task.name}: without {', '.join(imported.missing)}, which is not there"


def _import_beir(
    folder: Path,
    corpus: Path,
    *,
    out: Path,
    settings: TaskSettings,
    on_progress: OnProgress | None,
) -> ImportReport:
    with tempfile.TemporaryDirectory() as place:
        with open_library(place, write=True) as library:
            library.add(read(corpus, format="beir"))
            library.commit()
        with open_library(place) as library:
            topics = read_beir_topics(folder, library)
            made = make_tasks(
                library,
                topics,
                settings=settings,
                out=out,
                truth_from=f"{BEIR} qrels",
                on_progress=on_progress,
            )
    return ImportReport(BEIR, made.made + made.kept, made.left_out)


def export_tasks(tasks: Path, out: Path, *, as_format: str) -> list[str]:
    """Write all tasks of a folder in another format, and return their names."""
    folder = TaskFolder(tasks)
    names = folder.names()
    if out.exists() and any(out.iterdir()):
        raise TaskError(f"{out}: a folder with something in it; give another --out")
    if as_format == "beir":
        write_beir(folder, out)
    elif as_format == "trec":
        write_trec(folder, out)
    else:
        _write_all_dse(folder, out)
    return names


def _write_all_dse(folder: TaskFolder, out: Path) -> None:
    """Write a folder for each task, without a folder for the draw where there was only one."""
    names = folder.names()
    drawn_once = {folder.metadata(name).draw for name in names} == {0}
    for name in names:
        place = out / name
        write_dse(folder.task(name), folder.truth(name), place.parent if drawn_once else place)
