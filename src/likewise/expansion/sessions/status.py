"""The status of a session: what is found, what is left, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.expansion import Interval, SeedReading
from likewise.expansion.sessions.looking import looking_of
from likewise.expansion.summary import CALIBRATED_BY, readings_sentence
from likewise.expansion.wording import counted, interval, share
from likewise.learn.stopping.advice import advise
from likewise.learn.stopping.left import estimate_left
from likewise.learn.stopping.target import Target, recall_of

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.expansion.marks import Label
    from likewise.expansion.sessions.looking import Looking
    from likewise.expansion.sessions.session import Session
    from likewise.learn.stopping.advice import Advice
    from likewise.learn.stopping.left import Left

TELLING = 0.5
"""A recall that is shown to be at least this is told."""
AHEAD = 100
"""How many documents advice looks ahead at most: what was learned by then may change it."""


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

    @property
    def found(self) -> int:
        """How many on topic were found."""
        return self.relevant


def status_of(session: Session, *, target: Target | None = None) -> Status:
    """Return where a session stands, and what to do to reach a target."""
    target = target or Target()
    target.check()
    looking = looking_of(session)
    estimated = estimate_left(looking.standing(), signs=looking.saved.signs)
    found, maybe = looking.count("relevant"), looking.count("maybe")
    left = _with_maybe(estimated, maybe)
    reading = estimated if target.by == "reading" and looking.labels else None
    proof = looking.proof(confidence=target.confidence, estimated=reading)
    advice = advise(estimated.probabilities, found=found, target=target, proof=proof)
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
        at_most=advice.left if proof.audits or reading or not looking.rest else None,
        readings=tuple(SeedReading(*told) for told in estimated.readings),
        unfinished=len(looking.unfinished),
        target=target,
        advice=_near(advice, looking, estimated),
    )


def status_sentences(status: Status, session: str | Path | None = None) -> list[str]:
    """Return a status in a few sentences, the last of which is advice.

    Args:
        status: The status.
        session: Where the session lies, to name commands by; without it, none is named.
    """
    looked = f"{status.looked_at:,} of {counted(status.pool, 'candidate')}"
    marked = f"{status.relevant:,} relevant, {status.irrelevant:,} irrelevant, {status.maybe:,}"
    sentences = [f"{counted(status.seeds, 'seed')}; {looked} looked at: {marked} maybe."]
    if status.looked_at < status.pool:
        sentences += [_estimate(status), *_readings(status, session), _decided(status)]
    if status.at_most is not None and status.advice.kind != "stop" and _says_something(status):
        shows = "Audits leave" if status.advice.by == "audits" else "What was read leaves"
        sentences.append(f"{shows} room for {_shown(status)}.")
    if status.unlearned:
        command = session and f"likewise expand --session {session}"
        unlearned = f"{counted(status.unlearned, 'mark')} not learned from yet"
        sentences.append(_ended(unlearned, command))
    return [*sentences, advice_sentence(status, session)]


def advice_sentence(status: Status, session: str | Path | None = None) -> str:
    """Return the advice of a status in a sentence; `session` as in `status_sentences`."""
    advice = status.advice
    if advice.kind == "stop":
        if status.looked_at == status.pool:
            return "You can stop: everything was looked at."
        return f"You can stop: {_shown(status)}, {_basis(status, session)}"
    if advice.kind == "audit":
        command = session and f"likewise next {session} --strategy audit --count {advice.count}"
        what = command or "a random sample of what was not looked at."
        return f"Audit {advice.count:,} more: {what}"
    likely = f"about {advice.expected:.0f}" if advice.expected >= 0.5 else "hardly any"
    following = f"{likely} of the next {advice.count:,} are likely to be on topic"
    return _ended(f"Go on: {following}", session and f"likewise next {session}")


def _ended(sentence: str, command: str | Path | None) -> str:
    """Return a sentence that ends with the command to follow it by, if there is one."""
    return f"{sentence}: {command}" if command else f"{sentence}."


def _says_something(status: Status) -> bool:
    """Say whether what is shown is worth telling: that most were found, at least."""
    return status.advice.recall >= TELLING


def _estimate(status: Status) -> str:
    low, high = f"{status.recall.low:.2f}", f"{status.recall.high:.2f}"
    between = "" if low == high else f" ({low}-{high})"
    left = interval(status.left, most=status.pool)
    return (
        f"About {left} on topic are estimated to be left: a recall of "
        f"{status.recall.value:.2f}{between} so far."
    )


def _readings(status: Status, session: str | Path | None) -> list[str]:
    """Say what the seeds may be, if that is open, and how to tell."""
    told = readings_sentence(status.readings)
    if not told:
        return []
    command = session and f"likewise next {session} --strategy calibrate --count {CALIBRATED_BY}"
    return [_ended(f"{told} Marks on {CALIBRATED_BY} from further down would tell", command)]


def _decided(status: Status) -> str:
    verb = "is" if status.decided == 1 else "are"
    return f"{counted(status.decided, 'candidate')} {verb} decided to be on topic, not looked at."


def _basis(status: Status, session: str | Path | None) -> str:
    """Say what it rests on that one can stop."""
    if status.advice.by == "audits":
        return "which audits prove."
    thins_out = "if the topic thins out down the ranking as topics do"
    if session is None:
        return f"{thins_out}; audits can prove it."
    return f"{thins_out}; to have it proven: likewise status {session} --proof audits"


def _shown(status: Status) -> str:
    sure, least = share(status.target.confidence), status.advice.recall
    # Rounded down: what is said is what is shown.
    return (
        f"at most {status.advice.left:,} left, with {sure} confidence "
        f"(recall at least {np.floor(least * 100 + 1e-9) / 100:.2f})"
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
    """Return advice for what lies next: an audit that was begun, and not too far to read on."""
    if advice.kind == "audit" and looking.unfinished:
        count = len(looking.unfinished)
        return replace(advice, count=count, expected=advice.expected * count / advice.count)
    if advice.kind == "go on" and advice.count > AHEAD:
        likeliest = -np.sort(-estimated.probabilities)[:AHEAD]
        advice = replace(advice, count=AHEAD, expected=float(likeliest.sum()))
    # A mean may exceed the median, but nobody finds more than are said to be left.
    return replace(advice, expected=min(advice.expected, float(estimated.value)))
