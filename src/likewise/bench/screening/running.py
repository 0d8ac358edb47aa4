"""Replays in several processes; what was made before is not made again."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from likewise import __version__
from likewise.bench.randomness import generator
from likewise.bench.runs.workers import with_one_thread
from likewise.bench.screening.records import Records
from likewise.bench.screening.replaying import Pace, replay, usual_batch
from likewise.bench.screening.results import Job, ScreenFolder, ScreenResult, ScreenSettings
from likewise.bench.screening.starts import draw_start
from likewise.errors import LikewiseError, RunError
from likewise.expansion.saved import package_versions
from likewise.learn.spelling import parse_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from likewise.bench.screening.replaying import Known
    from likewise.bench.screening.reviews import Review

# A copy of this process would have its threads and locks, but not what holds them.
PROCESSES = multiprocessing.get_context("spawn")


class Progress(NamedTuple):
    """How far a run is."""

    done: int
    total: int
    note: str


class Screened(NamedTuple):
    """The results that were asked for, and what went wrong."""

    results: list[ScreenResult]
    made: int
    failed: tuple[str, ...]
    """What failed and why, a line each."""


def screen(  # noqa: PLR0913  # reviews, what replays them, and how
    reviews: Sequence[Review],
    methods: Sequence[str],
    *,
    out: Path,
    draws: int,
    settings: ScreenSettings | None = None,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Screened:
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
    jobs = list(_jobs(reviews, _checked(methods), draws, settings=settings))
    missing = [job for job in jobs if folder.result(job) is None]
    failed: list[str] = []
    made = _run(missing, by_name, min(workers or os.cpu_count() or 1, max(1, len(missing))))
    for done, (job, outcome) in enumerate(made, 1):
        if isinstance(outcome, ScreenResult):
            folder.write(job, outcome)
        else:
            failed.append(f"{told(job)}: {outcome}")
        if on_progress:
            on_progress(Progress(done, len(missing), told(job)))
    results = [result for job in jobs if (result := folder.result(job))]
    return Screened(results, len(missing) - len(failed), tuple(failed))


def told(job: Job) -> str:
    """Return a replay in a few words."""
    return f"{job.method}, {job.start.review}, draw {job.start.draw}"


def _checked(methods: Sequence[str]) -> list[str]:
    """Return each method once, as it is spelled; raise if one can't be run at all."""
    parsed = [parse_method(text) for text in methods]
    for method in parsed:
        method.check(encoder=None)
    return list(dict.fromkeys(map(str, parsed)))


def _jobs(
    reviews: Sequence[Review],
    methods: Sequence[str],
    draws: int,
    *,
    settings: ScreenSettings,
) -> Iterator[Job]:
    for draw, review in product(range(1, draws + 1), reviews):
        start = draw_start(review, draw, number=settings.number, seeds=settings.seeds)
        for method in methods:
            yield Job(start, review.fingerprint, method, settings)


def _run(
    jobs: Sequence[Job], reviews: dict[str, Review], workers: int
) -> Iterator[tuple[Job, ScreenResult | str]]:
    """Yield what each job came to, as they end: a result, or what went wrong."""
    if workers == 1 or not jobs:
        for job in jobs:
            yield job, made(job, reviews[job.start.review])
        return
    with_one_thread()
    with ProcessPoolExecutor(workers, mp_context=PROCESSES) as processes:
        running = {processes.submit(made, job, reviews[job.start.review]): job for job in jobs}
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


def made(
    job: Job, review: Review, *, on_round: Callable[[Known], None] | None = None
) -> ScreenResult | str:
    """Return what a replay came to, or in a line what went wrong."""
    began = time.perf_counter()
    settings, wanted = job.settings, len(review.on_topic) - len(job.start.seeds)
    records = len(review.documents) - len(job.start.seeds)
    batch = settings.batch or usual_batch(records, rounds=settings.rounds)
    rng = generator(settings.number, "replay", review.name, job.start.draw, job.method, "reading")
    try:
        replayed = replay(
            review,
            _records(review),
            job.start,
            method=parse_method(job.method),
            pace=Pace(batch, settings.until),
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
        versions={"likewise": __version__, **package_versions()},
    )


@lru_cache(maxsize=2)
def _records(review: Review) -> Records:
    return Records(review.documents)
