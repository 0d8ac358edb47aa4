"""likewise bench screen."""

import json
import multiprocessing

import pytest

from bench.screening.screened import bees, rows_of, write_rows
from likewise.bench import screening
from likewise.bench.runs import crew
from likewise.cli import run

QUICK = ("--methods", "bm25", "--draws", "1", "--batch", "60", "--workers", "1")


@pytest.fixture(autouse=True)
def copies(monkeypatch):
    """Let processes be copies of this one, which start at once and know what it knows."""
    monkeypatch.setattr(crew, "PROCESSES", multiprocessing.get_context("fork"))


@pytest.fixture
def reviews(tmp_path):
    return write_rows(tmp_path / "reviews.jsonl", rows_of())


@pytest.fixture
def screen(reviews, tmp_path, capsys):
    """Run the command on a review of bees; return its exit code, stdout and stderr."""

    def command(*words, out=True):
        folder = ("--out", str(tmp_path / "screen")) if out else ()
        code = run(["bench", "screen", str(reviews), *folder, *map(str, words)])
        return code, *capsys.readouterr()

    return command


def test_a_review_is_replayed_and_told_in_tables(screen):
    code, out, _ = screen(*QUICK)
    assert code == 0
    assert "**Reviews replayed: means over 1 review**" in out
    assert "**Stopping rules, asked for a recall of 95%**" in out
    assert "| bees " in out


def test_json_holds_tables_and_results(screen):
    _, out, _ = screen(*QUICK, "--json")
    told = json.loads(out)
    assert [one["records"] for one in told["results"]] == [310]
    assert told["tables"][0]["columns"][:2] == ["method", "WSS@95%"]


def rules_of(out):
    """Return what the table of rules says of each of them, by column."""
    table = next(one for one in json.loads(out)["tables"] if one["title"].startswith("Stopping"))
    rows = [dict(zip(table["columns"], row["values"], strict=True)) for row in table["rows"]]
    return table["title"], {row["rule"]: row for row in rows}


def test_ours_and_the_published_rules_are_asked_of_what_was_replayed(screen):
    title, rules = rules_of(screen(*QUICK, "--json")[1])
    assert title.endswith("a recall of 95%")
    assert {"calibrated", "audited", "callaghan", "poisson", "quant"} <= set(rules)
    assert {row["reviews"] for row in rules.values()} == {"reviews"}
    assert rules["calibrated"]["stated"]["value"] == 0.95


def test_rules_are_asked_for_another_recall_and_confidence(screen):
    title, rules = rules_of(
        screen(*QUICK, "--recall", 0.8, "--confidence", 0.9, "--rules", "callaghan", "--json")[1]
    )
    assert title.endswith("a recall of 80%")
    assert rules["callaghan"]["stated"]["value"] == 0.9


def test_everything_is_read_unless_it_is_said_when_to_end(screen):
    (whole,) = json.loads(screen(*QUICK, "--json")[1])["results"]
    (half,) = json.loads(screen(*QUICK, "--until", 0.5, "--json")[1])["results"]
    assert whole["looked_at"] == 310
    assert half["looked_at"] < 310


def test_what_was_replayed_is_read_again(screen, monkeypatch):
    before = screen(*QUICK, "--json")[1]
    monkeypatch.setattr(screening, "replay_review", _broken)
    code, again, _ = screen(*QUICK, "--json")
    assert (code, again) == (0, before)


def test_starts_are_written_for_other_tools(screen, tmp_path):
    code, _, said = screen("--draws", 2, "--starts", tmp_path / "starts.jsonl", out=False)
    assert code == 0
    assert "2 starts of 1 review" in said
    assert len((tmp_path / "starts.jsonl").read_text().splitlines()) == 2


def test_another_tool_is_measured_beside(screen, tmp_path):
    screen("--draws", 1, "--starts", tmp_path / "starts.jsonl", out=False)
    start = json.loads((tmp_path / "starts.jsonl").read_text())
    ids = [one.id for one in bees().documents if one.id not in start["seeds"]]
    orders = write_rows(tmp_path / "o.jsonl", [{"review": "bees", "draw": 1, "ids": ids}])
    code, out, _ = screen(*QUICK, "--beside", f"filed={orders}")
    assert code == 0
    assert "**Differences to filed**" in out


def test_orders_that_are_missing_are_told(screen, tmp_path):
    (tmp_path / "o.jsonl").write_text("\n")
    _, _, said = screen(*QUICK, "--beside", f"filed={tmp_path / 'o.jsonl'}")
    assert "orders for 0 of 1 start" in said


def test_tables_and_figures_are_written_to_files(screen, tmp_path):
    pytest.importorskip("vl_convert")
    files = ("-o", tmp_path / "screen.md", "--figures", tmp_path / "figures")
    code, out, _ = screen(*QUICK, *files)
    assert (code, out) == (0, "")
    assert (tmp_path / "screen.md").read_text().startswith("**Reviews replayed")
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"screen-recall.svg", "screen-rules.svg"} <= names


def test_figures_are_told_of_in_json(screen, tmp_path):
    pytest.importorskip("vl_convert")
    _, out, _ = screen(*QUICK, "--json", "--figures", tmp_path / "figures")
    assert [one["name"] for one in json.loads(out)["figures"]] == ["screen-recall", "screen-rules"]


def test_only_rules_that_are_named_are_replayed(screen):
    _, out, _ = screen(*QUICK, "--rules", "share(share=0.25)", "--json")
    assert list(rules_of(out)[1]) == ["share(share=0.25)"]


def test_a_replay_that_fails_is_told_and_ends_with_1(screen, monkeypatch):
    monkeypatch.setattr(screening, "replay_review", _broken)
    code, _, said = screen(*QUICK)
    assert code == 1
    assert "failed: bm25, bees, draw 1: ValueError: no luck" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--beside", "asreview"), "give a name and a file, as in asreview=FILE"),
        (("--review", "wasps"), "there is no review 'wasps'; choose one of: bees"),
        (("--rules", "never"), "'never'"),
        (("--least", "300"), "no review has 300 records on topic"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(screen, words, message):
    code, _, said = screen(*QUICK, *words)
    assert code
    assert message in said


def test_a_folder_of_results_is_needed(screen):
    code, _, said = screen(*QUICK, out=False)
    assert code
    assert "name the folder of results with --out" in said


def _broken(*_, **__):
    raise ValueError("no luck")
