"""scikit-learn's own checks of our estimators, and what scikit-learn does with them."""

import warnings

import numpy as np
import pytest

from likewise.errors import SettingsError
from likewise.learn import COPKMeans, Divergence, PULogistic, manners

checks = pytest.importorskip("sklearn.utils.estimator_checks")
from sklearn.base import clone  # noqa: E402  # not before it is known to be there
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

LABELS = "labels mean something: 1 is on topic, 0 unlabeled, -1 off topic, and no others are taken"
OWN_WORDS = "it is refused, in words that say what to give instead"
DO_NOT_APPLY = {
    "check_estimators_dtypes": LABELS,
    "check_classifier_data_not_an_array": LABELS,
    "check_classifiers_classes": LABELS,
    "check_fit2d_1feature": LABELS,
    "check_classifiers_train": "what is decided lies above the threshold of the best expected F1, "
    "and not above a score of 0",
    "check_classifiers_regression_target": OWN_WORDS,
    "check_classifier_not_supporting_multiclass": OWN_WORDS,
}
"""The checks that do not apply, each with its reason; one that passed would be told."""

TEXTS = [
    f"{said} in group {number}"
    for said in ("insulin lowers blood glucose", "shift workers sleep badly at night")
    for number in range(30)
]
LABELLED = np.repeat([1, 0], [10, 50])


LEFT_OUT = {"check_array_api_input"}
"""It would skip itself: nobody asked for arrays of other packages than numpy."""


def list_checks(*kinds, unusual=None):
    """Return every check of estimators; those that do not apply are expected to fail.

    Args:
        kinds: The classes of estimators.
        unusual: By class and check, why this one does not apply to it alone; "" if it does.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from `sklearn")
        found = [pair for kind in kinds for pair in checks.estimator_checks_generator(kind())]
    wanted = [pair for pair in found if pair[1].func.__name__ not in LEFT_OUT]
    return [mark_check(*pair, unusual=unusual or {}) for pair in wanted]


def mark_check(estimator, check, *, unusual):
    kind, name = type(estimator).__name__, check.func.__name__
    reason = unusual.get((kind, name), DO_NOT_APPLY.get(name, ""))
    marks = [pytest.mark.xfail(reason=reason)] if reason else []
    return pytest.param(estimator, check, id=f"{kind}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list_checks(PULogistic, Divergence, COPKMeans))
def test_scikit_learns_checks_pass_where_they_apply(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64])
def test_rows_of_all_numbers_are_learned_from(kind):
    rows = np.random.default_rng(0).integers(0, 9, (60, 4)).astype(kind)
    assert PULogistic().fit(rows, LABELLED).predict(rows).shape == (60,)


def test_behind_a_vectorizer_it_finds_the_other_texts_on_the_topic():
    model = make_pipeline(TfidfVectorizer(), PULogistic()).fit(TEXTS, LABELLED)
    unlabeled = model.predict_proba(TEXTS)[10:, 1]
    assert unlabeled[:20].min() > unlabeled[20:].max()


def test_a_pipeline_is_cloned_and_cross_validated():
    model = clone(make_pipeline(TfidfVectorizer(), PULogistic(strength=0.3)))
    assert model.get_params()["pulogistic__strength"] == 0.3
    assert cross_val_score(model, TEXTS, LABELLED, cv=3, scoring="roc_auc").min() > 0.5
    assert cross_val_score(model, TEXTS, LABELLED, cv=3).shape == (3,)


def test_data_frames_are_known_by_the_names_of_their_columns():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(60, 2)), columns=["length", "year"])
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, PULogistic()).fit(frame, LABELLED)
    assert list(model[-1].feature_names_in_) == ["length", "year"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"year": "age"}))


def test_where_the_others_are_minus_1_minus_1_is_predicted_for_them():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    rows[LABELLED == 1] += 4
    minus = PULogistic().fit(rows, np.where(LABELLED, 1, -1))
    zero = PULogistic().fit(rows, LABELLED)
    assert minus.classes_.tolist() == [-1, 1]
    assert set(minus.predict(rows).tolist()) == {-1, 1}
    assert ((minus.predict(rows) == 1) == zero.predict(rows)).all()


def test_without_scikit_learn_rows_are_learned_from_all_the_same(monkeypatch):
    monkeypatch.setattr(manners, "is_installed", lambda: False)
    rows = np.random.default_rng(0).normal(size=(60, 3))
    assert PULogistic().fit(rows.tolist(), LABELLED).predict(rows).dtype == bool
    with pytest.raises(SettingsError, match="PULogistic has not learned yet; call fit first"):
        PULogistic().predict(rows)


def test_labels_that_are_missing_are_asked_for():
    with pytest.raises(SettingsError, match="requires y to be passed"):
        PULogistic().fit([[1.0], [2.0]])
