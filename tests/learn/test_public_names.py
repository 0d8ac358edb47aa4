"""What can be imported from likewise.learn."""

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from likewise import learn

SOURCE = ast.parse(Path(learn.__file__).read_text())
NEURAL = [name for name, module in learn._HOMES.items() if module.startswith("neural.")]


def names_for_type_checkers():
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("likewise."):
            yield from ((alias.name, node.module) for alias in node.names)


def test_type_checkers_are_told_the_same_names_and_homes():
    homes = {name: f"likewise.learn.{module}" for name, module in learn._HOMES.items()}
    assert dict(names_for_type_checkers()) == homes
    assert set(learn.__all__) == set(homes)


def test_no_name_is_that_of_a_module_which_would_hide_it_once_loaded():
    assert not set(learn.__all__) & {path.stem for path in Path(learn.__file__).parent.iterdir()}


@pytest.mark.parametrize("name", learn.__all__)
def test_every_name_is_in_the_docs(name):
    assert f"`{name}`" in (Path(__file__).parents[2] / "docs" / "how-to" / "python.md").read_text()


@pytest.mark.parametrize("name", [name for name in learn.__all__ if name not in NEURAL])
def test_names_that_need_no_torch_are_there(name):
    assert getattr(learn, name)


@pytest.mark.parametrize("name", NEURAL)
def test_names_that_need_torch_are_there(name):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    assert getattr(learn, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'likewise\.learn' has no attribute 'nothing'"):
        _ = learn.nothing


def test_where_torch_is_missing_the_extra_is_named():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from likewise.learn import PULogistic, ProportionalBatches\n"
        "from likewise.learn import NNPU"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "likewise.errors.MissingExtraError: Neural learning needs an optional dependency. "
        "Install it with: pip install 'likewise[neural]'"
    )


def test_importing_loads_neither_torch_nor_transformers():
    code = (
        "import sys, likewise.learn\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_name_is_that_of_a_module_which_would_take_its_place_once_loaded():
    modules = {module.name for module in pkgutil.iter_modules(learn.__path__)}
    assert modules.isdisjoint(learn.__all__)
