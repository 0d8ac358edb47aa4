"""Losses, risks and priors of other packages: named, used, and blamed for what they return."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from bench.made import made_task
from learn.corpus import simulated_corpus
from learn.neural.extra import torch
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import NotFiniteError, PlugInError, ScoresError, SettingsError
from likewise.learn.folds import Scores
from likewise.learn.neural.groups import Risk, find_border
from likewise.learn.neural.losses import loss_named, sigmoid
from likewise.learn.neural.risks import UPU, find_risk
from likewise.learn.priors import prior_named
from likewise.learn.spelling import parse_method
from plugging import in_one_line, plug_in

__all__ = ["plug_in"]

SCORES = Scores(np.ones(3), np.zeros(5))


@pytest.fixture
def mine(plug_in):
    """Install something of this module under the name "mine"."""
    return lambda kind, value: plug_in(f"likewise.{kind}", "mine", f"{__name__}:{value}")


# Losses


def exponential(margin):
    return torch.exp(-margin)


def rising(margin):
    return margin


def summed(margin):
    return torch.exp(-margin).sum()


def lost_above_5(margin):
    return torch.where(margin > 5, torch.nan, -margin)


def lost_near_0(margin):
    return torch.where(margin.abs() < 0.5, torch.nan, -margin)


NO_LOSS = 3


def test_a_loss_of_a_plug_in_is_found_by_its_name(mine):
    mine("losses", "exponential")
    # e^1, e^0
    assert loss_named("mine")(torch.tensor([-1.0, 0.0])).tolist() == pytest.approx([2.71828, 1])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("rising", "is -1 at margin -1 and 1 at 1, so it does not fall"),
        ("summed", "returns shape () for margins of (2,), not one loss for each"),
        ("NO_LOSS", "fails: TypeError: 'int' object is not callable"),
    ],
)
def test_what_is_no_loss_is_told_in_one_line(value, said, mine):
    mine("losses", value)
    with pytest.raises(PlugInError) as caught:
        loss_named("mine")
    assert in_one_line(caught, f"the loss 'mine' of {__name__}:{value} {said}")


def test_losses_that_are_not_finite_are_told_in_one_line(mine):
    mine("losses", "lost_above_5")
    loss = loss_named("mine")
    assert loss(torch.tensor([4.0])).tolist() == [-4]
    with pytest.raises(PlugInError) as caught:
        loss(torch.tensor([6.0, 7.0, 1.0]))
    assert in_one_line(caught, "the loss 'mine'", "returns 2 losses that are not finite")


def test_margins_of_a_training_that_diverged_are_no_mistake_of_a_loss(mine):
    mine("losses", "exponential")
    assert loss_named("mine")(torch.tensor([torch.nan])).isnan().all()


def test_a_name_that_nobody_knows_is_told_with_those_of_plug_ins(mine):
    mine("losses", "exponential")
    with pytest.raises(SettingsError, match=r"there is no loss 'hinge'; .* zero-one, mine$"):
        loss_named("hinge")


# Risks


@dataclass(frozen=True)
class Naive:
    """How far positives are below 1 and the others above -1."""

    groups: ClassVar = ("positive", "unlabeled")
    prior: float

    def __call__(self, *, positive, unlabeled):
        risk = (1 - positive).square().mean() + (1 + unlabeled).square().mean()
        return Risk({}, value=risk, objective=risk)


class Lost(Naive):
    def __call__(self, **scores):
        risk = super().__call__(**scores)
        return risk._replace(value=risk.value * torch.nan)


class Bare(Naive):
    def __call__(self, **scores):
        return super().__call__(**scores).value


class Wide(Naive):
    def __call__(self, *, positive, unlabeled):
        return Risk({}, value=positive, objective=positive)


class Failing(Naive):
    def __call__(self, **scores):
        raise KeyError("what")


@dataclass(frozen=True)
class Demanding(Naive):
    height: float


@dataclass(frozen=True)
class Groupless:
    prior: float

    def __call__(self, **scores): ...


def of_scores(kind, *numbers):
    return kind(prior=0.5)(positive=torch.tensor(numbers), unlabeled=torch.tensor([-1.0]))


def test_a_risk_of_a_plug_in_is_found_by_its_name(mine):
    mine("risks", "Naive")
    kind = find_risk("mine")
    assert (kind.__name__, kind.groups) == ("Naive", ("positive", "unlabeled"))
    # The square of 1 - 3, and that of 1 - 1.
    assert of_scores(kind, 3.0).value == 4


@pytest.mark.parametrize("value", ["Groupless", "exponential", "NO_LOSS"])
def test_what_is_no_risk_is_told_in_one_line(value, mine):
    mine("risks", value)
    with pytest.raises(PlugInError) as caught:
        find_risk("mine")
    assert in_one_line(caught, f"the risk 'mine' of {__name__}:{value} is not a risk: a dataclass")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Lost", "returns a risk that is not finite for scores that are"),
        ("Bare", "returns no Risk whose value and objective are tensors of one number"),
        ("Wide", "returns no Risk whose value and objective are tensors of one number"),
        ("Failing", "fails: KeyError: 'what'"),
        ("Demanding", "fails: TypeError: "),
    ],
)
def test_what_a_risk_must_not_return_is_told_in_one_line(value, said, mine):
    mine("risks", value)
    with pytest.raises(PlugInError) as caught:
        of_scores(find_risk("mine"), 1.0)
    assert in_one_line(caught, f"the risk 'mine' of {__name__}:{value} {said}")


def test_scores_of_a_training_that_diverged_are_no_mistake_of_a_risk(mine):
    mine("risks", "Naive")
    with pytest.raises(NotFiniteError, match="1 of 1 numbers of positive are not finite"):
        of_scores(find_risk("mine"), torch.nan)


def test_a_border_that_is_no_number_is_refused():
    class Borderless(UPU):
        def border(self, scores):
            return torch.nan

    with pytest.raises(ScoresError, match="the border of the risk Borderless is nan; it must be"):
        find_border(Borderless(prior=0.5, loss=sigmoid), torch.zeros(3))


# Priors


def of_seeds(scores):
    return len(scores.seeds) / 10


def beyond(scores):
    return 1.5


def unknown(scores):
    return float("nan")


def worded(scores):
    return "half"


def test_a_prior_of_a_plug_in_is_found_by_its_name(mine):
    mine("priors", "of_seeds")
    assert prior_named("mine")(SCORES) == 0.3


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("beyond", "estimates 1.5, which is not a number from 0 to 1"),
        ("unknown", "estimates nan, which is not a number from 0 to 1"),
        ("worded", "fails: ValueError: could not convert"),
    ],
)
def test_what_is_no_prior_is_told_in_one_line(value, said, mine):
    mine("priors", value)
    with pytest.raises(PlugInError) as caught:
        prior_named("mine")(SCORES)
    assert in_one_line(caught, f"the prior 'mine' of {__name__}:{value} {said}")


def test_a_prior_that_nobody_knows_is_told_with_those_there_are():
    with pytest.raises(SettingsError, match=r"there is no prior 'mine'; .*: experience, "):
        prior_named("mine")


# In methods


def test_they_are_spelled_where_ours_are(mine):
    text = "cnn(risk=mine, prior=mine, loss=mine)"
    with pytest.raises(SettingsError, match="risk is one of: nnpu"):
        parse_bench_method(text)
    for kind, value in {"risks": "Naive", "priors": "of_seeds", "losses": "exponential"}.items():
        mine(kind, value)
    assert str(parse_bench_method(text)) == text
    assert str(parse_method("nnpu-cnn(prior=mine, loss=mine)"))


def test_a_bad_spelling_tells_of_those_of_plug_ins(mine):
    mine("risks", "Naive")
    with pytest.raises(SettingsError, match=r", naive; from plug-ins: mine$"):
        parse_bench_method("cnn(risk=yours)")


def test_a_plug_in_does_not_take_the_name_of_one_of_ours(plug_in):
    plug_in("likewise.losses", "sigmoid", "no_such_package:sigmoid")
    assert loss_named("sigmoid") is sigmoid


def test_a_loss_and_a_prior_of_plug_ins_train_a_network_of_the_product(mine):
    mine("losses", "exponential")
    mine("priors", "of_seeds")
    material = simulated_corpus().material
    method = parse_method("nnpu-cnn(prior=mine, loss=mine, epochs=1, folds=2)")
    assert np.isfinite(method.score(material, rng=np.random.default_rng(0)).scores.pool).all()


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        ("loss", "lost_near_0", r"the loss 'mine' of .*:lost_near_0 returns \d+ losses that are"),
        ("prior", "unknown", r"the prior 'mine' of .*:unknown estimates nan"),
    ],
)
def test_what_is_not_finite_while_a_network_is_trained_is_told_in_one_line(
    parameter, value, said, mine
):
    mine({"loss": "losses", "prior": "priors"}[parameter], value)
    method = parse_method(f"nnpu-cnn({parameter}=mine, epochs=1)")
    with pytest.raises(PlugInError, match=said):
        method.score(simulated_corpus().material, rng=np.random.default_rng(0))


@pytest.mark.parametrize("text", ["cnn(risk=mine, epochs=1)", "random + cnn(risk=mine, epochs=1)"])
def test_a_risk_that_is_not_finite_is_told_in_one_line_by_the_paper_s_network(text, mine):
    mine("risks", "Lost")
    view = TaskView(made_task()[0], CountedTerms())
    with pytest.raises(PlugInError) as caught:
        parse_bench_method(text).answer(view, rng=np.random.default_rng(0))
    assert in_one_line(caught, "the risk 'mine' of", "returns a risk that is not finite")


def test_a_risk_of_a_plug_in_trains_the_paper_s_network(mine):
    mine("risks", "Naive")
    view = TaskView(made_task()[0], CountedTerms())
    trained, untrained = (
        parse_bench_method(f"cnn(risk=mine, batch=16, {steps})").answer(
            view, rng=np.random.default_rng(0)
        )
        for steps in ("epochs=5", "epochs=1, learning_rate=1e-30")
    )
    is_on = np.array([name.startswith("cat") for name in trained.ids])
    apart, by_chance = (
        each.scores[is_on].mean() - each.scores[~is_on].mean() for each in (trained, untrained)
    )
    assert apart > 2 * abs(by_chance)


def test_spelling_them_does_not_load_them(plug_in):
    plug_in("likewise.risks", "mine", "no_such_package:Risk")
    assert str(parse_bench_method("cnn(risk=mine)")) == "cnn(risk=mine)"
