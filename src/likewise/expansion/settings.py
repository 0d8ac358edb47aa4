"""How an expansion is made: everything that can be chosen, with its default, bounds and help.

The command's options, the shapes of the HTTP API and the page's form are made from the definitions
here, so that each default, bound and help text is stated once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple

from likewise.arguments import check_type
from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike
from likewise.library.where import Where

NEXT_COUNT = 20
"""How many documents are chosen to look at next, unless more or fewer are asked for."""


class Served(NamedTuple):
    """What may be chosen for a setting over HTTP."""

    description: str = ""
    most: int | None = None
    """The largest number."""
    longest: int | None = None
    """How many characters a text may have."""


@dataclass(frozen=True)
class Setting:
    """What people are told about a setting, and what they may choose."""

    help: str
    """What it does, as a command's help says it."""
    metavar: str = ""
    """The placeholder for its value in a command's help; "" for a number."""
    least: int | None = None
    served: Served | None = None
    """None if it can't be chosen over HTTP."""
    label: str = ""
    """What the page calls it; "" if the page does not ask for it."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """The values that the page offers, each with its label; none if any value may be given."""


def _setting(default: str | int, **details: Any) -> Any:
    """Return a dataclass field that carries a setting."""
    return field(default=default, metadata={"setting": Setting(**details)})


@dataclass(frozen=True, kw_only=True)
class ExpandSettings:
    """How an expansion is made.

    >>> import likewise
    >>> likewise.ExpandSettings(keep="recall=0.9", where="year>=2010").pool
    20000
    """

    method: str = _setting(
        "linear",
        help="What scores the pool: linear, naive, bm25, copkmeans, nnpu-cnn, jacovi2021, "
        'nnpu-transformer or fused; with parameters: "linear(strength=0.3)"; several: '
        '"linear + nnpu-cnn". "likewise methods" describes each.',
        metavar="NAME",
        served=Served("A method that needs no extra.", longest=40),
    )
    """The method that scores the pool, as `likewise expand --method` spells it."""
    keep: str = _setting(
        "",
        help="What decides: f1 (the default), recall=0.95, conformal=0.9 (a recall that left-out "
        "seeds can promise), precision=0.8, top=500, ber, zero (the method's own score 0, the "
        "default of jacovi2021 and copkmeans), expected-f1 or ratio.",
        metavar="RULE",
        served=Served("Such as f1, recall=0.95 or top=500.", longest=40),
        label="What is kept",
        choices=MappingProxyType(
            {
                "f1": "Balanced: neither many missed nor many wrong",
                "recall=0.95": "Miss little: 95 % of what is on topic",
                "precision=0.8": "Mostly right: 80 % of what is listed is on topic",
            }
        ),
    )
    """The rule that decides; by default, the method's own: zero for jacovi2021 and
    copkmeans, f1 for all others."""
    pool: int = _setting(
        20_000,
        help="How many documents a query retrieves at most.",
        least=1,
        served=Served(most=200_000),
        label="Candidates at most",
    )
    """How many documents a query retrieves at most."""
    rounds: int = _setting(
        2,
        help="How many rounds of retrieval and learning to run, at most.",
        least=1,
        served=Served(most=10),
        label="Rounds at most",
    )
    """How many rounds of retrieval and learning to run, at most."""
    encoder: str = _setting(
        "",
        help="Learn from an encoder's vectors too: minilm-l6-v2, or a Hugging Face model, by its "
        "name or its folder.",
        metavar="NAME",
    )
    """A pretrained encoder whose vectors are learned from too; "" for none."""
    seed: int = _setting(
        0,
        help="The number that all randomness comes from.",
        least=0,
        served=Served(most=2**31 - 1),
    )
    """The number that all randomness comes from."""
    where: str = _setting(
        "",
        help='Search only documents within these limits, such as "year>=2010 and language=eng '
        'and type=review"; a comma means and, | means or.',
        metavar="LIMITS",
        served=Served("Such as year>=2010 and language=eng.", longest=500),
    )
    """The part of the library to search, as `likewise.library.where` spells it; "" for all."""
    more_like: MoreLike = field(default_factory=MoreLike)
    """How seeds become a query."""

    def __post_init__(self) -> None:
        for name, setting in SETTINGS.items():
            value = getattr(self, name)
            if setting.least is None:
                check_type(value, str, name=name, wanted="a text")
            elif not isinstance(value, Integral):
                raise SettingsError(f"{name} is {value!r}; it must be a whole number")
            elif value < setting.least:
                raise SettingsError(f"{name} is {value}; it must be at least {setting.least}")
        object.__setattr__(self, "where", str(Where.parse(self.where)))
        if not self.keep:
            # The rule is stored, and shown to people, even if the method chose it.
            object.__setattr__(self, "keep", _find_own_keep(self.method))

    def with_chosen(self, **chosen: Any) -> ExpandSettings:
        """Return a copy with some settings changed; a new method brings its own rule for `keep`."""
        if unknown := sorted(chosen.keys() - {each.name for each in fields(self)}):
            raise SettingsError(
                f"{unknown[0]} is not a setting; the settings are: {', '.join(SETTINGS)}"
            )
        is_own = "method" in chosen and self.keep == _find_own_keep(self.method)
        return replace(self, **({"keep": ""} if is_own else {}) | chosen)


def choose_settings(
    settings: ExpandSettings | None, chosen: Mapping[str, Any], *, default: ExpandSettings
) -> ExpandSettings:
    """Return the given settings, or else the default, changed by those chosen by name."""
    given = default if settings is None else settings
    check_type(given, ExpandSettings, name="settings", wanted="likewise.ExpandSettings(...)")
    return given.with_chosen(**chosen)


SETTINGS: Mapping[str, Setting] = {
    each.name: each.metadata["setting"]
    for each in fields(ExpandSettings)
    if "setting" in each.metadata
}
"""Every setting that people choose, by its name, in the order in which they are listed."""


def list_defaults() -> dict[str, Any]:
    """Return the default of every setting that people choose; `keep` is "" for the method's own."""
    return {each.name: each.default for each in fields(ExpandSettings) if each.name in SETTINGS}


def _find_own_keep(method: str) -> str:
    from likewise.learn.spelling import parse_method

    return str(parse_method(method).keep)
