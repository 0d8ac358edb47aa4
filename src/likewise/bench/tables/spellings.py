"""Spellings: which of the methods that were run is the one that a table asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.methods.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from likewise.bench.runs.cells import Cell

TOLD_APART = frozenset({"risk", "prior", "batching", "models"})
"""Parameters by which tables tell networks apart; the size of batches only if they ask for it."""

_METHOD = re.compile(r"\s*([a-z0-9-]+)\s*(?:\(([^()]*)\))?\s*")


class Spelled(NamedTuple):
    """A method of a spelling without a plus."""

    name: str
    parameters: tuple[tuple[str, str], ...]

    def without(self, parameter: str) -> Spelled:
        """Return it without a parameter."""
        left = tuple(given for given in self.parameters if given[0] != parameter)
        return Spelled(self.name, left)

    def get(self, parameter: str) -> str:
        """Return the value that is given to a parameter, or ""."""
        return dict(self.parameters).get(parameter, "")


def spelled(method: str) -> tuple[Spelled, ...]:
    """Return the parts of a method's spelling, their parameters in the order of their names.

    >>> spelled("cnn(risk=pn, batch=16) + naive")[0]
    Spelled(name='cnn', parameters=(('batch', '16'), ('risk', 'pn')))
    """
    found = _METHOD.findall(method.partition(" [")[0])
    return tuple(Spelled(name, _parameters(given)) for name, given in found)


def method_like(named: Mapping[str, Sequence[Cell]], wanted: str) -> str | None:
    """Return the name of the method that a table asks for, if it was run.

    Parameters that no table tells apart, as how long is trained, may be any; of several such
    methods it is one with batches of the usual size, if there is, and then the most results.
    """
    parts = [_told_apart(part, spelled(wanted)) for part in spelled(wanted)]
    found = [
        name
        for name in named
        if sorted(_told_apart(part, spelled(wanted)) for part in spelled(name)) == sorted(parts)
    ]
    return max(
        found,
        key=lambda name: (_has_usual_batch(name), _draws(named[name]), -len(name), name),
        default=None,
    )


def _told_apart(part: Spelled, wanted: Iterable[Spelled]) -> Spelled:
    """Return a part with those of its parameters that matter, given or not."""
    mattering = TOLD_APART.union(name for one in wanted for name, _ in one.parameters)
    chosen = _usual(part.name) | dict(part.parameters)
    return Spelled(part.name, tuple(sorted((n, v) for n, v in chosen.items() if n in mattering)))


def _usual(name: str) -> dict[str, str]:
    """Return what a method of the benchmark takes where nothing is said."""
    known = BASELINES.get(name)
    return {one.name: _value(str(one.default)) for one in known.parameters} if known else {}


def _parameters(given: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in given.split(",") if pair.strip())
    return tuple(sorted((name.strip(), _value(value)) for name, _, value in pairs))


def _value(text: str) -> str:
    """Return numbers in one spelling."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.strip()


def _has_usual_batch(name: str) -> bool:
    return all(part.get("batch") in ("", _usual(part.name).get("batch")) for part in spelled(name))


def _draws(cells: Sequence[Cell]) -> int:
    return sum(len(cell.draws) for cell in cells)
