"""likewise serve: the page, and the HTTP API."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from likewise.cli.options import fields_option, json_option, library_argument
from likewise.cli.output import format_count, print_json, say
from likewise.server.settings import ServerSettings, is_loopback

SLOW = 1.0
"""After how many seconds without an address a person is told what is waited for."""

_NOT_ENCRYPTED = (
    "warning: others can reach this address, and what is sent is not encrypted; "
    "use it only in networks that you trust"
)


@click.command("serve")
@library_argument
@click.option(
    "--host", default=ServerSettings.host, show_default=True, help="The address to listen on."
)
@click.option(
    "--port", type=click.IntRange(0, 65_535),
    help=f"The port; without it {ServerSettings.port}, or the next one that is free.",
)  # fmt: skip
@click.option(
    "--sessions", metavar="FOLDER",
    help="Where sessions are kept; without it, in LIB-sessions beside the library, or here if LIB "
    "is an address.",
)  # fmt: skip
@click.option(
    "--name", "names", multiple=True, metavar="HOST",
    help="A further name that browsers know this server by. May be given several times.",
)  # fmt: skip
@click.option(
    "--jobs", default=ServerSettings.running, show_default=True, type=click.IntRange(min=1),
    help="How many expansions run at once.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
@fields_option
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    library: str,
    *,
    host: str,
    port: int | None,
    sessions: str | None,
    names: tuple[str, ...],
    jobs: int,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Serve the page, where papers are given, found and marked, and the HTTP API.

    Only this machine can reach it, unless --host says otherwise: then visitors need a token, which
    is part of the address that is printed. LIKEWISE_TOKEN sets it. Ctrl-C stops the server, and
    sessions are kept.
    """
    from likewise.library import open_library
    from likewise.server.app import make_folder
    from likewise.server.running import bind_socket, serve

    with _say_if_slow(f"{library}: opening the library") as slow:
        with open_library(library) as opened:
            documents = opened.count()
        settings = ServerSettings(
            library=library,
            sessions=Path(sessions) if sessions else choose_sessions_folder(library),
            host=host,
            port=ServerSettings.port if port is None else port,
            token=_choose_token(host),
            names=names,
            running=jobs,
        )
        make_folder(settings.sessions)
        listening = bind_socket(host, settings.port, is_chosen=port is not None)
        settings = replace(settings, port=listening.getsockname()[1])

        def on_started() -> None:
            slow.cancel()
            _print_address(settings, documents=documents, as_json=as_json)
            if not no_browser and not settings.token and has_display():
                _open_browser(settings)

        serve(settings, listening, on_started=on_started)
    say("stopped; sessions are kept")


@contextmanager
def _say_if_slow(message: str) -> Iterator[threading.Timer]:
    timer = threading.Timer(SLOW, say, [message])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def choose_sessions_folder(library: str) -> Path:
    """Return the folder of a library's sessions: beside it, or here if it is on a cluster.

    >>> choose_sessions_folder("papers/lib/").as_posix(), choose_sessions_folder("opensearch://a/b").as_posix()
    ('papers/lib-sessions', 'b-sessions')
    """
    from likewise.library.engines import find_engine

    if engine := find_engine(library):
        return Path(f"{engine.name(library)}-sessions")
    path = Path(library) if Path(library).name not in {"", ".."} else Path(library).resolve()
    return path.parent / f"{path.name}-sessions"


def _choose_token(host: str) -> str | None:
    """Return the token: the user's own, or where others can reach us a new one."""
    given = os.environ.get("LIKEWISE_TOKEN")
    return given or (None if is_loopback(host) else secrets.token_urlsafe(32))


def _print_address(settings: ServerSettings, *, documents: int, as_json: bool) -> None:
    from likewise.server.running import format_address

    if as_json:
        print_json(
            {
                "address": format_address(settings),
                "library": settings.library,
                "documents": documents,
                "sessions": str(settings.sessions),
            }
        )
    else:
        click.echo(format_address(settings))
    sys.stdout.flush()
    say(f"{settings.library}: {format_count(documents, 'document')}; sessions: {settings.sessions}")
    if not settings.is_local:
        say(_NOT_ENCRYPTED)
    say("press Ctrl-C to stop")


def has_display() -> bool:
    """Tell whether there is a screen for a browser; one in this terminal would be in the way."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_browser(settings: ServerSettings) -> None:
    import webbrowser

    from likewise.server.running import format_address

    # Some browsers return only when they are closed.
    opening = threading.Thread(target=webbrowser.open, args=[format_address(settings)], daemon=True)
    opening.start()
