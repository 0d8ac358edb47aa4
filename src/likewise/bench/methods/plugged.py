"""Estimators of other packages by the paper's protocol.

One that decides for itself is trained on the training part of a task, sees the validation part if
it asks for it (otherwise both are learned from), and is asked about what is measured: as networks
are, and with no way to the truth. One that only scores is judged as methods of the product are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.bench.methods.answering import Scoring
from likewise.bench.methods.answers import Answer
from likewise.bench.methods.supervision import asides
from likewise.learn.manners import LabelledRows
from likewise.learn.plugged import plugged_estimator, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from likewise.bench.methods.answering import Asked
    from likewise.bench.methods.view import View
    from likewise.learn.material import Material
    from likewise.learn.spelling import Method

    Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Plugged(Scoring):
    """A method whose estimator another package brings."""

    method: Method

    def respond(self, view: View, asked: Asked) -> Answer:
        """Train on one part, show another, and ask about the third; or score, and judge."""
        info, rng = self.method.info, asked.rng
        seed = int(rng.integers(2**31))
        estimator = plugged_estimator(info, self.method.chosen, seed=seed)
        if not estimator.decides:
            return super().respond(view, asked)
        material = view.material(vectors=self.method.uses_vectors)
        groups = _Groups.of(rows_of(material, info, rng=rng), material, view)
        if estimator.validates:
            estimator.learn_parts(*groups.parts(asides(view, rng=rng)))
        else:
            estimator.learn_parts(groups.together())
        return Answer(
            ids=tuple(view.measured),
            scores=estimator.decision_function(groups.measured),
            decided=estimator.decide(groups.measured),
        )


class _Groups(NamedTuple):
    """The rows of a task by what is known of them, and of what is measured."""

    positive: Any
    unlabeled: Any
    negative: Any
    measured: Any

    @classmethod
    def of(cls, rows: Any, material: Material, view: View) -> _Groups:
        """Deal the rows of a material, which are seeds, negatives and pool."""
        seeds, known = material.seeds, material.known
        learned = known + len(view.learned)
        measured = rows[learned:] if view.unseen else rows[known:]
        return cls(rows[:seeds], rows[known:learned], rows[seeds:known], measured)

    def together(self) -> LabelledRows:
        """Return all rows that may be learned from."""
        return _labelled(self.positive, self.unlabeled, self.negative)

    def parts(self, is_aside: dict[str, Mask]) -> tuple[LabelledRows, LabelledRows]:
        """Return the rows of the training and of the validation part."""
        on, off = is_aside["positive"], is_aside["negative"]
        rest = is_aside["unlabeled"]
        return (
            _labelled(self.positive[~on], self.unlabeled[~rest], self.negative[~off]),
            _labelled(self.positive[on], self.unlabeled[rest], self.negative[off]),
        )


def _labelled(positive: Any, unlabeled: Any, negative: Any) -> LabelledRows:
    return LabelledRows(positive, unlabeled, negative if negative.shape[0] else None)
