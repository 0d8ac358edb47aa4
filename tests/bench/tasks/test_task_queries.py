"""Tasks whose pool is retrieved by the paper's query."""

import pytest

from bench.topical import BEES, labelled_documents, made
from expansion.corpus import library_in
from likewise.bench.tasks.folders import TaskFolder
from likewise.cli import run
from likewise.errors import TaskError
from likewise.library.more_like import MoreLike

NAME = f"L6/{BEES}/draw-0"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("library") / "lib", *labelled_documents())


def make(library, out, *options):
    """Run `bench make`; return its exit code."""
    given = ["--topic", "Bees", "--seeds", "6", "--pool", "50", "--draws", "1"]
    return run(["bench", "make", library, *given, "--out", str(out), *options])


def query_of(out):
    """What the task says of its query that is the paper's alone."""
    told = TaskFolder(out).read_metadata(NAME).query
    return {name: told[name] for name in ("terms_by", "max_terms", "per_field", "relax")}


def test_the_papers_query_is_relaxed_if_asked(library, tmp_path):
    assert make(library, tmp_path / "tasks", "--query", "paper", "--relax") == 0
    paper = {"terms_by": "tf-idf", "max_terms": 25, "per_field": True, "relax": True}
    assert query_of(tmp_path / "tasks") == paper


def test_our_own_query_has_nothing_to_relax(library, tmp_path, capsys):
    assert make(library, tmp_path / "tasks", "--relax") != 0
    assert "--relax is for --query paper" in capsys.readouterr().err


def test_a_task_says_that_its_query_was_not_relaxed(tmp_path):
    out = made(tmp_path / "tasks", pool=10, more_like=MoreLike.of_the_paper())
    assert query_of(out)["relax"] is False


def test_a_pool_that_the_papers_query_does_not_fill_is_refused_with_what_would(tmp_path):
    with pytest.raises(TaskError, match=r"\|U\| of 150 takes 300 .*--pool, or relax it: --relax"):
        made(tmp_path / "tasks", pool=150, more_like=MoreLike.of_the_paper())
