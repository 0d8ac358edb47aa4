"""Checkpoints: training goes on where it was cut short, to the very same weights."""

import json
import math

import numpy as np
import pytest

from learn.neural.extra import torch
from likewise.errors import ReadError, SettingsError, WriteError
from likewise.learn.batching import ProportionalBatches
from likewise.learn.neural import weights
from likewise.learn.neural.groups import Risk
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU
from likewise.learn.neural.training import Training, seed_torch, train
from likewise.learn.neural.transformer import LinearHead, MLPHead
from likewise.learn.neural.weights import copy_weights, load_checkpoint, read_tensors, write_tensors

RNG = np.random.default_rng(3)
ROWS = {"positive": RNG.normal(1, 1, (8, 2)), "unlabeled": RNG.normal(0, 1, (24, 2))}
BATCHES = ProportionalBatches({"positive": 8, "unlabeled": 24}, size=8)


class Cut(BaseException):
    """What a killed process would not have survived."""


def cut_after(number):
    """Return what raises when it is called for the so-manieth time."""
    calls = iter(range(number, 0, -1))

    def call(*_args, **_others):
        if next(calls) == 1:
            raise Cut

    return call


def run(folder=None, *, hidden=4, validated=True, on_epoch=None, batches=BATCHES, **settings):
    """Train a network with dropout, and return it with its history."""
    with seed_torch(5):
        model = MLPHead(2, hidden=(hidden,), dropout=0.5)
    risk = NNPU(prior=0.3)
    history = train(
        model,
        lambda batch: risk(**{name: model(ROWS[name][batch[name]]) for name in ROWS}),
        batches,
        settings=TrainingSettings(**{"epochs": 6, "learning_rate": 0.02} | settings),
        validate=(lambda: risk(**{name: model(ROWS[name]) for name in ROWS}))
        if validated
        else None,
        folder=folder,
        on_epoch=on_epoch,
    )
    return model, history


def same(model, other):
    ours, theirs = model.state_dict(), other.state_dict()
    return all(torch.equal(ours[name], theirs[name]) for name in ours)


def risks(history):
    return [(epoch.training, epoch.validation) for epoch in history.epochs]


def cut_short(folder, *, epochs=3):
    with pytest.raises(Cut):
        run(folder, on_epoch=cut_after(epochs))


@pytest.mark.parametrize("validated", [True, False])
@pytest.mark.parametrize("epochs", [1, 3, 5])
def test_going_on_is_the_same_as_never_having_stopped(tmp_path, validated, epochs):
    with pytest.raises(Cut):
        run(tmp_path, validated=validated, on_epoch=cut_after(epochs))
    torch.rand(9)
    resumed, history = run(tmp_path, validated=validated)
    whole, expected = run(validated=validated)
    assert same(resumed, whole)
    assert risks(history) == risks(expected)
    assert (history.best, history.stopped) == (expected.best, expected.stopped)


def test_going_on_after_a_batch_is_the_same_as_never_having_stopped(tmp_path, monkeypatch):
    step, cut = Training.step, cut_after(10)
    monkeypatch.setattr(Training, "step", lambda *given: cut() or step(*given))
    with pytest.raises(Cut):
        run(tmp_path)
    monkeypatch.undo()
    assert same(run(tmp_path)[0], run()[0])


def test_a_folder_may_be_given_as_text(tmp_path):
    run(str(tmp_path / "kept"), epochs=1)
    assert (tmp_path / "kept" / "training.json").is_file()


def test_only_what_is_left_is_run(tmp_path):
    cut_short(tmp_path, epochs=4)
    numbers = []
    run(tmp_path, on_epoch=lambda epoch: numbers.append(epoch.number))
    assert numbers == [5, 6]


def test_a_training_that_has_ended_is_not_run_again(tmp_path):
    first, history = run(tmp_path)
    again, known = run(tmp_path, on_epoch=cut_after(1))
    assert same(first, again)
    assert known == history


def test_a_training_that_stopped_early_stays_stopped(tmp_path):
    model = LinearHead(2)
    risk = lambda: Risk({}, value=torch.tensor(1.0), objective=model.columns.bias.sum())  # noqa: E731
    settings = TrainingSettings(patience=2)
    for _ in range(2):
        history = train(
            model, lambda _: risk(), BATCHES, settings=settings, validate=risk, folder=tmp_path
        )
        assert (len(history.epochs), history.best, history.stopped) == (3, 1, "patience")


@pytest.mark.parametrize("good_epochs", [0, 2])
def test_a_training_that_diverged_stays_diverged(tmp_path, good_epochs):
    model = LinearHead(2)
    bad = iter([1.0] * 4 * good_epochs + [math.nan])

    def objective(_):
        risk = model.columns.weight.sum() * next(bad)
        return Risk({}, value=risk, objective=risk)

    first = train(model, objective, BATCHES, folder=tmp_path)
    kept = copy_weights(model)
    model = LinearHead(2)
    again = train(model, objective, BATCHES, folder=tmp_path)
    assert first == again
    assert (len(again.epochs), again.stopped) == (good_epochs, "diverged")
    assert torch.equal(model.columns.weight, kept["columns.weight"])


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_cut_while_writing_weights_the_checkpoint_of_before_is_whole(tmp_path, monkeypatch, writes):
    cut_short(tmp_path)
    cut = cut_after(writes)

    def half_written(path, tensors):
        write_tensors(path, tensors)
        path.write_bytes(path.read_bytes()[:50])
        cut()

    monkeypatch.setattr(weights, "write_tensors", half_written)
    with pytest.raises(Cut):
        run(tmp_path)
    monkeypatch.undo()
    assert same(run(tmp_path)[0], run()[0])


def test_cut_between_weights_and_head_the_checkpoint_of_before_is_whole(tmp_path, monkeypatch):
    cut_short(tmp_path)
    monkeypatch.setattr(weights, "replace_file", cut_after(1))
    with pytest.raises(Cut):
        run(tmp_path)
    monkeypatch.undo()
    assert same(run(tmp_path)[0], run()[0])


def test_cut_before_tidying_up_the_new_checkpoint_is_whole(tmp_path, monkeypatch):
    cut_short(tmp_path)
    monkeypatch.setattr(weights, "_remove_subfolder", cut_after(1))
    with pytest.raises(Cut):
        run(tmp_path)
    monkeypatch.undo()
    assert json.loads((tmp_path / "training.json").read_bytes())["weights"] == "weights-4"
    assert same(run(tmp_path)[0], run()[0])


def test_there_are_only_json_and_safetensors_and_nothing_old(tmp_path):
    run(tmp_path)
    files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    names = ("best", "model", "optimizer")
    assert files == ["training.json", *(f"weights-6/{name}.safetensors" for name in names)]


def test_the_head_says_what_it_was_made_with(tmp_path):
    run(tmp_path, epochs=1)
    head = json.loads((tmp_path / "training.json").read_bytes())
    assert head["versions"]["torch"].startswith(torch.__version__.split("+")[0])
    assert head["settings"]["learning_rate"] == 0.02
    assert head["history"]["stopped"] == "epochs"
    assert head["format"] == 1


def test_what_adam_remembers_is_told_by_name(tmp_path):
    run(tmp_path, epochs=2)
    moments = read_tensors(tmp_path / "weights-2" / "optimizer.safetensors")
    assert moments["step/columns.weight"] == 8
    assert moments["exp_avg/columns.weight"].shape == (2, 4)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"learning_rate": 0.5}, "learning_rate is 0.02 there and 0.5 here"),
        ({"seed": 3}, "seed is 0 there and 3 here"),
        ({"validated": False}, "validated is True there and False here"),
        (
            {"batches": ProportionalBatches({"positive": 8, "unlabeled": 24}, size=16)},
            "batches is 4 there and 2 here",
        ),
        (
            {"batches": ProportionalBatches({"positive": 8, "unlabeled": 24}, size=7)},
            "batch is 8 there and 7 here",
        ),
        ({"hidden": 5}, r"columns.weight is \(2, 4\) there and \(2, 5\) here"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(tmp_path, others, told):
    run(tmp_path)
    with pytest.raises(SettingsError, match=f"{told}.*choose another folder"):
        run(tmp_path, **others)


def test_a_folder_without_a_checkpoint_has_none(tmp_path):
    assert load_checkpoint(tmp_path / "nowhere", settings={}) is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not a file of weights"),
        (b'{"kind": "cake", "format": 1, "weights": "weights-1"}', "not a file of weights"),
        (b'{"kind": "likewise weights", "weights": "../weights-1"}', "not a file of weights"),
        (b'{"kind": "likewise weights", "weights": "weights-1", "format": 2}', "newer likewise"),
    ],
)
def test_a_head_that_makes_no_sense_is_refused(tmp_path, content, told):
    (tmp_path / "training.json").write_bytes(content)
    with pytest.raises(ReadError, match=f"training.json: .*{told}"):
        run(tmp_path)


def test_damaged_weights_are_refused(tmp_path):
    run(tmp_path)
    (tmp_path / "weights-6" / "model.safetensors").write_bytes(b"soup")
    with pytest.raises(ReadError, match=r"model.safetensors: can't be read: .*; delete its folder"):
        run(tmp_path)


def test_a_folder_that_cant_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((WriteError, ReadError), match="file"):
        run(tmp_path / "file")


def test_weights_that_are_shared_can_be_saved(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    model[1].weight = model[0].weight
    write_tensors(tmp_path / "shared.safetensors", copy_weights(model))
    assert torch.equal(
        read_tensors(tmp_path / "shared.safetensors")["1.weight"], model[0].weight.detach()
    )


def test_a_copy_of_weights_does_not_change_with_them():
    model = LinearHead(2)
    copied = copy_weights(model)
    model.columns.weight.data.fill_(7)
    assert not (copied["columns.weight"] == 7).any()
