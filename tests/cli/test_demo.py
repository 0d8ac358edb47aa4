import io
import json
from contextlib import redirect_stdout

import pytest

from expansion.samples import small_expansion
from likewise.cli import run
from likewise.cli.demo import _compare_with_mesh, _find_topic, _format_comparison
from likewise.documents import Document, read, write
from likewise.documents.document import MeshHeading
from likewise.expansion.saved import SavedExpansion
from likewise.library.indexing import index_files

GLUCOSE, INSULIN = MeshHeading(name="Blood Glucose"), MeshHeading(name="Insulin")
TRUTH = _compare_with_mesh(small_expansion(), {"101", "102", "201", "203", "204", "elsewhere"})


@pytest.fixture(scope="module")
def demo(pubmed_sample, tmp_path_factory):
    """Run the demo once, on the sample as it was fetched; its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    (folder / "pubmed").mkdir(parents=True)
    for path in pubmed_sample:
        (folder / "pubmed" / path.name).symlink_to(path)
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert run(["demo", str(folder), "--json"]) == 0
    return folder, json.loads(printed.getvalue())


@pytest.mark.network
def test_the_demo_leaves_its_seeds_what_it_found_and_a_report(demo):
    folder, told = demo
    assert {path.name for path in folder.iterdir()} == {
        "pubmed",
        "library",
        "seeds.ris",
        "found.ris",
        "found.csv",
        "found.expansion.json",
        "report.html",
    }
    seeds, *found = ({paper.pmid for paper in read(folder / name)}
                     for name in ("seeds.ris", "found.ris", "found.csv"))  # fmt: skip
    assert len(seeds) == 20
    assert found[0] == found[1]
    assert len(found[0]) == told["found"]
    assert seeds.isdisjoint(found[0])


@pytest.mark.network
def test_the_demos_seeds_are_all_in_its_library(demo):
    folder, told = demo
    saved = SavedExpansion.load(folder / "found.expansion.json")
    assert told["library"] == 50_782
    assert (len(saved.seeds.matched), saved.seeds.text_only) == (20, ())


@pytest.mark.network
def test_the_demo_finds_much_of_its_topic(demo):
    # 118 documents of 50,782 are on topic, and 20 of them are the seeds.
    _, told = demo
    assert 90 <= told["relevant"] <= 98
    assert told["recall"] >= 0.55
    assert told["precision"] >= 0.3


@pytest.mark.network
def test_what_the_demo_expects_is_not_far_from_the_truth(demo):
    _, told = demo
    assert told["expected_precision"] == pytest.approx(told["precision"], abs=0.3)
    assert told["expected_recall"] == pytest.approx(told["recall"], abs=0.35)
    assert 1 / 2 < told["expected_relevant"] / told["relevant"] < 2


def test_the_demos_topic_has_both_headings_and_an_abstract(tmp_path):
    papers = [
        Document(id="3", title="Three", abstract="Yes.", mesh=(INSULIN, GLUCOSE)),
        Document(id="1", title="One", abstract="Yes.", mesh=(INSULIN,)),
        Document(id="2", title="Two", mesh=(INSULIN, GLUCOSE)),
        Document(id="10", title="Ten", abstract="Yes.", mesh=(GLUCOSE, INSULIN)),
    ]
    write(papers, tmp_path / "papers.jsonl")
    index_files(tmp_path / "papers.jsonl", tmp_path / "library")
    assert [paper.id for paper in _find_topic(str(tmp_path / "library"))] == ["10", "3"]


def test_the_truth_is_about_the_pool_without_the_seeds():
    # Of five candidates three are found; three are on topic, two of them found.
    assert (TRUTH.precision, TRUTH.recall, TRUTH.relevant) == (2 / 3, 2 / 3, 3)


def test_what_was_expected_stands_beside_the_truth():
    lines = [line.rsplit(maxsplit=2) for line in _format_comparison(TRUTH).splitlines()[2:]]
    assert lines == [
        ["  on topic in the candidates", "4", "3"],
        ["  precision of the list", "0.81", "0.67"],
        ["  recall within candidates", "0.90", "0.67"],
    ]


def test_the_truth_of_an_empty_list_is_no_error():
    empty = _compare_with_mesh(small_expansion(ranking=()), set())
    assert (empty.precision, empty.recall, empty.relevant) == (0, 0, 0)
