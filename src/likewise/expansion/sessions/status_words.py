"""The status of a session in words: a few sentences, the last of which is advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.expansion import Interval
from likewise.expansion.summary import CALIBRATED_BY, readings_sentence
from likewise.expansion.wording import at_least, between, counted, interval, rounded, share
from likewise.learn.stopping.calibration import calibration_file

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.expansion.sessions.status import Status
    from likewise.learn.stopping.target import Target

TELLING = 0.5
"""A recall that is proven to be at least this is told."""


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
        sentences.append(f"Audits leave room for {_shown(status)}.")
    if status.unlearned:
        command = session and f"likewise expand --session {session}"
        unlearned = f"{counted(status.unlearned, 'mark')} not learned from yet"
        sentences.append(_ended(unlearned, command))
    further = further_sentence(status)
    told = [*sentences, *status.cautions, *([further] if further else [])]
    return [*told, advice_sentence(status, session)]


def advice_sentence(status: Status, session: str | Path | None = None) -> str:
    """Return the advice of a status in a sentence; `session` as in `status_sentences`."""
    advice = status.advice
    if advice.kind == "stop":
        if status.looked_at == status.pool:
            return "You can stop: everything was looked at."
        if advice.by == "audits":
            return f"You can stop: {_shown(status)}, which audits prove."
        proving = f"; to have it proven: likewise status {session} --proof audits"
        return f"You can stop: {_read_enough(status)}{proving if session else '.'}"
    if advice.kind == "audit":
        command = session and f"likewise next {session} --strategy audit --count {advice.count}"
        what = command or "a random sample of what was not looked at."
        return f"Audit {advice.count:,} more: {what}"
    likely = f"about {advice.expected:.0f}" if advice.expected >= 0.5 else "hardly any"
    following = f"{likely} of the next {advice.count:,} are likely to be on topic"
    return _ended(f"Go on: {following}", session and f"likewise next {session}")


def further_sentence(status: Status) -> str:
    """Return how many more are to be read, if the advice is to go on and that is known; else ""."""
    further = status.course.further
    if status.advice.kind != "go on" or further is None:
        return ""
    rest = status.pool - status.looked_at
    about, ends = rounded(further.value, most=rest), between(Interval(*further), most=rest)
    then = "an audit" if status.target.by == "audits" else "stop"
    return f"About {about:,} more to read{ends}, then {then}."


def promise_of(target: Target) -> str:
    """Return what the advice to stop promises, in a sentence."""
    if target.by == "audits":
        wrong = f"{100 * (1 - target.confidence):.3g}"
        return (
            f"Whatever the ranking is, fewer than {wrong} of 100 such audits would say so wrongly."
        )
    reviews = sum(calibration_file().made["reviews"].values())
    return (
        f"Of 100 reviews like the {reviews:,} that it was tried on, at least "
        f"{100 * target.confidence:.4g} have found {share(target.recall)} of their topic when the "
        "advice is to stop; for a single review that is no promise."
    )


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


def _read_enough(status: Status) -> str:
    """Say what reading shows, and since when."""
    recall, sure = share(status.target.recall), share(status.target.confidence)
    since = status.advice.stopped_after or 0
    more = status.course.read[-1] - since
    ago = f" (after {since:,} read, {more:,} ago)" if more else ""
    return (
        f"finding has declined as in reviews that had found {recall}, with {sure} confidence{ago}"
    )


def _shown(status: Status) -> str:
    sure, least = share(status.target.confidence), at_least(status.advice.recall)
    return f"at most {status.advice.left:,} left, with {sure} confidence (recall at least {least})"
