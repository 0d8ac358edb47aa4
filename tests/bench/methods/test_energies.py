"""puDE by energies: by hand, and that it tells rows apart."""

import pytest

from bench.labelled_rows import in_order, labelled
from learn.neural.extra import torch
from likewise.bench.methods import energies
from likewise.bench.methods.energies import Energies, contrast, run_langevin


def test_what_is_gone_down_on_by_hand():
    # The means are 2 and 4, those of squares 5 and 16, half of which count.
    known, made = torch.tensor([1.0, 3.0]), torch.tensor([4.0, 4.0])
    assert contrast(known, made, calm=0.5).item() == 8.5


def test_a_step_without_noise_by_hand(monkeypatch):
    monkeypatch.setattr(energies.torch, "randn_like", torch.zeros_like)
    # Of the energy x^2 / 2 each step leaves 1 - rate / 2 of x.
    found = run_langevin(lambda rows: rows.square() / 2, torch.tensor([[8.0]]), steps=3, rate=1.0)
    assert found.tolist() == [[1.0]]


def test_steps_draw_from_the_density_of_an_energy():
    torch.manual_seed(0)
    begun = torch.zeros(4000, 1)
    # exp(-(x - 3)^2 / 2) is the normal density around 3.
    found = run_langevin(lambda rows: (rows - 3).square() / 2, begun, steps=300, rate=0.05)
    assert found.mean().item() == pytest.approx(3, abs=0.1)
    assert found.std().item() == pytest.approx(1, abs=0.1)


def test_hidden_rows_are_told_from_others():
    seeds, pool, is_on = labelled()
    scores = Energies(steps=60).learn(seeds, pool).decision_function(pool)
    assert in_order(scores, is_on) > 0.8


def test_exchanged_groups_turn_the_order():
    seeds, pool, is_on = labelled()
    scores = Energies(steps=60).learn(pool[~is_on], seeds).decision_function(pool)
    assert in_order(scores, is_on) < 0.4
