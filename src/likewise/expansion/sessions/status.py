"""The status of a session: what is found, what is left, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from likewise.expansion.expansion import Interval, SeedReading
from likewise.expansion.sessions.aiming import aim, rules_say
from likewise.expansion.sessions.cautions import cautions_of
from likewise.expansion.sessions.looking import looking_of
from likewise.learn.stopping.advice import advise
from likewise.learn.stopping.course import Course, course_of
from likewise.learn.stopping.left import estimate_left
from likewise.learn.stopping.target import Target, recall_of

if TYPE_CHECKING:
    from likewise.expansion.marks import Label
    from likewise.expansion.sessions.aiming import RuleSays
    from likewise.expansion.sessions.looking import Looking
    from likewise.expansion.sessions.session import Session
    from likewise.learn.stopping.advice import Advice
    from likewise.learn.stopping.audits import AuditResult
    from likewise.learn.stopping.left import Left


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a session stands."""

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
    """Marks that the latest expansion does not know."""
    left: Interval
    """How many on topic are estimated to be left in the pool."""
    recall: Interval
    """The share of those in the pool that is found, as estimated."""
    at_most: int | None
    """How many are left at most, with the target's confidence; None if nothing tells."""
    readings: tuple[SeedReading, ...]
    """The ways to read the seeds, the likelier first."""
    unfinished: int
    """Documents of the latest audit that are not looked at yet."""
    target: Target
    advice: Advice
    course: Course
    """What was found by when, and what is expected if one goes on."""
    cautions: tuple[str, ...] = ()
    """What the advice can't know, and what to do about it; a sentence each."""
    rules: tuple[RuleSays, ...] = ()
    """What every stopping rule says, aimed at the target."""
    audits: tuple[AuditResult, ...] = ()
    """What the audits found, in the order drawn."""

    @property
    def found(self) -> int:
        """How many on topic were found."""
        return self.relevant


def status_of(session: Session, *, target: Target | None = None) -> Status:
    """Return where a session stands, and what to do to reach a target.

    Args:
        session: The session.
        target: The target; by default the one kept with the session, or else `Target()`.
    """
    target = target or aim(session.target())
    target.check()
    looking = looking_of(session)
    looked, maybe = looking.looked, looking.count("maybe")
    estimated = estimate_left(looking.standing(), looked, signs=looking.saved.signs)
    left, found = _with_maybe(estimated, maybe), looking.count("relevant")
    proof = looking.proof(confidence=target.confidence)
    advice = advise(looked, estimated.probabilities, target=target, proof=proof)
    course = course_of(looked, estimated, target=target)
    return Status(
        seeds=len(looking.seeds),
        relevant=found,
        irrelevant=looking.count("irrelevant"),
        maybe=maybe,
        pool=len(looking.pool),
        looked_at=len(looking.pool) - len(looking.rest),
        decided=sum(place.decision for place in looking.rest),
        unlearned=_unlearned(session),
        left=left,
        recall=Interval(*(recall_of(found, left=number) for number in (left[0], left[2], left[1]))),
        at_most=advice.left if proof.audits or not looking.rest else None,
        readings=tuple(SeedReading(*told) for told in estimated.readings),
        unfinished=len(looking.unfinished),
        target=target,
        advice=_near(advice, looking, estimated),
        course=course if advice.kind == "go on" else course._replace(further=None),
        cautions=tuple(cautions_of(looking, target, pools=[h.pool for h in session.expansions()])),
        rules=rules_say(looked, target),
        audits=proof.audits,
    )


def _with_maybe(left: Left, maybe: int) -> Interval:
    """Return how many are left if what is marked maybe may be on topic or not."""
    return Interval(left.value + maybe / 2, left.low, left.high + maybe)


def _unlearned(session: Session) -> int:
    """Return of how many documents something else was said than the latest expansion knew."""
    heads = session.expansions()
    known = heads[-1].mark if heads else 0
    before: dict[str, Label | None] = {}
    now: dict[str, Label | None] = {}
    for mark in session.history():
        (before if mark.number <= known else now)[mark.document] = mark.label
    return sum(label != before.get(document) for document, label in now.items())


def _near(advice: Advice, looking: Looking, estimated: Left) -> Advice:
    """Return advice for what lies next: an audit that was begun is finished first."""
    if advice.kind == "audit" and looking.unfinished:
        count = len(looking.unfinished)
        return replace(advice, count=count, expected=advice.expected * count / advice.count)
    # A mean may exceed the median, but nobody finds more than are said to be left.
    return replace(advice, expected=min(advice.expected, float(estimated.value)))
