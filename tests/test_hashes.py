"""The sums of what is installed are those of the versions that were tested."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENTRY = re.compile(r"([a-z0-9-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def pins(name):
    text = (ROOT / name).read_text()
    return {entry[1]: entry[2] for entry in ENTRY.finditer(text)}


def constraints():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pairs}


def test_every_version_that_was_tested_has_its_sums_but_torch_which_has_many_builds():
    known = constraints()
    del known["torch"]
    assert pins("hashes.txt") | pins("hashes-base.txt") == known


def test_the_base_install_has_what_it_needs():
    wanted = {"click", "fastapi", "lxml", "msgspec", "numpy", "scipy", "tantivy", "hatchling"}
    assert wanted <= pins("hashes-base.txt").keys()


def test_the_base_install_has_nothing_that_only_others_need():
    assert pins("hashes-base.txt").keys().isdisjoint({"pytest", "transformers", "altair", "ruff"})


@pytest.mark.parametrize("name", ["hashes.txt", "hashes-base.txt"])
def test_there_is_nothing_in_these_files_that_pip_would_not_check(name):
    rest = ENTRY.sub("", (ROOT / name).read_text())
    lines = [line for line in rest.splitlines() if line and not line.startswith("#")]
    assert lines == (["-r hashes-base.txt"] if name == "hashes.txt" else [])
