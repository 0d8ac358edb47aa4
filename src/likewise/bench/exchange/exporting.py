"""Exporting: tasks in formats of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.exchange.beir import write_beir
from likewise.bench.exchange.dse import write_dse
from likewise.bench.exchange.trec import write_trec
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import TaskError

if TYPE_CHECKING:
    from pathlib import Path


def export_tasks(tasks: Path, out: Path, *, as_format: str) -> list[str]:
    """Write all tasks of a folder, and return their names."""
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
    """Write a folder a task; a topic that was drawn once needs none for the draw."""
    names = folder.names()
    drawn_once = {folder.metadata(name).draw for name in names} == {0}
    for name in names:
        place = out / name
        write_dse(folder.task(name), folder.truth(name), place.parent if drawn_once else place)
