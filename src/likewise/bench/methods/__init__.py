"""The methods of the benchmark, as they are spelled for `bench run --methods`.

linear, "linear + naive"      methods and fusions of the product
rocchio, "spy(share=0.2)"     baselines (`baselines.py`), which can be fused as well
cnn, "cnn + cnn(risk=pn)"     networks of the paper, and averages of them
all                           everything is on topic
upper-bound                   full supervision
"random + nnpu-cnn"           a method that learns from documents drawn at random
example-neighbours            a method of another package

Torch is imported when a network answers, not when its spelling is parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.bench.methods.answering import (
    AllPositive,
    BackgroundMethod,
    BenchMethod,
    MethodInputs,
    PluggedMethod,
    ScoringMethod,
    SupervisedMethod,
    UpperBound,
    list_methods,
)
from likewise.bench.methods.baselines import BASELINES, SPECIAL
from likewise.bench.methods.supervision import deal_supervisions, find_relevant
from likewise.bench.methods.view import MethodAnswer, TaskView, join_facts
from likewise.errors import SettingsError
from likewise.features.encoders import Encoder
from likewise.learn.material import OnStep
from likewise.learn.spelling import Method, parse_method, split_steps

if TYPE_CHECKING:
    from likewise.bench.methods.network_rows import TaskDocuments
    from likewise.bench.methods.networks import NetworkSettings


_RANDOM = re.compile(r"\s*random\s*\+(.*)", re.DOTALL)
_SPECIAL = {known.name for known in SPECIAL}


def parse_bench_method(text: str) -> BenchMethod:
    """Parse the spelling of a method; `str` is the inverse.

    >>> str(parse_bench_method("random+spy( share=0.2 )"))
    'random + spy(share=0.2)'
    """
    drawn = _RANDOM.fullmatch(text)
    if drawn:
        return _parse_background(drawn[1])
    parsed = parse_method(text, others=BASELINES)
    methods = list_methods(parsed)
    names = [method.name for method in methods if method.name in _SPECIAL]
    if not names:
        is_plugged = len(methods) == 1 and methods[0].info.estimator
        return PluggedMethod(methods[0]) if is_plugged else ScoringMethod(parsed)
    if NETWORKS.issuperset(names) and len(names) == len(methods):
        return Networks(methods)
    if len(methods) > 1:
        raise SettingsError(
            f"{text!r}: {names[0]} decides by itself, and can be fused with "
            f"{'networks only' if names[0] in NETWORKS else 'nothing'}; run each on its own"
        )
    if names[0] == "all":
        return AllPositive()
    return (UpperBound if names[0] == "upper-bound" else SupervisedNetwork)(methods[0])


def _parse_background(text: str) -> BenchMethod:
    method = parse_bench_method(text)
    if method.needs_truth or isinstance(method, AllPositive | BackgroundMethod):
        raise SettingsError(
            f"'random + {method}': {method} can't be combined with random; "
            "write, for example, random + linear"
        )
    return BackgroundMethod(method)


NETWORKS = frozenset({"cnn", "vpu", "dist-pu", "cvir", "tedn"})
"""The methods that are networks, which can be averaged. One without a parameter `risk` is named
after its risk."""
LEAST_PRIOR = 0.001
"""Priors are kept at least this far from 0 and from 1, since risks need one in between."""
NO_PRIOR = 0.5
"""The prior for a risk that ignores it."""


@dataclass(frozen=True)
class Networks(BenchMethod):
    """Several networks that are averaged, or a single one."""

    methods: tuple[Method, ...]

    def __post_init__(self) -> None:
        if len({method.chosen["embeddings"] for method in self.methods}) > 1:
            raise SettingsError(
                f"{self}: averaged networks must read the same embeddings; run each on its own"
            )

    def __str__(self) -> str:
        return " + ".join(map(str, self.methods))

    @property
    def needs_truth(self) -> bool:
        """Whether a network is given the true prior; it sees nothing else of the truth."""
        return any(method.chosen.get("prior") == "true" for method in self.methods)

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if torch or an encoder that a network needs is missing."""
        for method in self.methods:
            method.check(encoder=encoder)

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Train the networks, and decide at a score of 0."""
        from likewise.bench.methods.networks import answer_by_networks

        documents, step = _read_documents(view, self.methods[0], on_step=inputs.on_step)
        # Three generators, so that networks that differ only in the prior are dealt the same rows.
        dealing, estimating, training = inputs.rng.spawn(3)
        inputs = replace(inputs, rng=estimating)
        networks = [
            _make_settings(method, prior=_choose_prior(method, view, inputs))
            for method in self.methods
        ]
        rows = documents.split_rows(rng=dealing)
        return answer_by_networks(networks, rows, ids=view.measured, rng=training, on_step=step)


@dataclass(frozen=True)
class SupervisedNetwork(SupervisedMethod):
    """The upper bound of networks: one that learns from the truth about the training part."""

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if torch or an encoder that the network needs is missing."""
        self.method.check(encoder=encoder)

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Learn from the truth about the training part, and decide at a score of 0."""
        from likewise.bench.methods.networks import answer_by_networks

        is_relevant = find_relevant(view.pool, inputs.require_truth())
        documents, on_step = _read_documents(view, self.method, on_step=inputs.on_step)
        dealing, _, training = inputs.rng.spawn(3)
        parts = deal_supervisions(view, rng=dealing)
        steps = split_steps(on_step, [True for _ in parts])
        ids, answers = np.array(view.pool), []
        for part, step in zip(parts, steps, strict=True):
            prior = self.method.chosen["prior"]
            prior = is_relevant[part.learned].mean() if prior == "true" else prior
            network = _make_settings(self.method, prior=prior, risk="pn")
            rows = documents.split_by_truth(is_relevant, part=part, rng=dealing)
            measured = ids[part.measured].tolist()
            answers.append(
                answer_by_networks([network], rows, ids=measured, rng=training, on_step=step)
            )
        return join_answers(answers, ids=view.measured)


def join_answers(answers: list[MethodAnswer], *, ids: list[str]) -> MethodAnswer:
    """Join the answers about parts of a pool into one, in the order of these ids."""
    places = {identifier: place for place, identifier in enumerate(ids)}
    scores, decided = np.empty(len(ids)), np.empty(len(ids), dtype=bool)
    for answer in answers:
        rows = [places[identifier] for identifier in answer.ids]
        scores[rows], decided[rows] = answer.scores, answer.decided
    warnings = dict.fromkeys(warning for answer in answers for warning in answer.warnings)
    return MethodAnswer(
        ids=tuple(ids),
        scores=scores,
        decided=decided,
        warnings=tuple(warnings),
        facts=join_facts([answer.facts for answer in answers]),
    )


def _read_documents(
    view: TaskView, method: Method, *, on_step: OnStep | None
) -> tuple[TaskDocuments, OnStep | None]:
    """Return the documents as a network reads them, and the callback for its training."""
    from likewise.bench.methods.network_rows import TaskDocuments

    embeddings = str(method.chosen["embeddings"])
    if embeddings != "encoder":
        return TaskDocuments(view, embeddings=embeddings), on_step
    # A transformer reads for about as long as a network learns.
    reading, training = split_steps(on_step, [True, True])
    return TaskDocuments(view, embeddings=embeddings, on_step=reading), training


def _choose_prior(method: Method, view: TaskView, inputs: MethodInputs) -> Any:
    prior = method.chosen.get("prior", NO_PRIOR)
    if prior == "true":
        return find_relevant(view.learned, inputs.require_truth()).mean()
    if isinstance(prior, str):
        from likewise.learn.neural.scorers import estimate_prior

        return estimate_prior(view.make_material(), by=prior, rng=inputs.rng)
    return prior


def _make_settings(method: Method, *, prior: Any, **others: str) -> NetworkSettings:
    from likewise.bench.methods.networks import NetworkSettings

    bounded = float(np.clip(prior, LEAST_PRIOR, 1 - LEAST_PRIOR))
    settings: dict[str, Any] = {"risk": method.name, **method.chosen, **others, "prior": bounded}
    return NetworkSettings(**settings)
