"""How an expansion is made: everything that can be chosen, with its default."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike
from likewise.library.where import Where


@dataclass(frozen=True, kw_only=True)
class ExpandSettings:
    """How an expansion is made."""

    method: str = "linear"
    """The method that scores the pool, as `likewise expand --method` spells it."""
    keep: str = ""
    """What decides: f1, recall=0.95, precision=0.8, top=500, ber, zero, expected-f1 or ratio; if
    nothing is said, what the method decides by: zero for jacovi2021 and copkmeans, f1
    for all others."""
    pool: int = 20_000
    """How many documents a query retrieves at most."""
    rounds: int = 2
    """How often the pool is retrieved and learned from, at most."""
    encoder: str = ""
    """A pretrained encoder whose vectors are learned from too; "" for none."""
    seed: int = 0
    """The number that all randomness comes from."""
    where: str = ""
    """What is searched of the library, as `likewise.library.where` spells it; "" for all of it."""
    more_like: MoreLike = field(default_factory=MoreLike)

    def __post_init__(self) -> None:
        if self.pool < 1:
            raise SettingsError(f"pool is {self.pool}; it is at least 1")
        if self.rounds < 1:
            raise SettingsError(f"rounds is {self.rounds}; it is at least 1")
        if self.seed < 0:
            raise SettingsError(f"seed is {self.seed}; it is 0 or more")
        object.__setattr__(self, "where", str(Where.parse(self.where)))
        if not self.keep:
            # What is chosen is stored, and told to people, in full.
            object.__setattr__(self, "keep", _find_own_keep(self.method))

    def with_chosen(self, **chosen: Any) -> ExpandSettings:
        """Return these with some chosen anew; if the method is, what it decides by goes with it."""
        is_own = "method" in chosen and self.keep == _find_own_keep(self.method)
        return replace(self, **({"keep": ""} if is_own else {}) | chosen)


def _find_own_keep(method: str) -> str:
    from likewise.learn.spelling import parse_method

    return str(parse_method(method).keep)
