"""A small app behind all guards, and a client that asks it as a program does."""

from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.testclient import TestClient

from likewise.errors import SessionError
from likewise.server import ServerSettings
from likewise.server.app import add_guards
from likewise.server.failures import ServerError, handle_failures
from likewise.server.models.rankings import SeedsRequest

ADDRESS = "http://127.0.0.1:8765"
TOKEN = "a-token-of-some-length"
FOLDER = Path("/somewhere/sessions")


class BusyError(ServerError, status=429, kind="busy"):
    pass


def guarded_app(**settings):
    settings = ServerSettings(library="lib", sessions=FOLDER, **settings)
    app = FastAPI(openapi_url=None)
    app.state.settings = settings
    handle_failures(app)
    _add_routes(app)
    _add_failing_routes(app)
    add_guards(app, settings)
    return app


def _add_routes(app):
    @app.get("/")
    def page():
        return HTMLResponse("<h1>the page</h1>")

    @app.get("/static/base.css")
    def style():
        return PlainTextResponse("body {}", headers={"Server": "a server"})

    @app.get("/api/looked")
    def look(limit: int = 3):
        return {"limit": limit}

    @app.post("/api/seeds")
    def write(given: SeedsRequest):
        return {"text": given.text}

    @app.delete("/api/jobs/1")
    def delete():
        return {"state": "deleted"}

    @app.post("/api/seeds/file")
    async def upload(request: Request):
        return {"size": len(await request.body())}


def _add_failing_routes(app):
    @app.get("/api/mistaken")
    def mistaken():
        return 1 // 0

    @app.get("/api/full")
    def full():
        raise OSError(28, "No space left on device", "/secret/path")

    @app.get("/api/broken")
    def broken():
        raise SessionError(f"{FOLDER}/abc.likewise: damaged;\nuse a copy")

    @app.get("/api/busy")
    def busy():
        raise BusyError("too many; wait", retry_after=7)


@contextmanager
def client_of(app, *, address=ADDRESS, **options):
    with TestClient(app, base_url=address, follow_redirects=False, **options) as client:
        yield client


def error_of(answer):
    """Return the error of an answer; it is in the one shape, or this fails."""
    body = answer.json()
    assert list(body) == ["error"]
    assert sorted(body["error"]) == ["kind", "message", "status"]
    assert body["error"]["status"] == answer.status_code
    assert "\n" not in body["error"]["message"]
    return body["error"]
