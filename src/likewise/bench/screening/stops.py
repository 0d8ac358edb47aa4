"""Where stopping rules would have ended replays: what that costs, and what recall it reaches.

A rule is asked after each batch. It sees what was looked at, and how many records there are; where
a replay ended because everything was found, all that would have come after is off topic. The advice
for a target goes by more than that, and may draw audits, so it has replays of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.bench.screening.policies import usual_batch
from likewise.errors import SettingsError
from likewise.learn.stopping.looked import ControlSet, Looked
from likewise.learn.stopping.rules import RULES, parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from likewise.bench.screening.results import ScreenResult
    from likewise.learn.stopping.rules import Rule

ADVICE = {"target": "target", "audits": "target(by=audits)"}
"""What the advice is called that is replayed as a policy of its own."""
AUDIT_RULE = "audited"
"""The rule that goes by audits, which change what is looked at."""
CONTROL_RULE = "quantile"
"""The rule that goes by held-out seeds, which only replays of ours know."""
ASKED = (
    "callaghan",
    "chao",
    "knee",
    "knee(least=150)",
    "budget",
    "share",
    "consecutive",
    "consecutive(count=100)",
    "consecutive(count=10, share=0.05)",
)
"""Those replayed if none is named; a control set of ten seeds could never be enough."""


class Stop(NamedTuple):
    """Where a rule ends a replay."""

    rule: str
    result: ScreenResult
    looked_at: int
    stated: float | None
    """With what confidence the rule says that its recall is reached, if it says so."""

    @property
    def cost(self) -> float:
        """The share of the records that were looked at, audits included."""
        return self.looked_at / self.result.records

    @property
    def recall(self) -> float:
        """The share of what is on topic that is found by then, seeds aside."""
        found = sum(place <= self.looked_at for place in self.result.found_at)
        return found / self.result.on_topic


def default_rules(recall: float) -> tuple[str, ...]:
    """Return the rules that are replayed if none is named, asked for a recall."""
    takes_recall = {name for name, info in RULES.items() if info.parameter("recall")}
    return tuple(f"{rule}(recall={recall:g})" if rule in takes_recall else rule for rule in ASKED)


def stops_of(
    results: Iterable[ScreenResult], rules: Sequence[str], *, batch: int | None = None
) -> list[Stop]:
    """Return where rules, and the advice for a target, end each replay.

    They are asked each time that so many were looked at, or a hundredth of the records.
    """
    parsed = [parse_rule(rule) for rule in rules]
    found = []
    for result in results:
        if rule := ADVICE.get(result.policy):
            stated = float(result.settings["confidence"] or 0)
            found.append(Stop(rule, result, result.looked_at, stated))
        elif len(result.found_at) == result.on_topic:
            steps = list(_steps(result, batch=batch or usual_batch(result.records)))
            found += [_stop(rule, result, steps) for rule in parsed if _can_ask(rule, result)]
    return found


def _can_ask(rule: Rule, result: ScreenResult) -> bool:
    if rule.name == AUDIT_RULE:
        raise SettingsError(
            f"the rule {rule.name!r} draws audits, so it has replays of its own, "
            "which are made unless --no-target is given"
        )
    return rule.name != CONTROL_RULE or bool(result.rounds)


def _stop(rule: Rule, result: ScreenResult, steps: Sequence[Looked]) -> Stop:
    ended = next((one.count for one in steps if rule.stops(one)), result.records)
    confidence = RULES[rule.name].parameter("confidence")
    stated = dict(rule.parameters).get("confidence", confidence.default if confidence else None)
    return Stop(str(rule), result, ended, None if stated is None else float(stated))


def _steps(result: ScreenResult, *, batch: int) -> Iterator[Looked]:
    """Yield what a rule sees after each batch."""
    labels = _labels(result)
    reached = {one.looked_at: one.reached for one in result.rounds}
    for end in range(batch, result.records, batch):
        # Once everything is found no round is made, and no seed would stand lower than before.
        control = ControlSet(result.seeds, reached.get(end, max(reached.values(), default=0)))
        yield Looked(
            labels=labels[:end],
            size=result.records,
            seeds=result.seeds,
            control=control if result.rounds else None,
        )


def _labels(result: ScreenResult) -> NDArray[np.bool_]:
    labels = np.zeros(result.records, dtype=bool)
    labels[np.array(result.found_at, dtype=np.int64) - 1] = True
    return labels
