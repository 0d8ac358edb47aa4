"""The spelling of methods, the same on the command line, in Python and in saved files.

A spelling is a name, a name with parameters, or several of these whose scores are averaged:

    linear
    linear(strength=0.3)
    linear(strength=0.3) + nnpu-cnn(prior=estimate)

Parameters may be given in any order, even with their default values. `str` writes only those that
differ from the defaults, in the order in which the method lists them, so that the same method
always has the same spelling.

In a fusion, with s a method's score of a document, m the mean and d the deviation of its scores
over the pool, the fused score is the mean over the methods, weighted if some count more, of

    (s - m) / d

for held-out seeds and negatives as well as for the pool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from likewise.errors import SettingsError
from likewise.features.encoders import Encoder
from likewise.learn.material import Material, OnStep, Scored, fuse_scores, place_negatives
from likewise.learn.methods import METHODS, MethodInfo, method_named
from likewise.learn.plugged import load_scorer, make_plugged_estimator, score_plugged
from likewise.learn.thresholds import Keep, parse_keep
from likewise.parameters import Spelling, Value, spell

# A plus outside of brackets: within them, as in 1e+3, it belongs to a number.
_PLUS = re.compile(r"\+(?![^(]*\))")
COSTLY_STEPS = 20
"""How many times as much of the progress bar a costly method gets."""


@dataclass(frozen=True)
class Method:
    """A named way of scoring a pool, with its parameters."""

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    known: MethodInfo | None = field(default=None, compare=False, repr=False)
    """What is known about it, if it is a method of the benchmark alone."""
    called: str = field(default="", compare=False)
    """The name that it was spelled by, if that is short for it."""

    def __str__(self) -> str:
        return self.called or spell(self.name, self.parameters)

    @property
    def info(self) -> MethodInfo:
        """What is known about it."""
        return self.known or method_named(self.name)

    @property
    def is_costly(self) -> bool:
        """Whether it takes minutes where others take seconds."""
        return self.info.is_costly

    @property
    def uses_vectors(self) -> bool:
        """Whether it learns from an encoder's vectors."""
        if self.info.rows == "vectors":
            return True
        is_vectorless = any(chosen in self.info.vectorless for chosen in self.parameters)
        return self.info.uses_vectors and not is_vectorless

    @property
    def uses_citations(self) -> bool:
        """Whether it scores by links between papers."""
        return bool(self.chosen.get("citations", 0))

    @property
    def uses_encoder(self) -> bool:
        """Whether it makes use of an encoder, or of its vectors."""
        return self.uses_vectors or self.info.uses_vectors or self.info.needs_transformer

    @property
    def has_zero(self) -> bool:
        """Whether it decides at score 0."""
        zero = self.info.zero
        return zero is not None and (not zero or zero in self.chosen.items())

    @property
    def keep(self) -> Keep:
        """The rule that decides if none is asked for."""
        keep = parse_keep(self.info.keep) if self.info.keep else Keep()
        return Keep() if keep.rule == "zero" and not self.has_zero else keep

    @property
    def chosen(self) -> dict[str, Value]:
        """The value of every parameter: the one given, or else its default."""
        return {known.name: known.default for known in self.info.parameters} | dict(self.parameters)

    @property
    def scout(self) -> Method:
        """The method that scores the pool while it grows: this one."""
        return self

    def check(self, *, encoder: Encoder | None) -> None:
        """Raise if anything that it needs is missing."""
        self.info.check(encoder=encoder, parameters=self.parameters)
        if self.info.estimator:
            make_plugged_estimator(self.info, self.chosen).create()

    def score(
        self, material: Material, *, rng: np.random.Generator, on_step: OnStep | None = None
    ) -> Scored:
        """Score the seeds, the negatives and the pool."""
        asked = {"rng": rng, "on_step": on_step, **self.chosen}
        if self.known or self.name in METHODS:
            scored = load_scorer(self.info)(material, **asked)
        else:
            scored = score_plugged(self.info, material, asked)
        return scored._replace(scores=place_negatives(scored.scores, of=material))


@dataclass(frozen=True)
class Fusion:
    """Several methods, whose scores are averaged on one scale."""

    parts: tuple[Method, ...]
    called: str = field(default="", compare=False)
    """The name that it was spelled by, if that is short for it."""

    def __str__(self) -> str:
        return self.called or " + ".join(map(str, self.parts))

    @property
    def uses_vectors(self) -> bool:
        """Whether a part learns from an encoder's vectors."""
        return any(part.uses_vectors for part in self.parts)

    @property
    def uses_citations(self) -> bool:
        """Whether any of its methods scores by links between papers."""
        return any(method.uses_citations for method in self.parts)

    @property
    def uses_encoder(self) -> bool:
        """Whether a part makes use of an encoder, or of its vectors."""
        return any(part.uses_encoder for part in self.parts)

    @property
    def has_zero(self) -> bool:
        """False: a fused score of 0 is only the mean of the pool."""
        return False

    @property
    def keep(self) -> Keep:
        """The rule that decides if none is asked for."""
        return Keep()

    @property
    def scout(self) -> Method | Fusion:
        """The method that scores the pool while it grows: the parts that are not costly, if any."""
        cheap = tuple(part for part in self.parts if not part.is_costly)
        return _fuse(cheap) if cheap else self

    def check(self, *, encoder: Encoder | None) -> None:
        """Raise if anything that a part needs is missing."""
        for part in self.parts:
            part.check(encoder=encoder)

    def score(
        self, material: Material, *, rng: np.random.Generator, on_step: OnStep | None = None
    ) -> Scored:
        """Score the seeds and the pool by every part, and average."""
        steps = split_steps(on_step, [part.is_costly for part in self.parts])
        pairs = zip(self.parts, steps, strict=True)
        return fuse_scores([part.score(material, rng=rng, on_step=step) for part, step in pairs])


def parse_method(text: str, *, others: Mapping[str, MethodInfo] | None = None) -> Method | Fusion:
    """Return the method of a spelling, which may name `others` too; `str` is its inverse.

    >>> str(parse_method("linear( topic_strength=0.2,strength=0.3, library=auto)+naive"))
    'linear(strength=0.3, topic_strength=0.2) + naive'
    """
    spelled = _PLUS.split(text)
    if len(spelled) > 1 and not all(part.strip() for part in spelled):
        raise SettingsError(
            f"{text!r}: a method is missing beside a plus; write a fusion such as linear + naive"
        )
    others = others or {}
    found = _fuse(tuple(method for part in spelled for method in _parse_parts(part, others)))
    name = Spelling.of(text).name
    is_short = len(spelled) == 1 and method_named(name, others=others).short_for
    return replace(found, called=name) if is_short else found


def choose_keep(keep: str, method: Method | Fusion) -> Keep:
    """Return the rule that decides: the one that is spelled, or else ("") the method's own.

    >>> str(choose_keep("", parse_method("copkmeans"))), str(choose_keep("", parse_method("naive")))
    ('zero', 'f1')
    """
    asked = parse_keep(keep) if keep else method.keep
    if asked.rule == "zero" and not method.has_zero:
        raise SettingsError(
            f"--keep zero: score 0 means nothing to the method {str(method)!r}; choose "
            "jacovi2021, copkmeans or nnpu-cnn(center=zero), or another rule, such as f1"
        )
    return asked


def _fuse(parts: tuple[Method, ...]) -> Method | Fusion:
    return parts[0] if len(parts) == 1 else Fusion(parts)


def _parse_parts(text: str, others: Mapping[str, MethodInfo]) -> tuple[Method, ...]:
    """Return the method of a spelling without a plus, or the methods that it is short for."""
    written = Spelling.of(text)
    known = method_named(written.name, others=others)
    short = f"it is short for {known.short_for!r}, whose parts each take their own"
    values = written.values(
        known.parameters,
        of=f"the method {known.name!r}",
        otherwise=short if known.short_for else "",
    )
    if known.short_for:
        spelled = _PLUS.split(known.short_for)
        return tuple(method for part in spelled for method in _parse_parts(part, others))
    chosen = tuple(
        (parameter.name, values[parameter.name])
        for parameter in known.parameters
        if values.get(parameter.name, parameter.default) != parameter.default
    )
    return (Method(known.name, chosen, others.get(known.name)),)


def split_steps(on_step: OnStep | None, is_costly: Sequence[bool]) -> list[OnStep] | list[None]:
    """Return a callback for each part, so that their steps add up to those of the whole."""
    if not on_step:
        return [None for _ in is_costly]
    sizes = [COSTLY_STEPS if costly else 1 for costly in is_costly]
    return [
        _make_step(on_step, before=sum(sizes[:place]), size=size, whole=sum(sizes))
        for place, size in enumerate(sizes)
    ]


def _make_step(on_step: OnStep, *, before: int, size: int, whole: int) -> OnStep:
    def step(done: int, total: int, note: str = "", /) -> None:
        on_step(before * total + size * done, whole * total, note)

    return step
