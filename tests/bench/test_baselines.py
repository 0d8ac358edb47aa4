import ast
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import likewise
from expansion.corpus import corpus, hidden, library_of, seeds_on
from likewise.bench.baselines import all_positive, random_pool, upper_bound
from likewise.errors import SettingsError
from likewise.expansion.flow import expand
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimators import PULogistic
from likewise.library.query import Query

SRC = Path(likewise.__file__).parent
IDS = [document.id for document in corpus()]


def logistic(on, off):
    return PULogistic().learn(on, off)


def rng(number=0):
    return np.random.default_rng(number)


def test_all_of_a_pool_is_taken_for_positive():
    assert all_positive(["a", "b", "c"]).tolist() == [True, True, True]


# A pool at random


def test_a_search_finds_so_many_of_the_documents_each_once_without_those_excluded():
    found = random_pool(library_of(), "abcdef", rng=rng()).search(Query(()), limit=4, exclude="ab")
    assert set(found.ids) == set("cdef")
    assert found.scores == sorted(found.scores, reverse=True)
    assert len(set(found.scores)) == 4


def test_a_search_finds_no_more_than_there_are():
    library = random_pool(library_of(), "ab", rng=rng())
    assert len(library.search(Query(()), limit=9)) == 2
    assert len(library.search(Query(()), limit=9, exclude="ab")) == 0


def test_all_else_is_the_librarys_own():
    library = library_of(*corpus()[:5])
    drawn = random_pool(library, IDS, rng=rng())
    assert drawn.count() == 5
    assert drawn.get(["1"]) == [corpus()[0]]


def test_a_pool_is_drawn_and_then_learned_from_as_any_other():
    library = random_pool(library_of(*corpus()), IDS, rng=rng())
    settings = ExpandSettings(pool=100, rounds=1, keep="top=10")
    expansion = expand(library, seeds_on("bees"), settings=settings)
    pool = {ranked.id for ranked in expansion.ranking if not ranked.seed}
    assert len(pool) == 100
    # By chance it holds 100 * 33 / 308 of the hidden documents; retrieved, it would hold 33.
    assert 4 <= len(pool & hidden("bees")) <= 20
    assert len({ranked.id for ranked in expansion.found} & hidden("bees")) >= 4


# The truth


def labelled(size=80):
    """Rows of which the first column says nearly the truth, and the truth."""
    truth = np.arange(size) % 4 == 0
    rows = rng(1).normal(0, 1, (size, 3))
    rows[:, 0] += 5 * truth
    return rows, truth


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_with_the_truth_nearly_all_are_told_apart(as_rows):
    rows, truth = labelled()
    scores = upper_bound(logistic, as_rows(rows), truth=truth, rng=rng())
    assert (scores[truth, None] > scores[None, ~truth]).mean() > 0.95


def test_no_document_is_scored_by_a_model_that_learned_its_label():
    rows = np.arange(20.0)[:, None]
    truth = np.arange(20) < 8

    class Model:
        def __init__(self, on, off):
            self.learned = {*on[:, 0], *off[:, 0]}

        def decision_function(self, rows):
            return np.array([row in self.learned for row in rows[:, 0]], float)

    assert not upper_bound(Model, rows, truth=truth, rng=rng()).any()


def test_every_model_learns_from_both_sides_and_from_the_seeds():
    sizes = []

    def learn(on, off):
        sizes.append((len(on), len(off)))
        return logistic(on, off)

    rows, truth = labelled()
    upper_bound(learn, rows, truth=truth, rng=rng(), seeds=np.ones((5, 3)))
    # 20 on and 60 off topic, less a quarter.
    assert sizes == [(15 + 5, 45)] * 4


def test_the_truth_makes_the_difference():
    rows, truth = labelled()
    told = [upper_bound(logistic, rows, truth=of, rng=rng()) for of in (truth, ~truth)]
    assert np.corrcoef(*told)[0, 1] < 0


@pytest.mark.parametrize("count", [0, 1, 79, 80])
def test_truth_that_nothing_can_be_learned_from_is_refused(count):
    rows, _ = labelled()
    with pytest.raises(SettingsError, match=f"{count} of 80 documents are on topic; an upper"):
        upper_bound(logistic, rows, truth=np.arange(80) < count, rng=rng())


def test_nothing_that_learns_or_expands_can_reach_the_truth():
    for path in (*(SRC / "learn").rglob("*.py"), *(SRC / "expansion").rglob("*.py")):
        named = {
            name.id if isinstance(name, ast.Name) else name.arg
            for name in ast.walk(ast.parse(path.read_text()))
            if isinstance(name, ast.Name | ast.arg)
        }
        assert "truth" not in named, path
