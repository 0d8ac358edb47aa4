"""scikit-learn's manners: parameters that can be read, set and cloned, and rows with labels.

A label is 1 for a row that is on topic, -1 for one that is off topic, and 0 or NaN for one of which
nothing is known.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError

POSITIVE, UNLABELED, NEGATIVE = 1, 0, -1
"""What rows are labelled with."""


class Parametrized:
    """Something whose parameters are those of its `__init__`, which only stores them."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  # theirs
        """Return the parameters by name; with `deep`, those of parameters as `name__parameter`."""
        found = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        for name, value in list(found.items()) if deep else []:
            if hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{key}": inner for key, inner in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, those of a parameter as `name__parameter`."""
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
        """Return what scikit-learn asks of what it works with."""
        from likewise.extras import require

        tags = require("sklearn.utils", for_="scikit-learn's tags", extra="bench")
        return tags.Tags(
            estimator_type="classifier",
            target_tags=tags.TargetTags(required=True),
            classifier_tags=tags.ClassifierTags(multi_class=False),
            input_tags=tags.InputTags(sparse=True),
        )


class LabelledRows(NamedTuple):
    """Rows by what is known of them."""

    positive: Any
    unlabeled: Any
    negative: Any = None
    """None if there are none."""


def split_by_label(rows: Any, labels: Any) -> LabelledRows:
    """Deal rows by their labels.

    >>> by_label(np.array([[5], [6], [7]]), [1, 0, 1]).positive.tolist()
    [[5], [7]]
    """
    rows = rows if hasattr(rows, "shape") else np.asarray(rows)
    found = _check_labels(labels, size=rows.shape[0])
    negative = found == NEGATIVE
    return LabelledRows(
        rows[found == POSITIVE],
        rows[found == UNLABELED],
        rows[negative] if negative.any() else None,
    )


def make_labels(groups: LabelledRows) -> NDArray[np.int64]:
    """Return the labels of rows that are stacked in the order of their groups."""
    sizes = [0 if rows is None else rows.shape[0] for rows in groups]
    return np.repeat([POSITIVE, UNLABELED, NEGATIVE], sizes)


def _check_labels(labels: Any, *, size: int) -> NDArray[np.float64]:
    try:
        found = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.inf)
    found = np.where(np.isnan(found), UNLABELED, found)
    if not np.isin(found, [POSITIVE, UNLABELED, NEGATIVE]).all():
        raise SettingsError(
            "labels hold more than 1, 0 and -1; give 1 for on topic, -1 for off topic, and 0 or "
            "NaN where nothing is known"
        )
    if found.shape != (size,):
        raise SettingsError(
            f"labels have shape {found.shape} for {size} rows; give one label for each row"
        )
    for label, name in ((POSITIVE, "on topic"), (UNLABELED, "unlabeled")):
        if not (found == label).any():
            raise SettingsError(f"no row is {name} (labelled {label}); at least one is needed")
    return found
