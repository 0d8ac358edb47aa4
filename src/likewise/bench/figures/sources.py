"""What figures are drawn of: results, a summary of them, or tasks, of ours or the authors'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.exchange.dse import METADATA, dse_folders, read_dse
from likewise.bench.figures.catalogue import check_names, draw_results, draw_task
from likewise.bench.runs.summary import load_summary
from likewise.bench.tasks.folder_files import HEAD
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from likewise.bench.figures.catalogue import Drawn


def draw(path: Path, *, only: Sequence[str] = (), task: str = "") -> Drawn:
    """Draw the figures of what is at a path.

    Args:
        path: A folder of results, a summary of them, a folder of tasks, or one in the format of
            the paper's authors.
        only: The names of the figures wanted; all that can be drawn if none is given.
        task: Of a folder of tasks, the one to draw; the first if it is not said.
    """
    check_names(only)
    if (path / HEAD).is_file():
        folder = TaskFolder(path)
        name = task or folder.names()[0]
        return draw_task(folder.metadata(name), folder.entries(name), folder.truth(name), only=only)
    if path.is_file() or (path / "results").is_dir():
        _check_no_task(path, task)
        return draw_results(load_summary(path), only=only)
    # Not whatever lies below, however deep: it might be the folder of everything.
    if (path / METADATA).is_file() or any(path.glob(f"L*/*/{METADATA}")):
        return _draw_dse(path, dse_folders(path), only=only, task=task)
    raise RunError(
        f"{path}: neither results, nor a summary of them, nor tasks; "
        'give a folder that "likewise bench run" or "likewise bench make" wrote'
    )


def _check_no_task(path: Path, task: str) -> None:
    if task:
        raise RunError(f"{path}: these are results, of which --task {task} chooses nothing")


def _draw_dse(path: Path, folders: Sequence[Path], *, only: Sequence[str], task: str) -> Drawn:
    named = {folder.relative_to(path).as_posix(): folder for folder in folders}
    if not named:
        raise RunError(f"{path}: metadata of tasks, but no task; copy the folder again, whole")
    if task and task not in named:
        raise RunError(f"{path}: no task {task!r}; there are: {', '.join(named)}")
    found = read_dse(named[task] if task else folders[0])
    drawn = draw_task(found.task.metadata, found.task.entries, found.truth, only=only)
    drawn.left_out.extend(
        f"{path}: {name} is missing; drawn of what is there" for name in found.missing
    )
    return drawn
