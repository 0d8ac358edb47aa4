"""scikit-learn's manners: parameters by name, and rows dealt by their labels."""

import numpy as np
import pytest
from scipy import sparse

from likewise.errors import SettingsError
from likewise.learn.estimators import PUEstimator, PULogistic
from likewise.learn.rows import LabelledRows, make_labels, split_by_label, stack_rows


class Shell(PUEstimator):
    """Has an estimator for a parameter."""

    def __init__(self, inner, *, times=1):
        self.inner = inner
        self.times = times

    def learn(self, positive, unlabeled, negative=None):
        return self

    def decision_function(self, rows):
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
        ([[1], [0], [0]], r"labels have shape \(3, 1\) for 3 rows"),
        ([2, 0, 1], "labels hold more than 1, 0 and -1; give 1 for on topic"),
        (["yes", "no", "no"], "labels hold more than 1, 0 and -1"),
        ([0, 0, -1], r"no row is on topic \(labelled 1\); at least one is needed"),
        ([1, 1, -1], r"no row is unlabeled \(labelled 0\); at least one is needed"),
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
