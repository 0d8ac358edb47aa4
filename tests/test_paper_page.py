"""The page of the paper: what it names is there, and no row departs without a reason."""

import re
from pathlib import Path

import click
import pytest

from likewise.bench.methods import parse_bench_method
from likewise.cli.bench.runs import run_command as run
from likewise.cli.bench.tasks import make_command as make

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "paper.md").read_text()
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| of the paper")
]
SPELLED = sorted(
    {
        found.strip('"')
        for found in re.findall(r"`([^`]+)`", PAGE)
        if re.match(r'"?(?:cnn|upper-bound-cnn|random \+|copkmeans|bm25|all|jacovi2021)\b', found)
        and ":" not in found
    }
    - {"bm25 (top-k)"}
)
OPTIONS = sorted(set(re.findall(r"--[a-z][a-z-]+", PAGE)))


def test_every_table_and_figure_of_the_paper_has_a_row():
    told = " ".join(row[0] for row in ROWS)
    for name in (*(f"Table {number}" for number in range(1, 7)), "Figure 1", "Figure 2"):
        assert f"{name}:" in told


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_row_says_how_near_it_comes_and_why_not_nearer(row):
    assert len(row) == 4
    near = row[3]
    assert re.match(r"the same|departs: .{20}|(?:agrees|in part|not run)\b", near), near


@pytest.mark.parametrize("spelled", SPELLED)
def test_every_method_that_is_named_can_be_run(spelled):
    assert str(parse_bench_method(spelled))


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_that_is_named_is_one(name):
    known = {
        option
        for one in (make, run)
        for parameter in one.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    others = {"--method", "--keep", "--like", "--only", "--as"}
    assert name in known | others


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([a-z]+/[a-z_/]+[./][a-z]*)`", PAGE))))
def test_every_file_that_is_named_is_there(path):
    assert (ROOT / "src" / "likewise" / path).exists()
