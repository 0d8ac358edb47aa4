"""Reviews and results that tests replay and measure."""

import json
from functools import cache

from expansion.corpus import corpus
from likewise.bench.screening.replaying import Evidence, ReviewRecords
from likewise.bench.screening.results import ScreenResult
from likewise.bench.screening.reviews import Review


@cache
def bees() -> Review:
    """A review of 320 records, 45 of them on topic."""
    on_topic = frozenset(one.id for one in corpus() if "bees" in one.keywords)
    return Review("bees", corpus(), on_topic)


@cache
def bee_records() -> ReviewRecords:
    return ReviewRecords(bees().documents)


def rows_of(**decisions):
    """Yield the records of a file of reviews: bees, with what is said of it besides."""
    for one in corpus():
        is_on_topic = int("bees" in one.keywords)
        levels = {"abstract": is_on_topic, "included": int(is_on_topic and int(one.id) % 2 == 0)}
        reviews = {"bees": levels, **decisions}
        yield {"id": one.id, "title": one.title, "abstract": one.abstract, "reviews": reviews}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def result(*found_at, records=20, on_topic=None, looked_at=None, **chosen):
    """Return the result of a replay that finds things at these places."""
    return ScreenResult(
        **{
            "review": "bees",
            "draw": 1,
            "fingerprint": "f",
            "method": "linear",
            "seeds": 2,
            "records": records,
            "on_topic": len(found_at) if on_topic is None else on_topic,
            "looked_at": max(found_at, default=0) if looked_at is None else looked_at,
            "found_at": found_at,
            **chosen,
        }
    )


def round_at(looked_at, found, *, usual=(0.0, 0.0, 0.0), scored=None, reached=0):
    """Return how things stood at a round."""
    return Evidence(looked_at, found, usual=usual, scored=scored, reached=reached)
