import json
import os
import signal
import socket
import threading
import urllib.request
import webbrowser

import pytest

from expansion.corpus import corpus
from likewise.cli import run
from likewise.cli.serve import choose_sessions_folder
from likewise.library import open_library
from likewise.server import app, safety
from server.serving import served

TOKEN = "a-token-of-some-length"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """Begin without a token, without a screen, and on a computer of one's own."""
    for name in ("LIKEWISE_TOKEN", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(safety, "find_other_people", list)


def make_library(path):
    with open_library(path, write=True) as opened:
        opened.add(corpus()[:40])
        opened.commit()
    return str(path)


@pytest.fixture
def library(tmp_path):
    return make_library(tmp_path / "lib")


@pytest.fixture
def started(monkeypatch):
    """Let servers start and end at once; return the settings that they were started with."""
    seen = []

    def serve(settings, listening, *, on_started):
        seen.append(settings)
        listening.close()
        on_started()

    monkeypatch.setattr(app, "serve", serve)
    return seen


@pytest.fixture
def opened(monkeypatch):
    """Return what the browser was told to open, and an event that says when it was."""
    seen, is_opened = [], threading.Event()

    def open_address(address):
        seen.append(address)
        is_opened.set()

    monkeypatch.setattr(webbrowser, "open", open_address)
    monkeypatch.setenv("DISPLAY", ":0")
    return seen, is_opened


def test_what_is_no_library_is_told_before_anything_is_made(tmp_path, capsys):
    assert run(["serve", str(tmp_path / "lib")]) == 1
    assert "no library here; make one with" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_address_is_printed_and_nothing_else_is_on_stdout(library, started, capsys):
    assert run(["serve", library, "--port", "0"]) == 0
    assert capsys.readouterr().out == f"http://127.0.0.1:{started[0].port}/\n"


def test_sessions_are_kept_beside_the_library(library, started, capsys):
    run(["serve", f"{library}/", "--port", "0"])
    assert os.path.isdir(f"{library}-sessions")  # noqa: PTH112
    assert f"sessions: {library}-sessions" in capsys.readouterr().err


def test_sessions_of_a_library_elsewhere_are_kept_here():
    assert str(choose_sessions_folder("opensearch://example.org/papers?id=a")) == "papers-sessions"


def test_sessions_of_the_present_folder_are_kept_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert choose_sessions_folder(".") == tmp_path.with_name(f"{tmp_path.name}-sessions")


def test_sessions_can_be_kept_where_the_user_says(library, started, tmp_path):
    run(["serve", library, "--port", "0", "--sessions", str(tmp_path / "a" / "b")])
    assert (tmp_path / "a" / "b").is_dir()


def test_sessions_can_not_be_kept_in_a_file(library, started, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["serve", library, "--sessions", str(tmp_path / "file")]) == 1
    assert "file: no sessions can be kept here: this is a file" in capsys.readouterr().err


def test_a_chosen_port_that_is_taken_is_told_in_one_line(library, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run(["serve", library, "--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"likewise: 127.0.0.1: port {port} is taken by another program; choose one with --port\n"
    )


def test_how_it_stops_and_that_it_did_is_told(library, started, capsys):
    run(["serve", library, "--port", "0"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[-2:] == ["press Ctrl-C to stop", "stopped; sessions are kept"]


def test_this_machine_needs_no_token(library, started):
    run(["serve", library, "--port", "0"])
    assert started[0].token is None


@pytest.fixture
def neighbours(monkeypatch):
    monkeypatch.setattr(safety, "find_other_people", lambda: ["ada", "ben", "cy", "dan", "eve"])


@pytest.mark.usefixtures("neighbours")
def test_a_computer_with_accounts_of_others_needs_a_token(library, started, capsys):
    run(["serve", library, "--port", "0"])
    assert len(started[0].token) == 43
    assert "accounts on this computer (ada, ben, cy and 2 more)" in capsys.readouterr().err


@pytest.mark.usefixtures("neighbours")
def test_a_user_may_let_everybody_on_this_computer_in(library, started):
    run(["serve", library, "--port", "0", "--open"])
    assert started[0].token is None


def test_a_user_may_ask_for_a_token_on_a_computer_of_their_own(library, started):
    run(["serve", library, "--port", "0", "--private"])
    assert len(started[0].token) == 43


def test_no_token_can_be_asked_for_and_set_at_once(library, started, monkeypatch, capsys):
    monkeypatch.setenv("LIKEWISE_TOKEN", TOKEN)
    assert run(["serve", library, "--port", "0", "--open"]) == 1
    assert "but LIKEWISE_TOKEN is set; unset it" in capsys.readouterr().err


def test_nobody_is_let_in_from_outside_without_a_token(library, started, capsys):
    assert run(["serve", library, "--port", "0", "--open", "--host", "0.0.0.0"]) == 1
    assert "visitors need a token" in capsys.readouterr().err


def test_proxies_are_handed_on(library, started):
    run(["serve", library, "--port", "0", "--proxy", "127.0.0.1", "--proxy", "::1=X-Real-IP"])
    assert started[0].proxies == ("127.0.0.1", "::1=X-Real-IP")


def test_any_other_address_gets_a_token_and_a_warning(library, started, capsys):
    run(["serve", library, "--port", "0", "--host", "0.0.0.0"])
    output = capsys.readouterr()
    assert len(started[0].token) == 43
    assert output.out.endswith(f"/enter?token={started[0].token}\n")
    assert started[0].token not in output.err
    assert "not encrypted" in output.err


def test_every_start_has_a_token_of_its_own(library, started):
    for _ in range(2):
        run(["serve", library, "--port", "0", "--host", "0.0.0.0"])
    assert started[0].token != started[1].token


def test_the_users_own_token_is_taken_on_this_machine_too(library, started, monkeypatch):
    monkeypatch.setenv("LIKEWISE_TOKEN", TOKEN)
    run(["serve", library, "--port", "0"])
    assert started[0].token == TOKEN


def test_a_short_token_is_told_before_anything_is_made(library, started, monkeypatch, capsys):
    monkeypatch.setenv("LIKEWISE_TOKEN", "secret")
    assert run(["serve", library]) == 1
    assert "the token has 6 characters" in capsys.readouterr().err
    assert not os.path.exists(f"{library}-sessions")  # noqa: PTH110


def test_further_names_and_jobs_are_handed_on(library, started):
    run(["serve", library, "--port", "0", "--name", "a.org", "--name", "b.org", "--jobs", "3"])
    assert started[0].names == ("a.org", "b.org")
    assert started[0].running == 3


def test_programs_are_told_as_json(library, started, capsys):
    run(["serve", library, "--port", "0", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "address": f"http://127.0.0.1:{started[0].port}/",
        "library": library,
        "libraries": "",
        "documents": 40,
        "sessions": f"{library}-sessions",
    }


def test_without_a_library_a_folder_for_libraries_is_served_and_named(started, capsys, tmp_path):
    folder = tmp_path / "mine"
    run(["serve", "--libraries", str(folder), "--port", "0"])
    assert (started[0].library, started[0].libraries) == ("", folder)
    assert f"libraries: {folder}; sessions: {folder / 'sessions'}" in capsys.readouterr().err


def test_without_any_folder_libraries_are_kept_in_the_users_data_folder(
    started, monkeypatch, tmp_path
):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    run(["serve", "--port", "0"])
    assert started[0].libraries == tmp_path / "likewise" / "libraries"
    assert started[0].libraries.is_dir()


def test_a_library_that_is_given_is_served_alone(library, started):
    run(["serve", library, "--port", "0"])
    assert started[0].libraries is None


def test_the_browser_is_opened(library, started, opened):
    run(["serve", library, "--port", "0"])
    addresses, is_opened = opened
    assert is_opened.wait(10)
    assert addresses == [f"http://127.0.0.1:{started[0].port}/"]


def test_the_browser_is_not_opened_against_the_users_will(library, started, opened):
    run(["serve", library, "--port", "0", "--no-browser"])
    assert not opened[1].wait(0.05)


def test_the_browser_is_not_opened_where_there_is_no_screen(library, started, opened, monkeypatch):
    monkeypatch.delenv("DISPLAY")
    run(["serve", library, "--port", "0"])
    assert not opened[1].wait(0.05)


def test_the_token_is_not_handed_to_a_browser_where_all_users_see_it(library, started, opened):
    run(["serve", library, "--port", "0", "--host", "0.0.0.0"])
    assert not opened[1].wait(0.05)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Serve, ask for page and API, stop; return answers, exit code, and what was told."""
    folder = tmp_path_factory.mktemp("served")
    make_library(folder / "lib")
    with served(folder / "lib", folder / "sessions") as server:
        answers = [ask(f"{server.address}{path}") for path in ("/", "/api/libraries")]
        server.process.send_signal(signal.SIGINT)
        code = server.process.wait(30)
    return answers, code, (folder / "sessions.log").read_text()


def ask(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.status, answer.headers, answer.read()


def test_a_real_server_serves_the_page_and_the_library(ended):
    (status, _, _), (_, _, libraries) = ended[0]
    assert status == 200
    assert json.loads(libraries)["libraries"][0]["documents"] == 40


def test_a_real_server_does_not_tell_what_it_is(ended):
    assert all("Server" not in headers for _, headers, _ in ended[0])


def test_a_real_server_ends_calmly(ended):
    _, code, told = ended
    assert code == 0
    assert told.splitlines()[-1] == "stopped; sessions are kept"


def test_a_real_server_says_nothing_of_what_was_asked(ended):
    assert "/api/libraries" not in ended[2]


def test_each_reviewer_gets_an_address_which_stays_the_same(library, started, capsys):
    asked = ["serve", library, "--port", "8799", "--reviewer", "Ann", "--reviewer", "Bo"]
    assert run(asked) == 0
    first = capsys.readouterr().out
    names = [
        line.partition(": http://127.0.0.1:8799/enter?token=")[0] for line in first.split("\n")
    ]
    assert names == ["Ann", "Bo", ""]
    assert run(asked) == 0
    assert capsys.readouterr().out == first
    assert started[0].token is None


def test_addresses_of_reviewers_are_told_as_json(library, started, capsys):
    run(["serve", library, "--port", "0", "--reviewer", "Ann", "--json"])
    (ann,) = started[0].reviewers
    told = json.loads(capsys.readouterr().out)
    assert told["reviewers"] == {"Ann": f"{told['address']}enter?token={ann.token}"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--reviewer", "ann "], "two reviewers are called 'Ann' and 'ann'"),
        (["--open"], "--open asks for no token, but each --reviewer has one"),
    ],
)
def test_reviewers_who_can_not_be_told_apart_are_refused(library, capsys, options, told):
    assert run(["serve", library, "--reviewer", "Ann", *options]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert not os.path.exists(f"{library}-sessions")  # noqa: PTH110


def test_a_token_for_all_beside_reviewers_is_refused(library, capsys, monkeypatch):
    monkeypatch.setenv("LIKEWISE_TOKEN", TOKEN)
    assert run(["serve", library, "--reviewer", "Ann"]) == 1
    assert "each --reviewer has their own" in capsys.readouterr().err
