"""Replay reviews in several processes; replays that were made before are not made again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from likewise.bench import make_generator
from likewise.bench.runs.crew import Crew, CrewJob, CrewProgress, RunMethod
from likewise.bench.runs.results import find_versions
from likewise.bench.screening.replaying import (
    ReviewRecords,
    choose_batch,
    replay_review,
)
from likewise.bench.screening.results import (
    ReplayJob,
    ScreenFolder,
    ScreenResult,
    ScreenSettings,
    make_screen_result,
)
from likewise.bench.screening.reviews import ReplayStart, Review, draw_starts
from likewise.extras import summarise_error
from likewise.learn.material import OnStep
from likewise.learn.spelling import parse_method


class ScreenReport(NamedTuple):
    """The results that were asked for, made now or before, and what went wrong."""

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
    on_progress: Callable[[CrewProgress], None] | None = None,
) -> ScreenReport:
    """Replay reviews with each method, from each of several starts, and keep the results.

    Args:
        reviews: The reviews.
        methods: The spellings of the methods.
        out: The folder of results; those that are there already are not made again.
        draws: How many starts each review has.
        settings: How reviews are replayed.
        workers: How many processes; by default, as many as there are cores.
        on_progress: Called as results come in.
    """
    settings = settings or ScreenSettings()
    folder = ScreenFolder(out)
    spelled = _check_methods(methods)
    starts = draw_starts(reviews, draws=draws, number=settings.number, seeds=settings.seeds)
    subjects = list(map(ReplaySubject, cycle(reviews), starts))
    asked = [[ReplayJob(*one, method, settings) for method in spelled] for one in subjects]
    jobs = [
        CrewJob(one, tuple(job.method for job in own if folder.find_result(job) is None))
        for one, own in zip(subjects, asked, strict=True)
    ]
    crew = Crew(ReplayTrade(out, settings), on_progress=on_progress)
    crew.run(jobs, workers=workers)
    results = [result for own in asked for job in own if (result := folder.find_result(job))]
    return ScreenReport(results, crew.done - len(crew.failed), tuple(crew.failed))


def _check_methods(methods: Sequence[str]) -> list[str]:
    """Return the spelling of each method once; raise if one can't be run at all."""
    parsed = [parse_method(text) for text in methods]
    for method in parsed:
        method.check(encoder=None)
    return list(dict.fromkeys(map(str, parsed)))


class ReplaySubject(NamedTuple):
    """A review, and what is known when its replay begins."""

    review: Review
    start: ReplayStart


@dataclass(frozen=True)
class ReplayTrade:
    """What the processes do: methods replay reviews."""

    out: Path
    settings: ScreenSettings

    def begin(self, subject: ReplaySubject) -> RunMethod:
        """Return a function that replays a review with a method, and keeps the result."""

        def run(method: str, on_step: OnStep) -> str:
            job = ReplayJob(*subject, method, self.settings)
            try:
                result = make_replay(job, on_step=on_step)
            except Exception as problem:  # noqa: BLE001  # whatever it is, the others go on
                return summarise_error(problem)
            ScreenFolder(self.out).write(job, result)
            return ""

        return run

    def record_death(
        self, subject: ReplaySubject, method: str, *, error: str, seconds: float
    ) -> None:
        """Record nothing: the next run makes the replay again."""

    def describe(self, subject: ReplaySubject, method: str) -> str:
        """Return a few words about a replay."""
        return f"{method}, {subject.start.review}, draw {subject.start.draw}"


def make_replay(job: ReplayJob, *, on_step: OnStep) -> ScreenResult:
    """Replay a review and return the result."""
    began = time.perf_counter()
    review, start, method, settings = job
    records = len(review.documents) - len(start.seeds)
    batch = settings.batch or choose_batch(records, rounds=settings.rounds)
    replayed = replay_review(
        review,
        _prepare_records(review),
        start,
        method=parse_method(method),
        batch=batch,
        until=settings.until,
        rng=make_generator(settings.number, "replay", review.name, start.draw, method, "reading"),
        on_round=lambda state: on_step(len(state.looked), records),
    )
    return make_screen_result(
        review,
        start,
        [look.is_on_topic for look in replayed.looked],
        method=method,
        settings=asdict(settings),
        rounds=tuple(replayed.rounds),
        seconds=round(time.perf_counter() - began, 3),
        versions=find_versions(),
    )


@lru_cache(maxsize=2)
def _prepare_records(review: Review) -> ReviewRecords:
    """Return the features of a review's records; a process makes them once for its replays."""
    return ReviewRecords(review.documents)
