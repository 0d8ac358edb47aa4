"""Networks as estimators: any torch module, trained to minimise a risk on seeds and pool."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from torch import nn

from likewise.errors import NotFiniteError, SettingsError
from likewise.learn.batching import (
    LARGEST,
    OrdinaryBatches,
    ProportionalBatches,
    cut_batches,
    warn_of_few_steps,
)
from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import measure_scale
from likewise.learn.neural.grouped_rows import (
    GroupedRows,
    RiskOf,
    RiskOnRows,
    group_rows,
    score_in_blocks,
)
from likewise.learn.neural.groups import PURisk
from likewise.learn.neural.pubn import PUbN
from likewise.learn.neural.recent_risks import TEDn
from likewise.learn.neural.records import History, TrainingSettings
from likewise.learn.neural.training import OnStep, relay_steps, seed_torch, train
from likewise.learn.neural.weights import load_network, save_network
from likewise.learn.rows import Numbers

Build = Callable[[Any], nn.Module]

SAVED = ("batch", "proportional", "loop", "validation", "models", "center", "gammas")
"""The parameters that can be saved as they are."""
_FUNCTION = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")


class PUNetwork(PUEstimator):
    """Any torch module that scores rows, trained with a risk.

    The risk says how negative rows count; if it has no such group, they count as unlabeled. Every
    time it learns, it starts from fresh weights, and keeps nothing that was learned before.
    """

    models_: list[nn.Module]
    scales_: list[tuple[float, float]]
    histories_: list[History]
    warnings_: list[str]

    def __init__(  # noqa: PLR0913  # scikit-learn's convention: parameters one by one
        self,
        build: Build,
        *,
        risk: PURisk | None,
        batch: int | str = 1000,
        proportional: bool = True,
        loop: str = "smallest",
        validation: float = 0.0,
        settings: TrainingSettings | None = None,
        models: int = 1,
        center: str = "mean",
        gammas: Sequence[float] = (),
        on_step: OnStep | None = None,
    ) -> None:
        """Store the parameters.

        Args:
            build: Makes a fresh module, which takes rows and returns scores of shape (n,). It is
                called with all rows that are learned from.
            risk: The risk to minimise; it also says which groups of rows there are.
            batch: How many rows a step of training uses; "auto" is 1000, or as many as leave 15
                steps in an epoch.
            proportional: Whether every batch has its share of each group.
            loop: The group that a proportional epoch goes through once; see `batching.py`.
            validation: The share of each group that is set aside, at random, to stop early on its
                risk; with 0, all epochs are run.
            settings: How it is trained.
            models: How many are trained, each with the next seed; their scores are brought to mean
                0 and deviation 1 over the unlabeled rows, and averaged.
            center: "zero" to bring them only to deviation 1, so that 0 stays 0.
            gammas: Values to try in place of the risk's gamma; the models of the one with the
                lowest validation risk are kept.
            on_step: Called as `train` calls it; batches are counted over all models.
        """
        self.build = build
        self.risk = risk
        self.batch = batch
        self.proportional = proportional
        self.loop = loop
        self.validation = validation
        self.settings = settings
        self.models = models
        self.center = center
        self.gammas = gammas
        self.on_step = on_step

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Train every model, from fresh weights."""
        risk = self.risk
        if risk is None:
            raise SettingsError("this network has no risk to learn with; it can only score")
        if isinstance(risk, PUbN):
            raise SettingsError("PUbN is learned in two steps; use PUbNNetwork")
        if isinstance(risk, TEDn):
            raise SettingsError(
                "TEDn changes as it learns; use CVIR with a prior, or cnn(risk=tedn)"
            )
        if self.gammas and hasattr(risk, "gamma"):
            return self._tune_gamma(positive, unlabeled, negative)
        rows = group_rows(risk, positive=positive, unlabeled=unlabeled, negative=negative)
        return self.learn_from(rows, lambda scores, _: risk(**scores), unlabeled=unlabeled)

    def learn_from(self, rows: GroupedRows, risk_of: RiskOf, *, unlabeled: Any) -> Self:
        """Train every model with a risk that may use more than scores.

        On the unlabeled rows, the scores of several models are brought to one scale.
        """
        self._check()
        self.models_, self.histories_, self.warnings_ = [], [], []
        for number in range(self.models):
            model, history = self._train_model(rows, risk_of, number=number)
            self.models_.append(model)
            self.histories_.append(history)
        self.scales_ = [(0.0, 1.0)]
        if self.models > 1:
            found = self.score_by_model(unlabeled)
            self.scales_ = [measure_scale(scores, center=self.center) for scores in found]
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the score of each row: that of the only model, or the mean of several."""
        means, deviations = np.array(self.scales_).T
        scaled = (self.score_by_model(rows).T - means) / deviations
        return np.asarray(scaled.mean(axis=1))

    def score_by_model(self, rows: Any) -> Numbers:
        """Return the scores of each model as they are, of shape (models, rows)."""
        return np.array([self._score_rows(model, rows) for model in self.models_])

    def save(self, folder: Path) -> None:
        """Write what was learned into a folder, as safetensors and JSON; `load` is the inverse."""
        if not hasattr(self, "models_"):
            raise SettingsError("this network has not learned yet; call fit or learn before save")
        save_network(
            folder,
            self.models_,
            judgement=getattr(self, "judgement_", None),
            parameters={name: getattr(self, name) for name in SAVED},
            settings=self.settings,
            risk=_FUNCTION.sub(r"\1", repr(self.risk)),
            scales=self.scales_,
            histories=self.histories_,
            warnings=self.warnings_,
        )

    @classmethod
    def load(cls, folder: Path, build: Build, *, risk: PURisk | None = None) -> Self:
        """Return the estimator that was saved to a folder.

        Args:
            folder: Where it was saved.
            build: Makes the module again; rows are not saved, so it is called with None.
            risk: The risk to use if it is to learn again.
        """
        head, models, judgement = load_network(folder, build=build)
        network = cls(build, risk=risk, settings=head.settings, **head.parameters)
        network.models_, network.scales_ = models, head.scales
        network.histories_, network.warnings_ = head.histories, head.warnings
        if judgement is not None:
            network.judgement_ = judgement
        return network

    def _tune_gamma(self, positive: Any, unlabeled: Any, negative: Any) -> Self:
        """Train with each gamma, and keep the one with the lowest validation risk."""
        if not self.validation:
            raise SettingsError(
                "gamma is tuned by the validation risk; set rows aside for it, for "
                "example validation=0.33"
            )
        tried = []
        for number, gamma in enumerate(self.gammas):
            network, risk = copy.copy(self), cast("Any", self.risk)
            network.gammas, network.risk = (), replace(risk, gamma=gamma)
            network.on_step = relay_steps(self.on_step, number, of=len(self.gammas))
            tried.append(network.learn(positive, unlabeled, negative))
        best = min(tried, key=lambda one: sum(history.best_risk for history in one.histories_))
        self.models_, self.scales_ = best.models_, best.scales_
        self.histories_, self.warnings_ = best.histories_, best.warnings_
        return self

    def _train_model(
        self, rows: GroupedRows, risk_of: RiskOf, *, number: int
    ) -> tuple[nn.Module, History]:
        settings = self.settings or TrainingSettings()
        settings = replace(settings, seed=settings.seed + number)
        learned, aside = self._split(rows, seed=settings.seed)
        with seed_torch(settings.seed, 0):
            model = self.build(rows.block)
        validation = RiskOnRows(model, aside, risk_of=risk_of) if aside else None
        cut = partial(ProportionalBatches, loop=self.loop) if self.proportional else OrdinaryBatches
        batches = cut_batches(self.batch, learned.sizes, cut)
        history = train(
            model,
            RiskOnRows(model, learned, risk_of=risk_of).measure_batch,
            batches,
            settings=settings,
            validate=partial(validation.measure_all, batch=self._most) if validation else None,
            on_step=relay_steps(self.on_step, number, of=self.models),
        )
        self._warn(history, settings)
        if validation:
            self.warnings_ += warn_of_few_steps(batches)
        return model, history

    def _split(self, rows: GroupedRows, *, seed: int) -> tuple[GroupedRows, GroupedRows | None]:
        if not self.validation:
            return rows, None
        parts = rows.split(self.validation, rng=np.random.default_rng([seed, 0]))
        if not parts:
            sizes = ", ".join(f"{size} {name}" for name, size in rows.sizes.items())
            self.warnings_.append(
                f"too few rows to set some aside for validation ({sizes}); all epochs were run"
            )
        return parts or (rows, None)

    @property
    def _most(self) -> int:
        """How many rows are scored at a time."""
        return self.batch if isinstance(self.batch, int) else LARGEST

    def _warn(self, history: History, settings: TrainingSettings) -> None:
        if history.stopped == "diverged":
            used = f"the weights of epoch {history.best}"
            if not history.best:
                used = "weights that have learned nothing"
            self.warnings_.append(
                f"training diverged in epoch {len(history.epochs) + 1}, and {used} are used; "
                f"another seed or a lower learning rate than {settings.learning_rate} may help"
            )

    def _score_rows(self, model: nn.Module, rows: Any) -> Numbers:
        found = score_in_blocks(model, rows, size=self._most)
        if not np.isfinite(found).all():
            raise NotFiniteError(
                f"{int((~np.isfinite(found)).sum())} of {len(found)} scores are not finite; look "
                "for weights that are too large from the start, or for broken rows"
            )
        return found

    def _check(self) -> None:
        for name, number in (("batch", self._most), ("models", self.models)):
            if number < 1:
                raise SettingsError(f"{name} is {number}; it is at least 1")
        if not 0 <= self.validation < 1:
            raise SettingsError(
                f"validation is {self.validation}; it is a share, at least 0 and less than 1"
            )
