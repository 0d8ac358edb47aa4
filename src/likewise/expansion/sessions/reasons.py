"""What people give for the flow diagram: reasons for exclusion, and numbers a session can't know.

A mark carries the number of its reason, so a reason that is renamed is renamed on every mark. One
that is removed stays known for the earlier marks that carry it. The stages after screening happen
elsewhere: people say how many reports were sought, assessed and included, and the session keeps
these numbers as they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import msgspec

from likewise.arguments import check_type
from likewise.errors import SessionError, SettingsError
from likewise.expansion.wording import format_count, list_names

MOST_REASONS = 100
LONGEST = 200
"""How long the name of a reason, a tag or a reviewer may be, in characters."""


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reason for exclusion."""

    number: int
    """It stays the same, whatever the reason is called."""
    name: str
    is_removed: bool = False
    replaced_by: int = 0
    """The number of the reason that stands in its place; 0 if none does."""


class ReasonList:
    """The reasons of a session; every change returns a new list.

    >>> listed = ReasonList().add("wrong population").add("no control group")
    >>> listed.rename("Wrong  Population", "animals").names
    ('animals', 'no control group')
    """

    def __init__(self, reasons: Sequence[Reason] = ()) -> None:
        self.reasons = tuple(reasons)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those that can be given, in order."""
        return tuple(reason.name for reason in self.reasons if not reason.is_removed)

    def find(self, name: str) -> Reason:
        """Find a reason by name, ignoring case and spaces; raise SessionError if there is none."""
        check_type(name, str, name="reason", wanted="a reason's name")
        if found := self._look_up(name):
            return found
        known = f"use one of: {list_names(self.names)}" if self.names else "there is none yet"
        raise SessionError(f"no reason {clean_name(name)!r} in the list of reasons; {known}")

    def has(self, name: str) -> bool:
        """Return whether there is a reason with this name."""
        return self._look_up(name) is not None

    def get_name(self, number: int | None) -> str:
        """Return the current name of the reason with this number; "" if there is none."""
        known = {reason.number: reason for reason in self.reasons}
        reason = known.get(number or 0)
        # A replacement may have been replaced in turn; no chain is longer than the list.
        for _ in self.reasons:
            if reason is None or not reason.replaced_by:
                break
            reason = known.get(reason.replaced_by)
        return reason.name if reason else ""

    def get_number(self, name: str) -> int | None:
        """Return the number that a mark keeps for a reason with this name; None for ""."""
        numbers = {reason.name: reason.number for reason in self.reasons if reason.is_removed}
        numbers |= {reason.name: reason.number for reason in self.reasons if not reason.is_removed}
        return numbers.get(name)

    def add(self, name: str) -> ReasonList:
        """Return the list with one more reason at its end; raise SessionError if it is in it."""
        name = check_name(name, "reason")
        self._check_new(name)
        if len(self.names) >= MOST_REASONS:
            raise SessionError(f"a session has at most {MOST_REASONS} reasons; remove one first")
        last = max((reason.number for reason in self.reasons), default=0)
        return ReasonList([*self.reasons, Reason(last + 1, name)])

    def rename(self, name: str, new: str) -> ReasonList:
        """Return the list with a reason renamed, on the marks that carry it too."""
        chosen, new = self.find(name), check_name(new, "reason")
        if not is_same_name(chosen.name, new):
            self._check_new(new)
        return self._replace(chosen, name=new)

    def remove(self, name: str, *, carried: int = 0, replacement: str = "") -> ReasonList:
        """Return the list without a reason.

        Args:
            name: The reason.
            carried: How many current marks carry it; if any do, a replacement is needed.
            replacement: The reason that these marks then carry.
        """
        chosen = self.find(name)
        other = self.find(replacement) if replacement else None
        if other is chosen:
            raise SessionError(
                f"a reason can't replace itself; name one other than {chosen.name!r}"
            )
        if carried and other is None:
            carry = "carries" if carried == 1 else "carry"
            raise SessionError(
                f"{format_count(carried, 'mark')} {carry} the reason {chosen.name!r}; say which "
                "reason takes its place (--replace-by NAME), or rename it"
            )
        return self._replace(chosen, is_removed=True, replaced_by=other.number if other else 0)

    def order(self, names: Sequence[str]) -> ReasonList:
        """Return the list with these reasons first, in this order, and the others after them."""
        first = [self.find(name) for name in names]
        rest = [reason for reason in self.reasons if reason not in first]
        return ReasonList([*dict.fromkeys(first), *rest])

    def _look_up(self, name: str) -> Reason | None:
        same = (one for one in self.reasons if not one.is_removed and is_same_name(one.name, name))
        return next(same, None)

    def _check_new(self, name: str) -> None:
        if found := self._look_up(name):
            raise SessionError(f"the reason {found.name!r} is in the list already")

    def _replace(self, chosen: Reason, **changes: object) -> ReasonList:
        return ReasonList(
            [
                msgspec.structs.replace(reason, **changes) if reason is chosen else reason
                for reason in self.reasons
            ]
        )


def clean_name(name: str) -> str:
    """Return a name without surplus spaces."""
    return " ".join(name.split())


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names are the same, apart from case and spaces.

    >>> is_same_name("Ann  Lee", "ann lee"), is_same_name("Ann", "Anna")
    (True, False)
    """
    return one == other or make_key(one) == make_key(other)


def make_key(name: str) -> str:
    """Return a key that names have in common if they differ only in case and spaces."""
    return clean_name(name).casefold() if name else ""


def check_name(name: str, what: str) -> str:
    """Return a name, cleaned; raise SessionError if it is empty, or can't be written to a file."""
    cleaned = clean_name(name)
    if not cleaned:
        raise SessionError(f"a {what} without a name; give it one")
    if len(cleaned) > LONGEST:
        raise SessionError(f"a {what} of {len(cleaned):,} characters; at most {LONGEST} fit")
    if ";" in cleaned:
        raise SessionError(
            f"the {what} {cleaned!r} holds a semicolon, which separates names in files"
        )
    if not cleaned.isprintable():
        raise SessionError(f"the {what} {cleaned!r} holds invisible characters; type it again")
    return cleaned


class PrismaCount(NamedTuple):
    """A number of records or reports: from a source, or excluded for a reason."""

    name: str
    number: int | None
    """None if it is not known."""


def add_up(counts: Sequence[PrismaCount]) -> int | None:
    """Return the sum of these numbers; None if there are none, or one is not known."""
    numbers = [one.number for one in counts if one.number is not None]
    return sum(numbers) if counts and len(numbers) == len(counts) else None


@dataclass(frozen=True, kw_only=True)
class GivenNumbers:
    """The numbers that a session can't know, as people give them; None for those nobody gave."""

    identified: tuple[PrismaCount, ...] = ()
    """Records by source, in place of what the library says."""
    duplicates: int | None = None
    """Duplicate records, in place of what the library says."""
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
        """Return these numbers, replaced by those of others as far as others give any.

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
        raise SettingsError(f"{text[:80]!r} is not NAME=NUMBER; write, for example, Embase=1200")
    return PrismaCount(" ".join(name.split()), int(digits))
