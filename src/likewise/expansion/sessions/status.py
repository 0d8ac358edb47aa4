"""The status of a session: what is found, what is left, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

from likewise.arguments import check_type
from likewise.documents.notebook import render_sentences, wrap_html
from likewise.expansion.cuts import count_telling
from likewise.expansion.marks import Label, Mark, gather_marks
from likewise.expansion.sessions.looking import Looking, read_looking
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.wording import format_count, format_interval, format_share
from likewise.learn.estimates import Basis, Interval, SeedReading, Target, compute_recall
from likewise.learn.stopping import Screening
from likewise.learn.stopping.advice import (
    Advice,
    advise,
    find_least_audit,
    find_target_within_reach,
)
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.left import Course, Left, estimate_left, plot_course
from likewise.learn.stopping.reading import LEAST_FOUND, find_calibration
from likewise.learn.stopping.rules import AND, RULES, parse_rules

ALL = "all"
"""Stands for every rule."""
GROWN = 1.05
"""A pool that grew by more than this factor since the first expansion counts as another one."""


class RuleVerdict(NamedTuple):
    """What a stopping rule says about what was looked at."""

    rule: str
    """The rule as it is spelled."""
    description: str
    """When it stops."""
    stops: bool

    @property
    def verdict(self) -> str:
        """What it says, in words."""
        return "would stop" if self.stops else "goes on"


@dataclass(frozen=True, kw_only=True, repr=False)
class Status:
    """Where a session stands; seeds are counted as seeds, and in no other number."""

    seeds: int
    relevant: int
    """Documents marked relevant, without the seeds: what is found."""
    irrelevant: int
    maybe: int
    pool: int
    """Documents of the latest pool, without the seeds."""
    looked_at: int
    """Those of them that are marked."""
    decided: int
    """Those that are decided to be on topic, and not looked at."""
    unlearned: int
    """Documents whose labels the latest expansion has not learned from."""
    left: Interval
    """How many on topic are estimated to be left in the pool."""
    recall: Interval
    """The share of those in the pool that is found, as estimated."""
    at_most: int | None
    """How many are left at most, with the target's confidence; None if that is not known."""
    readings: tuple[SeedReading, ...]
    """The ways to read the seeds, the likelier first."""
    telling: int = 0
    """How many marks lie around the line and below, which tell how many are on topic."""
    unfinished: int
    """Documents of the latest audit that are not looked at yet."""
    target: Target
    advice: Advice
    course: Course
    """How many were found after how much reading, and what to expect of further reading."""
    cautions: tuple[str, ...] = ()
    """What the advice can't know, and what to do about it; one sentence each."""
    rules: tuple[RuleVerdict, ...] = ()
    """What every stopping rule says, aimed at the target."""
    audits: tuple[AuditResult, ...] = ()
    """What the audits found, in the order drawn."""

    @property
    def found(self) -> int:
        """How many on topic were found, seeds not counted."""
        return self.relevant

    @property
    def outside(self) -> int:
        """How many marked documents are not candidates; seeds are not counted."""
        return self.relevant + self.irrelevant + self.maybe - self.looked_at

    def __repr__(self) -> str:
        left = format_interval(self.left, most=self.pool)
        return (
            f"<Status: {self.looked_at:,} of {format_count(self.pool, 'candidate')} looked at, "
            f"{self.relevant:,} relevant, about {left} left; {self.advice.kind}>"
        )

    def _repr_html_(self) -> str:
        from likewise.expansion.sessions.status_words import describe_status

        return wrap_html(*render_sentences(describe_status(self)))


def read_status(session: SessionFile, *, target: Target | None = None) -> Status:
    """Return where a session stands, and what to do to reach a target, as `Session.status`."""
    target = target or aim(session.target())
    check_type(target, Target, name="target", wanted="likewise.learn.estimates.Target(...)")
    target.check()
    looking = read_looking(session)
    looked, maybe = looking.looked, looking.count("maybe")
    estimated = estimate_left(looking.standing(), looked, signs=looking.saved.signs)
    # Documents marked maybe may or may not be on topic.
    left = Interval(estimated.value + maybe / 2, estimated.low, estimated.high + maybe)
    found = looking.count("relevant")
    proof = looking.proof(confidence=target.confidence)
    advice = advise(looked, estimated.probabilities, target=target, proof=proof)
    course = plot_course(looked, estimated, target=target)
    return Status(
        seeds=len(looking.seeds),
        relevant=found,
        irrelevant=looking.count("irrelevant"),
        maybe=maybe,
        pool=len(looking.pool),
        looked_at=len(looking.pool) - len(looking.rest),
        decided=sum(place.decision for place in looking.rest),
        unlearned=_count_unlearned(session),
        left=left,
        recall=Interval(
            *(compute_recall(found, left=n) for n in (left.value, left.high, left.low))
        ),
        at_most=advice.left if proof.audits or not looking.rest else None,
        readings=estimated.readings,
        telling=count_telling(looking.saved.ranking, looking.labels),
        unfinished=len(looking.unfinished),
        target=target,
        advice=_adjust_advice(advice, looking, estimated),
        course=course if advice.kind == "go on" else replace(course, further=None),
        cautions=tuple(
            list_cautions(looking, target, pools=[h.pool for h in session.expansions()])
        ),
        rules=consult_rules(looked, target),
        audits=proof.audits,
    )


def _count_unlearned(session: SessionFile) -> int:
    """Return how many documents are labelled differently than the latest expansion knew."""
    heads = session.expansions()
    known = heads[-1].mark if heads else 0
    history = session.history()
    before = _list_decisions(mark for mark in history if mark.number <= known)
    now = _list_decisions(history)
    return sum(before.get(document) != now.get(document) for document in before | now)


def _list_decisions(history: Iterable[Mark]) -> dict[str, Label | None]:
    return {name: given.decision.label for name, given in gather_marks(history).items()}


def _adjust_advice(advice: Advice, looking: Looking, estimated: Left) -> Advice:
    """Return the advice adapted to the session: an audit that was begun is finished first."""
    if advice.kind == "audit" and looking.unfinished:
        count = len(looking.unfinished)
        return replace(advice, count=count, expected=advice.expected * count / advice.count)
    # A mean may exceed the median, but nobody finds more than are said to be left.
    return replace(advice, expected=min(advice.expected, float(estimated.value)))


def aim(
    kept: Target | None,
    *,
    recall: float | None = None,
    confidence: float | None = None,
    by: Basis | None = None,
) -> Target:
    """Return the kept target, or the default one, changed by what is given.

    >>> aim(Target(recall=0.9), by="audits")
    Target(recall=0.9, confidence=0.95, by='audits')
    """
    given = {"recall": recall, "confidence": confidence, "by": by}
    told = {name: value for name, value in given.items() if value is not None}
    return (kept or Target())._replace(**told)  # type: ignore[arg-type]  # each as it is given


def consult_rules(
    looked: Screening, target: Target, *, rules: Iterable[str] = (ALL,)
) -> tuple[RuleVerdict, ...]:
    """Return the verdicts of rules; what a rule leaves open is aimed at the target.

    Args:
        looked: What was looked at.
        target: The recall to reach, and how sure to be.
        rules: The rules as they are spelled; "all" stands for every one.
    """
    verdicts = []
    for name in (name for rule in rules for name in (RULES if rule == ALL else [rule])):
        aimed = parse_rules(name).aim_at(target)
        description = AND.join(RULES[part.name].description for part in aimed.parts)
        verdicts.append(RuleVerdict(str(aimed), description, aimed.stops(looked)))
    return tuple(verdicts)


def list_cautions(looking: Looking, target: Target, *, pools: Sequence[int]) -> Iterator[str]:
    """Yield a sentence for each thing that the advice can't know.

    Args:
        looking: What was looked at.
        target: What is to be reached.
        pools: The size of the pool of each expansion so far.
    """
    if not looking.labels or not looking.rest:
        return
    yield from _caution_order(looking, pools=pools)
    if target.by == "audits":
        yield from _caution_audits(looking, target)
    else:
        yield from _caution_reading(looking, target)


def _caution_order(looking: Looking, *, pools: Sequence[int]) -> Iterator[str]:
    brought = looking.brought
    if brought:
        read = f"the {len(looking.read):,} read since" if looking.read else "what you read from now"
        marks = format_count(brought, "mark")
        yield f"{marks} came from files, in no order: advice goes by {read}."
    if pools and pools[-1] > GROWN * pools[0]:
        yield (
            f"The pool has grown from {pools[0]:,} to {pools[-1]:,} candidates: what was read "
            "before tells little of the new ones; read some of them before you stop."
        )


def _caution_reading(looking: Looking, target: Target) -> Iterator[str]:
    found = looking.looked.found
    levels = find_calibration().levels
    level = next((one for one in levels if one.recall >= target.recall - 1e-9), None)
    if level is None:
        yield (
            f"No test short of reading everything shows a recall of {100 * target.recall:.4g} %; "
            f"{format_share(levels[-1].recall)} is within reach."
        )
    elif target.confidence > level.confidences[-1] + 1e-9:
        yield (
            f"Other reviews can't show a confidence of {100 * target.confidence:.4g} %; "
            f"{format_share(level.confidences[-1])} is within reach, or audits prove it."
        )
    elif looking.read and found == len(looking.read):
        yield (
            "Nothing irrelevant was read yet, so nothing shows how finding declines; read on "
            "down the ranking."
        )
    elif found < LEAST_FOUND:
        yield (
            f"Fewer than {LEAST_FOUND} were found by reading: too few to tell when to stop; "
            "read on, or let audits prove it."
        )


def _caution_audits(looking: Looking, target: Target) -> Iterator[str]:
    """Say what audits could prove at all."""
    found, rest = looking.looked.known, len(looking.rest)
    needed = find_least_audit(found, target)
    told = (
        f"With {found:,} found, audits prove {format_share(target.recall)} only if at least "
        f"{_describe_sample(needed, rest)} are drawn"
    )
    nearer = find_target_within_reach(found, target)
    if nearer == target:
        yield f"{told}."
    elif nearer:
        sample = _describe_sample(find_least_audit(found, nearer), rest)
        yield f"{told}; for {format_share(nearer.recall)}, {sample}."
    else:
        yield f"{told}; reading everything is hardly more work, so find more first."


def _describe_sample(part: float, rest: int) -> str:
    return f"{format_share(part)} of what is unread ({max(1, ceil(part * rest)):,})"
