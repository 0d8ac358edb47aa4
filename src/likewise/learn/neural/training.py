"""The training loop: one for all models and risks.

It minimises what `objective` returns for a batch, and stops early by what `validate` returns. Both
are risks of positive and unlabeled rows: nothing here can see the truth. The same seed gives the
same weights on a CPU, whatever ran before; with another number of threads, sums are added up in
another order, so the last digits may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import nn

from likewise.errors import NotFiniteError, SettingsError
from likewise.learn.batching import Batch, Batches
from likewise.learn.neural.groups import Risk
from likewise.learn.neural.records import (
    Epoch,
    Figures,
    History,
    Stopped,
    TrainingSettings,
    average_figures,
    find_device,
)
from likewise.learn.neural.weights import (
    check_weights,
    copy_moments,
    copy_weights,
    load_checkpoint,
    load_moments,
    save_checkpoint,
)

Objective = Callable[[Batch], Risk]
Validate = Callable[[], Risk]
OnEpoch = Callable[[Epoch], None]
OnStep = Callable[[int, int, str], None]


def train(  # noqa: PLR0913  # what there is to say of a training
    model: nn.Module,
    objective: Objective,
    batches: Batches,
    *,
    settings: TrainingSettings | None = None,
    validate: Validate | None = None,
    folder: Path | str | None = None,
    on_epoch: OnEpoch | None = None,
    on_step: OnStep | None = None,
) -> History:
    """Train a model, leave it with its best weights, and return the history.

    The best are those of the lowest validation risk; without validation, the last. Training that
    diverges (scores, risks, gradients or weights that are not finite) ends with the best so far:
    see `History.stopped`.

    Args:
        model: The model; it is moved to the settings' device, and left there in evaluation mode.
        objective: Returns the risk of a batch.
        batches: Yields the rows of each batch.
        settings: How it is trained.
        validate: Returns the risk of the rows that were set aside.
        folder: Where checkpoints are kept; if one is there, training continues from it, and reaches
            the same weights as without a break.
        on_epoch: Called after each epoch.
        on_step: Called after each batch with the number of batches done, the number of batches in
            all epochs, and the parts of the risk; and when training ends, with all of them done.
    """
    training = Training(
        model, objective, batches, settings=settings or TrainingSettings(), validate=validate
    )
    training.on_step = on_step
    kept_in = Path(folder) if folder else None
    if kept_in:
        training.resume(kept_in)
    return training.run(on_epoch=on_epoch, folder=kept_in)


class Training:
    """A training in progress, in steps that a subclass may override.

    run → run_epoch → run_batches → step; run_validation, note.
    """

    on_step: OnStep | None = None

    def __init__(
        self,
        model: nn.Module,
        objective: Objective,
        batches: Batches,
        *,
        settings: TrainingSettings,
        validate: Validate | None = None,
    ) -> None:
        self.device = find_device(settings.device)
        self.model = model.to(self.device)
        self.objective = objective
        self.batches = batches
        self.settings = settings
        self.validate = validate
        self.parameters = [each for each in model.parameters() if each.requires_grad]
        if not self.parameters:
            raise SettingsError("the model has no weights to train; let some require a gradient")
        self.optimizer = torch.optim.Adam(
            self.parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.history = History()
        self.best = copy_weights(model)

    def run(self, *, on_epoch: OnEpoch | None = None, folder: Path | None = None) -> History:
        """Run epochs until there is a reason to stop, and restore the best weights."""
        while not self.history.stopped:
            try:
                self.note(self.run_epoch(len(self.history.epochs) + 1))
            except NotFiniteError:
                self.history = replace(self.history, stopped="diverged")
            if folder:
                self.save(folder)
            if on_epoch and self.history.stopped != "diverged":
                on_epoch(self.history.epochs[-1])
        self.model.load_state_dict(self.best)
        self.model.eval()
        if self.on_step:
            total = self.settings.epochs * len(self.batches)
            self.on_step(total, total, f"stopped: {self.history.stopped}")
        return self.history

    def run_epoch(self, number: int) -> Epoch:
        """Go through all batches once, and validate."""
        started = perf_counter()
        with seed_torch(self.settings.seed, number, device=self.device):
            training = average_figures(list(self.run_batches(number)))
            validation = self.run_validation()
        if not all(torch.isfinite(parameter).all() for parameter in self.parameters):
            raise NotFiniteError("weights are not finite any more")
        return Epoch(
            number=number,
            training=training,
            validation=validation,
            seconds=perf_counter() - started,
        )

    def run_batches(self, number: int) -> Iterator[Figures]:
        """Take a step on each batch of an epoch, and yield what its risk was."""
        self.model.train()
        size = len(self.batches)
        rng = np.random.default_rng([self.settings.seed, number])
        for done, batch in enumerate(self.batches.epoch(rng), start=(number - 1) * size + 1):
            figures = self.step(batch)
            if self.on_step:
                self.on_step(done, self.settings.epochs * size, str(figures))
            yield figures

    def step(self, batch: Batch) -> Figures:
        """Descend on the risk of one batch."""
        self.optimizer.zero_grad()
        risk = self.objective(batch)
        figures = _read_finite(risk)
        torch.autograd.backward(risk.objective)
        length = nn.utils.clip_grad_norm_(self.parameters, self.settings.clip)
        if not torch.isfinite(length):
            raise NotFiniteError("a gradient is not finite")
        self.optimizer.step()
        return figures

    def run_validation(self) -> Figures | None:
        """Return the risk of the rows that were set aside, None if there are none."""
        if not self.validate:
            return None
        self.model.eval()
        with torch.no_grad():
            return _read_finite(self.validate())

    def note(self, epoch: Epoch) -> None:
        """Keep the weights if they are the best, and decide whether to stop."""
        epochs, best = (*self.history.epochs, epoch), self.history.best
        if not best or _measure_epoch(epoch) < _measure_epoch(epochs[best - 1]):
            self.best, best = copy_weights(self.model), epoch.number
        stopped: Stopped = ""
        if epoch.number == self.settings.epochs:
            stopped = "epochs"
        elif epoch.number - best >= self.settings.patience:
            stopped = "patience"
        self.history = History(epochs=epochs, best=best, stopped=stopped)

    def save(self, folder: Path) -> None:
        """Write everything that is needed to continue into a folder."""
        tensors = {
            "model": copy_weights(self.model),
            "best": self.best,
            "optimizer": copy_moments(self.optimizer, self.model),
        }
        save_checkpoint(folder, settings=self.list_facts(), history=self.history, tensors=tensors)

    def list_facts(self) -> dict[str, Any]:
        """Return what has to be the same for a training to continue."""
        return {
            **asdict(self.settings),
            "batches": len(self.batches),
            # Batches of a class from elsewhere need not say how large they are.
            "batch": getattr(self.batches, "size", None),
            "validated": self.validate is not None,
        }

    def resume(self, folder: Path) -> None:
        """Continue from the checkpoint of a folder, if it has one."""
        found = load_checkpoint(folder, settings=self.list_facts())
        if found:
            history, tensors = found
            check_weights(self.model, tensors["model"], source=folder)
            self.model.load_state_dict(tensors["model"])
            load_moments(self.optimizer, self.model, tensors["optimizer"])
            self.best, self.history = tensors["best"], history


def relay_steps(on_step: OnStep | None, number: int, *, of: int) -> OnStep | None:
    """Return a callback that reports the steps of one of several trainings as steps of all.

    The trainings follow one another, and are numbered from 0.
    """
    if on_step is None or of == 1:
        return on_step
    return lambda done, total, note: on_step(number * total + done, of * total, note)


def _read_finite(risk: Risk) -> Figures:
    parts = {name: part.item() for name, part in risk.parts.items()}
    figures = Figures(risk.value.item(), parts)
    if not all(map(math.isfinite, [risk.objective.item(), figures.value, *parts.values()])):
        raise NotFiniteError(f"a risk is not finite: {figures}")
    return figures


def _measure_epoch(epoch: Epoch) -> float:
    """Return the validation risk; without validation, a number that falls with each epoch."""
    return epoch.validation.value if epoch.validation else -epoch.number


@contextmanager
def seed_torch(*numbers: int, device: torch.device | None = None) -> Iterator[None]:
    """Seed torch, and a device besides the processor, for a while; restore its state afterwards.

    >>> with seed_torch(0, 1):
    ...     first = torch.rand(2)
    >>> with seed_torch(0, 1):
    ...     bool((torch.rand(2) == first).all())
    True
    """
    seed = int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
    accelerator = getattr(torch, device.type) if device and device.type != "cpu" else None
    sources = [torch.random, accelerator] if accelerator else [torch.random]
    states = [source.get_rng_state() for source in sources]
    try:
        # `torch.manual_seed` would seed all devices, even those that others use.
        torch.default_generator.manual_seed(seed)
        if accelerator:
            accelerator.manual_seed(seed)
        yield
    finally:
        for source, state in zip(sources, states, strict=True):
            source.set_rng_state(state)
