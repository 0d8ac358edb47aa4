"""The methods of the benchmark, as they are spelled for `bench run --methods`.

linear, "linear + naive"      methods and fusions of the product
rocchio, "spy(share=0.2)"     baselines (`baselines.py`), which can be fused as well
cnn, "cnn + cnn(risk=pn)"     networks of the paper, and averages of them
all                           everything is on topic
upper-bound                   full supervision
"random + nnpu-cnn"           a method that learns from documents drawn at random
example-neighbours            a method of another package
"""

from __future__ import annotations

import re

from likewise.bench.methods.answering import (
    AllPositive,
    BackgroundMethod,
    BenchMethod,
    PluggedMethod,
    ScoringMethod,
    UpperBound,
    list_methods,
)
from likewise.bench.methods.baselines import BASELINES, SPECIAL
from likewise.bench.methods.network_methods import NETWORKS, Networks, SupervisedNetwork
from likewise.errors import SettingsError
from likewise.learn.spelling import Method, parse_method

_RANDOM = re.compile(r"\s*random\s*\+(.*)", re.DOTALL)
_SPECIAL = {known.name for known in SPECIAL}


def parse_bench_method(text: str) -> BenchMethod:
    """Return the method of a spelling; `str` is its inverse.

    >>> str(parse_bench_method("random+spy( share=0.2 )"))
    'random + spy(share=0.2)'
    """
    drawn = _RANDOM.fullmatch(text)
    if drawn:
        return _parse_background(drawn[1])
    parsed = parse_method(text, others=BASELINES)
    methods = list_methods(parsed)
    names = [method.name for method in methods if method.name in _SPECIAL]
    if not names:
        is_plugged = len(methods) == 1 and methods[0].info.estimator
        return PluggedMethod(methods[0]) if is_plugged else ScoringMethod(parsed)
    if NETWORKS.issuperset(names) and len(names) == len(methods):
        return Networks(methods)
    if len(methods) > 1:
        raise SettingsError(
            f"{text!r}: {names[0]} decides by itself, and is not fused with "
            f"{'others than networks' if names[0] in NETWORKS else 'others'}; run each on its own"
        )
    return _make_special(methods[0])


def _parse_background(text: str) -> BenchMethod:
    method = parse_bench_method(text)
    if method.needs_truth or isinstance(method, AllPositive | BackgroundMethod):
        raise SettingsError(
            f"'random + {method}': {method} does not learn from what is drawn; "
            "write it as in random + linear"
        )
    return BackgroundMethod(method)


def _make_special(method: Method) -> BenchMethod:
    if method.name == "all":
        return AllPositive()
    return UpperBound(method) if method.name == "upper-bound" else SupervisedNetwork(method)
