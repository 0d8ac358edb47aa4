"""scikit-learn's conventions: parameters, tags, and the checks of rows and labels.

Our estimators can be used wherever scikit-learn's can: in pipelines, in searches for parameters,
behind a vectorizer. scikit-learn itself need not be installed; if it is, it checks rows as it does
for its own estimators, including the names of columns.
"""

from __future__ import annotations

import copy
import importlib.util
import inspect
from collections import defaultdict
from functools import cache
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError
from likewise.extras import require
from likewise.learn.rows import NEGATIVE, POSITIVE, UNLABELED, CountedRows, Rows


class Parametrized:
    """Something whose parameters are those of its `__init__`, which only stores them."""

    takes_sparse: bool = True
    """Whether rows may be a sparse matrix."""
    takes_negative_numbers: bool = True
    """Whether rows may hold numbers below 0, unlike counts."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  # theirs
        """Return the parameters by name; if `deep`, also their own, as `name__parameter`."""
        found = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        for name, value in list(found.items()) if deep else []:
            if hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{key}": inner for key, inner in value.get_params().items()}
        return found

    def __repr__(self) -> str:
        chosen = ", ".join(
            f"{name}={value!r}" for name, value in self.get_params(deep=False).items()
        )
        return f"{type(self).__name__}({chosen})"

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; those of a parameter are called `name__parameter`."""
        inner: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        known = self.get_params(deep=False)
        for spelled, value in parameters.items():
            name, _, below = spelled.partition("__")
            if name not in known:
                raise SettingsError(
                    f"{type(self).__name__} has no parameter {name!r}; its parameters are: "
                    f"{', '.join(known) or 'none'}"
                )
            if below:
                inner[name][below] = value
            else:
                setattr(self, name, value)
        for name, values in inner.items():
            getattr(self, name).set_params(**values)
        return self

    def __sklearn_tags__(self) -> Any:
        """Return the tags by which scikit-learn knows what an estimator can do."""
        tags = require("sklearn.utils", for_="scikit-learn's tags", extra="bench")
        return tags.Tags(
            estimator_type="classifier",
            target_tags=tags.TargetTags(required=True),
            # Unlabeled rows may be on topic, so predicting each row's label is not the aim.
            classifier_tags=tags.ClassifierTags(multi_class=False, poor_score=True),
            input_tags=tags.InputTags(
                sparse=self.takes_sparse, positive_only=not self.takes_negative_numbers
            ),
        )


E = TypeVar("E")
CHECKED_BY = ("n_features_in_", "feature_names_in_")
"""The attributes by which other rows are checked against those that an estimator was fitted to."""


def check_rows(estimator: Any, rows: Any, *, is_first: bool = False) -> Any:
    """Return rows as scikit-learn would give them to an estimator of its own.

    Rows of our own kinds are returned as they are, and so are those for an estimator that has
    learned without `fit`, as ours do within a method. `is_first` says that an estimator is to be
    fitted to them, rather than asked about them afterwards.
    """
    if isinstance(rows, Rows | CountedRows):
        return rows
    if not is_first and not hasattr(estimator, "n_features_in_"):
        return rows
    if not is_installed():
        rows = rows if hasattr(rows, "shape") else np.asarray(rows)
        estimator.n_features_in_ = rows.shape[1]
        return rows
    kinds = "csr" if estimator.takes_sparse else False
    checked = _load_validation().validate_data(
        estimator, rows, reset=is_first, accept_sparse=kinds, dtype=[np.float64, np.float32]
    )
    if not estimator.takes_negative_numbers:
        _load_validation().check_non_negative(checked, type(estimator).__name__)
    return checked


def copy_unchecked(estimator: E) -> E:
    """Return a copy of an estimator that takes rows without checking them again."""
    learner = copy.copy(estimator)
    for name in CHECKED_BY:
        vars(learner).pop(name, None)
    return learner


def check_learned(estimator: Any) -> None:
    """Raise if an estimator has learned nothing yet."""
    if any(name.endswith("_") for name in vars(estimator)):
        return
    if is_installed():
        _load_validation().check_is_fitted(estimator)
    raise SettingsError(f"this {type(estimator).__name__} has not learned yet; call fit first")


def check_labels(estimator: Any, labels: Any) -> tuple[Any, NDArray[Any]]:
    """Return labels for `split_by_label`, and the values to predict for off and on topic.

    If all labels are 1 or -1, -1 is turned into 0.

    >>> check_labels(object(), [1, -1, -1])
    (array([1, 0, 0]), array([-1,  1]))
    """
    if labels is None:
        raise SettingsError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; give 1 "
            "for rows that are on topic, and 0 for all others"
        )
    classes = np.array([False, True])
    found = np.asarray(labels)
    if is_installed() and found.ndim == 2 and found.shape[1] == 1:
        found = _load_validation().column_or_1d(found, warn=True)
    if found.dtype.kind in "biuf" and set(np.unique(found)) == {NEGATIVE, POSITIVE}:
        classes = np.array([NEGATIVE, POSITIVE])
        found = np.where(found == POSITIVE, POSITIVE, UNLABELED)
    return found, classes


@cache
def is_installed() -> bool:
    """Return whether scikit-learn is installed."""
    return importlib.util.find_spec("sklearn") is not None


def _load_validation() -> Any:
    return require("sklearn.utils.validation", for_="The checks of rows", extra="bench")
