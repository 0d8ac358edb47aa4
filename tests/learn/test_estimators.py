"""Estimators: one contract for all, and what each of them is made for."""

import inspect
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from likewise.bench.methods.profiles import RM3, Centroid, KernelDensities, OneClassSVM, Rocchio
from likewise.bench.methods.propensities import ElkanNoto, PUe
from likewise.bench.methods.spies import Spies
from likewise.errors import SettingsError
from likewise.extras import Offer
from likewise.learn import estimators, scorers
from likewise.learn.estimators import (
    Divergence,
    Fused,
    LinearSVM,
    PUEstimator,
    PULogistic,
    weigh_count,
)
from likewise.learn.folds import measure_scale, share_above
from likewise.learn.plugged import PluggedEstimator
from likewise.learn.regression import fit_squared_hinge
from likewise.learn.rows import (
    CountedRows,
    LabelledRows,
    Rows,
    make_labels,
    measure_shares,
    measure_surprise,
    split_by_label,
    stack_rows,
)
from likewise.learn.scorers import COPKMeans

COLUMNS = 12


def has_columns(rng, count, likely):
    """Rows that have columns, some of them more likely than others."""
    chances = np.where(np.isin(np.arange(COLUMNS), likely), 0.6, 0.15)
    return (rng.random((count, COLUMNS)) < chances).astype(np.float32)


def groups():
    """Seeds, a pool in which every fourth document is like them, and negatives."""
    rng = np.random.default_rng(11)
    others = has_columns(rng, 90, range(5, 9))
    others[::4] = has_columns(rng, 23, range(4))
    return has_columns(rng, 6, range(4)), others, has_columns(rng, 10, (0, 1, 11))


def as_both(rows):
    return Rows(rows, sparse.csr_array(rows))


def as_counted(rows):
    return Rows(sparse.csr_array(rows), np.ones(len(rows)))


class Guest:
    """An estimator as another package may bring it: a difference of means."""

    def fit(self, rows, labels):
        weighed = zip((1, 0, -1), (1.0, -0.5, -1.0), strict=True)
        means = [w * rows[labels == label].mean(axis=0) for label, w in weighed if label in labels]
        self.weights_ = np.sum(means, axis=0)
        return self

    def decision_function(self, rows):
        return rows @ self.weights_


# How each is made, with which parameters, and the rows it takes.
CASES = {
    PULogistic: (lambda: PULogistic(strength=0.3), np.asarray),
    Divergence: (lambda: Divergence(rising=9, against=0.4), sparse.csr_array),
    Fused: (lambda: Fused([(PULogistic(), 1.0), (Divergence(), 2.0)]), as_both),
    LinearSVM: (lambda: LinearSVM(strength=2.0), as_counted),
    COPKMeans: (lambda: COPKMeans(restarts=3, seed=1), np.asarray),
    Centroid: (Centroid, sparse.csr_array),
    Rocchio: (lambda: Rocchio(gamma=0.6), sparse.csr_array),
    RM3: (lambda: RM3(terms=5), sparse.csr_array),
    Spies: (lambda: Spies(share=0.3, seed=1), sparse.csr_array),
    PluggedEstimator: (
        lambda: PluggedEstimator(Guest, offer=Offer("method", "guest", "here:Guest")),
        np.asarray,
    ),
    ElkanNoto: (lambda: ElkanNoto(held_out=0.3), sparse.csr_array),
    PUe: (lambda: PUe(most=5.0, seed=1), sparse.csr_array),
    KernelDensities: (lambda: KernelDensities(width=2.0), np.asarray),
}

# What takes no notice of rows that are known to be negative.
BLIND = {RM3, OneClassSVM}

if find_spec("sklearn"):
    CASES[OneClassSVM] = (OneClassSVM, sparse.csr_array)

if find_spec("torch"):
    from likewise.bench.methods.energies import Energies
    from likewise.learn.neural.estimator import PUNetwork
    from likewise.learn.neural.losses import logistic
    from likewise.learn.neural.negatives import NetworkWithNegatives
    from likewise.learn.neural.records import TrainingSettings
    from likewise.learn.neural.risks import NNPU, UPU
    from likewise.learn.neural.transformer import LinearHead

    def network(risk=UPU):
        return PUNetwork(
            lambda rows: LinearHead(rows.shape[1]),
            risk=risk(prior=0.5, loss=logistic),
            batch=48,
            settings=TrainingSettings(epochs=15, learning_rate=0.05),
        )

    CASES[PUNetwork] = (network, np.asarray)
    CASES[Energies] = (lambda: Energies(steps=8, seed=1), np.asarray)
    CASES[NetworkWithNegatives] = (
        lambda: NetworkWithNegatives(network(NNPU), by="pnu"),
        np.asarray,
    )


@pytest.fixture(params=CASES, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def case(kind):
    return CASES[kind]


@pytest.fixture
def estimator(case):
    return case[0]()


@pytest.fixture
def rows(case):
    return [case[1](group) for group in groups()]


@cache
def fitted(kind):
    """An estimator that has learned from seeds and pool, and its scores of the pool."""
    make, of_kind = CASES[kind]
    seeds, pool, _ = map(of_kind, groups())
    return Fitted(make().fit(*labelled(seeds, pool)), pool)


class Fitted(NamedTuple):
    estimator: PUEstimator
    pool: Any

    @property
    def scores(self):
        return self.estimator.decision_function(self.pool)

    @property
    def probabilities(self):
        return self.estimator.predict_proba(self.pool)


def labelled(*groups):
    """Rows of groups as one, and their labels."""
    return stack_rows(groups), make_labels(LabelledRows(*groups))


def standing_out(scores):
    """By how many deviations the scores of the documents like the seeds are higher."""
    return (scores[::4].mean() - np.delete(scores, np.s_[::4]).mean()) / scores.std()


def subclasses(kind):
    return {kind, *(deeper for below in kind.__subclasses__() for deeper in subclasses(below))}


def test_every_estimator_is_held_to_the_contract():
    ours = {kind for kind in subclasses(PUEstimator) if kind.__module__.startswith("likewise.")}
    # PUbN learns nothing without negatives, and a transformer takes rows of word pieces alone:
    # tests/learn/neural/test_estimator.py and test_transformer.py are about them.
    exempt = {"PUEstimator", "PUbNNetwork", "TransformerNetwork"}
    names = {kind.__name__ for kind in ours} - exempt
    assert scorers
    assert names == {kind.__name__ for kind in CASES}


def test_making_one_only_stores_the_parameters(estimator):
    assert set(vars(estimator)) == set(inspect.signature(type(estimator)).parameters)


def test_fit_returns_the_estimator(estimator, rows):
    assert estimator.fit(*labelled(rows[0][:3], rows[1][:3])) is estimator


def test_what_is_predicted_is_one_of_the_classes(kind):
    assert fitted(kind).estimator.classes_.tolist() == [False, True]


def test_its_parameters_are_those_that_it_was_made_with(estimator):
    assert estimator.get_params(deep=False) == vars(estimator)


def test_setting_its_parameters_makes_another_one_like_it(estimator):
    other = type(estimator)(**estimator.get_params(deep=False))
    assert other.set_params(**estimator.get_params(deep=False)) is other
    assert vars(other) == vars(estimator)


def test_scikit_learn_clones_what_it_was_made_with_and_not_what_it_learned(kind):
    clone = pytest.importorskip("sklearn.base").clone(fitted(kind).estimator)
    parameters = set(inspect.signature(kind).parameters)
    assert type(clone) is kind
    assert set(vars(clone)) == parameters
    seeds, pool, _ = map(CASES[kind][1], groups())
    again = clone.learn(seeds, pool).decision_function(pool)
    assert again == pytest.approx(fitted(kind).scores)


def test_what_is_learned_ends_in_an_underscore(kind, estimator):
    learned = set(vars(fitted(kind).estimator)) - set(vars(estimator))
    assert "judgement_" in learned
    assert all(name.endswith("_") for name in learned)


def test_learning_leaves_the_parameters_alone(estimator, rows):
    stored = dict(vars(estimator))
    estimator.learn(*rows[:2])
    assert {name: getattr(estimator, name) for name in stored} == stored


def test_rows_like_the_positive_ones_score_higher(kind):
    assert fitted(kind).scores.shape == (90,)
    assert standing_out(fitted(kind).scores) > 1


def test_probabilities_are_two_columns_that_sum_to_1(kind):
    found = fitted(kind).probabilities
    assert found.shape == (90, 2)
    assert found.sum(axis=1) == pytest.approx(np.ones(90))
    assert ((found >= 0) & (found <= 1)).all()


def test_probabilities_rise_with_the_score(kind):
    order = np.argsort(fitted(kind).scores)
    assert (np.diff(fitted(kind).probabilities[order, 1]) >= -1e-12).all()


def test_what_is_predicted_is_what_reaches_the_threshold(kind):
    estimator, pool = fitted(kind)
    found, scores = estimator.predict(pool), fitted(kind).scores
    assert found.dtype == bool
    assert found.any()
    assert (found == (scores >= estimator.judgement_.threshold())).all()


def test_permuted_labels_give_other_scores(kind, estimator, rows):
    seeds, pool, _ = rows
    # Six documents of another kind change places with the seeds.
    swapped = np.isin(np.arange(90), np.arange(1, 24, 4))
    estimator.learn(pool[swapped], stack_rows([seeds, pool[~swapped]]))
    assert standing_out(estimator.decision_function(pool)) < 0 < standing_out(fitted(kind).scores)


def test_negatives_push_rows_like_them_down(kind, estimator, rows):
    seeds, pool, negative = rows

    def above_them(estimator):
        scores = estimator.decision_function(pool)
        return share_above(estimator.decision_function(negative), scores).mean()

    told, untold = estimator.learn(seeds, pool, negative), fitted(kind).estimator
    if kind in BLIND:
        assert above_them(told) == above_them(untold)
    else:
        assert above_them(told) > above_them(untold)


def test_negatives_may_be_given_to_fit(estimator, rows):
    seeds, pool, negative = rows
    told = labelled(seeds[:3], pool[:3], negative)
    assert np.isfinite(estimator.fit(*told).predict_proba(pool)).all()


def test_another_one_learns_the_same(kind, estimator, rows):
    again = estimator.fit(*labelled(*rows[:2])).predict_proba(rows[1])
    assert (again == fitted(kind).probabilities).all()


def test_what_was_learned_before_is_forgotten(kind, estimator, rows):
    seeds, pool, negative = rows
    again = estimator.learn(negative, seeds).fit(*labelled(seeds, pool)).predict_proba(pool)
    assert (again == fitted(kind).probabilities).all()


def test_it_can_be_fitted_again_to_rows_of_another_width(estimator, case, rows):
    estimator.learn(*rows[:2])
    seeds, pool = (case[1](group[:, :5]) for group in groups()[:2])
    assert estimator.fit(*labelled(seeds, pool)).decision_function(pool).shape == (90,)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_three_seeds_and_a_tiny_pool_are_enough(estimator, rows, size):
    seeds, pool = rows[0][:3], rows[1][:size]
    found = estimator.fit(*labelled(seeds, pool)).predict_proba(pool)
    assert ((found >= 0) & (found <= 1)).all()


def test_rows_that_are_all_the_same_score_the_same(estimator, case):
    same = case[1](np.ones((60, 4), np.float32))
    estimator.fit(*labelled(same[:3], same))
    for scores in (estimator.decision_function(same), estimator.judgement_.scores.pool):
        assert scores == pytest.approx(np.full(60, scores[0]), abs=1e-5)


def test_rows_without_anything_in_them_do_no_harm(estimator, case):
    empty = case[1](np.zeros((20, 3), np.float32))
    fitted = estimator.fit(*labelled(empty[:3], empty))
    assert np.isfinite(fitted.predict_proba(empty)).all()


class TestPULogistic:
    def test_both_sides_weigh_the_same(self):
        seeds, pool = np.ones((2, 1)), np.zeros((50, 1))
        # With equal weight on both sides the plane lies half way between them.
        plane = PULogistic(strength=10).learn(seeds, pool).plane_
        assert plane(np.array([[0.5]])) == pytest.approx([0], abs=0.01)


class TestDivergence:
    def test_a_column_is_worth_its_surprise(self):
        seeds, pool = np.array([[1, 0], [1, 0]]), np.array([[1, 1], [0, 1], [0, 1]])
        # 1 of 3 others is (1 + 0.5) / (3 + 1) of them; in all seeds that is worth ln(1 / 0.375).
        assert Divergence().learn(seeds, pool).weights_ == pytest.approx([0.98083, 0], abs=1e-5)

    def test_what_seeds_lack_counts_against_a_row(self):
        # They have what the others lack too: seeds that lack more than others would be short.
        seeds, pool = np.array([[1, 0, 1]] * 2), np.array([[1, 1, 0], [0, 1, 0], [0, 1, 0]])
        # b is 3.5 / 4, s is b / 3: s ln(s / b) + (1 - s) ln((1 - s) / (1 - b)) is 0.90825.
        learned = Divergence(rising=1, against=0.5).learn(seeds, pool)
        assert learned.weights_ == pytest.approx([0.98083, -0.45412, 0], abs=1e-4)

    def test_short_seeds_lack_words_for_being_short(self):
        rng = np.random.default_rng(0)
        pool = rng.uniform(size=(400, 60)) < 0.5
        long, short = (rng.uniform(size=(20, 60)) < share for share in (0.5, 0.3))
        for seeds in (long, short):
            seeds[:, 0], seeds[:, 1] = True, False
        by_long, by_short = (
            Divergence(rising=1).learn(seeds, pool).weights_ for seeds in (long, short)
        )
        # What all of them lack counts against a row, and the rest no more than with long seeds.
        assert by_short[1] < -0.05
        assert by_short[2:].sum() > by_long[2:].sum() - 0.2

    def test_a_column_of_every_row_is_worth_next_to_nothing(self):
        learned = Divergence().learn(np.ones((5, 1)), np.ones((100, 1)))
        assert learned.weights_ == pytest.approx([0], abs=0.01)

    def test_the_same_share_is_no_surprise(self):
        assert measure_surprise(np.array([0, 0.3, 1]), np.array([0, 0.3, 1])).tolist() == [0, 0, 0]

    def test_shares_are_of_rows_that_have_a_column_at_all(self):
        rows = np.array([[2.0, 0.0], [0.5, 0.0]])
        stored_zero = sparse.csr_array(([2.0, 0.5, 0.0], [0, 0, 1], [0, 1, 3]), shape=(2, 2))
        assert measure_shares(rows).tolist() == measure_shares(stored_zero).tolist() == [1, 0]


class Column(PUEstimator):
    """Scores a row by its only column."""

    def learn(self, positive, unlabeled, negative=None):
        return self

    def score_rows(self, rows):
        return rows[:, 0]


class TestFused:
    def test_parts_are_brought_to_the_same_scale(self):
        fused = Fused([(Column(), 1.0), (Column(), 3.0)])
        # Both have the scores -1 and 1 over the pool once they are on the same scale.
        pool = Rows(np.array([[0.0], [2.0]]), np.array([[300.0], [100.0]]))
        assert fused.learn(pool, pool).decision_function(pool).tolist() == [0.5, -0.5]

    def test_a_part_that_scores_all_the_same_counts_for_nothing(self):
        fused = Fused([(Column(), 1.0), (Column(), 1.0)])
        # The mean of many 0.1 is not 0.1, and their deviation is not 0.
        pool = Rows(np.array([[0.0], [2.0], [4.0]]), np.full((3, 1), 0.1))
        # The others' deviation is the root of 8 / 3, and they count for half.
        expected = [-2 / (8 / 3) ** 0.5 / 2, 0, 2 / (8 / 3) ** 0.5 / 2]
        assert fused.learn(pool, pool).decision_function(pool) == pytest.approx(expected)

    def test_its_parts_are_left_as_they_were_given(self):
        given = PULogistic()
        seeds, pool, _ = map(as_both, groups())
        Fused([(given, 1.0)]).fit(*labelled(Rows(seeds.kinds[0]), Rows(pool.kinds[0])))
        assert vars(given) == {"strength": 0.1}


def test_a_deviation_that_is_only_rounding_is_1():
    tenths = np.full(3, 0.1)
    assert tenths.std() > 0
    assert measure_scale(tenths) == (pytest.approx(0.1), 1.0)


def test_a_small_deviation_is_kept():
    assert measure_scale(np.array([0.001, 0.003])) == pytest.approx((0.002, 0.001))


def test_rows_of_several_kinds_are_taken_and_stacked_together():
    rows = as_both(np.arange(6.0).reshape(3, 2))
    both = stack_rows([rows[:1], rows[np.array([False, True, True])]])
    assert both.shape == (3,)
    assert both.kinds[0].tolist() == both.kinds[1].toarray().tolist() == rows.kinds[0].tolist()


COUNTED = CountedRows(sparse.csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 0], [0, 5, 6]])))


@pytest.mark.parametrize("rows", [[0], [1, 3], [0, 1, 2], [3, 2, 1, 0], []])
def test_rows_that_are_never_taken_out_are_counted_as_if_they_were(rows):
    taken = COUNTED[np.array(rows, dtype=np.int64)]
    whole = np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 0], [0, 5, 6]])
    assert taken.found.tolist() == np.count_nonzero(whole[rows], axis=0).tolist()
    assert (taken @ np.array([1.0, 10, 100])).tolist() == (whole[rows] @ [1, 10, 100]).tolist()


def test_a_matrix_that_is_not_kept_in_double_precision_gives_the_same_products(monkeypatch):
    monkeypatch.setattr("likewise.learn.rows.KEPT_PRECISE", 0)
    monkeypatch.setattr("likewise.learn.rows.CONVERTED", 3)
    weights = np.array([1.0, 10, 100])
    assert (COUNTED @ weights).tolist() == [201.0, 30.0, 4.0, 650.0]


class Shell(PUEstimator):
    """Has an estimator for a parameter."""

    def __init__(self, inner, *, times=1):
        self.inner = inner
        self.times = times

    def learn(self, positive, unlabeled, negative=None):
        return self

    def score_rows(self, rows):
        return np.zeros(len(rows))


def rows_on_and_off(rng):
    """Rows of two kinds, and what is known of them: a third of the first is labelled."""
    on, off = rng.normal(2, 1, size=(60, 3)), rng.normal(0, 1, size=(140, 3))
    return np.concatenate([on, off]), np.repeat([1, 0], [20, 180])


def test_parameters_of_parameters_are_read_with_their_names_joined():
    shell = Shell(PULogistic(strength=0.3), times=2)
    inner = shell.inner
    assert shell.get_params() == {"inner": inner, "times": 2, "inner__strength": 0.3}
    assert shell.get_params(deep=False) == {"inner": inner, "times": 2}


def test_parameters_of_parameters_are_set_with_their_names_joined():
    shell = Shell(PULogistic())
    assert shell.set_params(inner__strength=0.7, times=3) is shell
    assert (shell.inner.strength, shell.times) == (0.7, 3)


def test_a_new_parameter_is_set_before_what_is_in_it():
    shell = Shell(PULogistic()).set_params(inner__strength=5, inner=PULogistic(strength=0.2))
    assert shell.inner.strength == 5


def test_a_parameter_that_is_none_is_refused_with_those_there_are():
    with pytest.raises(SettingsError, match=r"^PULogistic has no parameter 'c'; .*: strength$"):
        PULogistic().set_params(c=1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, list])
def test_rows_are_dealt_by_their_labels(kind):
    found = split_by_label(kind([[1.0], [2.0], [3.0], [4.0]]), [0, 1, -1, np.nan])
    dealt = [[float(row.sum()) for row in group] for group in found]
    assert dealt == [[2], [1, 4], [3]]


def test_where_nothing_is_off_topic_there_is_no_such_group():
    assert split_by_label(np.eye(2), [True, False]).negative is None


def test_labels_are_put_back_in_the_order_of_groups():
    groups = LabelledRows(np.zeros((2, 1)), np.zeros((3, 1)), np.zeros((1, 1)))
    assert make_labels(groups).tolist() == [1, 1, 0, 0, 0, -1]
    assert make_labels(LabelledRows(np.zeros((1, 1)), np.zeros((1, 1)))).tolist() == [1, 0]
    assert split_by_label(stack_rows(groups), make_labels(groups)).negative.shape == (1, 1)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([1, 0], r"labels have shape \(2,\) for 3 rows; give one label for each row"),
        ([[1, 0], [0, 1], [0, 0]], r"labels have shape \(3, 2\) for 3 rows"),
        ([2, 0, 1], "labels hold values other than 1, 0 and -1; give 1 for on topic"),
        (["yes", "no", "no"], "labels hold values other than 1, 0 and -1"),
        ([0, 0, -1], r"no row is on topic \(labelled 1\); at least one is needed"),
        ([1, 1, 1], r"no row is unlabeled \(labelled 0\); at least one is needed"),
    ],
)
def test_labels_that_nothing_can_be_learned_from_are_told_in_one_line(labels, said):
    with pytest.raises(SettingsError, match=said):
        PULogistic().fit(np.eye(3), labels)


def test_the_order_of_rows_makes_no_difference_to_what_is_learned():
    rows, labels = rows_on_and_off(np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(rows))
    first, second = PULogistic().learn(*split_by_label(rows, labels)), PULogistic()
    second.learn(*split_by_label(rows[order], labels[order]))
    assert second.decision_function(rows) == pytest.approx(first.decision_function(rows), abs=1e-3)


def test_scikit_learn_searches_for_the_best_parameters():
    search = pytest.importorskip("sklearn.model_selection")
    rows, labels = rows_on_and_off(np.random.default_rng(0))
    found = search.GridSearchCV(PULogistic(), {"strength": [0.1, 1.0]}, cv=2, scoring="roc_auc")
    found.fit(rows, labels)
    assert found.best_params_["strength"] in {0.1, 1.0}
    assert found.best_score_ > 0.7


def test_it_stands_at_the_end_of_a_pipeline():
    pipeline = pytest.importorskip("sklearn.pipeline")
    scaler = pytest.importorskip("sklearn.preprocessing").StandardScaler()
    rows, labels = rows_on_and_off(np.random.default_rng(0))
    made = pipeline.make_pipeline(scaler, PULogistic()).fit(rows, labels)
    assert made.predict(rows)[:60].mean() > made.predict(rows)[60:].mean() + 0.4


RNG = np.random.default_rng(2)
POSITIVE = RNG.normal(1, 1, (4, 3))
UNLABELED = RNG.normal(0, 1, (20, 3))
NEGATIVE = RNG.normal(-1, 1, (6, 3))


def rows_of(kind, weights=None):
    return Rows(kind, np.ones(kind.shape[0]) if weights is None else np.asarray(weights, float))


@pytest.fixture
def told(monkeypatch):
    """Return what the machine was given each time, by the names of its parameters."""
    given = []

    def spy(rows, signs, **others):
        given.append({"rows": rows, "signs": signs, **others})
        return fit_squared_hinge(rows, signs, **others)

    monkeypatch.setattr(estimators, "fit_squared_hinge", spy)
    return given


def learn(*, negative=None, **chosen):
    return LinearSVM(**chosen).learn(rows_of(POSITIVE), rows_of(UNLABELED), negative)


def test_positive_rows_weigh_so_many_times_as_much_as_negative_ones(told):
    learn(negative=rows_of(NEGATIVE), positive=4)
    weights = told[0]["weights"]
    # 10 in all: 8 for the 4 positive rows, 2 for the 6 negative ones.
    assert weights == pytest.approx([2] * 4 + [1 / 3] * 6)


def test_a_negative_counts_as_much_as_it_is_given(told):
    learn(negative=rows_of(NEGATIVE, [1, 1, 1, 1, 2, 4]), positive=4)
    assert told[0]["weights"][4:] == pytest.approx([0.2, 0.2, 0.2, 0.2, 0.4, 0.8])


def test_unlabeled_rows_are_not_looked_at_where_there_are_negative_ones(told):
    learn(negative=rows_of(NEGATIVE))
    assert (told[0]["rows"] == np.concatenate([POSITIVE, NEGATIVE])).all()
    assert told[0]["signs"].tolist() == [1] * 4 + [-1] * 6


def test_without_negatives_the_unlabeled_stand_for_them(told):
    learn()
    assert (told[0]["rows"] == np.concatenate([POSITIVE, UNLABELED])).all()


def test_it_is_as_free_as_it_is_told_to_be(told):
    learn(strength=0.5)
    assert told[0]["strength"] == 0.5


def test_sparse_rows_give_the_same():
    groups = [rows_of(sparse.csr_array(rows)) for rows in (POSITIVE, UNLABELED, NEGATIVE)]
    of_sparse = LinearSVM().learn(*groups).plane_
    of_dense = learn(negative=rows_of(NEGATIVE)).plane_
    assert of_sparse.weights == pytest.approx(of_dense.weights, abs=1e-9)


SEEDS = np.array([[1, 0], [1, 0]])
POOL = np.array([[1, 1], [0, 1], [0, 1], [0, 1]])
OFF_TOPIC = np.array([[1, 0], [1, 0]])


def worth_of_first(*, share, others=4):
    """What a column of all seeds is worth, if it is in so many of the others: ln(1 / b)."""
    return -np.log((share * others + 0.5) / (others + 1))


class TestDivergenceWithNegatives:
    def test_of_as_many_negatives_as_a_half_takes_the_share_counts_half(self):
        learned = Divergence(half=2).learn(SEEDS, POOL, OFF_TOPIC)
        # A quarter of the pool has the first column, and all negatives have: 5 / 8.
        assert learned.weights_[0] == pytest.approx(worth_of_first(share=5 / 8))

    def test_of_few_negatives_the_share_counts_little(self):
        learned = Divergence(half=98).learn(SEEDS, POOL, OFF_TOPIC)
        assert learned.weights_[0] == pytest.approx(worth_of_first(share=0.25 * 0.98 + 0.02))

    def test_a_column_that_negatives_have_is_worth_less(self):
        told, untold = (
            Divergence().learn(SEEDS, POOL, off).weights_[0] for off in (OFF_TOPIC, None)
        )
        assert told < untold

    def test_negatives_like_the_pool_change_nothing(self):
        told, untold = (Divergence().learn(SEEDS, POOL, off).weights_ for off in (POOL, None))
        assert told == pytest.approx(untold)

    def test_sparse_rows_give_the_same(self):
        kinds = [sparse.csr_array(rows) for rows in (SEEDS, POOL, OFF_TOPIC)]
        expected = Divergence().learn(SEEDS, POOL, OFF_TOPIC).weights_
        assert Divergence().learn(*kinds).weights_ == pytest.approx(expected)


@pytest.mark.parametrize(("count", "part"), [(0, 0), (5, 0.5), (15, 0.75), (495, 0.99)])
def test_a_count_makes_more_and_more_of_the_whole(count, part):
    assert weigh_count(count, half=5) == part


class Noting(PUEstimator):
    """Scores a row by its only column, and remembers how many negatives it was shown."""

    def __init__(self, shown):
        self.shown = shown

    def learn(self, positive, unlabeled, negative=None):
        self.shown.append(0 if negative is None else len(negative))
        return self

    def score_rows(self, rows):
        return rows[:, 0]


# The second kind of the pool says the reverse of the first.
BOTH = Rows(np.array([[-1.0], [1.0]]), np.array([[1.0], [-1.0]]))


class TestFusedWithNegatives:
    @pytest.mark.parametrize(("count", "expected"), [(0, 1), (1, 0), (2, -1 / 3)])
    def test_weights_may_depend_on_how_many_negatives_there_are(self, count, expected):
        fused = Fused([(Noting([]), 1.0), (Noting([]), float)])
        fused.learn(BOTH, BOTH, BOTH[:count] if count else None)
        # The second part weighs as much as there are negatives: (1 - n) / (1 + n).
        assert fused.decision_function(BOTH)[1] == pytest.approx(expected)

    def test_what_weighs_nothing_is_not_learned(self):
        first, second = [], []
        fused = Fused([(Noting(first), 1.0), (Noting(second), float)])
        fused.learn(BOTH, BOTH)
        assert (first, second) == ([0], [])
        fused.learn(BOTH, BOTH, BOTH)
        assert (first, second) == ([0, 2], [2])

    def test_a_part_that_weighed_nothing_may_be_learned_later(self):
        kinds = Rows(*(np.array([[-1.0], [1.0]]) for _ in range(2)))
        fused = Fused([(PULogistic(), 1.0), (PULogistic(), float)])
        fused.learn(kinds, kinds).learn(kinds, kinds, kinds)
        assert np.isfinite(fused.decision_function(kinds)).all()
