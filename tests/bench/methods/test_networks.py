"""Networks of the paper, on small tasks."""

import numpy as np
import pytest

from bench.made import made_task
from learn.neural.extra import torch
from likewise.bench.methods import join_answers, parse_bench_method
from likewise.bench.methods.baselines import BASELINES
from likewise.bench.methods.network_rows import TaskDocuments
from likewise.bench.methods.networks import NetworkSettings, answer_by_networks, train_network
from likewise.bench.methods.supervision import deal_supervisions
from likewise.bench.methods.view import CountedTerms, MethodAnswer, TaskView
from likewise.bench.tasks import Truth
from likewise.errors import SettingsError
from likewise.learn.batching import OrdinaryBatches, ProportionalBatches
from likewise.learn.methods import RISK, RISK_NAMES
from likewise.learn.neural.pubn import PUbN
from likewise.learn.neural.recent_risks import CVIR, VPU, DistPU, TEDn
from likewise.learn.neural.risks import GAMMAS, NNPU, PN, PNU, PUAUC, RISKS, UPU

QUICK = "batch=16, epochs=5"
UNTRAINED = "batch=16, epochs=1, learning_rate=1e-30"
"""Leaves a network as it began, from random embeddings."""


def rng():
    return np.random.default_rng(0)


def viewed(**made):
    task, truth = made_task(**made)
    return TaskView(task, CountedTerms()), truth


def network(**chosen):
    usual = {
        "risk": "nnpu",
        "prior": 0.5,
        "loss": "sigmoid",
        "batch": 16,
        "batching": "proportional",
        "epochs": 5,
        "models": 1,
        "start": "random",
    }
    return NetworkSettings(**(usual | chosen))


def is_on(answer, truth):
    return np.array([name in truth.relevant for name in answer.ids])


def separated(answer, truth):
    """The share of pairs of documents on and off topic that are in the right order."""
    on = is_on(answer, truth)
    return (answer.scores[on, None] > answer.scores[None, ~on]).mean()


def assert_training_separates(answers, truth):
    """Compare the answer of a trained network with that of the same network as it began."""
    trained, untrained = (separated(answer, truth) for answer in answers)
    assert trained > 0.95
    assert 1 - trained < (1 - untrained) / 4


# Rows


def sizes(examples):
    return tuple(getattr(examples, g).shape[0] for g in ("positive", "unlabeled", "negative"))


def test_parts_are_those_of_the_task():
    view, _ = viewed(seeds=9, negatives=6)
    rows = TaskDocuments(view).split_rows(rng=rng())
    # Of nine seeds and six negatives every third is for validation, and a quarter of the pool.
    assert sizes(rows.learned) == (6, 40, 4)
    assert sizes(rows.validation) == (3, 20, 2)
    assert rows.measured.shape == (20,)


def test_a_third_is_set_aside_in_a_transductive_task_and_all_of_it_measured():
    view, _ = viewed(seeds=9, setting="transductive")
    rows = TaskDocuments(view).split_rows(rng=rng())
    assert sizes(rows.learned) == (6, 53, 0)
    assert sizes(rows.validation) == (3, 27, 0)
    assert rows.measured.shape == (80,)


def test_what_is_drawn_at_random_is_learned_from():
    rows = TaskDocuments(viewed()[0].on_background).split_rows(rng=rng())
    assert rows.learned.unlabeled.shape[0] + rows.validation.unlabeled.shape[0] == 50
    assert rows.measured.shape == (20,)


def test_with_the_truth_the_pool_is_on_or_off_topic():
    view, truth = viewed(seeds=9)
    relevant = np.array([name in truth.relevant for name in view.pool])
    (part,) = deal_supervisions(view, rng=rng())
    rows = TaskDocuments(view).split_by_truth(relevant, part=part, rng=rng())
    # All documents of the training part, and six of the seeds.
    on = int(relevant[part.learned].sum())
    assert sizes(rows.learned) == (6 + on, 0, 40 - on)


# Settings


@pytest.mark.parametrize(
    ("risk", "made"),
    [
        ("nnpu", NNPU(prior=0.2, beta=0.1, gamma=0.3)),
        ("upu", UPU(prior=0.2)),
        ("pn", PN(prior=0.2)),
        ("naive", PN(prior=0.2)),
        ("pnu", PNU(prior=0.2, weight=0.7, beta=0.1, gamma=0.3)),
        ("vpu", VPU()),
        ("dist-pu", DistPU(prior=0.2)),
        ("cvir", CVIR(prior=0.2)),
        ("tedn", TEDn()),
        ("pu-auc", PUAUC(prior=0.2)),
    ],
)
def test_risks_by_name(risk, made):
    chosen = network(risk=risk, prior=0.2, beta=0.1, gamma=0.3, pnu_weight=0.7)
    assert chosen.make_risk() == made


def test_pubn_knows_how_many_are_of_the_kind_that_is_marked():
    made = network(risk="pubn", prior=0.2).make_risk(eta=0.4)
    # A quarter of the eight tenths that are off topic.
    assert made == PUbN(prior=0.2, biased=0.2, eta=0.4)


def test_every_risk_that_may_be_spelled_is_known():
    # The first step of PUbN is none by itself.
    assert {*RISK_NAMES} == {*RISKS} - {"pubn-labelling"}
    assert set(RISK.words) == {*RISK_NAMES, "naive"}


def test_a_risk_that_is_not_known_is_told_in_one_line():
    with pytest.raises(SettingsError, match="there is no risk 'none'; use one of: pn, upu"):
        network(risk="none").make_risk()


def test_ordinary_batches_may_lack_a_group():
    made = network(batching="ordinary")
    assert made.make_risk() == NNPU(prior=0.5, lenient=True)
    assert isinstance(made.cut_batches({"positive": 2, "unlabeled": 40}), OrdinaryBatches)


def test_proportional_batches_have_their_share_of_each():
    batches = network(batch=21).cut_batches({"positive": 2, "unlabeled": 40})
    assert isinstance(batches, ProportionalBatches)
    assert batches.counts == {"positive": 1, "unlabeled": 20}


def test_an_epoch_is_a_loop_through_the_positive():
    batches = network(batch=16).cut_batches({"positive": 24, "negative": 8})
    # Twelve and four a batch: two loops would go through the negative.
    assert (len(batches), batches.counts) == (2, {"positive": 12, "negative": 4})


def test_training_is_as_long_as_is_asked_for():
    chosen = network(epochs=7, patience=3, learning_rate=0.01).settings
    assert (chosen.epochs, chosen.patience, chosen.learning_rate, chosen.clip) == (7, 3, 0.01, 5)


def test_the_bound_is_the_same_model_trained_alike():
    usual, bound = (
        {known.name: known.default for known in BASELINES[name].parameters}
        for name in ("cnn", "upper-bound-cnn")
    )
    paper = {"prior": 0.5, "loss": "sigmoid", "batching": "proportional", "batch": "auto"}
    paper |= {"epochs": 100, "patience": 20, "learning_rate": "auto", "start": "random"}
    assert bound == paper | {"models": 1, "embeddings": "words"}
    assert network().settings.learning_rate == 0.001
    assert bound.items() <= usual.items()


# Gamma


def test_gamma_is_tuned_by_the_validation_risk():
    rows = TaskDocuments(viewed()[0]).split_rows(rng=rng())
    given = {"epochs": 3, "start": "topics", "prior": 0.9}
    alone = [train_network(network(gamma=gamma, **given), rows, seed=1) for gamma in GAMMAS]
    tuned = train_network(network(gamma="tune", **given), rows, seed=1)
    assert tuned.risk == min(each.risk for each in alone)
    best = next(each for each in alone if each.risk == tuned.risk)
    assert tuned.facts["gamma"] == best.facts["gamma"]
    assert (tuned.score(rows.measured) == best.score(rows.measured)).all()


@pytest.mark.parametrize(("risk", "count"), [("nnpu", 4), ("pnu", 4), ("upu", 1), ("naive", 1)])
def test_only_risks_that_step_back_are_trained_with_several(risk, count):
    assert len(network(risk=risk, gamma="tune").list_trials()) == count


# Answers


def test_what_was_chosen_is_told():
    view, _ = viewed(seeds=9)
    answer = parse_bench_method("cnn(epochs=2)").answer(view, rng=rng())
    # Six seeds and forty others are learned from: one seed is in up to 46 / 6 documents.
    assert answer.facts == {"batch": 7, "steps": 6, "epochs": 2, "gamma": 1.0}
    assert answer.warnings == ()


def test_epochs_of_a_step_or_two_are_told_of():
    answer = parse_bench_method("cnn(epochs=2, batch=1000)").answer(viewed()[0], rng=rng())
    assert answer.warnings[0].startswith("an epoch is only 1 step of ")


def test_networks_that_differ_in_the_prior_alone_are_dealt_the_same():
    view, _ = viewed(setting="transductive")
    given, estimated = (
        parse_bench_method(f"cnn(epochs=1, batch=16, learning_rate=1e-30, prior={prior})")
        for prior in (0.3, "estimate")
    )
    # What has hardly been trained is as it began: the same start, and the same documents.
    first, second = (method.answer(view, rng=rng()).scores for method in (given, estimated))
    assert first == pytest.approx(second)


@pytest.mark.parametrize("risk", [*RISK_NAMES, "naive"])
def test_every_risk_learns_to_tell_the_topic(risk):
    view, truth = viewed(negatives=12)
    answers = [
        parse_bench_method(f"cnn(risk={risk}, {steps})").answer(view, rng=rng())
        for steps in (QUICK, UNTRAINED)
    ]
    assert list(answers[0].ids) == view.measured
    assert_training_separates(answers, truth)


def test_decisions_fall_at_0():
    view, truth = viewed()
    answer, untrained = (
        parse_bench_method(f"cnn({steps})").answer(view, rng=rng()) for steps in (QUICK, UNTRAINED)
    )
    assert (answer.decided == (answer.scores > 0)).all()
    right, by_chance = ((each.decided == is_on(each, truth)).mean() for each in (answer, untrained))
    assert right > 0.9 > by_chance + 0.1


def test_without_a_learned_border_as_many_are_decided_as_the_prior_says():
    rows = TaskDocuments(viewed()[0]).split_rows(rng=rng())
    trained = train_network(network(risk="pu-auc", prior=0.3), rows, seed=1)
    # Forty documents without a label are learned from.
    assert (trained.score(rows.learned.unlabeled) > 0).sum() == 12


def test_the_same_numbers_give_the_same_answer():
    view, _ = viewed()
    method = parse_bench_method(f"cnn({QUICK}, risk=vpu)")
    first = method.answer(view, rng=rng())
    # What torch has drawn before makes no difference.
    torch.manual_seed(99)
    assert (method.answer(view, rng=rng()).scores == first.scores).all()


def test_networks_are_averaged_by_their_deviation():
    view, _ = viewed()
    rows = TaskDocuments(view).split_rows(rng=rng())
    networks = [network(), network(risk="naive")]
    draws = rng()
    alone = [
        train_network(each, rows, seed=int(draws.integers(2**31))).score(rows.measured)
        for each in networks
    ]
    answer = answer_by_networks(networks, rows, ids=view.measured, rng=rng())
    assert answer.scores == pytest.approx(np.mean(alone, axis=0))


def test_scores_have_a_deviation_of_1_over_what_is_learned_from():
    rows = TaskDocuments(viewed()[0]).split_rows(rng=rng())
    trained = train_network(network(), rows, seed=1)
    assert trained.score(rows.learned.everyone).std() == pytest.approx(1)


def test_several_models_are_other_models():
    view, _ = viewed()
    one, two = (
        parse_bench_method(f"cnn({QUICK}, models={count})").answer(view, rng=rng())
        for count in (1, 2)
    )
    assert (one.scores != two.scores).any()


def test_progress_is_told_to_the_end():
    view, _ = viewed()
    steps = []
    parse_bench_method("cnn(epochs=2, batch=16) + cnn(risk=upu, epochs=2, batch=16)").answer(
        view, rng=rng(), on_step=lambda done, total, *_: steps.append(done / total)
    )
    assert steps == sorted(steps)
    assert steps[-1] == 1


def test_the_true_prior_needs_the_truth_and_no_more_of_it_than_how_many():
    view, truth = viewed()
    method = parse_bench_method(f"cnn(prior=true, {QUICK})")
    # Of the sixty that are learned from, as many as before are said to be on topic.
    learned = [name for name in view.learned if name in truth.relevant]
    turned = Truth(frozenset(view.learned[: len(learned)]))
    first, second = (method.answer(view, rng=rng(), truth=each) for each in (truth, turned))
    assert (first.scores == second.scores).all()


def test_the_prior_may_be_estimated():
    view, _ = viewed()
    answer = parse_bench_method(f"cnn(prior=estimate, {QUICK})").answer(view, rng=rng())
    assert np.isfinite(answer.scores).all()


@pytest.mark.parametrize("risk", ["pn", "pnu", "pubn"])
def test_a_task_without_negatives_is_told_in_one_line(risk):
    view, _ = viewed()
    with pytest.raises(SettingsError, match="has no negative documents for this risk; make tasks"):
        parse_bench_method(f"cnn(risk={risk})").answer(view, rng=rng())


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_full_supervision_tells_the_topic(setting):
    view, truth = viewed(setting=setting)
    answers = [
        parse_bench_method(f"upper-bound-cnn({steps})").answer(view, rng=rng(), truth=truth)
        for steps in (QUICK, UNTRAINED)
    ]
    assert list(answers[0].ids) == view.measured
    assert_training_separates(answers, truth)


def test_full_supervision_does_not_look_at_the_truth_about_what_is_measured():
    view, truth = viewed()
    method = parse_bench_method("upper-bound-cnn(epochs=2, batch=16)")
    blind = Truth(truth.relevant - set(view.measured))
    first, second = (method.answer(view, rng=rng(), truth=each) for each in (truth, blind))
    assert (first.scores == second.scores).all()


def test_random_documents_take_the_pools_place():
    view, truth = viewed()
    answers = [
        parse_bench_method(f"random+cnn({steps})").answer(view, rng=rng())
        for steps in (QUICK, UNTRAINED)
    ]
    assert list(answers[0].ids) == view.measured
    assert_training_separates(answers, truth)


def test_answers_about_parts_are_joined_in_order():
    parts = [
        MethodAnswer(ids=("c", "a"), scores=np.array([3.0, 1.0]), decided=np.array([True, False])),
        MethodAnswer(
            ids=("b",), scores=np.array([2.0]), decided=np.array([True]), warnings=("hm",)
        ),
    ]
    answer = join_answers(parts, ids=["a", "b", "c"])
    assert (answer.ids, answer.scores.tolist()) == (("a", "b", "c"), [1, 2, 3])
    assert answer.decided.tolist() == [False, True, True]
    assert answer.warnings == ("hm",)
