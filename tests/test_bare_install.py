"""The built wheel in an environment with nothing but what it asks for."""

import json
import resource
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from likewise.version import __version__

ROOT = Path(__file__).parents[1]
NEVER_IN_THE_BASE = {
    "torch",
    "safetensors",
    "transformers",
    "opensearch-py",
    "botocore",
    "playwright",
}

pytestmark = pytest.mark.network


def run(*command, check=False):
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=check)


@pytest.fixture(scope="session")
def bare(package_index, make_once):
    """The folder of programs of an environment that holds only the wheel."""
    return make_once("bare", install_wheel) / "env" / "bin"


def install_wheel(folder):
    """Build the wheel, and install it with what it asks for in a new environment."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
    run(*build, ROOT, check=True)
    venv.create(folder / "env")
    install = [*pip(folder / "env" / "bin"), "install", "--quiet", "--no-compile"]
    run(*install, "--constraint", ROOT / "constraints.txt", *folder.glob("*.whl"), check=True)


def pip(programs):
    """Return our own pip, at work in another environment."""
    return [sys.executable, "-m", "pip", "--python", programs / "python"]


def test_help_is_shown(bare):
    assert "likewise [OPTIONS] COMMAND" in run(bare / "likewise", "--help", check=True).stdout


def test_a_report_of_a_mistake_gets_versions_and_no_paths(bare):
    shown = run(bare / "likewise", "--version", "--verbose").stdout
    assert shown.startswith(f"likewise, version {__version__}\nPython 3.")
    assert "\nclick " in shown
    assert "\ntantivy " in shown
    assert str(bare) not in shown


def test_help_comes_quickly(bare):
    times = []
    for _ in range(5):
        started = used_by_others()
        run(bare / "likewise", "--help", check=True)
        times.append(used_by_others() - started)
    assert min(times) < 0.3


def used_by_others():
    """Return the seconds of processor that ended processes took, however busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_base_holds_no_heavy_package(bare):
    listed = run(*pip(bare), "list", "--format", "json", check=True).stdout
    assert NEVER_IN_THE_BASE.isdisjoint(package["name"] for package in json.loads(listed))


@pytest.fixture(scope="module")
def library(bare, tmp_path_factory):
    """A library of two documents."""
    folder = tmp_path_factory.mktemp("library")
    source = folder / "refs.csv"
    source.write_text("pmid,title,abstract\n1,Insulin in rats,Given daily.\n2,Sleep,At night.\n")
    run(bare / "likewise", "index", source, "--into", folder / "lib", check=True)
    return folder / "lib"


def test_the_main_commands_work(bare, library):
    found = run(bare / "likewise", "search", library, "insulin", "--json", check=True)
    assert json.loads(found.stdout)[0]["document"]["pmid"] == "1"


@pytest.mark.parametrize(
    ("options", "extra"),
    [
        (["--method", "nnpu-cnn"], "neural"),
        (["--method", "fused"], "neural"),
        (["--method", "nnpu-transformer"], "transformers"),
        (["--encoder", "allenai/scibert_scivocab_uncased"], "transformers"),
        (["--encoder", "minilm-l6-v2"], "minilm"),
    ],
)
def test_what_an_extra_is_missing_for_is_said_with_the_command_that_adds_it(
    options, extra, bare, library
):
    done = run(bare / "likewise", "expand", library, "1", *options)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.endswith(f"Install it with: pip install 'likewise[{extra}]'")


@pytest.mark.parametrize("command", ["search", "expand"])
def test_a_library_on_a_cluster_needs_no_extra(command, bare):
    done = run(bare / "likewise", command, "opensearch://127.0.0.1:1/papers", "insulin")
    assert done.returncode == 1
    assert "127.0.0.1:1 can't be reached (connection refused)" in done.stderr


def test_methods_that_lack_an_extra_are_listed_as_such(bare):
    listed = run(bare / "likewise", "methods", check=True).stdout
    assert "pip install 'likewise[neural]' (not installed here)" in listed


def test_every_format_can_be_written_and_read(bare, tmp_path):
    code = """
import sys, likewise
from likewise.documents.formats import formats
for known in formats():
    if not known.writes:
        continue
    path = f"{sys.argv[1]}/{known.name}"
    likewise.write([likewise.Document(pmid="7", title="Cats")], path, format=known.name)
    print(known.name, [paper.pmid for paper in likewise.read(path)])
"""
    lines = run(bare / "python", "-c", code, tmp_path, check=True).stdout.splitlines()
    assert len(lines) >= 11
    assert {line.split(" ", 1)[1] for line in lines} == {"['7']"}
