"""What a watch calls new and likely, against the truth; run by `make bench-watch`.

The records of the labelled collection come in the order in which PubMed gave out their numbers, as
update files bring them. All but the last part of a topic is in the library when a session is made
of 20 random seeds; then the rest comes, with everything else of those years, and the session is
watched: once, again, and once more after a seed was retracted. `recent` brings the last tenth of
the topic, as weeks do; `later` brings the last 40 %, from other journals and often another decade.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec
from benchmarks.labelled import TOPICS, draw_seeds, make_mesh_collection, need_data

from likewise.documents import Document
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.records import SessionLook
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.watching import look_for_new
from likewise.library import open_library

SEEDS = 20
DRAWS = 2
SPLITS = {"recent": 0.1, "later": 0.4}
"""What share of a topic comes while it is watched."""
KEPT = Path("results/watch.jsonl")
"""What was measured; a run that was stopped continues from there."""


class Watched(NamedTuple):
    """The outcome of one watch."""

    topic: str
    draw: int
    split: str
    came: int
    """Documents that came."""
    on_topic: int
    """How many of them are on topic."""
    found: int
    """How many were called likely."""
    right: int
    """How many of these are on topic."""
    expected: float
    """How many were expected to be, by their probabilities."""
    again: int
    """What a second watch found, which should be nothing."""
    is_retraction_told: bool
    seconds: float
    """How long the watch took."""

    @property
    def precision(self) -> float | None:
        """Of what was called likely, the share on topic."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float:
        """Of what came and is on topic, the share that was called likely."""
        return self.right / self.on_topic


def main() -> None:
    """Watch every topic, and print a table."""
    need_data()
    collection = make_mesh_collection(TOPICS)
    documents = sorted(collection.documents, key=lambda document: int(document.id))
    KEPT.parent.mkdir(exist_ok=True)
    kept = _read_kept()
    done = {(one.topic, one.draw, one.split) for one in kept}
    for draw in range(DRAWS):
        for topic, members in collection.topics.items():
            for split in SPLITS:
                if (topic, draw, split) not in done:
                    one = measure_watch(documents, members, topic=topic, draw=draw, split=split)
                    kept.append(one)
                    with KEPT.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(one._asdict()) + "\n")
                    print(one, file=sys.stderr, flush=True)
    print_table(kept)


def _read_kept() -> list[Watched]:
    if not KEPT.exists():
        return []
    return [Watched(**json.loads(line)) for line in KEPT.read_text().splitlines()]


def measure_watch(
    documents: Sequence[Document], members: Sequence[str], *, topic: str, draw: int, split: str
) -> Watched:
    """Make a session on what was there first, let the rest come, and watch."""
    ordered = sorted(members, key=int)
    first_new = int(ordered[round(len(ordered) * (1 - SPLITS[split]))])
    older = [document for document in documents if int(document.id) < first_new]
    newer = [document for document in documents if int(document.id) >= first_new]
    known = [name for name in ordered if int(name) < first_new]
    truth = {name for name in ordered if int(name) >= first_new}
    seeds = draw_seeds(known, topic=topic, count=SEEDS, draw=draw)
    by_id = {document.id: document for document in older}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _put(folder / "lib", older)
        path = folder / "watched.likewise"
        with Session.create(path, folder / "lib", [by_id[seed] for seed in seeds]) as session:
            expand_session(session)
            _put(folder / "lib", newer)
            began = time.monotonic()
            look = _watch(session, folder / "lib")
            took = time.monotonic() - began
            again = _watch(session, folder / "lib")
            retracted = msgspec.structs.replace(
                by_id[seeds[0]], publication_types=("Retracted Publication",)
            )
            _put(folder / "lib", [retracted])
            told = _watch(session, folder / "lib")
    found = {find.id: find.probability or 0.0 for find in look.content.finds}
    return Watched(
        topic=topic,
        draw=draw,
        split=split,
        came=len(newer),
        on_topic=len(truth),
        found=len(found),
        right=len(truth & found.keys()),
        expected=round(sum(found.values()), 1),
        again=len(again.content.finds) + len(again.content.notices),
        is_retraction_told=told.content.notices == {seeds[0]: "retracted"},
        seconds=round(took, 1),
    )


def _put(library: Path, documents: Sequence[Document]) -> None:
    with open_library(library, write=True) as opened:
        opened.add(documents)
        opened.commit()


def _watch(session: Session, library: Path) -> SessionLook:
    with open_library(library) as opened:
        return look_for_new(session, opened)


def print_table(kept: Sequence[Watched]) -> None:
    """Print the means of each split, and whether anything was told twice."""
    print("| what comes | watches | came | on topic | likely | precision | expected | recall |")
    print("|---|---|---|---|---|---|---|---|")
    for split in SPLITS:
        these = [one for one in kept if one.split == split]
        found = sum(one.found for one in these)
        if not these:
            continue
        right, on = sum(one.right for one in these), sum(one.on_topic for one in these)
        print(
            f"| {split} | {len(these)} | {mean(one.came for one in these):,.0f} "
            f"| {mean(one.on_topic for one in these):.0f} | {found / len(these):.0f} "
            f"| {right / max(found, 1):.2f} "
            f"| {sum(one.expected for one in these) / max(found, 1):.2f} | {right / on:.2f} |"
        )
    twice = sum(one.again > 0 for one in kept)
    told = sum(one.is_retraction_told for one in kept)
    print(f"\nSecond watches that found anything: {twice} of {len(kept)}.")
    print(f"Planted retractions that were reported: {told} of {len(kept)}.")


if __name__ == "__main__":
    main()
