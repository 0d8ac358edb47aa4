"""How a session stands at one moment, as far as it is asked for again and again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.expansion.marks import Label, Mark
    from likewise.expansion.sessions.entries import ExpansionHead, Version
    from likewise.learn.stopping.target import Target
    from likewise.server.desks.ranked import Ranked


class Standing:
    """What a session held when it was read."""

    def __init__(
        self,
        version: Version,
        *,
        name: str,
        heads: list[ExpansionHead],
        marks: dict[str, Mark],
        ranked: Ranked | None,
        target: Target | None,
    ) -> None:
        """Keep what was read.

        Args:
            version: What the session's version was.
            name: The session's name.
            heads: What is known of each expansion.
            marks: The mark of each document that has a label, in the order given.
            ranked: The latest expansion.
            target: The target that was chosen, if one was.
        """
        self.version = version
        self.name = name
        self.heads = heads
        self.marks = marks
        self.ranked = ranked
        self.target = target

    def unknown(self, ids: Iterable[str]) -> set[str]:
        """Return those that are neither in the ranking nor among the seeds."""
        ranked = self.ranked
        if ranked is None:
            return set(ids)
        return {name for name in ids if name not in ranked.places and name not in ranked.seeds}

    @cached_property
    def labels(self) -> dict[str, Label]:
        """The label of each document that has one."""
        return {name: mark.label for name, mark in self.marks.items() if mark.label}

    def count(self, label: Label) -> int:
        """Return how many documents have a label."""
        return sum(of == label for of in self.labels.values())
