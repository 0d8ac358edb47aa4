"""The training loop."""

import math

import numpy as np
import pytest

from learn.neural.extra import torch
from likewise.errors import NotFiniteError, SettingsError
from likewise.learn.batching import ProportionalBatches
from likewise.learn.neural.groups import Risk
from likewise.learn.neural.records import (
    Epoch,
    Figures,
    History,
    TrainingSettings,
    average_figures,
    find_device,
)
from likewise.learn.neural.risks import NNPU
from likewise.learn.neural.training import Training, seed_torch, train
from likewise.learn.neural.transformer import LinearHead, MLPHead

RNG = np.random.default_rng(3)
ROWS = {"positive": RNG.normal(1, 1, (8, 2)), "unlabeled": RNG.normal(0, 1, (24, 2))}
BATCHES = ProportionalBatches({"positive": 8, "unlabeled": 24}, size=8)  # 4 an epoch


def network():
    with seed_torch(5):
        return MLPHead(2, hidden=(4,), dropout=0.5)


def nnpu(model):
    risk = NNPU(prior=0.3)
    return lambda batch: risk(**{name: model(ROWS[name][batch[name]]) for name in ROWS})


def trained(model=None, **settings):
    model = model or network()
    history = train(
        model, nnpu(model), BATCHES, settings=TrainingSettings(**{"epochs": 3} | settings)
    )
    return model, history


def weights(model):
    return torch.cat([parameter.detach().ravel() for parameter in model.parameters()])


class Point(torch.nn.Module):
    """A single weight, which stands where it starts."""

    def __init__(self, start=1.0):
        super().__init__()
        self.place = torch.nn.Parameter(torch.tensor(start))

    def forward(self, rows):
        return self.place * torch.ones(len(rows))


def as_risk(value):
    return Risk({"positive": value}, value=value, objective=value)


def train_point(point, values=None, objective=None, **settings):
    """Train a point, with these validation risks in turn."""
    risks = iter(values or [])
    return train(
        point,
        objective or (lambda _: as_risk(point.place**2)),
        BATCHES,
        settings=TrainingSettings(**settings),
        validate=(lambda: as_risk(torch.tensor(next(risks)))) if values else None,
    )


class TestDescending:
    def test_the_risk_falls(self):
        _, history = trained(epochs=20, learning_rate=0.02)
        assert history.epochs[-1].training.value < history.epochs[0].training.value - 0.01

    def test_the_first_step_of_adam_is_as_long_as_the_learning_rate(self):
        point = Point(1.0)
        train_point(point, epochs=1, learning_rate=0.01)
        # All four gradients point the same way, and are nearly the same.
        assert point.place.item() == pytest.approx(1 - 4 * 0.01, abs=1e-4)

    def test_long_gradients_are_clipped(self):
        point = Point(100.0)
        training = Training(
            point, lambda _: as_risk(point.place**2), BATCHES, settings=TrainingSettings(clip=3.0)
        )
        training.step({})
        assert point.place.grad.item() == pytest.approx(3.0, abs=1e-4)

    def test_what_is_descended_on_is_the_objective(self):
        point = Point(1.0)
        risk = lambda _: Risk({}, value=point.place**2, objective=-(point.place**2))  # noqa: E731
        train_point(point, objective=risk, epochs=1, learning_rate=0.01)
        assert point.place.item() == pytest.approx(1.04, abs=1e-3)

    def test_frozen_weights_stay_as_they_are(self):
        model = network()
        model.columns.requires_grad_(requires_grad=False)
        before = model.columns.weight.clone()
        trained(model)
        assert torch.equal(model.columns.weight, before)

    def test_a_model_without_anything_to_learn_is_refused(self):
        with pytest.raises(SettingsError, match="no weights to train"):
            trained(network().requires_grad_(requires_grad=False))

    def test_weight_decay_pulls_weights_to_0(self):
        point = Point(1.0)
        idle = lambda _: as_risk(0 * point.place)  # noqa: E731
        train_point(point, objective=idle, epochs=1, learning_rate=0.01, weight_decay=0.1)
        assert point.place.item() < 0.98

    def test_it_trains_in_training_mode_and_validates_in_evaluation_mode(self):
        point, seen = Point(), []

        def objective(_):
            seen.append(point.training)
            return as_risk(point.place**2)

        def validate():
            seen.append(point.training or torch.is_grad_enabled())
            return as_risk(point.place)

        train(point, objective, BATCHES, settings=TrainingSettings(epochs=1), validate=validate)
        assert seen == [True, True, True, True, False]
        assert not point.training


class TestRandomness:
    def test_the_same_seed_gives_the_same_weights(self):
        first, _ = trained()
        torch.rand(100)
        assert torch.equal(weights(first), weights(trained()[0]))

    def test_another_seed_gives_other_weights(self):
        assert not torch.equal(weights(trained()[0]), weights(trained(seed=1)[0]))

    def test_the_randomness_of_the_program_around_it_is_left_alone(self):
        torch.manual_seed(7)
        np.random.seed(7)  # noqa: NPY002
        expected = torch.rand(3), np.random.rand(3)  # noqa: NPY002
        torch.manual_seed(7)
        np.random.seed(7)  # noqa: NPY002
        trained()
        assert torch.equal(torch.rand(3), expected[0])
        assert (np.random.rand(3) == expected[1]).all()  # noqa: NPY002

    def test_epochs_differ_from_one_another(self):
        drawn = []
        for number in (1, 2):
            with seed_torch(0, number):
                drawn.append(torch.rand(3))
        assert not torch.equal(*drawn)

    def test_an_error_gives_the_randomness_back_too(self):
        torch.manual_seed(7)
        expected = torch.rand(1)
        torch.manual_seed(7)
        with pytest.raises(TypeError), seed_torch(1):
            torch.rand(torch.rand(5))
        assert torch.equal(torch.rand(1), expected)


class TestStopping:
    def test_without_validation_all_epochs_are_run(self):
        _, history = trained(epochs=7, patience=1)
        assert [epoch.number for epoch in history.epochs] == [1, 2, 3, 4, 5, 6, 7]
        assert (history.best, history.stopped) == (7, "epochs")

    def test_it_stops_when_its_patience_is_over(self):
        history = train_point(Point(), [0.5, 0.4, 0.45, 0.4, 0.1], epochs=9, patience=2)
        # The risk of epoch 2 is not bettered in epochs 3 and 4.
        assert (len(history.epochs), history.best, history.stopped) == (4, 2, "patience")

    def test_the_best_weights_are_restored(self):
        whole, short = Point(), Point()
        train_point(whole, [0.5, 0.4, 0.45, 0.41], epochs=4, learning_rate=0.01)
        train_point(short, epochs=2, learning_rate=0.01)
        assert whole.place.item() == short.place.item() < 0.95

    def test_all_epochs_may_run_with_validation(self):
        history = train_point(Point(), [0.5, 0.4, 0.3], epochs=3)
        assert (history.best, history.stopped) == (3, "epochs")

    def test_the_history_tells_both_risks(self):
        (epoch,) = train_point(Point(2.0), [0.5], epochs=1, learning_rate=1e-9).epochs
        assert epoch.training.value == pytest.approx(4)
        assert epoch.validation == Figures(0.5, {"positive": 0.5})
        assert epoch.seconds > 0


class TestDiverging:
    @staticmethod
    def turning_bad(point, after):
        """An objective that is no number any more after so many steps."""
        steps = iter(range(100))
        return lambda _: as_risk(point.place * (1 if next(steps) < after else math.nan))

    def test_the_weights_of_the_last_good_epoch_are_restored(self):
        point, short = Point(), Point()
        history = train_point(point, objective=self.turning_bad(point, 9), epochs=5)
        train_point(short, objective=self.turning_bad(short, 99), epochs=2)
        assert (len(history.epochs), history.best, history.stopped) == (2, 2, "diverged")
        assert point.place.item() == short.place.item()

    def test_in_the_first_epoch_it_goes_back_to_where_it_began(self):
        point = Point(1.0)
        history = train_point(point, objective=self.turning_bad(point, 2), epochs=5)
        assert history == History(stopped="diverged")
        assert point.place.item() == 1

    def test_with_validation_the_best_weights_are_restored(self):
        point, short = Point(), Point()
        bad = self.turning_bad(point, 13)
        history = train_point(point, [0.1, 0.2, 0.3], objective=bad, epochs=5)
        train_point(short, objective=self.turning_bad(short, 99), epochs=1)
        assert (history.best, history.stopped) == (1, "diverged")
        assert point.place.item() == short.place.item()

    def test_a_validation_risk_that_is_no_number_is_diverging_too(self):
        history = train_point(Point(), [0.5, math.nan], epochs=5)
        assert (len(history.epochs), history.best, history.stopped) == (1, 1, "diverged")

    def test_a_gradient_that_is_no_number_does_no_harm(self):
        point = Point(0.0)
        # The root of 0 is 0, and its slope is infinite.
        history = train_point(point, objective=lambda _: as_risk(point.place.sqrt()))
        assert history.stopped == "diverged"
        assert point.place.item() == 0

    def test_scores_that_overflow_are_diverging(self):
        model, history = trained(learning_rate=1e30)
        assert history.stopped == "diverged"
        assert torch.isfinite(weights(model)).all()

    def test_weights_that_are_no_numbers_are_diverging(self):
        point = Point()
        training = Training(
            point, lambda _: as_risk(point.place), BATCHES, settings=TrainingSettings()
        )
        training.step = lambda _: point.place.data.fill_(math.inf) and Figures(0.0, {})
        with pytest.raises(NotFiniteError):
            training.run_epoch(1)


class TestProgress:
    def test_every_batch_is_told_of(self):
        steps, point = [], Point()
        train(
            point,
            lambda _: as_risk(point.place**2),
            BATCHES,
            settings=TrainingSettings(epochs=2, learning_rate=1e-9),
            on_step=lambda *step: steps.append(step),
        )
        assert [done for done, _, _ in steps] == [1, 2, 3, 4, 5, 6, 7, 8, 8]
        assert steps[0] == (1, 8, "risk 1.000 = 1.000 positive")

    def test_it_is_told_as_done_if_it_ends_early(self):
        steps, point = [], Point()
        train(
            point,
            lambda _: as_risk(point.place * math.nan),
            BATCHES,
            on_step=lambda *step: steps.append(step),
        )
        assert steps == [(160, 160, "stopped: diverged")]

    def test_every_good_epoch_is_told_of(self):
        told, point = [], Point()
        history = train(
            point,
            TestDiverging.turning_bad(point, 9),
            BATCHES,
            settings=TrainingSettings(epochs=5),
            on_epoch=told.append,
        )
        assert tuple(told) == history.epochs

    def test_parts_that_do_not_add_up_are_listed(self):
        low = Figures(0.1, {"positive": 0.1, "negative": -0.02})
        assert str(low) == "risk 0.100 (0.100 positive, -0.020 negative)"

    def test_a_part_below_0_is_taken_away(self):
        low = Figures(0.08, {"positive": 0.1, "negative": -0.02})
        assert str(low) == "risk 0.080 = 0.100 positive - 0.020 negative"

    def test_figures_are_averaged_part_by_part(self):
        figures = [Figures(1, {"a": 1, "b": 0}), Figures(2, {"a": 0, "b": 2})]
        assert average_figures(figures) == Figures(1.5, {"a": 0.5, "b": 1})


@pytest.mark.parametrize("validation", [None, Figures(0.2, {"positive": 0.2})])
def test_a_history_made_plain_is_read_back(validation):
    epoch = Epoch(number=1, training=Figures(0.5, {"a": 0.5}), validation=validation, seconds=2.5)
    history = History(epochs=(epoch,), best=1, stopped="patience")
    assert History.from_dict(history.to_dict()) == history


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("epochs", 2.5),
        ("patience", 0),
        ("seed", -1),
        ("learning_rate", 0),
        ("learning_rate", math.nan),
        ("learning_rate", 1e39),
        ("clip", math.inf),
        ("weight_decay", -0.1),
        ("device", "abacus"),
    ],
)
def test_settings_that_make_no_sense_are_refused(name, value):
    with pytest.raises(SettingsError, match=f"{name} is "):
        TrainingSettings(**{name: value})


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(SettingsError, match="choose auto or cpu"):
        find_device("cuda")


def test_a_device_is_always_found():
    model, _ = trained(LinearHead(2), device="auto", epochs=1)
    assert model.columns.weight.device == find_device("auto")
