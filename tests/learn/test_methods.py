"""Methods: what is known of each, one contract for all, and what the default is worth."""

import inspect
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from importlib.util import find_spec

import numpy as np
import pytest

from learn import contract
from learn.contract import CORPUS
from learn.corpus import material_of
from learn.scripted import COSTLY
from likewise.errors import SettingsError
from likewise.learn import methods
from likewise.learn.folds import share_above
from likewise.learn.methods import METHODS, method_named, method_names
from likewise.learn.plugged import load_scorer
from likewise.learn.spelling import parse_method
from likewise.learn.views import VectorView

QUICK = [name for name, method in METHODS.items() if not method.is_costly]
SCORED = [name for name, method in METHODS.items() if method.scorer]
# Costly methods are held to the contract after a single epoch.
HELD = [*QUICK, "linear + naive"]
if find_spec("torch"):
    HELD += ["nnpu-cnn(epochs=1)", "linear + nnpu-cnn(epochs=1)"]


scored = contract.Scoring.scored


def test_the_first_method_is_linear():
    assert next(iter(METHODS)) == "linear"


@pytest.mark.parametrize("known", METHODS.values(), ids=METHODS)
class TestEveryMethodKnown(contract.Described): ...


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_scorer_or_is_short_for_others(name):
    assert bool(METHODS[name].scorer) is not bool(METHODS[name].short_for)


@pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].short_for])
def test_what_is_short_for_others_needs_and_costs_what_they_do(name):
    method, spelled = METHODS[name], parse_method(name)
    parts = getattr(spelled, "parts", (spelled,))
    assert method.is_costly == any(part.is_costly for part in parts)
    assert method.extra in {part.info.extra for part in parts}


@pytest.mark.parametrize("name", SCORED)
def test_scorers_take_the_parameters_that_are_told_of_them_with_no_other_defaults(name):
    if METHODS[name].extra:
        pytest.importorskip("torch", reason="the extra neural is not installed")
    shared = {"material", "rng", "on_step"}
    taken = inspect.signature(load_scorer(METHODS[name])).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        return
    assert set(taken) - shared == {known.name for known in METHODS[name].parameters}
    for known in METHODS[name].parameters:
        assert taken[known.name].default in (inspect.Parameter.empty, known.default)


def test_to_list_methods_and_their_parameters_loads_no_torch():
    code = (
        "import sys; from likewise.learn.spelling import parse_method\n"
        "[part.info.is_installed for part in parse_method('fused').parts]\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("missing", "installed"),
    [((), (True, True, True)), (("torch",), (True, False, False)),
     (("transformers",), (True, True, False))],
)  # fmt: skip
def test_it_is_known_whether_an_extra_is_installed(missing, installed, monkeypatch):
    monkeypatch.setattr(
        "likewise.learn.methods.find_spec", lambda name: None if name in missing else name
    )
    names = ("linear", "nnpu-cnn", "nnpu-transformer")
    assert tuple(METHODS[name].is_installed for name in names) == installed


# Plug-ins


@pytest.fixture
def plugged(monkeypatch):
    """Let plug-ins be installed."""

    def install(*entries):
        added = {name: EntryPoint(name, value, methods.GROUP) for name, value in entries}
        monkeypatch.setattr(methods, "plug_ins", lambda _: added)

    return install


def test_a_plug_in_adds_a_method(plugged):
    plugged(("costly", "learn.scripted:COSTLY"))
    assert method_names() == [*METHODS, "costly"]
    assert method_named("costly") == COSTLY
    assert str(parse_method("linear + costly(steps=3)")) == "linear + costly(steps=3)"
    assert np.isfinite(scored("costly").scores.pool).all()


def test_a_plug_in_does_not_take_the_name_of_a_built_in_method(plugged):
    plugged(("linear", "learn.scripted:COSTLY"))
    assert method_named("linear") is METHODS["linear"]
    assert method_names() == [*METHODS]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "gone",
            "no_such_package:METHOD",
            "'gone' can't be loaded from no_such_package:METHOD: No",
        ),
        ("gone", "learn.scripted:NOTHING", "can't be loaded from learn.scripted:NOTHING: "),
        ("other", "learn.scripted:COSTLY", "is not a MethodInfo of this name"),
        ("asked", "learn.scripted:ASKED", "is not a MethodInfo of this name"),
    ],
)
def test_a_plug_in_that_can_not_be_used_is_told_in_one_line(name, value, said, plugged):
    plugged((name, value))
    with pytest.raises(SettingsError) as caught:
        parse_method(name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# The contract


@pytest.mark.parametrize("name", HELD)
class TestEvery(contract.Scoring): ...


@pytest.mark.parametrize("name", ["linear", "naive", "linear + naive"])
def test_hidden_documents_on_topic_are_ranked_above_others(name):
    pool = scored(name).scores.pool
    above = share_above(pool[CORPUS.is_relevant], pool[~CORPUS.is_relevant])
    assert above.mean() < 0.25


def test_equal_documents_score_the_same_in_the_default_method():
    pool = scored("linear", material_of([("one title", "one abstract")] * 40, seeds=5)).scores.pool
    assert np.ptp(pool) < 1e-3


def test_linear_learns_from_the_vectors_of_an_encoder_too():
    material = CORPUS.material
    is_on = np.append(np.ones(material.seeds, bool), CORPUS.is_relevant)
    vectors = np.column_stack([is_on, ~is_on]).astype(np.float32)
    told = material.with_views(VectorView(vectors))

    def lead(found):
        pool = found.scores.pool
        return pool[CORPUS.is_relevant].mean() - pool[~CORPUS.is_relevant].mean()

    assert lead(scored("linear", told)) > lead(scored("linear"))


def test_copkmeans_clusters_the_vectors_of_an_encoder_where_there_are_some():
    material = CORPUS.material
    is_on = np.append(np.ones(material.seeds, bool), CORPUS.is_relevant)
    vectors = np.column_stack([is_on, ~is_on]).astype(np.float32)
    pool = scored("copkmeans", material.with_views(VectorView(vectors))).scores.pool
    assert ((pool > 0) == CORPUS.is_relevant).all()


def on_a_line(places, *, seeds, negatives=0):
    """A material whose documents are vectors of one dimension."""
    material = material_of([("insulin", "rat")] * len(places), seeds=seeds)
    vectors = np.array(places, np.float32)[:, None]
    return replace(material.with_views(VectorView(vectors)), negatives=negatives)


def test_copkmeans_scores_a_document_by_its_cluster():
    # Seeds about 0; of the pool, a third about 1 and the rest about 20: centres are near 1 and 20,
    # and the border is between 10 and 11.
    rng = np.random.default_rng(0)
    near, far = rng.normal(1, 0.3, 40), rng.normal(20, 0.3, 80)
    material = on_a_line([0.0, 0.1, 0.2, *near, *far, 8.0, 13.0], seeds=3)
    pool = scored("copkmeans", material).scores.pool
    assert (pool >= 0).tolist() == [True] * 40 + [False] * 80 + [True, False]


def test_copkmeans_has_one_clustering_for_all_of_the_pool():
    # Whether 9 is with the seeds depends on where one starts: it is for all of them, or for none.
    material = on_a_line([*[0.0] * 4, *[12.0] * 10, *[9.0] * 4, *[30.0] * 4], seeds=4, negatives=10)
    pool = scored("copkmeans", material).scores.pool
    assert len(set(pool[:4])) == len(set(pool[4:])) == 1


def test_copkmeans_keeps_negatives_out_of_the_seeds_cluster():
    # Seeds at 0 and documents at 9 have their centre at 4.5, the border to 30 is at 17. With forty
    # negatives at 10, the other centre is at (40 * 10 + 4 * 30) / 44 = 11.8, nearer to 9 than 4.5.
    places = [*[0.0] * 4, *[10.0] * 40, *[9.0] * 4, *[30.0] * 4]
    apart = on_a_line(places, seeds=4, negatives=40)
    untold = on_a_line([*places[:4], *places[44:]], seeds=4)
    assert (scored("copkmeans", untold).scores.pool >= 0).tolist() == [True] * 4 + [False] * 4
    found = scored("copkmeans", apart).scores
    assert (found.pool < 0).all()
    assert len(found.negatives) == 40


def test_copkmeans_finds_clusters_without_what_is_unseen():
    seen = on_a_line([0.0, 0.0, *[1.0] * 4, *[20.0] * 4], seeds=2)
    places = [0.0, 0.0, *[1.0] * 4, *[20.0] * 4, *[500.0] * 50]
    whole = replace(on_a_line(places, seeds=2), unseen=50)
    first, second = (scored("copkmeans", each).scores.pool for each in (seen, whole))
    assert first.tolist() == second[:8].tolist()


def test_bm25_is_what_the_engine_says():
    assert scored("bm25").scores is CORPUS.material.retrieval
    assert scored("bm25").model is None


@pytest.mark.parametrize("name", ["linear", "naive", "copkmeans"])
def test_progress_is_told_to_the_end(name):
    steps = []
    parse_method(name).score(
        CORPUS.material,
        rng=np.random.default_rng(0),
        on_step=lambda done, total, *_: steps.append(done / total),
    )
    assert steps == sorted(steps)
    assert steps[-1] == 1
