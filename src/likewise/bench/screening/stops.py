"""Where stopping rules would have ended replays, and how good the estimates were until then.

Rules are tried after each batch of an order that was kept, without learning again. They see what
was looked at, and how many records there are. A calibration never includes replays of the same
review. Audits are drawn from what an order has not reached yet, and the records that they found are
skipped when the order reaches them; what methods would learn from an audit is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.bench import make_generator
from likewise.bench.screening.replaying import Evidence, choose_batch, count_enough
from likewise.bench.screening.results import ScreenResult
from likewise.errors import SettingsError
from likewise.learn.estimates import Interval, Target
from likewise.learn.stopping import RATES, ControlSet, ExpectedByScores, Screening, estimate_rates
from likewise.learn.stopping.advice import advise
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.posterior import update_left
from likewise.learn.stopping.reading import Calibration, find_calibration
from likewise.learn.stopping.rules import Rules, parse_rules

AUDIT_RULE = "audited"
"""The rule that uses audits, which are drawn as the advice says."""
CONTROL_RULE = "quantile"
"""The rule that uses held-out seeds, which only our own replays know."""
SCORE_RULE = "quant"
"""The rule that uses scores, which also only our own replays know."""
ASKED = (
    "calibrated",
    "audited",
    "callaghan",
    "callaghan(confidence=0.8)",
    "poisson",
    "poisson(rate=power)",
    "poisson and callaghan(confidence=0.5)",
    "quant",
    "chao",
    "knee",
    "budget",
    "share",
    "consecutive",
    "consecutive(count=100)",
)
"""The rules that are tried by default; not "quantile", for which ten seeds are never enough."""
DEPTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
"""The recalls at which estimates are compared with the truth."""


@dataclass(frozen=True)
class Stop:
    """Where a rule ends a replay."""

    rule: str
    result: ScreenResult
    looked_at: int
    found: int
    stated: float | None
    """The confidence that the rule states for its recall, if it states one."""
    needed: int
    """How many records had to be looked at in this order to reach the recall asked for."""

    @property
    def cost(self) -> float:
        """The share of the records that were looked at, including audits."""
        return self.looked_at / self.result.records

    @property
    def beyond(self) -> float:
        """The share of the records that were looked at although the recall was reached."""
        return (self.looked_at - self.needed) / self.result.records

    @property
    def recall(self) -> float:
        """The share of the records on topic that were found, seeds aside."""
        return self.found / self.result.on_topic


def find_stops(
    results: Iterable[ScreenResult],
    rules: Sequence[str] = (),
    *,
    target: Target | None = None,
    batch: int | None = None,
) -> list[Stop]:
    """Return where rules end each replay.

    Args:
        results: Replays; those that did not find everything are left out.
        rules: Their spellings; by default, those of `ASKED`.
        target: The recall and confidence asked for, if a rule does not name its own.
        batch: How many records are looked at before rules are asked again; by default, 1 %.
    """
    target = target or Target()
    parsed = [parse_rules(rule).aim_at(target) for rule in rules or ASKED]
    stops: list[Stop] = []
    for result in results:
        if len(result.found_at) == result.on_topic:
            steps = list(_list_steps(result, batch=batch or choose_batch(result.records)))
            stops += [
                _find_stop(rule, result, steps, target=target)
                for rule in parsed
                if _can_ask(rule, result)
            ]
    return stops


def _can_ask(rules: Rules, result: ScreenResult) -> bool:
    names = {part.name for part in rules.parts}
    if AUDIT_RULE in names and len(names) > 1:
        raise SettingsError(f"{rules}: the rule {AUDIT_RULE!r} draws audits; ask for it alone")
    return bool(result.rounds) or not names & {CONTROL_RULE, SCORE_RULE}


def _find_stop(
    rules: Rules, result: ScreenResult, steps: Sequence[Screening], *, target: Target
) -> Stop:
    first, chosen = rules.parts[0], dict(rules.parameters)
    says = "confidence" in chosen and len(rules.parts) == 1
    needed = count_enough(target.recall, on_topic=result.on_topic)
    if first.name == AUDIT_RULE:
        asked = Target(float(chosen["recall"]), float(chosen["confidence"]), "audits")
        ended = _replay_audits(result, asked, batch=steps[0].count if steps else 1)
    else:
        calibration = find_calibration(without=result.review)
        is_over = (one for one in steps if rules.stops(one, calibration=calibration))
        last = next(is_over, None)
        ended = (last.count, last.found) if last else (result.records, result.on_topic)
    return Stop(
        str(rules.without(target)),
        result,
        *ended,
        stated=float(chosen["confidence"]) if says else None,
        needed=result.found_at[needed - 1] if needed else 0,
    )


def _list_steps(result: ScreenResult, *, batch: int) -> Iterator[Screening]:
    """Yield what a rule sees after each batch."""
    labels, rounds = result.labels, iter(result.rounds)
    latest = next(rounds, None)
    following = next(rounds, None)
    for end in range(batch, result.records, batch):
        while following is not None and following.looked_at <= end:
            latest, following = following, next(rounds, None)
        scored = ExpectedByScores(*latest.scored) if latest and latest.scored else None
        yield Screening(
            labels=labels[:end],
            size=result.records,
            seeds=result.seeds,
            control=ControlSet(result.seeds, latest.reached) if latest else None,
            scored=scored,
        )


def _replay_audits(result: ScreenResult, target: Target, *, batch: int) -> tuple[int, int]:
    """Return how many were looked at and how many found by the time audits prove a target."""
    calibration = find_calibration(without=result.review)
    rng = make_generator(0, "audits", result.review, result.draw, result.method, str(target.recall))
    unread, read, brought = result.labels, np.zeros(0, dtype=bool), 0
    audits: list[AuditResult] = []
    while len(unread):
        looked = Screening(
            labels=read, size=len(read) + len(unread), brought=brought, audits=tuple(audits)
        )
        likely = _rate_unread(looked, calibration=calibration)
        advice = advise(looked, likely, target=target, calibration=calibration)
        if advice.kind == "stop":
            break
        if advice.kind == "audit":
            drawn = rng.choice(len(unread), size=advice.count, replace=False)
            hits = int(unread[drawn].sum())
            audits.append(AuditResult(len(unread), advice.count, hits, looked.known))
            brought += hits
        else:
            drawn = np.arange(min(batch, advice.count, len(unread)))
            read = np.concatenate([read, unread[drawn]])
        unread = np.delete(unread, drawn)
    return result.records - len(unread), int(read.sum()) + brought


def _rate_unread(looked: Screening, *, calibration: Calibration) -> NDArray[np.float64]:
    """Return how likely each unread record is on topic: declining, and summing to the estimate."""
    if not looked.count:
        return np.full(looked.rest, 0.5)
    rates = np.sqrt(np.prod([estimate_rates(looked, rate=rate) for rate in RATES], axis=0))
    left = update_left(looked, Interval(0, 0, 0), calibration=calibration).value
    return np.asarray(np.minimum(rates * left / rates.sum(), 1.0))


class Estimate(NamedTuple):
    """How good the estimate of what is left was in the first round that reached a recall."""

    depth: float
    error: float
    """The estimate minus the truth, as a share of all records on topic."""
    is_inside: bool
    """Whether the truth is within the interval."""


def list_estimates(results: Iterable[ScreenResult]) -> list[Estimate]:
    """Return an estimate for each of `DEPTHS` that each replay reached."""
    found = []
    for result in results:
        for depth in DEPTHS:
            at = (one for one in result.rounds if one.found >= depth * result.on_topic - 1e-9)
            if one := next(at, None):
                left = result.on_topic - one.found
                value, low, high = map(round, estimate_left(result, one))
                error = (value - left) / result.on_topic
                found.append(Estimate(depth, error, low <= left <= high))
    return found


def estimate_left(result: ScreenResult, at: Evidence) -> Interval:
    """Return the estimate of a round, calibrated without other replays of the same review."""
    looked = Screening(
        labels=result.labels[: at.looked_at],
        size=result.records,
        seeds=result.seeds,
        scored=ExpectedByScores(*at.scored) if at.scored else None,
    )
    calibration = find_calibration(without=result.review)
    return update_left(looked, Interval(*at.usual), calibration=calibration)
