import sys
from contextlib import nullcontext

import click
import pytest

from likewise import library as libraries
from likewise.cli import likewise, run
from likewise.cli.options import (
    fields_option,
    library_argument,
    library_option,
    open_with_bar,
    optional_library_argument,
)
from likewise.errors import SettingsError

THEIRS = "opensearch://localhost:9200/theirs"


@click.command
@library_argument
@fields_option
def on_library(library):
    return library


@click.command
@click.argument("session")
@library_option
def on_session(session, library):
    return session, library


@click.command
@optional_library_argument
@fields_option
def on_any(library):
    return library


def ran(command, *arguments):
    return command(list(arguments), standalone_mode=False)


@pytest.mark.parametrize(
    "arguments", [(THEIRS, "--fields", "title=ti"), ("--fields", "title=ti", THEIRS)]
)
def test_fields_become_part_of_the_address(arguments):
    assert ran(on_library, *arguments) == f"{THEIRS}?title=ti"


def test_a_library_without_fields_stays_as_it_is_written():
    assert ran(on_library, "papers/lib") == "papers/lib"


def test_another_library_of_a_session_takes_fields_too():
    done = ran(on_session, "cats.likewise", "--fields", "id=pmid", "--library", THEIRS)
    assert done == ("cats.likewise", f"{THEIRS}?id=pmid")


def test_a_command_may_do_without_a_library():
    assert ran(on_any) is None
    assert ran(on_session, "cats.likewise") == ("cats.likewise", None)


@pytest.mark.parametrize(
    ("command", "arguments", "missing"),
    [(on_any, (), "give LIB too"), (on_session, ("cats.likewise",), "give --library LIB too")],
)
def test_fields_are_of_a_library_that_is_given(command, arguments, missing):
    with pytest.raises(click.UsageError, match=missing):
        ran(command, *arguments, "--fields", "title=ti")


def test_a_folder_has_fields_of_its_own():
    with pytest.raises(SettingsError, match="papers/lib: --fields is for an index"):
        ran(on_library, "papers/lib", "--fields", "title=ti")


def test_a_field_that_we_do_not_know_ends_in_one_line(capsys):
    assert run(["info", THEIRS, "--fields", "titel=ti"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("likewise: --fields: there is no field 'titel' to name")


def commands(group, *, within=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, within=(*within, name))
        else:
            yield " ".join((*within, name)), command


def test_every_command_that_reads_a_library_takes_fields():
    taking = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in commands(likewise)
    }
    reading = {name for name, options in taking.items() if {"library", "--library"} & options}
    # These write to it.
    assert reading - {name for name in reading if "--fields" in taking[name]} <= {"fetch"}
    assert {"search", "expand", "serve", "bench make", "mark", "next", "export"} <= reading


@pytest.mark.parametrize(("library", "is_shown"), [(THEIRS, True), ("papers/lib", False)])
def test_a_terminal_shows_that_a_cluster_is_waited_for(library, is_shown, capsys, monkeypatch):
    monkeypatch.setattr(libraries, "open_library", nullcontext)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with open_with_bar(library) as opened:
        assert opened == library
    assert (library in capsys.readouterr().err) == is_shown


def test_a_pipe_shows_no_waiting(capsys, monkeypatch):
    monkeypatch.setattr(libraries, "open_library", nullcontext)
    with open_with_bar(THEIRS):
        pass
    assert not capsys.readouterr().err
