import numpy as np
import pytest

from likewise.errors import SettingsError
from likewise.expansion.sessions.status import RuleVerdict, aim, consult_rules
from likewise.learn.stopping.looked import Screening
from likewise.learn.stopping.rules import RULES
from likewise.learn.stopping.target import Target

LOOKED = Screening(labels=np.array([True, False, False, False]), size=10)


def test_without_a_kept_target_the_default_counts():
    assert aim(None) == Target()


def test_what_is_given_counts_more_than_what_is_kept():
    kept = Target(0.9, 0.8, "audits")
    assert aim(kept) == kept
    assert aim(kept, recall=0.7) == Target(0.7, 0.8, "audits")
    assert aim(kept, confidence=0.99, by="reading") == Target(0.9, 0.99, "reading")


def test_every_rule_is_aimed_at_the_target():
    said = consult_rules(LOOKED, Target(0.9, 0.8))
    assert [one.rule.split("(")[0] for one in said] == list(RULES)
    assert said[0].rule == "calibrated(recall=0.9, confidence=0.8)"
    assert said[0].description == RULES["calibrated"].description
    aimed = [one.rule for one in said if "recall=0.9" in one.rule]
    assert "callaghan(recall=0.9, confidence=0.8)" in aimed
    assert "poisson(recall=0.9, confidence=0.8)" in aimed


def test_what_is_said_of_a_rule_counts_more_than_the_target():
    (said,) = consult_rules(LOOKED, Target(0.9), rules=["callaghan(recall=0.7)"])
    assert said.rule == "callaghan(recall=0.7, confidence=0.95)"


def test_a_rule_would_stop_or_goes_on():
    said = consult_rules(LOOKED, Target(), rules=["consecutive(count=3)", "consecutive(count=4)"])
    assert [(one.stops, one.verdict) for one in said] == [(True, "would stop"), (False, "goes on")]
    assert said[0] == RuleVerdict(
        "consecutive(count=3)", RULES["consecutive"].description, stops=True
    )


def test_rules_that_are_joined_are_asked_together():
    joined = "consecutive(count=3) and callaghan(recall=0.5)"
    (said,) = consult_rules(LOOKED, Target(0.9), rules=[joined])
    assert said.rule == "consecutive(count=3) and callaghan(recall=0.5, confidence=0.95)"
    both = [RULES[name].description for name in ("consecutive", "callaghan")]
    assert said.description == " and ".join(both)
    assert not said.stops


def test_a_rule_that_is_not_known_is_refused():
    with pytest.raises(SettingsError, match="'guess' is not known"):
        consult_rules(LOOKED, Target(), rules=["guess"])
