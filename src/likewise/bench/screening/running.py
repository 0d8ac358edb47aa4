"""Replays in several processes; what was made before is not made again."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from likewise.bench import make_generator
from likewise.bench.runs.crew import use_one_thread
from likewise.bench.screening.replaying import (
    ReplayPace,
    ReplayState,
    ReviewRecords,
    choose_batch,
    replay_review,
)
from likewise.bench.screening.results import ReplayJob, ScreenFolder, ScreenResult, ScreenSettings
from likewise.bench.screening.reviews import Review, draw_start
from likewise.errors import LikewiseError, RunError
from likewise.expansion.saved import find_package_versions
from likewise.learn.spelling import parse_method
from likewise.version import __version__

# A copy of this process would have its threads and locks, but not what holds them.
PROCESSES = multiprocessing.get_context("spawn")


class ReplayProgress(NamedTuple):
    """How far a run is."""

    done: int
    total: int
    note: str


class ScreenReport(NamedTuple):
    """The results that were asked for, and what went wrong."""

    results: list[ScreenResult]
    made: int
    failed: tuple[str, ...]
    """What failed and why, a line each."""


def screen_reviews(  # noqa: PLR0913  # reviews, what replays them, and how
    reviews: Sequence[Review],
    methods: Sequence[str],
    *,
    out: Path,
    draws: int,
    settings: ScreenSettings | None = None,
    workers: int | None = None,
    on_progress: Callable[[ReplayProgress], None] | None = None,
) -> ScreenReport:
    """Replay reviews with each method, from each of so many starts, and keep the results.

    Args:
        reviews: The reviews.
        methods: As they are spelled.
        out: The folder of results; what is there already is not made again.
        draws: How many starts of each review.
        settings: How reviews are replayed.
        workers: How many processes; as many as there are cores, if it is not said.
        on_progress: Called as results come in.
    """
    settings = settings or ScreenSettings()
    folder = ScreenFolder(out)
    by_name = {review.name: review for review in reviews}
    jobs = list(_list_jobs(reviews, _check_methods(methods), draws, settings=settings))
    missing = [job for job in jobs if folder.result(job) is None]
    failed: list[str] = []
    made = _run_jobs(missing, by_name, min(workers or os.cpu_count() or 1, max(1, len(missing))))
    for done, (job, outcome) in enumerate(made, 1):
        if isinstance(outcome, ScreenResult):
            folder.write(job, outcome)
        else:
            failed.append(f"{describe_job(job)}: {outcome}")
        if on_progress:
            on_progress(ReplayProgress(done, len(missing), describe_job(job)))
    results = [result for job in jobs if (result := folder.result(job))]
    return ScreenReport(results, len(missing) - len(failed), tuple(failed))


def describe_job(job: ReplayJob) -> str:
    """Return a replay in a few words."""
    return f"{job.method}, {job.start.review}, draw {job.start.draw}"


def _check_methods(methods: Sequence[str]) -> list[str]:
    """Return each method once, as it is spelled; raise if one can't be run at all."""
    parsed = [parse_method(text) for text in methods]
    for method in parsed:
        method.check(encoder=None)
    return list(dict.fromkeys(map(str, parsed)))


def _list_jobs(
    reviews: Sequence[Review],
    methods: Sequence[str],
    draws: int,
    *,
    settings: ScreenSettings,
) -> Iterator[ReplayJob]:
    for draw, review in product(range(1, draws + 1), reviews):
        start = draw_start(review, draw, number=settings.number, seeds=settings.seeds)
        for method in methods:
            yield ReplayJob(start, review.fingerprint, method, settings)


def _run_jobs(
    jobs: Sequence[ReplayJob], reviews: dict[str, Review], workers: int
) -> Iterator[tuple[ReplayJob, ScreenResult | str]]:
    """Yield what each job came to, as they end: a result, or what went wrong."""
    if workers == 1 or not jobs:
        for job in jobs:
            yield job, make_replay(job, reviews[job.start.review])
        return
    use_one_thread()
    with ProcessPoolExecutor(workers, mp_context=PROCESSES) as processes:
        running = {
            processes.submit(make_replay, job, reviews[job.start.review]): job for job in jobs
        }
        try:
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            raise RunError(
                "a process ended before its time, as it does for want of memory; "
                "run again with fewer --workers: what was made is kept"
            ) from error
        finally:
            processes.shutdown(cancel_futures=True)


def make_replay(
    job: ReplayJob, review: Review, *, on_round: Callable[[ReplayState], None] | None = None
) -> ScreenResult | str:
    """Return what a replay came to, or in a line what went wrong."""
    began = time.perf_counter()
    settings, wanted = job.settings, len(review.on_topic) - len(job.start.seeds)
    records = len(review.documents) - len(job.start.seeds)
    batch = settings.batch or choose_batch(records, rounds=settings.rounds)
    rng = make_generator(
        settings.number, "replay", review.name, job.start.draw, job.method, "reading"
    )
    try:
        replayed = replay_review(
            review,
            _prepare_records(review),
            job.start,
            method=parse_method(job.method),
            pace=ReplayPace(batch, settings.until),
            rng=rng,
            on_round=on_round,
        )
    except (LikewiseError, ArithmeticError, ValueError) as problem:
        return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
    looked = replayed.looked
    return ScreenResult(
        review=review.name,
        draw=job.start.draw,
        fingerprint=job.fingerprint,
        method=job.method,
        kind=review.kind,
        settings=asdict(settings),
        seeds=len(job.start.seeds),
        records=records,
        on_topic=wanted,
        looked_at=len(looked),
        found_at=tuple(place for place, look in enumerate(looked, 1) if look.is_on_topic),
        rounds=replayed.rounds,
        seconds=round(time.perf_counter() - began, 3),
        versions={"likewise": __version__, **find_package_versions()},
    )


@lru_cache(maxsize=2)
def _prepare_records(review: Review) -> ReviewRecords:
    return ReviewRecords(review.documents)
