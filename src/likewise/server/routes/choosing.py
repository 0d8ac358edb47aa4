"""Settings that were asked for over HTTP, made of those that a session has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.errors import SettingsError
from likewise.learn.methods import METHODS
from likewise.learn.spelling import decide_by, parse_method
from likewise.learn.thresholds import parse_keep

if TYPE_CHECKING:
    from likewise.expansion.settings import ExpandSettings
    from likewise.server.models.sessions import ChosenSettings


def chosen_settings(chosen: ChosenSettings, *, before: ExpandSettings) -> ExpandSettings:
    """Return settings with what was chosen; raise SettingsError if that makes no sense."""
    if chosen.method is not None and chosen.method not in offered_methods():
        raise SettingsError(
            f"the method {chosen.method!r} is not offered here; "
            f"choose one of: {', '.join(offered_methods())}"
        )
    if chosen.keep is not None:
        parse_keep(chosen.keep)
    settings = before.with_chosen(**chosen.model_dump(exclude_none=True))
    decide_by(settings.keep, parse_method(settings.method))
    return settings


def offered_methods() -> list[str]:
    """Return the methods that need no extra and take seconds.

    >>> offered_methods()
    ['linear', 'naive', 'bm25', 'copkmeans']
    """
    return [name for name, known in METHODS.items() if not (known.extra or known.is_costly)]
