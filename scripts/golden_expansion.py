"""The golden expansion: 60 invented papers, from files to a decided list.

Papers are made by arithmetic alone, written as RIS, indexed, expanded from eight of them in a
session, marked, and expanded again. What is stored is rounded so far that every machine agrees.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from likewise import ExpandSettings, index_files, read
from likewise.expansion.outputs import write_expansion
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.expansion.expansion import Expansion

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "expansion.json"
PAPERS, SEEDS, MARKS = 60, 8, 12
ON_TOPIC, NEAR_IT = 24, 42
"""The number of the last paper on the topic, and of the last that is near to it."""
KEEP = ExpandSettings()
DIGITS = 2

_TOPIC = "shift night roster worker fatigue sleep melatonin nap circadian alertness hospital nurse"
_NEAR = "insomnia dream apnea snoring sleep melatonin pillow mattress drowsiness bed age child"
_FAR = "bridge river steel market village engine harbour museum weather traffic concert budget"
_GENERAL = (
    "study group result effect level control method rate analysis model sample risk response "
    "measure change difference test trial year outcome range value score index factor function"
)


def write_golden() -> None:
    """Write the file."""
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(spell(make_golden()), encoding="utf-8")


def make_golden() -> dict[str, Any]:
    """Index the papers, expand them, mark some, expand again; return what comes out."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        papers, seeds = folder / "papers.ris", folder / "seeds.ris"
        papers.write_text("".join(map(write_paper, range(1, PAPERS + 1))), encoding="utf-8")
        seeds.write_text("".join(map(write_paper, range(1, SEEDS + 1))), encoding="utf-8")
        index_files(papers, folder / "lib")
        session = Session.create(folder / "papers.likewise", folder / "lib", [seeds], settings=KEEP)
        with session:
            first = expand_session(session)
            pool = [place.id for place in first.ranking if not place.seed]
            looked_at = [*pool[: MARKS // 2], *pool[-MARKS // 2 :]]
            session.mark(
                {id_: "relevant" if int(id_) <= ON_TOPIC else "irrelevant" for id_ in looked_at}
            )
            second = expand_session(session)
        write_expansion(second, folder / "found.ris")
        return {
            "first": _describe(first),
            "second": _describe(second),
            "written": [paper.id for paper in read(folder / "found.ris")],
        }


def spell(golden: dict[str, Any]) -> str:
    """Return it as JSON with a line for each place, so that a change is seen."""
    text = json.dumps(golden)
    for before, after in (('{"first"', '{\n"first"'), ('"second"', '\n"second"')):
        text = text.replace(before, after)
    return text.replace('{"id"', '\n{"id"').replace('"written"', '\n"written"') + "\n"


def write_paper(number: int) -> str:
    """Return a paper as RIS: the first are on the topic, those after them near to it."""
    words = (_TOPIC if number <= ON_TOPIC else _NEAR if number <= NEAR_IT else _FAR).split()
    general, stray, draw = _GENERAL.split(), _TOPIC.split(), _draw_numbers(number)

    def choose(source: list[str], count: int) -> list[str]:
        return [source[next(draw) % len(source)] for _ in range(count)]

    title = [*choose(words, 2), *choose(general, 1)]
    # Some papers say more of what they are about than others, and many have a word of the topic.
    own = choose(words, 3 + next(draw) % 6) + choose(stray, next(draw) % 3)
    return (
        f"TY  - JOUR\nID  - {number}\nTI  - {' '.join(title)}\n"
        f"AB  - {' '.join([*own, *choose(general, 18)])}.\nPY  - {1960 + number}\nER  - \n\n"
    )


def _draw_numbers(seed: int) -> Iterator[int]:
    """Yield numbers that look random and are the same everywhere."""
    state = seed * 15485863
    while True:
        state = (state * 1103515245 + 12345) % 2**31
        yield state >> 16


def _describe(expansion: Expansion) -> dict[str, Any]:
    estimates = expansion.estimates
    return {
        "seeds": [seed.id for seed in expansion.seeds.matched],
        "rounds": [[done.added, done.likely, done.decided] for done in expansion.rounds],
        "relevant": [round(number, DIGITS) for number in estimates.relevant],
        "precision": round(estimates.precision or 0.0, DIGITS),
        "recall": round(estimates.recall or 0.0, DIGITS),
        "ranking": [
            {
                "id": place.id,
                "rank": place.rank,
                "score": round(place.height, DIGITS),
                "probability": round(place.chance, DIGITS),
                "decision": place.decision,
                "seed": place.seed,
                "mark": place.mark,
                "nearest_seed": expansion.explain(place.id).nearest_seed,
            }
            for place in expansion.ranking
        ],
    }


if __name__ == "__main__":
    write_golden()
