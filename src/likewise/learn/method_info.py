"""What is known about a method: what it is, what it needs, what may be chosen, who scores.

A scorer is a function of the material, `rng`, `on_step` and the method's parameters. It is loaded
when it is used, so that a method whose extra is missing can be told of, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from likewise.errors import SettingsError
from likewise.extras import require

if TYPE_CHECKING:
    from likewise.features.encoders import Encoder
    from likewise.learn.material import Scored
    from likewise.learn.parameters import Parameter, Value

MODULES = {
    "neural": ("torch", "safetensors"),
    "transformers": ("torch", "transformers"),
    "bench": ("sklearn",),
}
"""What each extra installs, as far as it tells whether the extra is there."""


ROWS = ("tfidf", "topics", "vectors", "texts", "documents")
"""What estimators may learn from: weighted terms, latent topics, an encoder's vectors, or texts and
documents as they are."""


@dataclass(frozen=True, kw_only=True)
class MethodInfo:
    """What is known about a method."""

    name: str
    description: str
    scorer: str = ""
    """Where its scorer is, as `module:function`."""
    estimator: str = ""
    """Where an estimator with scikit-learn's manners is, or what makes it, instead of a scorer:
    made with the parameters, `fit(X, y)`, `decision_function(X)`, and maybe `predict(X)` and
    `fit(X, y, validation=(X, y))`; see `plugged.py`."""
    rows: str = "tfidf"
    """What X is for an estimator, one of ROWS."""
    short_for: str = ""
    """The spelling that its name stands for, instead of both."""
    reference: str = ""
    """The authors, the year and the title of what it was first told in; "" if it is ours."""
    extra: str = ""
    """The extra that it needs, or ""."""
    parameters: tuple[Parameter, ...] = ()
    needs_transformer: bool = False
    """Whether the encoder has to be a transformer of Hugging Face, which it trains further."""
    transformer_with: tuple[tuple[str, str], ...] = ()
    """Parameters and their values with which it has to be one, though else there need be none."""
    vectorless: tuple[tuple[str, str], ...] = ()
    """Parameters and their values with which it needs no vectors all the same."""
    uses_vectors: bool = False
    """Whether it learns from the encoder's vectors, so that they have to be made."""
    zero: tuple[str, str] | tuple[()] | None = None
    """A parameter and its value with which score 0 is where it decides, for --keep zero; () if it
    is so with any."""
    keep: str = ""
    """What decides unless --keep says otherwise; "" for f1."""
    is_costly: bool = False
    """Whether it takes minutes where others take seconds."""

    def __post_init__(self) -> None:
        if self.rows not in ROWS:
            raise SettingsError(f"rows are {self.rows!r}; use one of: {', '.join(ROWS)}")

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of a name, if there is one."""
        return next((known for known in self.parameters if known.name == name), None)

    @property
    def is_installed(self) -> bool:
        """Whether the extra that it needs is installed, as far as can be told without loading."""
        return not self._missing()

    def check(
        self, *, encoder: Encoder | None, parameters: Iterable[tuple[str, Value]] = ()
    ) -> None:
        """Raise if what the method needs, with these parameters, is not there."""
        from likewise.features.huggingface import HuggingFace

        for module in self._missing():
            require(module, for_=f"The method {self.name}", extra=self.extra)
        is_needed = self.needs_transformer or any(
            chosen in self.transformer_with for chosen in parameters
        )
        if is_needed and not isinstance(encoder, HuggingFace):
            found = f"{encoder.name!r} is none" if encoder else "there is none"
            raise SettingsError(
                f"the method {self.name!r} needs an encoder of Hugging Face, and {found}; "
                "name one, as in --encoder allenai/scibert_scivocab_uncased"
            )
        if self.rows == "vectors" and not encoder:
            raise SettingsError(
                f"the method {self.name!r} learns from the vectors of an encoder, and there is "
                "none; name one, as in --encoder minilm-l6-v2"
            )

    def load(self) -> Callable[..., Scored]:
        """Return the scorer."""
        if self.estimator:
            from likewise.learn.plugged import score_estimator

            return partial(score_estimator, self)
        return cast("Callable[..., Scored]", resolve_name(self.scorer))

    def _missing(self) -> list[str]:
        return [module for module in MODULES.get(self.extra, ()) if find_spec(module) is None]
