"""What a person sees while an expansion runs: its stages, its seeds, and what may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.cli.output import bar_safe, limited, progress_bar, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.progress import Progress as Bar

    from likewise.errors import Problem
    from likewise.expansion.expansion import Expansion
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.stages import Progress


class Watch:
    """What an expansion that is shown by a bar calls on its way."""

    def __init__(self, bar: Bar, *, most_problems: int | None) -> None:
        self._say = bar_safe(bar)
        self._tell = limited(self._say, most=most_problems)
        self.on_progress = progress_shown_by(bar)
        self.warned = 0

    def on_problem(self, problem: Problem) -> None:
        """Tell of a record that can't be read."""
        self._tell(problem.path, str(problem))

    def on_seeds(self, seeds: Seeds, warnings: Sequence[str]) -> None:
        """Tell what is known of the seeds, before the long work."""
        from likewise.expansion.summary import seeds_sentences

        for sentence in seeds_sentences(seeds):
            self._say(sentence)
        _warn(warnings, say_one=self._say)
        self.warned = len(warnings)


def watched(
    expanding: Callable[[Watch], Expansion], *, most_problems: int | None = 10
) -> Expansion:
    """Let something expand with a progress bar, and tell its warnings."""
    with progress_bar("{task.fields[note]}") as bar:
        watch = Watch(bar, most_problems=most_problems)
        expansion = expanding(watch)
    # Of some things only what was found can warn.
    _warn(expansion.warnings[watch.warned :], say_one=say)
    return expansion


def progress_shown_by(bar: Bar) -> Callable[[Progress], None]:
    """Return what shows the progress of an expansion by a bar."""
    task = bar.add_task("seeds", total=1.0, note="")
    # What does not fit behind stage, bar and share would squeeze them.
    room = max(0, bar.console.width - 48)

    def show(progress: Progress) -> None:
        bar.update(
            task,
            description=f"{progress.stage:9}",
            completed=progress.share,
            note=progress.note[:room],
        )

    return show


def _warn(warnings: Sequence[str], *, say_one: Callable[[str], None]) -> None:
    for warning in warnings:
        say_one(f"warning: {warning}")
