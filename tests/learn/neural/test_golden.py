"""Losses and risks, with their gradients, against what `scripts/write_golden.py` stored."""

import json
import runpy
from pathlib import Path

import pytest

from learn.neural.extra import torch
from likewise.learn.neural.losses import LOSSES
from likewise.learn.neural.risks import RISKS

ROOT = Path(__file__).parents[3]
STORED = (ROOT / "tests" / "golden" / "risks.json").read_text()
GOLDEN = json.loads(STORED)
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_golden.py"))


def same(made, stored):
    """Whether both say the same, but for rounding."""
    if isinstance(stored, dict):
        return made.keys() == stored.keys() and all(same(made[k], stored[k]) for k in stored)
    if stored is None:
        return made is None
    made, stored = (torch.tensor(numbers, dtype=torch.float64) for numbers in (made, stored))
    return made.shape == stored.shape and torch.allclose(made, stored, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", GOLDEN["losses"])
def test_losses_and_their_slopes_are_what_they_were(name):
    assert same(SCRIPT["compute_loss"](LOSSES[name]), GOLDEN["losses"][name])


@pytest.mark.parametrize("name", GOLDEN["risks"])
def test_risks_and_their_gradients_are_what_they_were(name):
    assert same(SCRIPT["compute_risk"](SCRIPT["CASES"][name]), GOLDEN["risks"][name])


def test_every_loss_and_every_risk_is_stored():
    cases = SCRIPT["CASES"]
    assert GOLDEN["losses"].keys() == LOSSES.keys()
    assert GOLDEN["risks"].keys() == cases.keys()
    assert {type(case.risk) for case in cases.values()} == {*RISKS.values()}


def test_what_is_stored_is_spelled_as_it_would_be_written():
    assert SCRIPT["spell_golden"](GOLDEN) == STORED
