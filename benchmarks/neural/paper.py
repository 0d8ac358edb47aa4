"""The paper's Tables 2 and 3 on our topics, with its protocol.

Half of the pool and |LP| seeds are trained on, a quarter and half as many seeds are for early
stopping on the validation risk, and a quarter is decided at score 0. The CNN has the paper's sizes
and settings; truth is used for the last quarter, for the true prior of Table 2, and by PN.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from benchmarks.labelled import library_of, mesh_collection
from benchmarks.quality.measures import average_precision, f1_score
from benchmarks.quality.run import TOPICS, Task, made_tasks, run_all

from likewise.expansion.settings import ExpandSettings
from likewise.features.tokens import token_ids
from likewise.learn.estimators import Rows, stacked
from likewise.learn.neural.cnn import WordCNN
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.losses import logistic
from likewise.learn.neural.risks import BALANCED, NNPU, PN
from likewise.learn.neural.training import TrainingSettings

if TYPE_CHECKING:
    from likewise.learn.neural.risks import PURisk

COUNT = 3
"""How many of the topics are gone through."""
SPREAD = 0.01
"""The deviation that the embeddings of AllenNLP have before training."""


class Setting(NamedTuple):
    """A row of a table, with what the paper measured."""

    table: int
    name: str
    seeds: int
    supervised: bool
    prior: str
    batch: int
    proportional: bool
    paper_f1: float


SETTINGS = (
    Setting(2, "20 seeds, true prior", 20, False, "true", 1000, True, 0.0),
    Setting(2, "20 seeds, prior 0.5", 20, False, "0.5", 1000, True, 33.26),
    Setting(2, "50 seeds, true prior", 50, False, "true", 1000, True, 0.0),
    Setting(2, "50 seeds, prior 0.5", 50, False, "0.5", 1000, True, 37.36),
    Setting(3, "PN, batch 512", 50, True, "true", 512, False, 32.55),
    Setting(3, "PN, batch 16", 50, True, "true", 16, False, 5.55),
    Setting(3, "PN, batch 16, proportional", 50, True, "true", 16, True, 41.61),
    Setting(3, "PU, batch 512", 50, False, "0.5", 512, False, 22.77),
    Setting(3, "PU, batch 16", 50, False, "0.5", 16, False, 0.0),
    Setting(3, "PU, batch 16, proportional", 50, False, "0.5", 16, True, 22.35),
)


class Run(NamedTuple):
    """A setting on a topic."""

    setting: Setting
    task: Task


def paper_part() -> None:
    """Print both tables."""
    collection = mesh_collection(TOPICS[:COUNT])
    with library_of(collection.documents) as library:
        settings = ExpandSettings(pool=10_000, rounds=1, method="bm25")
        runs = [
            Run(setting, task)
            for setting in SETTINGS
            # Half as many seeds again are for validation.
            for task in made_tasks(
                collection, library.path, count=setting.seeds * 3 // 2, settings=settings
            )
            if task.draw == 0
        ]
        outcomes = run_all(outcome, runs)
    for table in (2, 3):
        print(f"\n## The paper's Table {table}, {COUNT} topics, 1 draw\n")
        print("| setting | accuracy | precision | recall | F1 | AP | epochs | F1 in the paper |")
        print("|---|" + "---:|" * 7)
        for setting in SETTINGS:
            if setting.table == table:
                print_row(setting, [o for o in outcomes if o["setting"] == setting])


def print_row(setting: Setting, outcomes: list[dict[str, Any]]) -> None:
    """Print the means over the topics."""
    names = ("accuracy", "precision", "recall", "F1", "AP")
    cells = [f"{100 * fmean(o[name] for o in outcomes):.1f}" for name in names]
    epochs = f"{fmean(o['epochs'] for o in outcomes):.0f}"
    print("| " + " | ".join([setting.name, *cells, epochs, f"{setting.paper_f1:.1f}"]) + " |")


class Split(NamedTuple):
    """The rows of a task, and the truth about those that are decided."""

    words: int
    seeds: Rows
    pool: Rows
    """What is trained on and set aside: three quarters."""
    known: np.ndarray
    tested: Rows
    truth: np.ndarray


def split(task: Task) -> Split:
    """Retrieve a pool, number its words, and put a quarter of it aside for testing."""
    learned, relevant = task.learned()
    candidates = learned.candidates
    documents = [candidates.documents[i] for i in (*candidates.seed_ids, *candidates.pool)]
    tokens = token_ids(documents)
    rows = Rows(tokens.title, tokens.abstract)
    count = len(candidates.seed_ids)
    pool, tested = rows[count:], np.random.default_rng(1).permutation(len(relevant)) % 4 == 0
    return Split(
        tokens.size, rows[:count], pool[~tested], relevant[~tested], pool[tested], relevant[tested]
    )


def outcome(run: Run) -> dict[str, Any]:
    """Train as a setting says, and decide the last quarter of the pool at score 0."""
    torch.set_num_threads(1)
    rows = split(run.task)
    network = PUNetwork(
        lambda _: WordCNN(rows.words, spread=SPREAD),
        risk=risk_of(run.setting, prior=rows.known.mean()),
        batch=run.setting.batch,
        proportional=run.setting.proportional,
        # A third of three quarters is a quarter.
        validation=1 / 3,
        settings=TrainingSettings(epochs=30, patience=5),
    )
    if run.setting.supervised:
        on, off = stacked([rows.seeds, rows.pool[rows.known]]), rows.pool[~rows.known]
        network.learn(on, off, off)
    else:
        network.learn(rows.seeds, rows.pool)
    scores, truth = network.decision_function(rows.tested), rows.truth
    decided = scores > 0
    return {
        "setting": run.setting,
        "accuracy": (decided == truth).mean(),
        "precision": truth[decided].mean() if decided.any() else 0.0,
        "recall": (decided & truth).sum() / truth.sum(),
        "F1": f1_score(decided, truth),
        "AP": average_precision(scores, truth),
        "epochs": len(network.histories_[0].epochs),
    }


def risk_of(setting: Setting, *, prior: float) -> PURisk:
    """Return the risk of a setting."""
    if setting.supervised:
        return PN(prior=prior, loss=logistic, lenient=not setting.proportional)
    chosen = prior if setting.prior == "true" else BALANCED
    return NNPU(prior=chosen, lenient=not setting.proportional)
