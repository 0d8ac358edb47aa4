"""What commands have in common when they print."""

import logging
import re
import sys

import pytest

import likewise
from likewise import cli
from likewise.cli.output import (
    fill_hints,
    make_waiting_bar,
    name_library,
    show_progress_by,
    spare_file,
    tell_warnings,
)
from likewise.errors import WriteError
from likewise.progress import make_bar

STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def bar():
    return make_bar("{task.fields[note]}")


def test_progress_of_an_unknown_number_begins_with_its_note(bar):
    show_progress_by(bar, "tasks", "topics")
    (shown,) = bar.tasks
    assert (shown.description, shown.total, shown.fields["note"]) == ("tasks", None, "topics")


def test_progress_moves_to_what_it_is_told(bar):
    show_progress_by(bar, "tasks")(2, 6, "L20/bees")
    (shown,) = bar.tasks
    assert (shown.completed, shown.total, shown.fields["note"]) == (2, 6, "L20/bees")


def test_without_stderr_no_bar_is_shown(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with make_waiting_bar("papers") as bar:
        assert bar.disable


def test_a_link_is_the_same_file_and_what_is_not_there_is_none(tmp_path):
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(WriteError, match="a: this is kept; choose another file to write to"):
        spare_file(str(tmp_path / "a"), str(tmp_path / "link"), "this is kept")
    spare_file(str(tmp_path / "a"), str(tmp_path / "b"), "this is kept")
    spare_file(str(tmp_path / "a"), "1," * 5000, "this is kept")


# Warnings of the packages


@pytest.fixture
def told():
    """Let warnings be told as in a terminal, for one test."""
    packages = logging.getLogger("likewise")
    before = list(packages.handlers)
    tell_warnings()
    yield
    packages.handlers[:] = before


@pytest.mark.usefixtures("told")
def test_a_warning_is_one_line_that_steers_no_terminal(capsys):
    logging.getLogger("likewise.library").warning("busy:\n %s", "\x1b[31m wait")
    assert capsys.readouterr().err == "warning: busy: \ufffd[31m wait\n"


@pytest.mark.usefixtures("told")
def test_an_error_is_told_with_where_it_happened(capsys):
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        logging.getLogger("likewise.server").exception("job 7:\n a line \x1b[31m of its own")
    first, second, third, *_, last = capsys.readouterr().err.splitlines()
    assert (first, second) == ("job 7:", " a line \ufffd[31m of its own")
    assert (third, last) == (
        "Traceback (most recent call last):",
        "ZeroDivisionError: division by zero",
    )


@pytest.mark.usefixtures("told")
def test_a_warning_that_nobody_reads_ends_nothing(monkeypatch):
    tried = []

    def broken(line):
        tried.append(line)
        raise BrokenPipeError

    monkeypatch.setattr("likewise.cli.output.say", broken)
    monkeypatch.setattr(logging, "raiseExceptions", False)
    for what in ("busy", "busy still"):
        logging.getLogger("likewise.library").warning(what)
    assert tried == ["warning: busy", "warning: busy still"]


@pytest.mark.usefixtures("told")
def test_what_is_no_warning_is_not_told(capsys):
    logging.getLogger("likewise.library").info("all is well")
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("told")
def test_a_warning_leaves_a_bar_whole(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with make_waiting_bar("papers"):
        logging.getLogger("likewise.library").warning("busy")
    lines = STEERING.sub("", capsys.readouterr().err).replace("\r", "\n").splitlines()
    assert "warning: busy" in [line.strip() for line in lines]


def test_the_command_line_tells_warnings(monkeypatch, capsys):
    monkeypatch.setattr(logging.getLogger("likewise"), "handlers", [])
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)
    monkeypatch.setattr(cli, "run", lambda _: logging.getLogger("likewise.x").warning("busy"))
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().err == "warning: busy\n"


def test_hints_name_the_library_of_the_command(capsys, tmp_path):
    with likewise.open_library(tmp_path / "lib", write=True) as library:
        library.add([likewise.Document(id="1", title="On cats")])
        library.commit()
    assert cli.run(["expand", str(tmp_path / "lib"), "nobody"]) == 1
    assert f"check ids with: likewise search {tmp_path / 'lib'} WORDS" in capsys.readouterr().err


def test_hints_of_one_command_do_not_name_the_library_of_another(capsys, tmp_path):
    name_library("before")
    cli.run(["status", str(tmp_path / "none.likewise")])
    assert "likewise expand LIB SEEDS --session" in capsys.readouterr().err


def test_a_title_that_says_lib_stays_as_it_is():
    name_library("lib")
    assert fill_hints("The LIB gene: likewise a LIBrary") == "The LIB gene: likewise a LIBrary"
    name_library("")
