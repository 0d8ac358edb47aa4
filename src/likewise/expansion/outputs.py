"""The files that an expansion is written to: any format of documents, a run file, or a report."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from likewise.documents.annotations import Annotated, note_text
from likewise.documents.files import write_annotated, written_aside
from likewise.documents.formats import format_for_writing, suffix_of, written_suffixes
from likewise.errors import SettingsError, UnknownFormatError, WriteError
from likewise.expansion.saved import PROBABILITY_DIGITS, SCORE_DIGITS, saved_path, stable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.documents.annotations import Note
    from likewise.expansion.expansion import Expansion, Ranked

REPORT = ".html"
RUN = ".trec"
WORDS = 8
"""How many of the words that spoke for a document are noted on it, at most."""


def write_expansion(
    expansion: Expansion, path: str | Path, *, everything: bool = False, topic: str = "topic"
) -> None:
    """Write an expansion in the format that the path's suffix asks for.

    Args:
        expansion: What to write.
        path: The file, which appears whole or not at all.
        everything: Whether to write the whole ranking with the seeds, not only what was found.
        topic: What a run file calls the topic.
    """
    path = Path(path)
    _check_suffix(path)
    chosen = expansion.ranking if everything else expansion.found
    if suffix_of(path) == REPORT:
        from likewise.expansion.report import render_report

        _write_text(render_report(expansion, everything=everything), path)
    elif suffix_of(path) == RUN:
        _write_text("".join(run_lines(chosen, topic=topic)), path)
    else:
        write_annotated(_annotated(expansion, chosen), path)


def check_output(path: str | Path) -> None:
    """Raise if an expansion can't be written there: to be called before the long work."""
    path = Path(path)
    _check_suffix(path)
    try:
        fault = _fault_of(path)
    except OSError as error:
        fault = error.strerror or str(error)
    if fault:
        raise WriteError(f"{path}: can't be written: {fault}; choose another place")


def run_lines(ranking: Sequence[Ranked], *, topic: str) -> Iterator[str]:
    r"""Yield the lines of a run file, as trec_eval and its kin read it, counted from 1.

    White space in an id or in the topic would break a line, and is written as in web addresses.

    >>> from likewise.expansion.expansion import Ranked
    >>> found = Ranked("10.1/a b", 7, 0.5, 0.9, True, False)
    >>> list(run_lines([found], topic="sleep"))
    ['sleep Q0 10.1/a%20b 1 0.5 likewise\n']
    """
    if not topic:
        raise SettingsError("the topic of a run file has no name; give it one")
    for place, ranked in enumerate(sorted(ranking, key=lambda ranked: -ranked.score), 1):
        score = note_text(stable(ranked.score, SCORE_DIGITS))
        yield f"{_one_word(topic)} Q0 {_one_word(ranked.id)} {place} {score} likewise\n"


def notes_of(expansion: Expansion, ranked: Ranked) -> dict[str, Note]:
    """Return what is noted on a document of the ranking."""
    explanation = expansion.explain(ranked.id)
    return {
        "rank": int(ranked.rank),
        "score": stable(ranked.score, SCORE_DIGITS),
        "probability": stable(ranked.probability, PROBABILITY_DIGITS),
        "decision": bool(ranked.decision),
        "seed": bool(ranked.seed),
        "words": " ".join(term for term, _ in explanation.up[:WORDS]),
        "nearest_seed": explanation.nearest_seed,
        "mark": ranked.mark or "",
    }


def _annotated(expansion: Expansion, chosen: Sequence[Ranked]) -> Iterator[Annotated]:
    for ranked in chosen:
        yield Annotated(expansion.documents[ranked.id], notes_of(expansion, ranked))


def _write_text(text: str, path: Path) -> None:
    with written_aside(path) as stream:
        stream.write(text.encode())


def _check_suffix(path: Path) -> None:
    suffix = suffix_of(path)
    if suffix in (REPORT, RUN):
        return
    try:
        format_for_writing(path)
    except UnknownFormatError as error:
        offered = sorted([*written_suffixes(), REPORT, RUN])
        raise UnknownFormatError(
            f"{path}: an expansion is not written as {suffix or 'a file without a suffix'!r}; "
            f"use one of: {' '.join(offered)} (and .gz after it)"
        ) from error


def _fault_of(path: Path) -> str:
    """Say what is in the way of a file and the saved expansion beside it."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"you may not write to the folder {folder}"
    taken = [file for file in (path, saved_path(path)) if file.is_dir()]
    return f"{taken[0]} is a folder" if taken else ""


def _one_word(text: str) -> str:
    return re.sub(r"\s", lambda space: quote(space[0]), text)
