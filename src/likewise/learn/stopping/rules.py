"""Stopping rules: published ones, to compare with, and ours; each sees what was looked at alone.

A rule is spelled as methods are: `callaghan`, `callaghan(recall=0.9)`, `consecutive(count=50)`. Two
rules that both have to stop are joined: `poisson and callaghan(confidence=0.5)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from likewise.errors import SettingsError
from likewise.learn.parameters import (
    BELOW_1,
    COUNT,
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Kind,
    Parameter,
    Value,
    one_of,
)
from likewise.learn.stopping import published
from likewise.learn.stopping.audits import bound_left
from likewise.learn.stopping.looked import RATES, Screening
from likewise.learn.stopping.reading import Calibration, conviction, past_replays
from likewise.learn.stopping.target import Target

_SPELLING = re.compile(r"([a-z-]+)\s*(?:\((.*)\))?", re.DOTALL)
AND = " and "
"""What joins rules that all have to stop."""
_PARAMETER = re.compile(r"\s*([a-z_]+)\s*=\s*([^,()]+?)\s*(?:,|\Z)")


class RuleInfo(NamedTuple):
    """What is known about a stopping rule."""

    name: str
    description: str
    reference: str
    """The authors, the year and the title of what it was first told in; "" if there is none."""
    stops: Callable[..., bool]
    parameters: tuple[Parameter, ...] = ()
    is_calibrated: bool = False
    """Whether it goes by what replays of other reviews taught."""

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of a name, if there is one."""
        return next((known for known in self.parameters if known.name == name), None)


@dataclass(frozen=True)
class Rule:
    """A stopping rule with its parameters."""

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.name}({given})" if given else self.name

    def stops(self, looked: Screening, *, calibration: Calibration | None = None) -> bool:
        """Say whether a person can stop; everybody can who has looked at everything.

        Args:
            looked: What was looked at.
            calibration: What replays taught, if not what comes with the package.
        """
        if looked.count >= looked.size:
            return True
        info = RULES[self.name]
        chosen = {known.name: known.default for known in info.parameters} | dict(self.parameters)
        if info.is_calibrated:
            return info.stops(looked, **chosen, calibration=calibration or past_replays())
        return info.stops(looked, **chosen)

    def aim_at(self, target: Target) -> Rule:
        """Return the rule for a target, so far as its own parameters say nothing else."""
        names = {parameter.name for parameter in RULES[self.name].parameters}
        aims = {name: value for name, value in target._asdict().items() if name in names}
        return replace(self, parameters=tuple((aims | dict(self.parameters)).items()))

    def without(self, target: Target) -> Rule:
        """Return the rule without the parameters that it has of a target."""
        aims = target._asdict().items()
        return replace(self, parameters=tuple(one for one in self.parameters if one not in aims))


@dataclass(frozen=True)
class Rules:
    """Several rules, which all have to stop."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return AND.join(map(str, self.parts))

    @property
    def parameters(self) -> tuple[tuple[str, Value], ...]:
        """What is said of any of them."""
        return tuple(pair for part in self.parts for pair in part.parameters)

    def stops(self, looked: Screening, *, calibration: Calibration | None = None) -> bool:
        """Say whether a person can stop."""
        return all(part.stops(looked, calibration=calibration) for part in self.parts)

    def aim_at(self, target: Target) -> Rules:
        """Return the rules for a target."""
        return Rules(tuple(part.aim_at(target) for part in self.parts))

    def without(self, target: Target) -> Rules:
        """Return the rules without the parameters that they have of a target."""
        return Rules(tuple(part.without(target) for part in self.parts))


def parse_rules(text: str) -> Rules:
    """Return the rules of a spelling, of which there may be one; `str` is its inverse.

    >>> str(parse_rules("poisson and callaghan( confidence=0.5 )"))
    'poisson and callaghan(confidence=0.5)'
    """
    return Rules(tuple(map(parse_rule, text.split(AND))))


def parse_rule(text: str) -> Rule:
    """Return the rule of a spelling; `str` is its inverse.

    >>> str(parse_rule("callaghan( recall=0.9 )"))
    'callaghan(recall=0.9)'
    """
    spelled = _SPELLING.fullmatch(text.strip())
    info = RULES.get(spelled[1] if spelled else "")
    if not spelled or not info:
        raise SettingsError(
            f"the stopping rule {text.strip()!r} is not known; choose from: {', '.join(RULES)}"
        )
    given = spelled[2] or ""
    parameters = _PARAMETER.findall(given)
    if _PARAMETER.sub("", given).strip() or len(dict(parameters)) < len(parameters):
        raise SettingsError(
            f"{text.strip()!r}: parameters are written as in {info.name}(name=1.0, other=2)"
        )
    return Rule(
        info.name, tuple((name, _parse_value(value, name, of=info)) for name, value in parameters)
    )


def _parse_value(text: str, name: str, *, of: RuleInfo) -> Value:
    parameter = of.parameter(name)
    if not parameter:
        names = ", ".join(known.name for known in of.parameters)
        raise SettingsError(
            f"the stopping rule {of.name!r} has no parameter {name!r}; its parameters are: {names}"
        )
    value = parameter.kind.parse(text)
    if value is None:
        found = " ".join(text.split())
        raise SettingsError(f"{of.name}({name}={found}): {name} is {parameter.kind.description}")
    return value


def _stop_by_audits(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when audits leave room for no more than may be left."""
    left = bound_left(looked.audits, found=looked.found, confidence=confidence)
    return left is not None and left <= Target(recall, confidence).count_allowed(looked.found)


def _stop_by_reading(
    looked: Screening, *, recall: float, confidence: float, calibration: Calibration
) -> bool:
    """Stop when reading is convincing enough."""
    needed = calibration.needed(recall=recall, confidence=confidence)
    return conviction(looked, recall=recall) >= needed


_RECALL = Parameter("recall", 0.95, FROM_0_TO_1, "the recall to reach")
_CONFIDENCE = Parameter("confidence", 0.95, SHARE, "how sure of it to be")
_AT_LEAST_0 = Kind("a whole number, at least 0", lambda n: isinstance(n, int) and n >= 0)

RULES: dict[str, RuleInfo] = {
    info.name: info
    for info in (
        RuleInfo(
            "calibrated",
            "what was read convinces as it did in replays of other reviews that had found enough",
            "",
            _stop_by_reading,
            (_RECALL, _CONFIDENCE),
            is_calibrated=True,
        ),
        RuleInfo(
            "audited",
            "random samples of what was not looked at leave no room for more than may be missed",
            "",
            _stop_by_audits,
            (_RECALL, _CONFIDENCE),
        ),
        RuleInfo(
            "callaghan",
            "what was looked at last, taken as a random sample, shows too few for more to be left",
            "Callaghan, Müller-Hansen (2020), Statistical stopping criteria for automated screening"
            " in systematic reviews",
            published.callaghan,
            (_RECALL, _CONFIDENCE),
        ),
        RuleInfo(
            "poisson",
            "finding has declined so far that hardly so many are still to come",
            "Stevenson, Bin-Hezam (2023), Stopping methods for technology-assisted reviews based on"
            " point processes",
            published.poisson,
            (
                Parameter("rate", RATES[0], one_of(*RATES), "how finding declines"),
                _RECALL,
                _CONFIDENCE,
            ),
        ),
        RuleInfo(
            "quant",
            "scores, by the labels of what was looked at, expect enough of the topic to be found",
            "Yang, Lewis, Frieder (2021), Heuristic stopping rules for technology-assisted review",
            published.quant,
            (
                _RECALL,
                Parameter("deviations", 2.0, NOT_NEGATIVE, "by how many it may be lower"),
            ),
        ),
        RuleInfo(
            "chao",
            "a lower bound of how many are left, by how fast finding slows down, allows for it",
            "Chao (1987), Estimating the population size for capture-recapture data with unequal "
            "catchability; used to stop by Bron et al. (2024), with several rankings",
            published.chao,
            (
                _RECALL,
                Parameter("least", 50, _AT_LEAST_0, "documents to look at, whatever they are"),
            ),
        ),
        RuleInfo(
            "knee",
            "the curve of what was found bends: documents come much more rarely than before",
            "Cormack, Grossman (2016), Engineering quality and reliability in technology-assisted "
            "review",
            published.knee,
            (Parameter("least", 1000, _AT_LEAST_0, "how many are looked at in any case"),),
        ),
        RuleInfo(
            "budget",
            "the curve bends, and as much was looked at as a random search for ten would take",
            "Cormack, Grossman (2016), Engineering quality and reliability in technology-assisted "
            "review",
            published.budget,
            (
                Parameter("slope", 6.0, POSITIVE, "how much more rarely"),
                Parameter("most", 0.75, FROM_0_TO_1, "the share after which to stop anyway"),
            ),
        ),
        RuleInfo(
            "share",
            "a share of all documents was looked at",
            "",
            published.share,
            (Parameter("share", 0.5, FROM_0_TO_1, "the share"),),
        ),
        RuleInfo(
            "consecutive",
            "so many in a row were off topic",
            "",
            published.consecutive,
            (
                Parameter("count", 50, COUNT, "how many"),
                Parameter("share", 0.0, BELOW_1, "what share of all, if that is more"),
            ),
        ),
        RuleInfo(
            "quantile",
            "so many of a random control set on topic were reached that it shows the recall",
            "Lewis, Yang, Frieder (2021), Certifying one-phase technology-assisted reviews",
            published.quantile,
            (_RECALL, _CONFIDENCE),
        ),
    )
}
"""Every stopping rule by name; the first two are ours."""
