"""The paper's published figures, in per cent, as in its tables, and the topics of its averages.

Jacovi, Niu, Goldberg, Sugiyama (2021), Scalable Evaluation and Improvement of Document Set
Expansion via Neural Positive-Unlabeled Learning (EACL). Its library was PubMed of January 2019, 29
million documents, of which 10,000 or 20,000 were retrieved for a topic; next to figures on other
libraries and pools they are only a guide.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from likewise.bench.measures import TaskKey
from likewise.bench.topics import PAPER, read_topics

SOURCE = "Jacovi et al. (2021)"
DAGGERS = ("†", "‡")
"""The marks of the paper's averages, over its first ten topics and over all."""
TEN = 10


class Published1(NamedTuple):
    """A row of Table 1: F1; that of BM25 is a mean over k from |LP| to 5,000."""

    seeds: int
    topic: str
    nnpu: float
    bm25: float
    bm25_deviation: float
    random_nnpu: float
    copkmeans: float
    naive: float
    all_positive: float
    upper_bound: float
    is_average: bool = False


_BRAIN = "Animals + Brain + Rats"
_HIV = "Adult + Middle Aged + HIV Infections"
_DIALYSIS = "Renal Dialysis + Kidney Failure, Chronic + Middle Aged"
_TEN = "Average of 10† topics"
_FIFTEEN = "Average of 15‡ topics"

TABLE_1 = (
    Published1(20, _BRAIN, 48.97, 32.25, 11.6, 40.21, 30.47, 1.49, 44.6, 68.17),
    Published1(20, _HIV, 42.38, 26.75, 7.22, 40.22, 33.59, 6.88, 30.98, 55.61),
    Published1(20, _DIALYSIS, 49.16, 41.23, 8.95, 46.58, 25.4, 0.00, 28.40, 58.18),
    Published1(20, _TEN, 33.26, 26.69, 7.18, 30.9, 25.47, 2.16, 26.46, 50.46, is_average=True),
    Published1(50, _BRAIN, 60.56, 32.8, 10.9, 45.13, 30.47, 5.41, 45.86, 70.23),
    Published1(50, _HIV, 42.77, 31.85, 10.7, 50.52, 33.59, 12.28, 40.53, 58.10),
    Published1(50, _DIALYSIS, 50.09, 35.78, 9.13, 45.37, 25.43, 0.00, 31.81, 57.58),
    Published1(50, _TEN, 37.36, 29.07, 7.75, 37.01, 26.51, 3.01, 30.41, 51.09, is_average=True),
    Published1(50, _FIFTEEN, 33.82, 27.55, 6.20, 31.08, 25.93, 2.12, 29.02, 47.41, is_average=True),
)


class Published2(NamedTuple):
    """A row of Table 2: nnPU with the true prior or with 0.5; means of 10 topics."""

    seeds: int
    prior: str
    accuracy: float
    f1: float


TABLE_2 = (
    Published2(20, "true", 84.27, 0.0),
    Published2(20, "0.5", 62.09, 33.26),
    Published2(50, "true", 81.71, 0.0),
    Published2(50, "0.5", 59.92, 37.36),
)


class Published3(NamedTuple):
    """A row of Table 3: batches of a size, proportional or not."""

    setting: str
    """PN is full supervision, with 15 on topic to 85 off topic; PU has 2 of LP to 100 of U."""
    batch: int
    is_proportional: bool
    f1: float


TABLE_3 = (
    Published3("PN", 512, False, 32.55),
    Published3("PN", 16, False, 5.55),
    Published3("PN", 16, True, 41.61),
    Published3("PU", 512, False, 22.77),
    Published3("PU", 16, False, 0.0),
    Published3("PU", 16, True, 22.35),
)


class Published4(NamedTuple):
    """A row of Table 4: learning without and with labelled negatives; |LP| = |N| = 50, 5 topics."""

    setting: str
    precision: float
    recall: float
    f1: float


TABLE_4 = (
    Published4("PU", 29.35, 71.83, 40.78),
    Published4("PN (unbiased N)", 33.83, 70.40, 42.14),
    Published4("PN (biased N)", 19.34, 90.62, 31.29),
)


class Published5(NamedTuple):
    """A row of Table 5: F1 with negatives drawn at random and by length; otherwise like Table 4."""

    setting: str
    model: str
    unbiased_f1: float
    biased_f1: float


TABLE_5 = (
    Published5("PNU", "Ensemble (PN+PU 1+1)", 42.31, 37.63),
    Published5("PNU", "Multi-task", 41.50, 41.48),
    Published5("PU", "Ensemble (3)", 41.25, 41.25),
)


class Published6(NamedTuple):
    """A row of Table 6: what was retrieved for a topic."""

    topic: str
    seeds: int
    pool: int
    precision: float
    recall: float


_LIVER = "Liver + Rats, Inbred Strains + Rats"
TABLE_6 = (
    Published6(_LIVER, 20, 10_000, 17.45, 15.59),
    Published6(_LIVER, 50, 10_000, 16.55, 14.82),
    Published6(_HIV, 20, 20_000, 18.33, 20.06),
    Published6(_HIV, 50, 20_000, 25.42, 27.85),
)


class PublishedPretraining(NamedTuple):
    """Section 5.3: F1 with trained and with pretrained embeddings, means of 5 topics."""

    without: float
    with_encoder: float
    encoder: str


PRETRAINING = PublishedPretraining(25.75, 29.96, "SciBERT")


def group_by_dagger(tasks: Collection[TaskKey]) -> dict[str, set[TaskKey]]:
    """Return the tasks on the topics of each of the paper's averages, if there are several."""
    found = {
        mark: {task for task in tasks if frozenset(task.topic.split(" + ")) in topics}
        for mark, topics in _read_averaged_topics().items()
    }
    return {mark: own for mark, own in found.items() if len({task.topic for task in own}) > 1}


@cache
def _read_averaged_topics() -> dict[str, frozenset[frozenset[str]]]:
    """Return the topics of each of the paper's averages, by its mark in the tables."""
    topics = [frozenset(topic.terms) for topic in read_topics(PAPER)]
    return dict(zip(DAGGERS, (frozenset(topics[:TEN]), frozenset(topics)), strict=True))
