"""likewise serve: the page, and the HTTP API."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from likewise.cli.options import fields_option, json_option, served_library_argument
from likewise.cli.output import list_some, print_json, say
from likewise.errors import SettingsError
from likewise.expansion.wording import format_count
from likewise.server import ServerSettings, is_loopback

SLOW = 1.0
"""After how many seconds without an address to say what takes so long."""

_NOT_ENCRYPTED = (
    "warning: others can reach this address, and what is sent is not encrypted; "
    "use it only in networks that you trust"
)
_SHARED = (
    "others have accounts on this computer ({others}), so a token is needed; --open asks for none"
)
MOST_NAMES = 3
"""How many of these other people are named."""


@click.command("serve")
@served_library_argument
@click.option(
    "--host", default=ServerSettings.host, show_default=True, help="The address to listen on."
)
@click.option(
    "--port", type=click.IntRange(0, 65_535),
    help=f"The port; without it {ServerSettings.port}, or the next one that is free.",
)  # fmt: skip
@click.option(
    "--sessions", metavar="FOLDER",
    help=(
        "Where sessions are kept. By default, in LIB-sessions beside the library, or here if LIB "
        "is an address; without LIB, in the folder of the libraries."
    ),
)  # fmt: skip
@click.option(
    "--libraries", metavar="FOLDER",
    help=(
        "Where libraries made in the page are kept. By default, in your data folder; with LIB "
        "alone, no others are served."
    ),
)  # fmt: skip
@click.option(
    "--reviewer", "reviewers", multiple=True, metavar="NAME",
    help=(
        "Who may enter, each by a printed address of their own. Nobody can mark as someone else, "
        "or see another's mark before both have marked. May be repeated."
    ),
)  # fmt: skip
@click.option(
    "--name", "names", multiple=True, metavar="HOST",
    help="Another name by which browsers reach this server. May be repeated.",
)  # fmt: skip
@click.option(
    "--private/--open", "is_private", default=None,
    help=(
        "Ask visitors for a token on this computer too, or never. By default, a token is needed "
        "if other people have accounts here."
    ),
)  # fmt: skip
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS[=HEADER]",
    help=(
        "A proxy to believe when its header (X-Forwarded-For by default) says who is asking. May "
        "be repeated."
    ),
)  # fmt: skip
@click.option(
    "--jobs", default=ServerSettings.running, show_default=True, type=click.IntRange(min=1),
    help="How many expansions and other jobs run at once.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@fields_option
@json_option
def command(  # noqa: PLR0913  # one parameter per option
    library: str | None,
    *,
    host: str,
    port: int | None,
    sessions: str | None,
    libraries: str | None,
    reviewers: tuple[str, ...],
    names: tuple[str, ...],
    is_private: bool | None,
    proxies: tuple[str, ...],
    jobs: int,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Serve the page, where you give, find and mark papers, and the HTTP API.

    Without LIB, you make libraries in the page, from files that you drop there.

    Only this computer can reach it, unless --host says otherwise. If others could, from
    outside or because they have accounts here, visitors need a token, which is part of the
    printed address; LIKEWISE_TOKEN sets it. With --reviewer each person has a token of their
    own, which survives restarts. Ctrl-C stops the server; sessions are kept.
    """
    from likewise.server.app import bind_socket, make_folder, serve
    from likewise.server.safety.tokens import keep_tokens

    folder = choose_libraries_folder(libraries, library=library)
    check_access(reviewers, is_private=is_private)
    with _say_if_slow(f"{library or folder}: opening the library") as slow:
        documents = _count_documents(library) if library else 0
        place = Path(sessions) if sessions else choose_sessions_folder(library, folder)
        if reviewers:
            make_folder(place)
        settings = ServerSettings(
            library=library or "",
            libraries=folder,
            sessions=place,
            host=host,
            port=ServerSettings.port if port is None else port,
            token=None if reviewers else choose_token(host, is_private=is_private),
            reviewers=keep_tokens(place, reviewers) if reviewers else (),
            names=names,
            proxies=proxies,
            running=jobs,
        )
        if folder:
            make_folder(folder, for_="libraries")
        make_folder(settings.sessions)
        listening = bind_socket(host, settings.port, is_chosen=port is not None)
        settings = replace(settings, port=listening.getsockname()[1])

        def on_started() -> None:
            slow.cancel()
            _print_address(settings, documents=documents, as_json=as_json)
            if not no_browser and not (settings.token or reviewers) and has_display():
                _open_browser(settings)

        serve(settings, listening, on_started=on_started)
    say("stopped; sessions are kept")


def _count_documents(library: str) -> int:
    from likewise.library import open_library

    with open_library(library) as opened:
        return opened.count()


@contextmanager
def _say_if_slow(message: str) -> Iterator[threading.Timer]:
    timer = threading.Timer(SLOW, say, [message])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def choose_libraries_folder(given: str | None, *, library: str | None) -> Path | None:
    """Return the folder for libraries that are made in the page; None if only LIB is served."""
    from likewise.library.collection import find_data_folder

    if given:
        return Path(given).resolve()
    return None if library else find_data_folder()


def choose_sessions_folder(library: str | None, libraries: Path | None = None) -> Path:
    """Return the folder of a library's sessions: beside it, or here if it is on a cluster.

    >>> choose_sessions_folder("papers/lib/").as_posix(), choose_sessions_folder("opensearch://a/b").as_posix()
    ('papers/lib-sessions', 'b-sessions')
    >>> choose_sessions_folder(None, Path("libraries")).as_posix()
    'libraries/sessions'
    """
    from likewise.library import find_engine

    if library is None:
        return (libraries or Path()) / "sessions"
    if engine := find_engine(library):
        return Path(f"{engine.name(library)}-sessions")
    path = Path(library) if Path(library).name not in {"", ".."} else Path(library).resolve()
    return path.parent / f"{path.name}-sessions"


def check_access(reviewers: Sequence[str], *, is_private: bool | None) -> None:
    """Raise SettingsError if reviewers can't each have a token of their own.

    Args:
        reviewers: Their names.
        is_private: Whether the user wants visitors to need a token; None if they did not say.
    """
    from likewise.server.safety.tokens import check_reviewers

    if not reviewers:
        return
    if is_private is False:
        raise SettingsError("--open asks for no token, but each --reviewer has one; leave one out")
    if os.environ.get("LIKEWISE_TOKEN"):
        raise SettingsError(
            "LIKEWISE_TOKEN is one token for all, but each --reviewer has their own; "
            "unset it, or leave out --reviewer"
        )
    check_reviewers(reviewers)


def choose_token(host: str, *, is_private: bool | None) -> str | None:
    """Return the token that visitors need: the user's own, or a new one if others could come.

    Args:
        host: The address to listen on.
        is_private: Whether to ask for a token even on this computer's own address; None if the
            user did not say.
    """
    from likewise.server.safety import find_other_people

    given = os.environ.get("LIKEWISE_TOKEN")
    if is_private is False:
        if given:
            raise SettingsError("--open asks for no token, but LIKEWISE_TOKEN is set; unset it")
        return None
    if given:
        return given
    if is_private is None and is_loopback(host):
        others = find_other_people()
        if not others:
            return None
        say(_SHARED.format(others=list_some(others, MOST_NAMES)))
    return secrets.token_urlsafe(32)


def _print_address(settings: ServerSettings, *, documents: int, as_json: bool) -> None:
    from likewise.server.app import format_address

    reviewers = {
        one.reviewer: format_address(settings, token=one.token) for one in settings.reviewers
    }
    if as_json:
        print_json(
            {
                "address": format_address(settings),
                **({"reviewers": reviewers} if reviewers else {}),
                "library": settings.library,
                "libraries": str(settings.libraries or ""),
                "documents": documents,
                "sessions": str(settings.sessions),
            }
        )
    elif reviewers:
        for name, address in reviewers.items():
            click.echo(f"{name}: {address}")
    else:
        click.echo(format_address(settings))
    sys.stdout.flush()
    if settings.library:
        held = format_count(documents, "document")
        say(f"{settings.library}: {held}; sessions: {settings.sessions}")
    if settings.libraries:
        say(f"libraries: {settings.libraries}; sessions: {settings.sessions}")
    if not settings.is_local:
        say(_NOT_ENCRYPTED)
    say("press Ctrl-C to stop")


def has_display() -> bool:
    """Return whether there is a screen; a browser in this terminal would be in the way."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_browser(settings: ServerSettings) -> None:
    import webbrowser

    from likewise.server.app import format_address

    # Some browsers return only when they are closed.
    opening = threading.Thread(target=webbrowser.open, args=[format_address(settings)], daemon=True)
    opening.start()
