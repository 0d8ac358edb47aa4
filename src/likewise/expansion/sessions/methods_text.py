"""A paragraph for the methods section of a paper: how records were screened, and why it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.expansion.sessions.status_words import promise_of
from likewise.expansion.wording import at_least, counted, interval, share

if TYPE_CHECKING:
    from likewise.expansion.saved import SavedExpansion
    from likewise.expansion.sessions.status import Status
    from likewise.learn.stopping.target import Basis

_STOPS_WHEN: dict[Basis, str] = {
    "reading": "finding has declined so far that hardly more than that can be missed, by a test "
    "calibrated on replays of other reviews (conformal risk control)",
    "audits": "random samples of the unread records leave room for no more missed ones than that",
}
"""When the advice is to stop, by what it rests on."""


def methods_paragraph(status: Status, *, saved: SavedExpansion) -> str:
    """Return how a session was screened, for the methods section of a paper.

    Where the advice is not to stop, the paragraph says that screening was not complete.

    Args:
        status: Where the session stands.
        saved: Its latest expansion.
    """
    sentences = [_tool(saved), _ranking(status, saved), _read(status), _end(status)]
    if status.looked_at < status.pool:
        sentences.append(_audits(status))
    return " ".join([*sentences, *_scope(status, saved)])


def _tool(saved: SavedExpansion) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in saved.versions.items())
    encoder = saved.settings.get("encoder")
    method = f'method "{saved.settings["method"]}"' + (f', encoder "{encoder}"' if encoder else "")
    made_with = f"{method}; {packages}" if packages else method
    return f"Records were screened with likewise {saved.likewise} ({made_with})."


def _ranking(status: Status, saved: SavedExpansion) -> str:
    library = f" of a library of {counted(saved.library_size, 'record')}"
    known = len(saved.marks.relevant) + len(saved.marks.irrelevant)
    learned = f", learned from the seeds and from decisions on {counted(known, 'record')}"
    return (
        f"Starting from {counted(status.seeds, 'seed paper')}, it retrieved "
        f"{counted(status.pool, 'candidate')}{library if saved.library_size else ''} and ranked "
        f"them by how likely each is to be on the topic of the seeds{learned if known else ''}."
    )


def _read(status: Status) -> str:
    verb = "was" if status.relevant == 1 else "were"
    undecided = f", and {status.maybe:,} left undecided" if status.maybe else ""
    return (
        f"Of the candidates, {status.looked_at:,} were read; {counted(status.relevant, 'record')} "
        f"beside the seeds {verb} judged relevant{undecided}."
    )


def _end(status: Status) -> str:
    """Say why screening ended, if it did, and what is left."""
    if status.advice.kind != "stop":
        return (
            f"Screening was not complete: {_aim(status)} was not yet shown to be reached, and "
            f"about {_left(status)} relevant candidates were estimated to be left unread."
        )
    if status.looked_at == status.pool:
        return "Screening ended when every candidate had been read."
    by = status.advice.by
    return (
        f"Screening ended by the stopping rule of likewise that rests on {by}, with "
        f"{_aim(status)}; it advises to stop when {_STOPS_WHEN[by]}. "
        f"{promise_of(status.target._replace(by=by))} {_when_it_ended(status)}"
    )


def _when_it_ended(status: Status) -> str:
    estimated = f"about {_left(status)} relevant candidates were estimated to be left unread"
    if status.advice.by == "reading":
        return f"The rule was met after {status.advice.stopped_after:,} were read; {estimated}."
    most = counted(status.advice.left, "relevant candidate")
    least = at_least(status.advice.recall)
    return f"By then at most {most} could be left (a recall of at least {least}); {estimated}."


def _aim(status: Status) -> str:
    recall, sure = share(status.target.recall), share(status.target.confidence)
    return f"the target of finding {recall} of the relevant candidates with {sure} confidence"


def _left(status: Status) -> str:
    """Return how many are estimated to be left, and that its bounds are those of an interval."""
    return interval(status.left, most=status.pool).replace("(", "(80 % interval ")


def _audits(status: Status) -> str:
    drawn = sum(audit.looked_at for audit in status.audits)
    if not drawn:
        return "No random sample of the unread candidates was drawn."
    on_topic = sum(audit.on_topic for audit in status.audits)
    samples = counted(sum(audit.looked_at > 0 for audit in status.audits), "random sample")
    judged = "relevant or left undecided" if status.maybe else "relevant"
    return (
        f"{samples} of candidates that were unread by then, {counted(drawn, 'record')} in all, "
        f"held {on_topic:,} that {'was' if on_topic == 1 else 'were'} judged {judged}."
    )


def _scope(status: Status, saved: SavedExpansion) -> list[str]:
    """Say what recall is about, where the library holds more than was retrieved."""
    if status.pool + len(saved.seeds.matched) >= saved.library_size:
        return []
    return ["Recall is that among the candidates; the rest of the library was not screened."]
