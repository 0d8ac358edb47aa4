"""Networks of the paper, on small tasks."""

import numpy as np
import pytest

from bench.made import made_task
from learn.neural.extra import torch
from likewise.bench.methods.answers import Answer
from likewise.bench.methods.counted import CountedTerms
from likewise.bench.methods.network_methods import joined
from likewise.bench.methods.network_rows import Numbered
from likewise.bench.methods.networks import Network, network_answer, train_network
from likewise.bench.methods.spelling import bench_method
from likewise.bench.methods.supervision import supervisions
from likewise.bench.methods.view import View
from likewise.bench.tasks.task import Truth
from likewise.errors import SettingsError
from likewise.learn.batching import OrdinaryBatches, ProportionalBatches
from likewise.learn.neural.risks import NNPU, PN, PNU, UPU
from likewise.learn.neural.vpu import VPU

QUICK = "batch=16, epochs=12"


def rng():
    return np.random.default_rng(0)


def viewed(**made):
    task, truth = made_task(**made)
    return View(task, CountedTerms()), truth


def network(**chosen):
    usual = {
        "risk": "nnpu",
        "prior": 0.5,
        "loss": "sigmoid",
        "batch": 16,
        "batching": "proportional",
        "epochs": 12,
        "models": 1,
        "start": "random",
    }
    return Network(**(usual | chosen))


def is_on(answer, truth):
    return np.array([name in truth.relevant for name in answer.ids])


def separated(answer, truth):
    """The share of pairs of documents on and off topic that are in the right order."""
    on = is_on(answer, truth)
    return (answer.scores[on, None] > answer.scores[None, ~on]).mean()


# Rows


def sizes(examples):
    return tuple(getattr(examples, g).shape[0] for g in ("positive", "unlabeled", "negative"))


def test_parts_are_those_of_the_task():
    view, _ = viewed(seeds=9, negatives=6)
    rows = Numbered(view).rows(rng=rng())
    # Of nine seeds and six negatives every third is for validation, and a quarter of the pool.
    assert sizes(rows.learned) == (6, 40, 4)
    assert sizes(rows.validation) == (3, 20, 2)
    assert rows.measured.shape == (20,)


def test_a_third_is_set_aside_in_a_transductive_task_and_all_of_it_measured():
    view, _ = viewed(seeds=9, setting="transductive")
    rows = Numbered(view).rows(rng=rng())
    assert sizes(rows.learned) == (6, 53, 0)
    assert sizes(rows.validation) == (3, 27, 0)
    assert rows.measured.shape == (80,)


def test_what_is_drawn_at_random_is_learned_from():
    rows = Numbered(viewed()[0].on_background).rows(rng=rng())
    assert rows.learned.unlabeled.shape[0] + rows.validation.unlabeled.shape[0] == 50
    assert rows.measured.shape == (20,)


def test_with_the_truth_the_pool_is_on_or_off_topic():
    view, truth = viewed(seeds=9)
    relevant = np.array([name in truth.relevant for name in view.pool])
    (part,) = supervisions(view, rng=rng())
    rows = Numbered(view).supervised(relevant, part=part, rng=rng())
    # All documents of the training part, and six of the seeds.
    on = int(relevant[part.learned].sum())
    assert sizes(rows.learned) == (6 + on, 0, 40 - on)


# Settings


@pytest.mark.parametrize(
    ("risk", "made"),
    [
        ("nnpu", NNPU(prior=0.2)),
        ("upu", UPU(prior=0.2)),
        ("pn", PN(prior=0.2)),
        ("naive", PN(prior=0.2)),
        ("pnu", PNU(prior=0.2, weight=0.7)),
        ("vpu", VPU()),
    ],
)
def test_risks_by_name(risk, made):
    assert network(risk=risk, prior=0.2, gamma=0.7).made_risk() == made


def test_ordinary_batches_may_lack_a_group():
    made = network(batching="ordinary")
    assert made.made_risk() == NNPU(prior=0.5, lenient=True)
    assert isinstance(made.batches({"positive": 2, "unlabeled": 40}), OrdinaryBatches)


def test_proportional_batches_have_their_share_of_each():
    batches = network(batch=21).batches({"positive": 2, "unlabeled": 40})
    assert isinstance(batches, ProportionalBatches)
    assert batches.counts == {"positive": 1, "unlabeled": 20}


# Answers


@pytest.mark.parametrize("risk", ["nnpu", "upu", "naive", "vpu", "pn", "pnu"])
def test_every_risk_learns_to_tell_the_topic(risk):
    view, truth = viewed(negatives=12)
    answer = bench_method(f"cnn(risk={risk}, {QUICK}, start=topics)").answer(view, rng=rng())
    assert list(answer.ids) == view.measured
    assert separated(answer, truth) > 0.95


def test_decisions_fall_at_0():
    view, truth = viewed()
    answer = bench_method(f"cnn({QUICK}, start=topics)").answer(view, rng=rng())
    assert (answer.decided == (answer.scores > 0)).all()
    assert (answer.decided == is_on(answer, truth)).mean() > 0.9


def test_the_same_numbers_give_the_same_answer():
    view, _ = viewed()
    method = bench_method(f"cnn({QUICK}, risk=vpu)")
    first = method.answer(view, rng=rng())
    # What torch has drawn before makes no difference.
    torch.manual_seed(99)
    assert (method.answer(view, rng=rng()).scores == first.scores).all()


def test_networks_are_averaged_by_their_deviation():
    view, _ = viewed()
    rows = Numbered(view).rows(rng=rng())
    networks = [network(), network(risk="naive")]
    draws = rng()
    alone = [
        train_network(each, rows, seed=int(draws.integers(2**31))).scores(rows.measured)
        for each in networks
    ]
    answer = network_answer(networks, rows, ids=view.measured, rng=rng())
    assert answer.scores == pytest.approx(np.mean(alone, axis=0))


def test_scores_have_a_deviation_of_1_over_what_is_learned_from():
    rows = Numbered(viewed()[0]).rows(rng=rng())
    trained = train_network(network(), rows, seed=1)
    assert trained.scores(rows.learned.everyone).std() == pytest.approx(1)


def test_several_models_are_other_models():
    view, _ = viewed()
    one, three = (
        bench_method(f"cnn({QUICK}, models={count})").answer(view, rng=rng()) for count in (1, 3)
    )
    assert (one.scores != three.scores).any()


def test_progress_is_told_to_the_end():
    view, _ = viewed()
    steps = []
    bench_method("cnn(epochs=2, batch=16) + cnn(risk=upu, epochs=2, batch=16)").answer(
        view, rng=rng(), on_step=lambda done, total, *_: steps.append(done / total)
    )
    assert steps == sorted(steps)
    assert steps[-1] == 1


def test_the_true_prior_needs_the_truth_and_no_more_of_it_than_how_many():
    view, truth = viewed()
    method = bench_method(f"cnn(prior=true, {QUICK})")
    # Of the sixty that are learned from, as many as before are said to be on topic.
    learned = [name for name in view.learned if name in truth.relevant]
    turned = Truth(frozenset(view.learned[: len(learned)]))
    first, second = (method.answer_with_truth(view, each, rng=rng()) for each in (truth, turned))
    assert (first.scores == second.scores).all()


def test_the_prior_may_be_estimated():
    view, _ = viewed()
    answer = bench_method(f"cnn(prior=estimate, {QUICK})").answer(view, rng=rng())
    assert np.isfinite(answer.scores).all()


@pytest.mark.parametrize("risk", ["pn", "pnu"])
def test_a_task_without_negatives_is_told_in_one_line(risk):
    view, _ = viewed()
    with pytest.raises(SettingsError, match="has no negative documents for this risk; make tasks"):
        bench_method(f"cnn(risk={risk})").answer(view, rng=rng())


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_full_supervision_tells_the_topic(setting):
    view, truth = viewed(setting=setting)
    method = bench_method(f"upper-bound-cnn({QUICK}, start=topics)")
    answer = method.answer_with_truth(view, truth, rng=rng())
    assert list(answer.ids) == view.measured
    assert separated(answer, truth) > 0.95


def test_full_supervision_does_not_look_at_the_truth_about_what_is_measured():
    view, truth = viewed()
    method = bench_method("upper-bound-cnn(epochs=2, batch=16)")
    blind = Truth(truth.relevant - set(view.measured))
    first, second = (method.answer_with_truth(view, each, rng=rng()) for each in (truth, blind))
    assert (first.scores == second.scores).all()


def test_random_documents_take_the_pools_place():
    view, truth = viewed()
    answer = bench_method(f"random+cnn({QUICK}, start=topics)").answer(view, rng=rng())
    assert list(answer.ids) == view.measured
    assert separated(answer, truth) > 0.9


def test_answers_about_parts_are_joined_in_order():
    parts = [
        Answer(ids=("c", "a"), scores=np.array([3.0, 1.0]), decided=np.array([True, False])),
        Answer(ids=("b",), scores=np.array([2.0]), decided=np.array([True]), warnings=("hm",)),
    ]
    answer = joined(parts, ids=["a", "b", "c"])
    assert (answer.ids, answer.scores.tolist()) == (("a", "b", "c"), [1, 2, 3])
    assert answer.decided.tolist() == [False, True, True]
    assert answer.warnings == ("hm",)
