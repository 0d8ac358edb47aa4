"""Extras: what optional installs and other packages add, loaded where it is used."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from typing import Any, NamedTuple

from likewise.errors import LikewiseError, MissingExtraError, PlugInError, SettingsError


def require(module: str, *, for_: str, extra: str) -> Any:
    """Return a module that an extra installs.

    Args:
        module: The module's name.
        for_: What needs it, to begin the message with: "The encoder minilm-l6-v2".
        extra: The name of the extra.

    >>> require("json", for_="This example", extra="json").loads("[1]")
    [1]
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{for_} needs an optional dependency. Install it with: pip install 'likewise[{extra}]'"
        ) from error


LOSS_GROUP, PRIOR_GROUP, RISK_GROUP = "likewise.losses", "likewise.priors", "likewise.risks"
"""The entry points under which other packages add losses, priors and risks for networks."""


@cache
def plug_ins(group: str) -> Mapping[str, EntryPoint]:
    """Return the plug-ins of a group of entry points by name, without loading any."""
    # If two packages offer the same name, the first one found wins.
    return {entry.name: entry for entry in reversed(tuple(entry_points(group=group)))}


def load_plug_in(entry: EntryPoint, *, kind: str) -> Any:
    """Return what a plug-in offers; messages call it by its kind, such as "encoder"."""
    try:
        return entry.load()
    except Exception as error:
        is_plain = isinstance(error, ImportError | AttributeError)
        found = str(error) if is_plain else summarise_error(error)
        raise PlugInError(
            f"the {kind} {entry.name!r} can't be loaded from {entry.value}: {found}; "
            "install the package that offers it again, or remove it"
        ) from error


class Offer(NamedTuple):
    """Something that another package offers, and that errors blame if it misbehaves."""

    kind: str
    """What to call it in messages: "method"."""
    name: str
    place: str
    """Where it is, as `module:name`."""

    @classmethod
    def of(cls, entry: EntryPoint, *, kind: str) -> Offer:
        """Return what an entry point offers."""
        return cls(kind, entry.name, entry.value)

    def error(self, found: str) -> PlugInError:
        """Return the error that says what is wrong; `found` continues the sentence about it.

        >>> str(Offer("method", "mine", "my_package:INFO").error("is not a MethodInfo"))[:50]
        "the method 'mine' of my_package:INFO is not a Meth"
        """
        return PlugInError(
            f"the {self.kind} {self.name!r} of {self.place} {found}; the package that offers it "
            "has to correct it"
        )

    @contextmanager
    def blame(self) -> Iterator[None]:
        """Report whatever goes wrong inside the block in one line, with the offer's name."""
        try:
            yield
        except LikewiseError:
            raise
        except Exception as error:
            raise self.error(f"fails: {summarise_error(error)}") from error


def load_offer(name: str, *, group: str, kind: str, others: Iterable[str]) -> tuple[Any, Offer]:
    """Return what a plug-in offers, and the `Offer` to blame if it misbehaves.

    Args:
        name: The plug-in's name.
        group: Its group of entry points.
        kind: What to call it in messages: "loss".
        others: The built-in names, which messages list too.
    """
    added = plug_ins(group)
    if name not in added:
        known = ", ".join([*others, *added])
        raise SettingsError(f"there is no {kind} {name!r}; use one of: {known}")
    return load_plug_in(added[name], kind=kind), Offer.of(added[name], kind=kind)


def summarise_error(error: Exception) -> str:
    """Return the kind and the message of an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")


def find_versions() -> dict[str, str]:
    """Return the versions of installed packages that likewise uses, or may use, when it runs."""
    needed = [line for line in requires("likewise") or () if not line.endswith("'dev'")]
    found = {}
    for name in sorted({re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in needed}):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
