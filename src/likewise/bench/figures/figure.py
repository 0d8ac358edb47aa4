"""The figure: a chart, and the words that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart with its caption."""

    name: str
    """As files are named by it."""
    title: str
    caption: str
    """What is drawn, in a sentence or two, as it would stand below the figure."""
    alternative: str
    """What is to be seen, for those who do not see it."""
    chart: Any
    """Of altair."""
