"""Runs: methods answer tasks in several processes, and each answer is measured and kept.

A run that was interrupted is finished by the next one, which also retries what failed. A process
takes a task with all methods that have no result on it yet, so that words are counted only once.

The truth is read after a method has answered. Only a method that says it needs the truth, such as
the upper bound, is given it before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import filterfalse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.bench import make_generator, measures
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.view import CountedTerms, MethodAnswer, TaskView
from likewise.bench.runs.crew import (
    Crew,
    CrewJob,
    CrewProgress,
    RunMethod,
    measure_peak_megabytes,
    reset_peak,
)
from likewise.bench.runs.results import MethodOutcome, Result, RunFolder, RunSettings, make_result
from likewise.bench.tasks import Task, TaskMetadata, Truth
from likewise.bench.tasks.folders import TaskFolder
from likewise.errors import NotFiniteError, TaskError
from likewise.extras import require, summarise_error
from likewise.features.encoders import Encoder
from likewise.learn.material import OnStep

Named = Iterator[tuple[str, float | None]]


class RunReport(NamedTuple):
    """What a run has done."""

    made: int
    """How many results were made, including failed ones."""
    kept: int
    """How many results had been made before."""
    failed: tuple[str, ...]
    """What failed and why, a line each."""


def run_methods(  # noqa: PLR0913  # whoever runs methods may choose each of them alone
    tasks: Path,
    methods: Sequence[str],
    *,
    out: Path,
    settings: RunSettings | None = None,
    workers: int | None = None,
    on_progress: Callable[[CrewProgress], None] | None = None,
    progress: bool = True,
) -> RunReport:
    """Run methods on the tasks of a folder, and keep a result of each.

    Args:
        tasks: The folder of tasks.
        methods: The spellings of the methods.
        out: The folder of results; those that are there already are not made again.
        settings: The rule that decides, which draws to run, and the number of all randomness.
        workers: How many processes; by default, as many as there are cores.
        on_progress: Called as results come in.
        progress: Whether to show a bar, on a terminal or in a notebook, if `on_progress` is None.
    """
    settings = settings or RunSettings()
    require("ir_measures", for_="Measuring methods", extra="bench")
    spelled = _check_methods(methods, settings)
    folder = TaskFolder(tasks)
    names = _choose_tasks(folder, settings)
    results = RunFolder(out, create=True)
    results.check_pool(folder.read_metadata(names[0]))
    jobs = []
    for name in names:
        fingerprint = folder.read_metadata(name).fingerprint
        is_done = partial(results.holds, name, settings=settings, fingerprint=fingerprint)
        jobs.append(CrewJob(name, tuple(filterfalse(is_done, spelled))))
    crew = Crew(TaskTrade(tasks, out, settings), on_progress=on_progress, progress=progress)
    crew.run(jobs, workers=workers)
    kept = len(names) * len(spelled) - crew.total
    return RunReport(crew.done, kept, tuple(crew.failed))


def _check_methods(methods: Sequence[str], settings: RunSettings) -> list[str]:
    """Return the spelling of each method once; raise if one can't be run at all."""
    encoder = settings.load_encoder()
    parsed = [parse_bench_method(text) for text in methods]
    for method in parsed:
        method.check(encoder=encoder)
        method.choose_keep(settings.keep)
    return list(dict.fromkeys(map(str, parsed)))


def _choose_tasks(folder: TaskFolder, settings: RunSettings) -> list[str]:
    """Return the tasks of the draws that are asked for."""
    draws = {name: folder.read_metadata(name).draw for name in folder.list_names()}
    made = len(set(draws.values()))
    if settings.draws and settings.draws > made:
        raise TaskError(
            f"{folder.path}: has tasks of {made} draws, but {settings.draws} are asked for; "
            "make more with: likewise bench make --draws, or ask for fewer"
        )
    return [name for name, draw in draws.items() if not settings.draws or draw < settings.draws]


@dataclass(frozen=True)
class TaskTrade:
    """What the processes of a run do: methods answer tasks, and their answers are measured."""

    tasks: Path
    out: Path
    settings: RunSettings

    def begin(self, subject: str) -> RunMethod:
        """Return a function that runs a method on a task, and keeps its result."""
        try:
            view = TaskView(self._folder.read_task(subject), self._counted, self._encoder)
        except TaskError as error:
            problem = str(error)
            return lambda method, _: self._record_failure(subject, method, problem)

        def run(method: str, on_step: OnStep) -> str:
            folder, settings = self._folder, self.settings
            result = run_method(method, view, folder=folder, settings=settings, on_step=on_step)
            RunFolder(self.out).write(result)
            return result.error

        return run

    def record_death(self, subject: str, method: str, *, error: str, seconds: float) -> None:
        """Keep a result that says what the process died of."""
        self._record_failure(subject, method, error, seconds=seconds)

    def describe(self, subject: str, method: str) -> str:
        """Return a few words about a method on a task."""
        return f"{method} on {subject}"

    def _record_failure(self, task: str, method: str, error: str, *, seconds: float = 0.0) -> str:
        outcome = MethodOutcome({}, error, seconds=seconds, megabytes=0.0)
        metadata, settings = TaskFolder(self.tasks).read_metadata(task), self.settings
        result = make_result(metadata, outcome, task=task, method=method, settings=settings)
        RunFolder(self.out).write(result)
        return error

    @cached_property
    def _folder(self) -> TaskFolder:
        return TaskFolder(self.tasks)

    @cached_property
    def _counted(self) -> CountedTerms:
        return CountedTerms()

    @cached_property
    def _encoder(self) -> Encoder | None:
        return self.settings.load_encoder()


def run_method(
    spelling: str,
    view: TaskView,
    *,
    folder: TaskFolder,
    settings: RunSettings,
    on_step: OnStep | None = None,
) -> Result:
    """Run a method on a task and measure its answer; if it fails, the result says why."""
    task = view.task
    answer, found, error = None, {}, ""
    started = time.perf_counter()
    try:
        # What methods share must not count as the first one's time and memory.
        view.make_material()
        reset_peak()
        started = time.perf_counter()
        method = parse_bench_method(spelling)
        answer = method.answer(
            view,
            # All get the same one, so that methods that differ in one setting differ in no other.
            rng=make_generator(settings.number, task.name),
            on_step=on_step,
            keep=method.choose_keep(settings.keep),
            truth=folder.read_truth(task.name) if method.needs_truth else None,
        )
        seconds = time.perf_counter() - started
        found = measure_answer(answer, folder.read_truth(task.name), task)
    except Exception as problem:  # noqa: BLE001  # whatever it is, the other methods go on
        error = summarise_error(problem)
        seconds = time.perf_counter() - started
    outcome = MethodOutcome(
        measures=found,
        error=error,
        seconds=seconds,
        megabytes=measure_peak_megabytes(),
        warnings=answer.warnings if answer else (),
        facts=answer.facts if answer else {},
    )
    return make_result(task.metadata, outcome, task=task.name, method=spelling, settings=settings)


def measure_answer(answer: MethodAnswer, truth: Truth, task: Task) -> dict[str, float]:
    """Return the measures of an answer to a task, by the names of `measures.MEASURES`.

    All measures are taken over the documents of the answer: the test part of an inductive task, the
    whole pool of a transductive one. The seeds of a test part were not retrieved, so they do not
    count for shares and probabilities. Ties are broken at random, in the same way for all methods
    on a task. What can't be measured, such as a ranking with nothing on topic, is left out.
    """
    metadata = task.metadata
    scores = np.asarray(answer.scores, dtype=np.float64)
    if not len(answer.ids):
        return {}
    if np.isnan(scores).any():
        raise NotFiniteError(
            f"{int(np.isnan(scores).sum())} of {len(scores)} scores are not numbers; "
            "nothing can be ranked by them"
        )
    relevant = np.array([identifier in truth.relevant for identifier in answer.ids], dtype=bool)
    seeds = {entry.id for entry in task.entries if entry.is_test_seed}
    retrieved = np.array([identifier not in seeds for identifier in answer.ids], dtype=bool)
    measured = [
        *_measure_decision(answer, relevant, metadata),
        *_measure_ranking(scores, relevant, metadata),
        *_measure_beliefs(answer, relevant, metadata, retrieved=retrieved),
    ]
    return {name: value for name, value in measured if value is not None}


def _measure_decision(
    answer: MethodAnswer, relevant: NDArray[np.bool_], metadata: TaskMetadata
) -> Named:
    if answer.decided is None:
        return
    counted = measures.count_decisions(np.asarray(answer.decided, dtype=bool), relevant)
    recall = measures.recall(counted)
    yield "F1", measures.f1(counted)
    yield "precision", measures.precision(counted)
    yield "recall", recall
    yield "accuracy", measures.accuracy(counted)
    yield "BER", measures.ber(counted)
    yield "decided", float(counted.decided)
    # The recall of a test part stands for that of the whole pool.
    yield "library recall", None if recall is None else recall * metadata.recall


def _measure_ranking(
    scores: NDArray[np.float64], relevant: NDArray[np.bool_], metadata: TaskMetadata
) -> Named:
    if not relevant.any():
        return
    ranked = measures.rank_truth(
        scores, relevant, rng=make_generator(0, metadata.fingerprint, "ties")
    )
    top_k = measures.top_k_f1(ranked, least=metadata.seeds)
    yield "best F1 (oracle)", measures.best_f1(ranked)
    yield "top-k F1", top_k and top_k.mean
    yield "top-k F1 deviation", top_k and top_k.deviation
    yield from measures.measure_ranking(ranked).items()
    yield "AUC", measures.area_under_curve(scores, relevant)
    yield "WSS@95", measures.work_saved(ranked)
    yield "last relevant", measures.last_relevant(ranked)


def _measure_beliefs(
    answer: MethodAnswer,
    relevant: NDArray[np.bool_],
    metadata: TaskMetadata,
    *,
    retrieved: NDArray[np.bool_],
) -> Named:
    share = float(relevant[retrieved].mean())
    yield "on topic", share
    if answer.prior is not None:
        yield "interval covered", measures.covers(answer.prior, share)
        yield "prior error", measures.prior_error(answer.prior.value, share)
    if answer.outside is not None:
        yield "outside covered", measures.covers(answer.outside, 1 - metadata.recall)
    if answer.probabilities is not None:
        stated, true = answer.probabilities[retrieved], relevant[retrieved]
        yield "calibration error", measures.calibration_error(stated, true)
        yield "Brier", measures.brier(stated, true)
