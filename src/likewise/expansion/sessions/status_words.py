"""The status of a session in words: a few sentences, and a paragraph for a paper's methods."""

from __future__ import annotations

from pathlib import Path

from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.status import Status
from likewise.expansion.summary import CALIBRATED_BY, are_readings_open, describe_seed_readings
from likewise.expansion.wording import (
    format_bounds,
    format_count,
    format_interval,
    format_recall,
    format_share,
    round_count,
)
from likewise.learn.estimates import Basis, Interval, Target
from likewise.learn.stopping.reading import read_calibration_file

TELLING = 0.5
"""A proven recall is mentioned if it is at least this."""

_STOPS_WHEN: dict[Basis, str] = {
    "reading": "finding has declined so far that hardly more than that can be missed, by a test "
    "calibrated on replays of other reviews (conformal risk control)",
    "audits": "random samples of the unread records leave room for no more missed ones than that",
}
"""When the advice is to stop, depending on what it rests on."""


def describe_status(status: Status, session: str | Path | None = None) -> list[str]:
    """Return a status in a few sentences, the last of which is advice.

    Args:
        status: The status.
        session: The session's file, to name in commands; without it, no command is named.
    """
    looked = f"{status.looked_at:,} of {format_count(status.pool, 'candidate')}"
    marked = f"{status.relevant:,} relevant, {status.irrelevant:,} irrelevant, {status.maybe:,}"
    # Marks on documents outside the latest pool would not add up with the rest.
    outside = f" ({status.outside:,} of these outside the candidates)" if status.outside else ""
    seeds = format_count(status.seeds, "seed")
    sentences = [f"{seeds}; {looked} looked at: {marked} maybe{outside}."]
    if status.looked_at < status.pool:
        sentences += [
            _describe_estimate(status),
            *_describe_readings(status, session),
            _describe_decided(status),
        ]
    is_open = status.at_most is not None and status.advice.kind != "stop"
    if is_open and status.advice.recall >= TELLING:
        sentences.append(f"Audits leave room for {_describe_proof(status)}.")
    if status.unlearned:
        command = session and f"likewise expand --session {session}"
        unlearned = f"{format_count(status.unlearned, 'mark')} not learned from yet"
        sentences.append(_end_sentence(unlearned, command))
    further = describe_further(status)
    sentences += [*status.cautions, *([further] if further else [])]
    return [*sentences, describe_advice(status, session)]


def describe_advice(status: Status, session: str | Path | None = None) -> str:
    """Return the advice of a status in a sentence; `session` as in `describe_status`."""
    advice = status.advice
    if advice.kind == "stop":
        if status.looked_at == status.pool:
            return "You can stop: everything was looked at."
        if advice.by == "audits":
            return f"You can stop: {_describe_proof(status)}, which audits prove."
        proving = f"; to have it proven: likewise status {session} --proof audits"
        return f"You can stop: {_describe_decline(status)}{proving if session else '.'}"
    if advice.kind == "audit":
        command = session and f"likewise next {session} --strategy audit --count {advice.count}"
        what = command or "a random sample of what was not looked at."
        return f"Audit {advice.count:,} more: {what}"
    likely = f"about {advice.expected:.0f}" if advice.expected >= 0.5 else "hardly any"
    following = f"{likely} of the next {advice.count:,} are likely to be on topic"
    return _end_sentence(f"Go on: {following}", session and f"likewise next {session}")


def describe_further(status: Status) -> str:
    """Return how many more to read, if that is known and the advice is to go on; else ""."""
    further = status.course.further
    if status.advice.kind != "go on" or further is None:
        return ""
    rest = status.pool - status.looked_at
    about, ends = (
        round_count(further.value, most=rest),
        format_bounds(Interval(*further), most=rest),
    )
    then = "an audit" if status.target.by == "audits" else "stop"
    return f"About {about:,} more to read{ends}, then {then}."


def describe_promise(target: Target) -> str:
    """Return what the advice to stop promises, in a sentence."""
    if target.by == "audits":
        wrong = f"{100 * (1 - target.confidence):.3g}"
        return (
            f"Whatever the ranking is, fewer than {wrong} of 100 such audits would say so wrongly."
        )
    reviews = sum(read_calibration_file().made["reviews"].values())
    return (
        f"Of 100 reviews like the {reviews:,} that it was tried on, at least "
        f"{100 * target.confidence:.4g} have found {format_share(target.recall)} of their topic "
        "when the advice is to stop; for a single review that is no promise."
    )


def _end_sentence(sentence: str, command: str | Path | None) -> str:
    """Return a sentence that ends with the command to run next, if there is one."""
    return f"{sentence}: {command}" if command else f"{sentence}."


def _describe_estimate(status: Status) -> str:
    low, high = f"{status.recall.low:.2f}", f"{status.recall.high:.2f}"
    between = "" if low == high else f" ({low}-{high})"
    left = format_interval(status.left, most=status.pool)
    return (
        f"About {left} on topic are estimated to be left: a recall of "
        f"{status.recall.value:.2f}{between} so far."
    )


def _describe_readings(status: Status, session: str | Path | None) -> list[str]:
    """Say what the seeds may be, if that is open, and how to tell."""
    told = describe_seed_readings(status.readings, telling=status.telling)
    if not are_readings_open(status.readings, telling=status.telling):
        return [told] if told else []
    command = session and f"likewise next {session} --strategy calibrate --count {CALIBRATED_BY}"
    return [_end_sentence(f"{told} Marks on {CALIBRATED_BY} from further down would tell", command)]


def _describe_decided(status: Status) -> str:
    verb = "is" if status.decided == 1 else "are"
    return (
        f"{format_count(status.decided, 'candidate')} {verb} decided to be on topic, not looked at."
    )


def _describe_decline(status: Status) -> str:
    """Say what reading shows, and since when."""
    recall, sure = format_share(status.target.recall), format_share(status.target.confidence)
    since = status.advice.stopped_after or 0
    more = status.course.read[-1] - since
    ago = f" (after {since:,} read, {more:,} ago)" if more else ""
    return (
        f"finding has declined as in reviews that had found {recall}, with {sure} confidence{ago}"
    )


def _describe_proof(status: Status) -> str:
    sure, least = format_share(status.target.confidence), format_recall(status.advice.recall)
    return f"at most {status.advice.left:,} left, with {sure} confidence (recall at least {least})"


def describe_methods(status: Status, *, saved: SavedExpansion) -> str:
    """Return how a session was screened, for the methods section of a paper.

    If the advice is not to stop, the paragraph says that screening was not complete.

    Args:
        status: Where the session stands.
        saved: Its latest expansion.
    """
    sentences = [
        _describe_tool(saved),
        _describe_ranking(status, saved),
        _describe_reading(status),
        _describe_end(status),
    ]
    if status.looked_at < status.pool:
        sentences.append(_describe_audits(status))
    return " ".join([*sentences, *_describe_scope(status, saved)])


def _describe_tool(saved: SavedExpansion) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in saved.versions.items())
    encoder = saved.settings.get("encoder")
    method = f'method "{saved.settings["method"]}"' + (f', encoder "{encoder}"' if encoder else "")
    made_with = f"{method}; {packages}" if packages else method
    return f"Records were screened with likewise {saved.likewise} ({made_with})."


def _describe_ranking(status: Status, saved: SavedExpansion) -> str:
    library = f" of a library of {format_count(saved.library_size, 'record')}"
    where = saved.settings.get("where")
    limits = f", limited to {where}," if where else ""
    known = len(saved.marks.relevant) + len(saved.marks.irrelevant)
    learned = f", learned from the seeds and from decisions on {format_count(known, 'record')}"
    return (
        f"Starting from {format_count(status.seeds, 'seed paper')}, it retrieved "
        f"{format_count(status.pool, 'candidate')}{library if saved.library_size else ''}{limits} "
        "and ranked them by how likely each is to be on the topic of the seeds"
        f"{learned if known else ''}."
    )


def _describe_reading(status: Status) -> str:
    verb = "was" if status.relevant == 1 else "were"
    undecided = f", and {status.maybe:,} left undecided" if status.maybe else ""
    return (
        f"Of the candidates, {status.looked_at:,} were read; "
        f"{format_count(status.relevant, 'record')} besides the seeds {verb} judged relevant"
        f"{undecided}."
    )


def _describe_end(status: Status) -> str:
    """Say why screening ended, if it did, and what is left."""
    if status.advice.kind != "stop":
        return (
            f"Screening was not complete: {_describe_aim(status)} was not yet shown to be reached, "
            f"and about {_describe_left(status)} relevant candidates were estimated to be left "
            "unread."
        )
    if status.looked_at == status.pool:
        return "Screening ended when every candidate had been read."
    by = status.advice.by
    return (
        f"Screening ended by the stopping rule of likewise that rests on {by}, with "
        f"{_describe_aim(status)}; it advises to stop when {_STOPS_WHEN[by]}. "
        f"{describe_promise(status.target._replace(by=by))} {_describe_ending(status)}"
    )


def _describe_ending(status: Status) -> str:
    estimated = (
        f"about {_describe_left(status)} relevant candidates were estimated to be left unread"
    )
    if status.advice.by == "reading":
        return f"The rule was met after {status.advice.stopped_after:,} were read; {estimated}."
    most = format_count(status.advice.left, "relevant candidate")
    least = format_recall(status.advice.recall)
    return f"By then at most {most} could be left (a recall of at least {least}); {estimated}."


def _describe_aim(status: Status) -> str:
    recall, sure = format_share(status.target.recall), format_share(status.target.confidence)
    return f"the target of finding {recall} of the relevant candidates with {sure} confidence"


def _describe_left(status: Status) -> str:
    """Return how many are estimated to be left, with the bounds called an 80 % interval."""
    return format_interval(status.left, most=status.pool).replace("(", "(80 % interval ")


def _describe_audits(status: Status) -> str:
    drawn = sum(audit.looked_at for audit in status.audits)
    if not drawn:
        return "No random sample of the unread candidates was drawn."
    on_topic = sum(audit.on_topic for audit in status.audits)
    samples = format_count(sum(audit.looked_at > 0 for audit in status.audits), "random sample")
    judged = "relevant or left undecided" if status.maybe else "relevant"
    return (
        f"{samples} of candidates that were unread by then, {format_count(drawn, 'record')} in "
        f"all, held {on_topic:,} that {'was' if on_topic == 1 else 'were'} judged {judged}."
    )


def _describe_scope(status: Status, saved: SavedExpansion) -> list[str]:
    """Say what recall is about, if the library holds more than was retrieved."""
    if status.pool + len(saved.seeds.matched) >= saved.library_size:
        return []
    return ["Recall is that among the candidates; the rest of the library was not screened."]
