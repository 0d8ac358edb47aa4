"""Aiming: which target counts, and what every stopping rule that is aimed at it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.learn.stopping.rules import AND, RULES, parse_rules
from likewise.learn.stopping.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.learn.stopping.looked import Looked
    from likewise.learn.stopping.target import Basis

ALL = "all"
"""What stands for every rule."""


class RuleSays(NamedTuple):
    """What a stopping rule says of what was looked at."""

    rule: str
    """The rule as it is spelled."""
    description: str
    """When it stops."""
    stops: bool

    @property
    def verdict(self) -> str:
        """What it says, in words."""
        return "would stop" if self.stops else "goes on"


def aim(
    kept: Target | None,
    *,
    recall: float | None = None,
    confidence: float | None = None,
    by: Basis | None = None,
) -> Target:
    """Return the target that is kept, or else the default, but for what is given.

    >>> aim(Target(recall=0.9), by="audits")
    Target(recall=0.9, confidence=0.95, by='audits')
    """
    given = {"recall": recall, "confidence": confidence, "by": by}
    told = {name: value for name, value in given.items() if value is not None}
    return (kept or Target())._replace(**told)  # type: ignore[arg-type]  # each as it is given


def rules_say(
    looked: Looked, target: Target, *, rules: Iterable[str] = (ALL,)
) -> tuple[RuleSays, ...]:
    """Return what rules say, each aimed at the target so far as nothing else is said of it.

    Args:
        looked: What was looked at.
        target: The recall to reach, and how sure to be.
        rules: The rules as they are spelled; "all" stands for every one.
    """
    spelled = [name for rule in rules for name in (RULES if rule == ALL else [rule])]
    return tuple(_says(name, looked, target=target) for name in spelled)


def _says(spelled: str, looked: Looked, *, target: Target) -> RuleSays:
    rules = parse_rules(spelled).aimed_at(target)
    described = AND.join(RULES[part.name].description for part in rules.parts)
    return RuleSays(str(rules), described, rules.stops(looked))
