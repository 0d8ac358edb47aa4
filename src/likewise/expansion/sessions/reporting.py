"""The report of a session: its latest expansion, with what was marked by now, as one HTML page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.expansion import Expansion
from likewise.expansion.marks import Mark
from likewise.expansion.outputs import MOST_ROWS, Fact, ReportedReview, render_report
from likewise.expansion.records import Explanation, Explanations, Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.seeds import Seeds
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import describe_status
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_interval
from likewise.library.protocol import Library

_NONE = Explanation((), (), "")


def report_session(session: Session, library: Library) -> str:
    """Return the report of a session's latest expansion as an HTML page that opens offline.

    Its numbers are those of the status, and so are its words. What is marked irrelevant is not
    listed, and what is marked relevant is; raises SessionError if nothing was expanded yet.
    """
    with session.at_one_moment():
        saved, marks = session.expansion(), session.current()
        if saved is None:
            raise SessionError(
                f"{session.path.stem}: nothing was expanded yet, so nothing to report"
            )
        explanations, review = session.explanations(), _describe_review(session, marks)
    expansion = restore_expansion(saved, marks, library, explanations=explanations)
    return render_report(expansion, review=review)


def _describe_review(session: Session, marks: Mapping[str, Mark]) -> ReportedReview:
    status = read_status(session)
    reasons = Counter(mark.reason for mark in marks.values() if mark.reason)
    left, _, bounds = format_interval(status.left, most=status.pool).partition(" ")
    facts = [
        Fact("found", f"{status.found:,}", "marked relevant; seeds are not counted"),
        Fact("looked at", f"{status.looked_at:,}", f"of {status.pool:,} candidates"),
        Fact("estimated to be left", left, bounds.strip("()")),
    ]
    # Before anything was looked at, a recall of 0 would read like a result.
    if status.looked_at:
        recall = status.recall
        facts.append(
            Fact("recall so far", f"{recall.value:.2f}", f"{recall.low:.2f}-{recall.high:.2f}")
        )
    return ReportedReview(
        title=session.name or session.path.stem,
        sentences=describe_status(status),
        facts=facts,
        criteria=session.review.criteria(),
        reasons=[Fact(name, f"{count:,}") for name, count in reasons.most_common()],
    )


def restore_expansion(
    saved: SavedExpansion,
    marks: Mapping[str, Mark],
    library: Library,
    *,
    explanations: Explanations | None,
) -> Expansion:
    """Return a saved expansion as it was made, decided by the marks of now.

    Args:
        saved: The expansion.
        marks: The mark that counts of each document.
        library: The library; only documents that a report lists are read from it.
        explanations: Why documents have their scores, if that was kept.
    """
    ranking = tuple(_decide(place, marks.get(place.id)) for place in saved.ranking)
    listed = [place.id for place in ranking if place.decision and not place.seed][:MOST_ROWS]
    held = {one.id: one for one in library.get([*listed, *saved.seeds.matched])}
    text_only = {seed.id: seed for seed in saved.seeds.text_only}
    known = held | text_only
    matched = tuple(held.get(name) or Document(id=name) for name in saved.seeds.matched)
    return Expansion(
        seeds=Seeds(matched, saved.seeds.text_only, saved.seeds.not_found),
        settings=_convert_settings(saved),
        ranking=ranking,
        threshold=math.inf if saved.threshold is None else saved.threshold,
        estimates=saved.estimates,
        rounds=saved.rounds,
        warnings=saved.warnings,
        seconds={},
        documents={place.id: known.get(place.id) or Document(id=place.id) for place in ranking},
        library=saved.library,
        library_size=library.count(),
        explain=_KeptExplainer(explanations, {*text_only, *saved.seeds.matched, *marks}),
        links=explanations.links if explanations else {},
        marks=saved.marks,
        readings=saved.readings,
    )


def _decide(place: Place, mark: Mark | None) -> Place:
    if mark is None or place.seed or mark.label == "maybe":
        return place
    return replace(place, mark=mark.label, decision=mark.label == "relevant")


class _KeptExplainer:
    """Explains documents by what was kept; a nearest seed is named only if it is known as one."""

    def __init__(self, explanations: Explanations | None, seeds: set[str]) -> None:
        self._explanations = explanations or Explanations((), (), {})
        self._seeds = seeds

    def __call__(self, identifier: str) -> Explanation:
        why = self._explanations.explain(identifier) or _NONE
        return why if why.nearest_seed in self._seeds else replace(why, nearest_seed="")

    def explain_all(self) -> Explanations:
        return self._explanations


def _convert_settings(saved: SavedExpansion) -> ExpandSettings:
    try:
        return msgspec.convert(saved.settings, ExpandSettings)
    except msgspec.ValidationError:  # written by another version
        return ExpandSettings()
