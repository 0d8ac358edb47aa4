"""The methods of the benchmark: spelled, refused, and held to one contract."""

import inspect
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from bench.made import made_task
from learn import contract
from learn.contract import CORPUS
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.baselines import BASELINES, SCORED, SPECIAL
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import MissingExtraError, SettingsError
from likewise.learn.folds import share_above
from likewise.learn.methods import METHODS
from likewise.learn.plugged import load_scorer
from likewise.learn.spelling import parse_method

NAMES = [known.name for known in SCORED if known.is_installed]
QUICKLY = [f"{name}(steps=10)" if name == "pude-energy" else name for name in NAMES]
"""Each as it is held to the contract."""


def viewed(**made):
    task, truth = made_task(**made)
    return TaskView(task, CountedTerms()), truth


def rng():
    return np.random.default_rng(0)


# Spelling


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("linear", "linear"),
        ("linear+naive", "linear + naive"),
        ("rocchio( beta=1 )", "rocchio(beta=1)"),
        ("rm3 + linear", "rm3 + linear"),
        ("all", "all"),
        ("upper-bound", "upper-bound"),
        ("upper-bound(strength=2)", "upper-bound(strength=2)"),
        (
            "upper-bound-cnn(batch=16,batching=ordinary)",
            "upper-bound-cnn(batch=16, batching=ordinary)",
        ),
        ("vpu", "vpu"),
        ("vpu(epochs=5) + cnn", "vpu(epochs=5) + cnn"),
        ("dist-pu", "dist-pu"),
        ("cvir(epochs=5)", "cvir(epochs=5)"),
        ("tedn + cnn", "tedn + cnn"),
        ("cnn(risk=pn)+cnn", "cnn(risk=pn) + cnn"),
        ("cnn(models=3, prior=true)", "cnn(prior=true, models=3)"),
        ("cnn(risk=nnpu, prior=0.50, gamma=1)", "cnn"),
        ("random + fused", "random + fused"),
        ("random+nnpu-cnn", "random + nnpu-cnn"),
        (" random + linear+naive", "random + linear + naive"),
        ("random + cnn", "random + cnn"),
    ],
)
def test_spellings(text, spelled):
    assert str(parse_bench_method(text)) == spelled
    assert str(parse_bench_method(spelled)) == spelled


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("best", "there is no method 'best'; choose one of: linear, naive, bm25"),
        ("best", "rocchio, rm3"),
        ("random", "there is no method 'random'"),
        ("random+", "there is no method ''"),
        ("random + best", "there is no method 'best'"),
        ("random + upper-bound", "upper-bound can't be combined with random"),
        ("random + all", "all can't be combined with random"),
        ("random + random + linear", "can't be combined with random"),
        ("random + cnn(prior=true)", "can't be combined with random"),
        ("rocchio(beta=0)", "beta is a number greater than 0"),
        ("spy(shares=1)", "its parameters are: share, noise, smoothing, turns"),
        (
            "cnn(risk=best)",
            "risk is one of: nnpu, upu, pn, pnu, vpu, dist-pu, cvir, tedn, pu-auc, pubn, naive",
        ),
        ("all(x=1)", "'all' has no parameter 'x'; it has no parameters"),
        ("cnn + linear", "cnn decides by itself, and can be fused with networks only"),
        ("linear + upper-bound", "upper-bound decides by itself, and can be fused with nothing"),
        ("all + all", "all decides by itself"),
    ],
)
def test_a_bad_spelling_is_told_in_one_line_with_the_way_out(text, said):
    with pytest.raises(SettingsError) as caught:
        parse_bench_method(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_baselines_are_no_methods_of_the_product():
    assert METHODS.keys().isdisjoint(BASELINES)
    with pytest.raises(SettingsError, match="there is no method 'rocchio'"):
        parse_method("rocchio")


def test_to_spell_methods_loads_neither_torch_nor_scikit_learn():
    code = (
        "import sys; from likewise.bench.methods import parse_bench_method\n"
        "[parse_bench_method(text) for text in ('cnn', 'one-class-svm', 'upper-bound-cnn')]\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# What is known of each


@pytest.mark.parametrize("known", BASELINES.values(), ids=BASELINES)
class TestEveryBaselineKnown(contract.Described): ...


@pytest.mark.parametrize("name", NAMES)
def test_scorers_take_the_parameters_that_are_told_of_them_with_no_other_defaults(name):
    scorer = load_scorer(BASELINES[name])
    # Some pass what they are given on to an estimator.
    takes = scorer.keywords["kind"] if isinstance(scorer, partial) else scorer
    taken = inspect.signature(takes).parameters
    chosen = set(taken) - {"material", "rng", "on_step", "seed"}
    assert chosen == {known.name for known in BASELINES[name].parameters}
    for known in BASELINES[name].parameters:
        assert taken[known.name].default in (inspect.Parameter.empty, known.default)


def test_it_is_known_which_need_the_truth():
    without = ("linear", "rocchio", "fused", "random + nnpu-cnn", "all", "cnn")
    having = ("cnn + cnn(prior=true)", "upper-bound", "upper-bound-cnn")
    assert not any(parse_bench_method(text).needs_truth for text in without)
    assert all(parse_bench_method(text).needs_truth for text in having)


@pytest.mark.parametrize(
    ("text", "module", "extra"),
    [
        ("one-class-svm", "sklearn", "bench"),
        ("random + one-class-svm", "sklearn", "bench"),
        ("cnn", "torch", "neural"),
        ("upper-bound-cnn", "torch", "neural"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_adds_it(text, module, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'likewise\[{extra}\]'"):
        parse_bench_method(text).check()


@pytest.mark.parametrize("text", ["all", "upper-bound", "spy + rocchio", "random + centroid"])
def test_what_needs_no_extra_needs_nothing(text, monkeypatch):
    for module in ("torch", "sklearn"):
        monkeypatch.setitem(sys.modules, module, None)
    parse_bench_method(text).check()


# The contract of baselines that score


@pytest.mark.parametrize("name", QUICKLY)
class TestEvery(contract.Scoring):
    others = BASELINES

    def test_method_ranks_hidden_documents_above_others(self, name):
        pool = contract.of_corpus(type(self), name).scores.pool
        above = share_above(pool[CORPUS.is_relevant], pool[~CORPUS.is_relevant])
        # These documents cite nothing, so that all are alike to citations.
        assert above.mean() == 0.5 if name == "citations" else above.mean() < 0.3

    def test_method_answers_about_what_is_measured_with_probabilities(self, name):
        view, _ = viewed()
        answer = parse_bench_method(name).answer(view, rng=rng())
        assert list(answer.ids) == view.measured
        assert answer.probabilities is not None
        assert len(answer.probabilities) == 20


# Answers


@pytest.mark.parametrize(
    "text",
    [*(name for name in QUICKLY if name != "citations"), "linear", "bm25 + centroid",
     "random + naive"],
)  # fmt: skip
def test_the_topic_is_found(text):
    view, truth = viewed()
    answer = parse_bench_method(text).answer(view, rng=rng())
    is_on = np.array([name in truth.relevant for name in answer.ids])
    assert (answer.scores[is_on, None] > answer.scores[None, ~is_on]).mean() > 0.9


def test_all_of_what_is_measured_is_taken_for_on_topic():
    view, _ = viewed()
    answer = parse_bench_method("all").answer(view, rng=rng())
    assert answer.decided.tolist() == [True] * 20


def test_all_has_no_order():
    view, _ = viewed(setting="transductive")
    answer = parse_bench_method("all").answer(view, rng=rng())
    assert set(answer.scores) == {0.0}
    assert answer.decided.all()


def test_what_learns_from_random_documents_answers_about_the_same_ones():
    view, _ = viewed()
    assert parse_bench_method("random + linear").answer(view, rng=rng()).ids == tuple(view.measured)


def test_fewer_random_documents_than_retrieved_ones_are_told_of():
    answer = parse_bench_method("random + linear").answer(viewed()[0], rng=rng())
    # Fifty are drawn, and sixty of the pool may be learned from.
    [warning] = answer.warnings
    assert "only 50 documents drawn at random were there to learn from, but other" in warning
    assert "learn from 60; make the tasks again" in warning


def test_random_documents_that_are_not_there_are_told_in_one_line():
    task, _ = made_task()
    bare = type(task)(
        name=task.name, metadata=task.metadata, entries=task.entries, documents=task.documents
    )
    with pytest.raises(SettingsError, match="no documents drawn at random to learn from; make the"):
        parse_bench_method("random + linear").answer(TaskView(bare, CountedTerms()), rng=rng())


def test_only_what_needs_the_truth_is_given_it():
    view, truth = viewed()
    with pytest.raises(SettingsError, match="'linear' needs no truth, and must not be given it"):
        parse_bench_method("linear").answer(view, rng=rng(), truth=truth)


@pytest.mark.parametrize("text", ["upper-bound", "upper-bound-cnn", "cnn(prior=true)"])
def test_what_needs_the_truth_does_not_answer_without(text):
    view, _ = viewed()
    with pytest.raises(SettingsError, match="learns from the truth was not given it"):
        parse_bench_method(text).answer(view, rng=rng())


def test_an_upper_bound_answers_with_the_truth():
    view, truth = viewed()
    answer = parse_bench_method("upper-bound").answer(view, rng=rng(), truth=truth)
    assert answer.decided.tolist() == [name in truth.relevant for name in answer.ids]


def test_special_methods_are_all_known():
    assert {known.name for known in SPECIAL} == {
        "all",
        "cnn",
        "vpu",
        "dist-pu",
        "cvir",
        "tedn",
        "upper-bound",
        "upper-bound-cnn",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pue(prior=1)", "prior is a number between 0 and 1"),
        ("pue(most=0.5)", "most is a number, at least 1"),
        ("pude(width=0)", "width is a number greater than 0"),
        ("pude-energy(steps=0)", "steps is a whole number, at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(text, said):
    with pytest.raises(SettingsError, match=said):
        parse_bench_method(text)
