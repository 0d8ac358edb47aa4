"""Hearing deletions again: what later files of PubMed deleted must not come back with earlier ones.

An earlier file is read after later ones if it was broken or missing at first, or has changed since.
Revisions take care of themselves, since each record says which file it is from. But of a record
that was deleted nothing is left to compare with. So the later files that had notices of deletion
are read once more, for those alone, if the earlier file brought anything. The ledger is told before
anything is read: what a run that is killed leaves undone is done by the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from likewise.documents.releases import release_of
from likewise.errors import Problem
from likewise.library.ledger import release_at

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from likewise.library.ledger import Ledger


class Rereading:
    """The files with deletions that come after some of those that are about to be read."""

    def __init__(self, ledger: Ledger, wanted: Mapping[Path, os.stat_result]) -> None:
        """See which there are, and note in the ledger that they are to be heard again.

        Args:
            ledger: What was read before.
            wanted: The files that are about to be read.
        """
        self._ledger = ledger
        releases = {release for path in wanted if (release := release_of(path.name))}
        later = ledger.deleting_after(min(releases)) if releases else {}
        self._later = {path: s for path, s in later.items() if release_at(path) not in releases}
        self._last = max(filter(None, map(release_at, self._later)), default=None)
        # Those that an earlier run left undone stay so.
        self._marked = {path: s for path, s in self._later.items() if not s.to_be_heard_again}
        ledger.put_down(
            {path: replace(s, to_be_heard_again=True) for path, s in self._marked.items()}
        )

    def precedes(self, path: Path) -> bool:
        """Tell whether a file comes before any of these."""
        release = release_of(path.name)
        return bool(release and self._last and release < self._last)

    def call_off(self) -> None:
        """Note that nothing was read which calls for hearing deletions again."""
        self._ledger.put_down(self._marked)

    def problem(self, given: Mapping[Path, os.stat_result]) -> Problem | None:
        """Say which of the files are still to be heard, since they are not among those given."""
        at_hand = {release_of(path.name) for path in given}
        missing = [
            path
            for path in self._later
            if self._ledger.states[path].to_be_heard_again and release_at(path) not in at_hand
        ]
        return _problem(missing) if missing else None


def _problem(missing: Sequence[str]) -> Problem:
    more = f", as after those of {len(missing) - 1:,} more" if missing[1:] else ""
    found = f"an earlier file of PubMed was read after its notices of deletion{more}"
    advice = "what they delete may be back: index them once more"
    return Problem(missing[0], found, advice=advice)
