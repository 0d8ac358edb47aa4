"""docs/benchmark.md is complete, and what it shows is what happens."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from bench.made_results import on_topics
from bench.topical import made
from likewise.bench.figures import NAMES as FIGURES
from likewise.bench.measures import MEASURES
from likewise.bench.methods.baselines import BASELINES
from likewise.bench.runs.results import RunSettings, read_results
from likewise.bench.runs.summary import summarise, write_summary
from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.bias import BIASES
from likewise.cli.bench.results import LIKE
from plugging import install_metadata

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "benchmark.md").read_text()
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_bench_docs.py"))
BLOCKS = {
    found[0].partition("\n")[0]: found
    for path in SCRIPT["PAGES"]
    for found in SCRIPT["BLOCK"].finditer(path.read_text())
}
EXPERIMENTS = tomllib.loads((ROOT / "benchmarks" / "tables" / "experiments.toml").read_text())


def row_of(name):
    """Return the row of a table that begins with a name."""
    return re.search(rf"^\| `{re.escape(name)}` \|.*$", PAGE, re.MULTILINE)[0]


def code(kind, number=0):
    """Return a block of code of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[number]


# Nothing is missing


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_row_that_says_what_is_better(name):
    assert row_of(name).endswith(f"| {MEASURES[name].better} |".replace("|  |", "| |"))


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_has_a_row_with_its_parameters_and_defaults(name):
    row = row_of(name)
    for known in BASELINES[name].parameters:
        shared = name != "cnn" and known in BASELINES["cnn"].parameters and known.name != "prior"
        told = f"`{known.name}`" if shared else f"`{known.name}` ({known.default})"
        assert told in row


@pytest.mark.parametrize("name", BASELINES)
def test_the_row_of_a_baseline_names_the_authors_of_its_reference(name):
    reference = BASELINES[name].reference
    assert re.split(r"[, ]", reference)[0] in row_of(name)


@pytest.mark.parametrize("settings", [TaskSettings, RunSettings])
def test_every_setting_has_a_row(settings):
    assert all(row_of(field.name) for field in fields(settings))


@pytest.mark.parametrize("name", BIASES)
def test_every_bias_is_on_the_page(name):
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", [*LIKE, *FIGURES])
def test_every_table_and_figure_has_a_row(name):
    assert row_of(name)


@pytest.mark.parametrize("name", EXPERIMENTS["runs"])
def test_every_run_has_a_row(name):
    assert row_of(name)


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks" / "results").iterdir()), ids=str)
def test_all_results_are_shown(path):
    assert any(f" {path.name}" in head for head in BLOCKS)


# What is shown is what there is


@pytest.mark.parametrize("head", BLOCKS)
def test_a_block_shows_what_its_files_give(head, tmp_path):
    missing = SCRIPT["parse_block"](BLOCKS[head]).missing
    assert not missing
    shown = BLOCKS[head][0]
    assert SCRIPT["fill_page"](shown, figures=tmp_path) == shown, "run: make docs"


@pytest.mark.parametrize("head", [head for head in BLOCKS if head.startswith("<!-- figure")])
def test_a_drawn_figure_says_what_stands_below_it(head):
    body = BLOCKS[head]["body"]
    assert body.strip(), "run: make docs"
    for name, caption in re.findall(r"\]\((figures/.+\.svg)\)\n\n\*(.+)\*", body):
        assert caption in (ROOT / "docs" / name).read_text()


# Filling a page


@pytest.fixture
def results(tmp_path):
    found = [
        one
        for seeds, f1 in ((20, 0.25), (50, 0.5))
        for method, more in (("linear", 0.0), ("upper-bound", 0.25))
        for one in on_topics(method, f1 + more, f1 + more, seeds=seeds)
    ]
    write_summary(summarise(found), tmp_path / "made.json")
    return tmp_path


def fill(head, results):
    page = f"before\n\n<!-- {head} -->\nold\n<!-- end -->\n\nafter\n"
    return SCRIPT["fill_page"](page, results=results, figures=results / "figures")


def test_a_block_is_filled_with_the_table_that_it_asks_for(results):
    page = fill("table made.json --like table1", results)
    assert "| 20 | Average of 2 topics | 25.0 | 50.0 |" in re.sub(" +", " ", page)
    assert "\nold\n" not in page


def test_what_is_around_a_block_stays_as_it_is(results):
    page = fill("table made.json", results)
    assert page.startswith("before\n\n<!-- table made.json -->\n\n**Methods")
    assert page.endswith("\n\n<!-- end -->\n\nafter\n")


def test_filling_again_changes_nothing(results):
    once = fill("table made.json", results)
    assert SCRIPT["fill_page"](once, results=results) == once


def test_names_with_spaces_are_quoted_as_in_a_terminal(results):
    assert "upper-bound" not in fill('table made.json --methods "linear"', results)


def test_a_block_without_its_file_is_left_as_it_is(results):
    assert "\nold\n" in fill("table other.json", results)


def test_a_missing_file_is_named_with_what_makes_it():
    found = SCRIPT["BLOCK"].search("<!-- table other.json -->\n<!-- end -->")
    assert SCRIPT["parse_block"](found).missing == [
        "other.json is not there; make it with: python -m benchmarks.tables.run other"
    ]


def test_a_missing_file_of_replays_is_made_by_a_command_of_its_own():
    found = SCRIPT["BLOCK"].search("<!-- file screen-none.md -->\n<!-- end -->")
    assert SCRIPT["parse_block"](found).missing == [
        "screen-none.md is not there; make it with: make bench-screen"
    ]


def test_a_block_that_asks_for_what_cannot_be_made_ends_the_script(results):
    with pytest.raises(SystemExit, match=r"bench table .*made.json --like table4.*: failed"):
        fill("table made.json --like table4", results)


def test_a_figure_is_drawn_and_its_words_stand_on_the_page(results):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    page = fill("figure made.json --only learning-curve", results)
    assert "linear: 0.33 with 20 seeds, 0.20 with 50" in page
    assert "](figures/learning-curve.svg)" in page
    assert (results / "figures" / "learning-curve.svg").is_file()


def test_a_file_is_taken_as_it_is(results):
    (results / "words.md").write_text("| a |\n")
    assert "-->\n\n| a |\n\n<!-- end -->" in fill("file words.md", results)


# The example


def test_the_method_of_the_example_has_ten_lines_beside_imports():
    lines = [line for line in code("python", 2).splitlines() if line and line[:5] != "from "]
    assert len(lines) <= 10


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The package of the example, as it is once installed."""
    folder = tmp_path_factory.mktemp("installed")
    project = tomllib.loads(code("toml"))["project"]
    (folder / "nearest_seed.py").write_text(code("python", 2))
    install_metadata(folder, project)
    return folder


def test_the_method_of_the_example_runs_beside_ours(example, tmp_path):
    tasks = made(tmp_path / "tasks")
    methods = ["all", "nearest-seed", "linear + nearest-seed"]
    command = [sys.executable, "-m", "likewise", "bench", "run", tasks, "--out", tmp_path / "runs"]
    environment = os.environ | {"PYTHONPATH": str(example)}
    subprocess.run([*command, "--methods", *methods], check=True, env=environment)
    f1 = {result.method: result.measures["F1"] for result in read_results(tmp_path / "runs")}
    assert sorted(f1) == sorted(methods)
    assert f1["nearest-seed"] > f1["all"]
