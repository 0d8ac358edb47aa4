"""The example of a plug-in: installed as anyone would, and run beside our methods."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.topical import made
from expansion.corpus import corpus, hidden, library_in, seeds_on
from likewise import cli, extras
from likewise.bench.runs.results import read_results

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "likewise-example"
CODE = sorted((EXAMPLE / "likewise_example").glob("*.py"))
NAME = "example-neighbours"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Where the example is installed: what it needs is there, and nothing is fetched."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("installed")
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *alone, "--target", folder]
    subprocess.run([*pip, EXAMPLE], check=True)
    return folder


@pytest.fixture
def run(installed, monkeypatch, capsys):
    """Run likewise here, where the example is installed, and return what it prints."""
    monkeypatch.syspath_prepend(installed)
    extras.plug_ins.cache_clear()

    def run(*words):
        code = cli.run([*map(str, words)])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out

    yield run
    extras.plug_ins.cache_clear()
    for name in [name for name in sys.modules if name.startswith("likewise_example")]:
        del sys.modules[name]


def test_its_method_and_its_risk_stand_in_a_table_beside_ours(run, tmp_path):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    network = "cnn(risk=example-absolute, batch=16, epochs=1)"
    tasks, runs = made(tmp_path / "tasks"), tmp_path / "runs"
    methods = ["linear", "all", NAME, network]
    run("bench", "run", tasks, "--methods", *methods, "--out", runs, "--workers", 1)
    f1 = {result.method: result.measures["F1"] for result in read_results(runs)}
    assert sorted(f1) == sorted(methods)
    assert f1[NAME] > f1["all"]
    rows = run("bench", "table", runs).splitlines()
    assert all(any(f"| {method} " in row for row in rows) for method in methods)


def test_its_method_expands_seeds_as_ours_do(run, tmp_path):
    seeds = [document.id for document in seeds_on("bees")]
    library, method = library_in(tmp_path, *corpus()), f"{NAME}(neighbours=2)"
    found = run("expand", library, *seeds, "--method", method, "--show", 10).splitlines()
    first = [line.split("\t")[2] for line in found[:10]]
    assert len(hidden("bees").intersection(first)) >= 8


def test_its_method_is_listed_as_anyone_would_see_it(installed):
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "likewise", "methods", NAME]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "neighbours=3  the seeds that count (a whole number, at least 1)" in done.stdout


def test_it_is_as_short_as_is_said():
    lines = [line for path in CODE for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) <= 50
    assert len((EXAMPLE / "README.md").read_text().splitlines()) <= 12


@pytest.mark.parametrize("name", ["neighbours", "absolute"])
def test_the_docs_show_what_it_is(name):
    page = (ROOT / "docs" / "benchmark.md").read_text()
    shown = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert (EXAMPLE / "likewise_example" / f"{name}.py").read_text() in shown


def test_to_name_its_method_loads_no_torch():
    code = (
        f"import sys; sys.path.insert(0, {str(EXAMPLE)!r}); import likewise_example.neighbours\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
