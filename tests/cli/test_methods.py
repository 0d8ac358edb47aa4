import json
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from likewise.cli import run
from likewise.errors import PlugInError
from likewise.learn import methods
from likewise.learn.methods import METHODS


@pytest.fixture
def shown(capsys):
    """Run the command, and return what it printed."""

    def show(*arguments):
        assert run(["methods", *arguments]) == 0
        return capsys.readouterr().out

    return show


def block_of(name, out):
    """Return what is told of a method, as one line."""
    return next(" ".join(block.split()) for block in out.split("\n\n") if block.startswith(name))


def test_every_method_is_listed_in_order(shown):
    assert [block.splitlines()[0] for block in shown().split("\n\n")] == list(METHODS)


@pytest.mark.parametrize("names", [(), METHODS])
def test_it_fits_80_columns(names, shown):
    assert max(map(len, shown(*names).splitlines())) <= 80


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_told_with_defaults_and_reference(name, shown):
    told, method = block_of(f"{name}\n", shown()), METHODS[name]
    assert method.description in told
    assert method.reference in told
    assert ", ".join(f"{known.name}={known.default}" for known in method.parameters) in told


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_is_named_is_told_with_what_its_parameters_are(name, shown):
    told = block_of(f"{name}\n", shown(name))
    for known in METHODS[name].parameters:
        described = f"{known.description} ({known.kind.description})"
        assert f"{known.name}={known.default} {described}" in told


def test_where_parameters_are_explained_is_said_beside_the_list(capsys):
    run(["methods"])
    assert capsys.readouterr().err.strip().endswith("likewise methods NAME")


def test_only_methods_that_are_named_are_told(shown):
    assert [block.splitlines()[0] for block in shown("bm25", "naive").split("\n\n")] == [
        "bm25",
        "naive",
    ]
    assert [method["name"] for method in json.loads(shown("bm25", "--json"))] == ["bm25"]


def test_an_unknown_method_is_refused_with_those_there_are(capsys):
    assert run(["methods", "best"]) == 1
    assert "no method 'best'; choose one of: linear, naive" in capsys.readouterr().err


def test_what_a_name_is_short_for_is_told(shown):
    assert "short for linear + nnpu-cnn" in block_of("fused", shown())


def test_what_a_method_needs_is_told(shown, monkeypatch):
    monkeypatch.setattr(
        methods, "find_spec", lambda module: None if module == "transformers" else module
    )
    out = shown()
    assert "needs pip install 'likewise[neural]' (installed here)" in block_of("nnpu-cnn", out)
    told = block_of("nnpu-transformer", out)
    assert "needs pip install 'likewise[transformers]' (not installed here)" in told
    assert "needs an encoder from Hugging Face, named with --encoder" in told
    assert "needs" not in block_of("linear", out)


def test_as_json_it_is_the_same_for_programs(shown):
    told = {method["name"]: method for method in json.loads(shown("--json"))}
    assert list(told) == list(METHODS)
    assert told["naive"] == {
        "name": "naive",
        "description": METHODS["naive"].description,
        "short_for": "",
        "reference": "",
        "extra": "",
        "installed": True,
        "needs_transformer": False,
        "parameters": [
            {
                "name": "strength",
                "default": 1.0,
                "values": "a number greater than 0",
                "description": "how freely it may fit",
            }
        ],
    }


def test_methods_of_plug_ins_are_listed_too(shown, monkeypatch):
    entry = EntryPoint("costly", "learn.scripted:COSTLY", methods.GROUP)
    monkeypatch.setattr(methods, "plug_ins", lambda _: {entry.name: entry})
    assert "steps=2 steps to tell" in block_of("costly", shown("costly"))


def test_a_plug_in_that_can_not_be_loaded_is_told_of_beside_the_others(monkeypatch, capsys):
    entries = (
        EntryPoint("gone", "no_such_package:METHOD", methods.GROUP),
        EntryPoint("costly", "learn.scripted:COSTLY", methods.GROUP),
    )
    monkeypatch.setattr(methods, "plug_ins", lambda _: {entry.name: entry for entry in entries})
    assert run(["methods", "--json"]) == 0
    printed = capsys.readouterr()
    assert [method["name"] for method in json.loads(printed.out)] == [*METHODS, "costly"]
    assert "the method 'gone' can't be loaded from no_such_package:METHOD" in printed.err


def test_where_a_plug_in_fails_is_shown_if_that_is_asked_for(monkeypatch):
    entry = EntryPoint("gone", "no_such_package:METHOD", methods.GROUP)
    monkeypatch.setattr(methods, "plug_ins", lambda _: {entry.name: entry})
    assert run(["methods", "gone"]) == 1
    monkeypatch.setenv("LIKEWISE_TRACEBACK", "1")
    with pytest.raises(PlugInError, match="the method 'gone' can't be loaded"):
        run(["methods", "gone"])


def test_torch_is_not_loaded_for_it():
    code = (
        "import sys; from likewise.cli import run; run(['methods'])\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0
