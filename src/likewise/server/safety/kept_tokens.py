"""Tokens of reviewers, kept beside the sessions, so that a server that is started again knows them.

The file holds the tokens themselves, since their addresses are printed at every start. Only its
owner may read it; whoever could read more of that folder could read all sessions as well.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from likewise.documents.files import replace_file
from likewise.errors import SessionError, SettingsError
from likewise.expansion.sessions.reasons import check_name, make_key
from likewise.server.settings import ReviewerToken, check_names

FILE = "reviewers.json"
PRIVATE = 0o600
MOST_REVIEWERS = 50


def keep_tokens(folder: Path, names: Sequence[str]) -> tuple[ReviewerToken, ...]:
    """Return the token of each reviewer; make, and keep, those of reviewers who have none yet.

    Args:
        folder: The folder of the sessions.
        names: The reviewers; two that differ in case and spaces alone are refused.
    """
    named = check_reviewers(names)
    kept = read_tokens(folder)
    tokens = {make_key(one.reviewer): one.token for one in kept}
    chosen = tuple(
        ReviewerToken(name, tokens.get(make_key(name)) or secrets.token_urlsafe(32))
        for name in named
    )
    others = {make_key(one.reviewer): one for one in (*kept, *chosen)}
    if tuple(others.values()) != kept:
        _write_tokens(folder, tuple(others.values()))
    return chosen


def read_tokens(folder: Path) -> tuple[ReviewerToken, ...]:
    """Return all tokens that are kept in a folder."""
    path = folder / FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SettingsError(f"{path}: can't be read: {error.strerror or error}") from error
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise SettingsError(
            f"{path}: others can read the tokens in it; delete it, and new ones are made"
        )
    try:
        return msgspec.json.decode(content, type=tuple[ReviewerToken, ...])
    except msgspec.DecodeError as error:
        raise SettingsError(f"{path}: damaged; delete it, and new tokens are made") from error


def _write_tokens(folder: Path, tokens: Sequence[ReviewerToken]) -> None:
    with replace_file(folder / FILE, mode=PRIVATE) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(tokens), indent=1) + b"\n")


def check_reviewers(names: Sequence[str]) -> list[str]:
    """Return the names, cleaned; raise SettingsError if one can't be used, or is there twice."""
    if len(names) > MOST_REVIEWERS:
        raise SettingsError(f"{len(names)} reviewers; a server knows {MOST_REVIEWERS} at most")
    try:
        named = [check_name(name, "reviewer") for name in names]
    except SessionError as error:
        raise SettingsError(f"{error} (--reviewer)") from error
    check_names(named)
    return named
