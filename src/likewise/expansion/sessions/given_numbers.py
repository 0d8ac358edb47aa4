"""The numbers of a flow diagram that a session can't know, as somebody gives them.

The stages after screening happen elsewhere: how many reports were sought, assessed and included is
told by people, and kept with the session as they tell it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from likewise.errors import SettingsError


class PrismaCount(NamedTuple):
    """So many of something: of a source, or for a reason."""

    name: str
    number: int | None
    """None if it is not known."""


@dataclass(frozen=True, kw_only=True)
class GivenNumbers:
    """What a session can't know, as somebody gives it; None for what nobody did."""

    identified: tuple[PrismaCount, ...] = ()
    """Records by source, in place of what the library says."""
    duplicates: int | None = None
    """In place of what the library says."""
    sought: int | None = None
    not_retrieved: int | None = None
    assessed: int | None = None
    excluded: tuple[PrismaCount, ...] = ()
    """Reports that were excluded, by reason."""
    included: int | None = None

    def check(self) -> None:
        """Raise SettingsError if these numbers can't all be right."""
        sought, assessed = self.sought, self.assessed
        gone = sum(one.number or 0 for one in self.excluded)
        if sought is not None and (self.not_retrieved or 0) + (assessed or 0) > sought:
            raise SettingsError(
                f"{self.not_retrieved or 0:,} reports not retrieved and {assessed or 0:,} assessed "
                f"are more than the {sought:,} sought; check what was sought"
            )
        if assessed is not None and gone > assessed:
            raise SettingsError(
                f"{gone:,} reports excluded are more than the {assessed:,} assessed; "
                "check what was assessed"
            )

    def add(self, others: GivenNumbers) -> GivenNumbers:
        """Return these numbers with those of others in their place, where others say something.

        >>> GivenNumbers(sought=9, included=3).add(GivenNumbers(included=4))  # doctest: +ELLIPSIS
        GivenNumbers(identified=(), ..., sought=9, ..., included=4)
        """
        told = {one.name: getattr(others, one.name) for one in fields(others)}
        return replace(self, **{name: value for name, value in told.items() if value not in _NONE})


_NONE: tuple[object, ...] = (None, ())


def parse_count(text: str) -> PrismaCount:
    """Return what a person wrote as NAME=NUMBER.

    >>> parse_count("wrong population = 1,200")
    PrismaCount(name='wrong population', number=1200)
    """
    name, _, number = text.rpartition("=")
    digits = number.strip().replace(",", "")
    if not name.strip() or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise SettingsError(f"{text[:80]!r} is no NAME=NUMBER, such as Embase=1200")
    return PrismaCount(" ".join(name.split()), int(digits))
