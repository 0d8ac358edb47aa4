"""Expansions by neural methods, after a few epochs."""

from functools import cache

import numpy as np
import pytest
from msgspec.structs import replace

from expansion.corpus import corpus, hidden, library_in, library_of, on, seeds_on
from likewise.errors import SettingsError
from likewise.expansion.flow import expand
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library

pytest.importorskip("torch", reason="the extra neural is not installed")

SEEDS = seeds_on("bees")
ALONE, BOTH = "nnpu-cnn(epochs=2)", "linear + nnpu-cnn(epochs=2)"


@pytest.fixture(scope="module")
def expanded(tmp_path_factory):
    """Expand the seeds on bees, each way once."""
    path = library_in(tmp_path_factory.mktemp("corpus") / "lib", *corpus())
    with open_library(path) as library:
        yield cache(lambda **chosen: expand(library, SEEDS, settings=ExpandSettings(**chosen)))


def pool_of(expansion):
    return [ranked for ranked in expansion.ranking if not ranked.seed]


@pytest.mark.parametrize("method", [ALONE, BOTH])
def test_all_documents_are_ranked(method, expanded):
    expansion = expanded(method=method)
    assert [ranked.rank for ranked in pool_of(expansion)] == list(range(1, 309))
    assert np.isfinite([ranked.score for ranked in expansion.ranking]).all()
    assert 0 < len(expansion.found) < 308
    assert expansion.settings.method == method


def test_hidden_documents_come_before_others(expanded):
    trained, untrained, both = (
        len({ranked.id for ranked in expanded(method=method, keep="top=66").found} & hidden("bees"))
        for method in (
            "nnpu-cnn(epochs=4, batch=40, dropout=0, learning_rate=0.002)",
            "nnpu-cnn(epochs=1, batch=40, dropout=0, learning_rate=1e-30)",
            BOTH,
        )
    )
    # By chance, 7 of the 33 that are hidden would be among 66 of 308.
    assert min(trained, both) >= 25
    assert untrained <= 15


@pytest.mark.parametrize("method", [ALONE, BOTH])
def test_what_is_found_is_explained(method, expanded):
    expansion = expanded(method=method)
    assert all(expansion.explain(ranked.id).up for ranked in expansion.found)


def test_the_same_inputs_give_the_same(expanded):
    again = expand(library_of(*corpus()), SEEDS, settings=ExpandSettings(method=ALONE))
    assert again.ranking == expanded(method=ALONE).ranking


@pytest.mark.parametrize(
    "method", ["nnpu-cnn(prior=0.5, gamma=1.0, batch=1000)", "jacovi2021(epochs=10, folds=2)"]
)
def test_settings_of_the_paper_find_something_after_a_few_epochs(method):
    settings = ExpandSettings(method=method, keep="ber")
    library = library_of(*on("bees")[:20], *on("sleep")[:10])
    assert expand(library, SEEDS, settings=settings).found


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_pool_may_be_tiny(size):
    settings = ExpandSettings(method=ALONE, pool=size, rounds=1)
    expansion = expand(library_of(*on("bees")), on("bees")[:6], settings=settings)
    assert [ranked.rank for ranked in pool_of(expansion)] == list(range(1, size + 1))


def test_documents_without_abstracts_are_enough():
    bare = [replace(document, abstract="") for document in corpus()[:60]]
    seeds = [document for document in bare if "bees" in document.keywords][:5]
    expansion = expand(library_of(*bare), seeds, settings=ExpandSettings(method=ALONE))
    assert np.isfinite([ranked.score for ranked in expansion.ranking]).all()


def test_the_paper_decides_at_score_0(expanded):
    expansion = expanded(method="jacovi2021(epochs=2, folds=2)")
    assert expansion.settings.keep == "zero"
    assert expansion.threshold == 0
    decided = {ranked.id for ranked in pool_of(expansion) if ranked.score >= 0}
    assert {ranked.id for ranked in expansion.found} == decided


@pytest.mark.parametrize("method", ["linear", "bm25", ALONE, BOTH])
def test_methods_whose_scores_have_no_zero_are_refused_before_any_work(method):
    with pytest.raises(SettingsError, match="--keep zero: score 0 means nothing to the method"):
        expand(None, SEEDS, settings=ExpandSettings(method=method, keep="zero"))


def test_warnings_of_training_that_diverged_are_among_the_others():
    settings = ExpandSettings(method="nnpu-cnn(epochs=1, loss=squared, spread=1e20)")
    expansion = expand(library_of(*corpus()[:80]), on("bees")[:6], settings=settings)
    assert [w for w in expansion.warnings if w.startswith("training diverged in epoch 1")]
    assert expansion.warnings == expansion.saved.warnings


def test_a_batch_that_can_not_hold_a_seed_and_another_is_refused_before_any_work():
    with pytest.raises(SettingsError, match="batch is a whole number, at least 2"):
        expand(None, SEEDS, settings=ExpandSettings(method="nnpu-cnn(batch=1)"))
