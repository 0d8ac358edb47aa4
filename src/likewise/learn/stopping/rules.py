"""Stopping rules: ours, and published ones to compare with; each sees only what was looked at.

A published rule is a function with its formula; `RULES`, at the end, names all of them. Rules are
spelled like methods: `callaghan`, `callaghan(recall=0.9)`, `consecutive(count=50)`. Two rules that
both have to stop are joined: `poisson and callaghan(confidence=0.5)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import bdtr, logsumexp, pdtr

from likewise.errors import SettingsError
from likewise.learn.estimates import Target
from likewise.learn.stopping import RATES, Rate, Screening, expect_ahead
from likewise.learn.stopping.audits import limit_left, log_hypergeometric
from likewise.learn.stopping.reading import Calibration, find_calibration, measure_conviction
from likewise.parameters import (
    BELOW_1,
    COUNT,
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Kind,
    Parameter,
    Spelling,
    Value,
    one_of,
    spell,
)

AND = " and "
"""What joins rules that all have to stop."""
KNEE_SLOPE = 6.0
KNEE_FOUND = 150
TERMS = 60
"""How many terms of a tail are summed."""


@dataclass(frozen=True)
class RuleInfo:
    """What is known about a stopping rule."""

    name: str
    description: str
    reference: str
    """The authors, year and title of the paper that introduced it; "" if there is none."""
    stops: Callable[..., bool]
    parameters: tuple[Parameter, ...] = ()
    is_calibrated: bool = False
    """Whether it uses the calibration on replays of other reviews."""


@dataclass(frozen=True)
class Rule:
    """A stopping rule with its parameters."""

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return spell(self.name, self.parameters)

    def stops(self, looked: Screening, *, calibration: Calibration | None = None) -> bool:
        """Return whether a person can stop, which is always so when everything was looked at.

        Another calibration on replays can take the place of that which comes with the package.
        """
        if looked.count >= looked.size:
            return True
        info = RULES[self.name]
        chosen = {known.name: known.default for known in info.parameters} | dict(self.parameters)
        if info.is_calibrated:
            return info.stops(looked, **chosen, calibration=calibration or find_calibration())
        return info.stops(looked, **chosen)

    def aim_at(self, target: Target) -> Rule:
        """Return the rule with the recall and confidence of a target, unless it names its own."""
        names = {parameter.name for parameter in RULES[self.name].parameters}
        aims = {name: value for name, value in target._asdict().items() if name in names}
        return replace(self, parameters=tuple((aims | dict(self.parameters)).items()))

    def without(self, target: Target) -> Rule:
        """Return the rule without the parameters that are the same as those of a target."""
        aims = target._asdict().items()
        return replace(self, parameters=tuple(one for one in self.parameters if one not in aims))


@dataclass(frozen=True)
class Rules:
    """Several rules that all have to agree to stop."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return AND.join(map(str, self.parts))

    @property
    def parameters(self) -> tuple[tuple[str, Value], ...]:
        """The parameters of all of them."""
        return tuple(pair for part in self.parts for pair in part.parameters)

    def stops(self, looked: Screening, *, calibration: Calibration | None = None) -> bool:
        """Return whether a person can stop."""
        return all(part.stops(looked, calibration=calibration) for part in self.parts)

    def aim_at(self, target: Target) -> Rules:
        """Return each rule with the recall and confidence of a target, unless it names its own."""
        return Rules(tuple(part.aim_at(target) for part in self.parts))

    def without(self, target: Target) -> Rules:
        """Return the rules without the parameters that are the same as those of a target."""
        return Rules(tuple(part.without(target) for part in self.parts))


def parse_rules(text: str) -> Rules:
    """Return the rules of a spelling, one or several; `str` is its inverse.

    >>> str(parse_rules("poisson and callaghan( confidence=0.5 )"))
    'poisson and callaghan(confidence=0.5)'
    """
    return Rules(tuple(map(parse_rule, text.split(AND))))


def parse_rule(text: str) -> Rule:
    """Return the rule of a spelling; `str` is its inverse.

    >>> str(parse_rule("callaghan( recall=0.9 )"))
    'callaghan(recall=0.9)'
    """
    spelled = Spelling.of(text)
    info = RULES.get(spelled.name)
    if not info:
        raise SettingsError(
            f"the stopping rule {text.strip()!r} is not known; choose from: {', '.join(RULES)}"
        )
    values = spelled.values(info.parameters, of=f"the stopping rule {info.name!r}")
    return Rule(info.name, tuple(values.items()))


def _stop_by_audits(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when audits show that no more are left than the target allows."""
    left = limit_left(looked.audits, found=looked.found, confidence=confidence)
    return left is not None and left <= Target(recall, confidence).count_allowed(looked.found)


def _stop_by_reading(
    looked: Screening, *, recall: float, confidence: float, calibration: Calibration
) -> bool:
    """Stop when reading is convincing enough."""
    needed = calibration.find_needed(recall=recall, confidence=confidence)
    return measure_conviction(looked, recall=recall) >= needed


def callaghan(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when so few finds since some start would be unlikely if the target was missed.

    With N documents in all, of which n were looked at and r found, and r_i found after the first i:
    if the target was missed, at least

        K_i = floor(r / recall - r_i) + 1

    of the N - i others were on topic at start i. Taken as drawn at random, the n - i since then
    would show no more than r - r_i of them with a hypergeometric probability, p_i. Stop when the
    smallest p_i is below 1 - confidence. The rule is conservative because the best come first, but
    it tries many starts. Only starts just after a find can have the smallest p_i.
    """
    left = Target(recall).count_allowed(looked.found)
    return compute_chance_of_reading(looked, left=left + 1) < math.log(1 - confidence)


def compute_chance_of_reading(looked: Screening, *, left: int) -> float:
    """Return the smallest ln p_i for what was found, if `left` are left."""
    finds = np.arange(looked.found + 1)
    since, starting = looked.found - finds, np.concatenate([[0], looked.places])[finds]
    sample, population, of = looked.count - starting, looked.size - starting, since + left
    # A start is evidence only if fewer were found since than chance would find.
    is_poor = (sample > 0) & (since * population < sample * of)
    since, sample, population, of = (one[is_poor] for one in (since, sample, population, of))
    # Below the expected number, probabilities fall so fast that the first ones make up the sum.
    numbers = since - np.arange(TERMS)[:, None]
    logs = log_hypergeometric(numbers, sample=sample, population=population, of=of)
    return float(logsumexp(logs, axis=0).min(initial=0.0)) if len(since) else 0.0


def poisson(looked: Screening, *, rate: Rate, recall: float, confidence: float) -> bool:
    """Stop when the decline of finds says that few enough are still to come.

    With r found and c still to come at a declining rate (`stopping/__init__.py`), stop when

        r >= recall (r + the quantile of the Poisson distribution of mean c at the confidence)
    """
    if not looked.found:
        return False
    ahead = expect_ahead(looked, rate=rate)
    return bool(pdtr(Target(recall).count_allowed(looked.found), ahead) >= confidence)


def quant(looked: Screening, *, recall: float, deviations: float) -> bool:
    """Stop when the recall that scores predict is high enough, even some deviations lower.

    If scores predict A on topic among what was read and B among the rest, with variances a and b,
    the recall A / (A + B) has, to first order, the variance

        (B^2 a + A^2 b) / (A + B)^4
    """
    if not looked.scored:
        return False
    read, rest, variance, rest_variance = looked.scored
    total = read + rest
    spread = (rest**2 * variance + read**2 * rest_variance) ** 0.5 / total**2
    return bool(read / total - deviations * spread >= recall)


def chao(looked: Screening, *, recall: float, least: int) -> bool:
    """Stop when the recall would be reached if as few are left as a lower bound says.

    Each document on topic has some chance of being found in a stretch of reading. If n and m are
    found in two stretches of the same length, one after the other, then whatever the chances,
    Chao's use of the Cauchy-Schwarz inequality (1987) gives for the number left after the second

        left >= m^2 / (n - m)

    The stretches are the second and the last third of what was looked at; the rule never stops
    before `least` documents were looked at. Bron et al. (2024) count in how many of several
    rankings a document is found; this is a variant for one ranking.
    """
    third = looked.count // 3
    if not third or not looked.found or looked.count < least:
        return False
    last = int(looked.labels[-third:].sum())
    before = int(looked.labels[-2 * third : -third].sum())
    if last >= before:
        return before == 0
    return last**2 / (before - last) <= Target(recall).count_allowed(looked.found)


def knee(looked: Screening, *, least: int) -> bool:
    """Stop when the curve of what was found bends sharply.

    The knee is the place i after which the curve is farthest above the line from its start to its
    end at n. With r found, r_i of them up to the knee, the slopes before and after have the ratio

        (r_i / i) / ((1 + r - r_i) / (n - i))

    Stop when it is at least 156 - min(r, 150), but not before `least` were looked at.
    """
    if looked.count < least or not looked.found:
        return False
    return _slope_ratio(looked) >= KNEE_FOUND + KNEE_SLOPE - min(looked.found, KNEE_FOUND)


def budget(looked: Screening, *, slope: float, most: float) -> bool:
    """Stop when the curve bends and a random search would have cost as much.

    That is, the ratio of slopes at the knee is at least `slope`, and at least 10 N / r documents
    were looked at, which is what finding ten by chance would take. It also stops when the share
    `most` of all documents was looked at.
    """
    if looked.count >= most * looked.size:
        return True
    if not looked.found or looked.count < 10 * looked.size / looked.found:
        return False
    return _slope_ratio(looked) >= slope


def share(looked: Screening, *, share: float) -> bool:
    """Stop when this share of all documents was looked at."""
    return looked.count >= share * looked.size


def consecutive(looked: Screening, *, count: int, share: float) -> bool:
    """Stop when this many in a row were off topic: a count, or a share of all if that is more."""
    last = int(looked.places[-1]) if looked.found else 0
    return looked.count - last >= max(count, share * looked.size)


def quantile(looked: Screening, *, recall: float, confidence: float) -> bool:
    """Stop when enough of a control set was reached.

    Of n documents on topic, drawn at random and kept aside, let the j-th be reached. It ranks
    beyond the wanted recall with probability

        P(Binomial(n, recall) < j)

    Stop at the first j for which this is at least the confidence; with fewer than 59 documents no
    j shows 0.95 with confidence 0.95. Seeds are such a set only if they were drawn at random.
    """
    control = looked.control
    if not control or not control.reached:
        return False
    return bool(bdtr(control.reached - 1, control.size, recall) >= confidence)


def _slope_ratio(looked: Screening) -> float:
    """Return how much steeper the curve of what was found is before its knee than after."""
    places, found = looked.places, np.arange(1, looked.found + 1)
    # The curve is farthest above the line just when something was found.
    best = int(np.argmax(found / looked.found - places / looked.count))
    knee_at, up_to = int(places[best]), best + 1
    after = (1 + looked.found - up_to) / max(looked.count - knee_at, 1)
    return up_to / knee_at / after


_RECALL = Parameter("recall", 0.95, FROM_0_TO_1, "the recall to reach")
_CONFIDENCE = Parameter("confidence", 0.95, SHARE, "how sure of it to be")
_CORMACK = (
    "Cormack, Grossman (2016), Engineering quality and reliability in technology-assisted review"
)
_AT_LEAST_0 = Kind("a whole number, at least 0", lambda n: isinstance(n, int) and n >= 0)

RULES: dict[str, RuleInfo] = {
    info.name: info
    for info in (
        RuleInfo(
            "calibrated",
            "what was read is as convincing as it was in replays of reviews that had found enough",
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
            callaghan,
            (_RECALL, _CONFIDENCE),
        ),
        RuleInfo(
            "poisson",
            "finds have declined so far that hardly more are to come than the target allows",
            "Stevenson, Bin-Hezam (2023), Stopping methods for technology-assisted reviews based on"
            " point processes",
            poisson,
            (
                Parameter("rate", RATES[0], one_of(*RATES), "how finds decline"),
                _RECALL,
                _CONFIDENCE,
            ),
        ),
        RuleInfo(
            "quant",
            "scores, given the labels of what was looked at, predict that enough was found",
            "Yang, Lewis, Frieder (2021), Heuristic stopping rules for technology-assisted review",
            quant,
            (
                _RECALL,
                Parameter("deviations", 2.0, NOT_NEGATIVE, "how many deviations lower it may be"),
            ),
        ),
        RuleInfo(
            "chao",
            "a lower bound of how many are left, from how fast finds slow down, allows for it",
            "Chao (1987), Estimating the population size for capture-recapture data with unequal "
            "catchability; used to stop by Bron et al. (2024), with several rankings",
            chao,
            (
                _RECALL,
                Parameter("least", 50, _AT_LEAST_0, "how many to look at in any case"),
            ),
        ),
        RuleInfo(
            "knee",
            "the curve of what was found bends: documents come much more rarely than before",
            _CORMACK,
            knee,
            (Parameter("least", 1000, _AT_LEAST_0, "how many to look at in any case"),),
        ),
        RuleInfo(
            "budget",
            "the curve bends, and as much was looked at as a random search for ten would take",
            _CORMACK,
            budget,
            (
                Parameter("slope", 6.0, POSITIVE, "how many times rarer finds must become"),
                Parameter("most", 0.75, FROM_0_TO_1, "the share after which to stop anyway"),
            ),
        ),
        RuleInfo(
            "share",
            "a share of all documents was looked at",
            "",
            share,
            (Parameter("share", 0.5, FROM_0_TO_1, "the share"),),
        ),
        RuleInfo(
            "consecutive",
            "a number of documents in a row were off topic",
            "",
            consecutive,
            (
                Parameter("count", 50, COUNT, "how many"),
                Parameter("share", 0.0, BELOW_1, "what share of all, if that is more"),
            ),
        ),
        RuleInfo(
            "quantile",
            "enough of a random control set on topic was reached to show the recall",
            "Lewis, Yang, Frieder (2021), Certifying one-phase technology-assisted reviews",
            quantile,
            (_RECALL, _CONFIDENCE),
        ),
    )
}
"""Every stopping rule by name; the first two are ours."""
