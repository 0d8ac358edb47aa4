"""The scorers of the neural methods; the contract of all is in tests/learn/test_methods.py."""

from dataclasses import replace

import numpy as np
import pytest

from learn.corpus import material_of, simulated_corpus
from learn.neural.extra import torch
from likewise.errors import NotFiniteError, SettingsError
from likewise.learn.folds import LEAST_BESIDE, Scores, share_above
from likewise.learn.material import Scored
from likewise.learn.methods import METHODS
from likewise.learn.neural import scorers
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.losses import squared
from likewise.learn.neural.risks import NNPU, PNU
from likewise.learn.neural.scorers import estimate_prior, score_nnpu_transformer
from likewise.learn.priors import PRIORS
from likewise.learn.spelling import parse_method
from likewise.learn.views import EngineView, VectorView

CORPUS = simulated_corpus(seeds=30, hidden=60, others=240)
SMALL = simulated_corpus()
QUICK = "nnpu-cnn(epochs=1, batch=16)"


def scored(name, material=SMALL.material, *, seed=0, on_step=None):
    return parse_method(name).score(material, rng=np.random.default_rng(seed), on_step=on_step)


def above_hidden(scores, is_relevant):
    """Return the mean share of other documents above a hidden one; by chance, a half."""
    return share_above(scores.pool[is_relevant], scores.pool[~is_relevant]).mean()


def steps_of(name, material=SMALL.material):
    heard = []
    found = scored(name, material, on_step=lambda *told: heard.append(told))
    return found, heard


def is_same(scores, others):
    return (scores.pool == others.pool).all() and (scores.seeds == others.seeds).all()


LEARNED = "nnpu-cnn(epochs=4, batch=32, dropout=0)"
UNTRAINED = "nnpu-cnn(epochs=1, batch=32, dropout=0, learning_rate=1e-30)"
"""The same network as it began: with embeddings of topics, which tell something already."""


@pytest.fixture(scope="module")
def learned():
    """What the CNN says of a corpus of which it can learn something."""
    return scored(LEARNED, CORPUS.material)


def test_training_ranks_hidden_documents_above_others(learned):
    trained = above_hidden(learned.scores, CORPUS.is_relevant)
    untrained = above_hidden(scored(UNTRAINED, CORPUS.material).scores, CORPUS.is_relevant)
    assert trained < untrained / 2


def test_held_out_seeds_stand_where_hidden_documents_do(learned):
    seeds, hidden = learned.scores.seeds, learned.scores.pool[CORPUS.is_relevant]
    assert abs(seeds.mean() - hidden.mean()) < 0.5 * hidden.std()


def test_the_cnn_knows_no_terms_and_warns_of_nothing(learned):
    assert (learned.model, learned.warnings) == (None, ())


def test_the_same_number_gives_the_same_scores_and_another_one_others():
    first = scored(QUICK).scores
    torch.manual_seed(5)
    assert is_same(scored(QUICK).scores, first)
    assert not is_same(scored(QUICK, seed=1).scores, first)


def test_torch_draws_afterwards_what_it_would_have_drawn():
    before = torch.get_rng_state()
    scored(QUICK)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.fixture
def networks(monkeypatch):
    """What networks were made with: what makes a model, and the rest by name."""
    made = []

    def network(build, **others):
        made.append((build(None), others))
        return PUNetwork(build, **others)

    monkeypatch.setattr(scorers, "PUNetwork", network)
    return made


def test_every_parameter_reaches_what_it_is_for(networks):
    scored(
        "nnpu-cnn(prior=0.3, beta=0.1, gamma=0.6, loss=squared, models=2, folds=2, batch=40, "
        "epochs=1, weight_decay=0.01, validation=0.4, spread=0, dropout=0.25)"
    )
    ((model, given),) = networks
    assert given["risk"] == NNPU(prior=0.3, beta=0.1, gamma=0.6, loss=squared)
    assert (given["models"], given["batch"], given["validation"]) == (2, 40, 0.4)
    assert (given["settings"].epochs, given["settings"].weight_decay) == (1, 0.01)
    assert model.dropout.p == 0.25
    assert not model.embedding.weight.any()


def test_embeddings_start_from_the_topics_of_the_pool_or_at_random(networks):
    for start in ("topics", "random"):
        scored(f"nnpu-cnn(epochs=1, start={start}, spread=1)")
    topics, random = (model.embedding.weight.detach().norm(dim=1) for model, _ in networks)
    # Those of topics all have the length of 50 parts of deviation 1.
    assert torch.allclose(topics[2:], torch.tensor(50.0).sqrt())
    assert random[2:].std() > 0.1


def test_every_loss_that_is_told_of_is_known():
    (loss,) = [known for known in METHODS["nnpu-cnn"].parameters if known.name == "loss"]
    for word in loss.kind.words:
        assert np.isfinite(scored(f"nnpu-cnn(epochs=1, loss={word})").scores.pool).all()


@pytest.mark.parametrize(("words", "asked"), [("stems", 256), ("plain", 0)])
def test_words_are_as_they_are_searched_or_as_they_are_written(words, asked):
    heard = []

    def analyze_all(field, texts):
        heard.extend(field for _ in texts)
        return [text.split() for text in texts]

    scored(f"nnpu-cnn(epochs=1, words={words})", replace(SMALL.material, analyze_all=analyze_all))
    # 128 documents have a title and an abstract each.
    assert len(heard) == asked


# The prior


@pytest.mark.parametrize("by", ["estimate", *PRIORS])
def test_every_estimator_of_the_prior_may_be_named(by, networks):
    found = scored(f"nnpu-cnn(epochs=1, prior={by})").scores
    prior = estimate_prior(SMALL.material, by=by, rng=np.random.default_rng(0))
    ((_, given),) = networks
    assert 0 < given["risk"].prior == prior < 1
    assert np.isfinite([*found.seeds, *found.pool]).all()


def test_to_estimate_is_to_take_the_first_estimator():
    first, named = (
        estimate_prior(SMALL.material, by=by, rng=np.random.default_rng(0))
        for by in ("estimate", next(iter(PRIORS)))
    )
    assert first == named


def test_the_estimate_is_near_the_truth():
    prior = estimate_prior(CORPUS.material, by="estimate", rng=np.random.default_rng(0))
    # 60 of 300 documents are on topic.
    assert 0.1 < prior < 0.4


@pytest.mark.parametrize(("retrieved", "counted"), [(30, 30), (29, 29), (3, 3), (2, 30), (0, 30)])
def test_seeds_that_are_not_retrieved_do_not_count_unless_too_few_are_left(
    retrieved, counted, monkeypatch
):
    asked = []
    monkeypatch.setitem(PRIORS, "best-bin", lambda scores: asked.append(scores) or 0.2)
    seeds = np.where(np.arange(30) < retrieved, 1.0, np.nan)
    retrieval = Scores(seeds, CORPUS.material.retrieval.pool)
    material = CORPUS.material.with_views(EngineView(retrieval))
    assert estimate_prior(material, by="best-bin", rng=np.random.default_rng(0)) == 0.2
    assert len(asked[0].seeds) == counted


@pytest.mark.parametrize(("estimated", "prior"), [(0.0, 0.001), (1.0, 0.999)])
def test_an_estimate_is_never_all_or_nothing(estimated, prior, monkeypatch):
    monkeypatch.setitem(PRIORS, "best-bin", lambda _: estimated)
    rng = np.random.default_rng(0)
    assert estimate_prior(SMALL.material, by="best-bin", rng=rng) == prior


# Folds, models, and how far they are


@pytest.mark.parametrize(
    ("chosen", "trained"),
    [("folds=2", 2), ("folds=3", 3), ("folds=9", 300 // LEAST_BESIDE), ("folds=2, models=3", 6)],
)
def test_a_network_is_trained_for_each_fold_and_model(chosen, trained):
    _, heard = steps_of(f"nnpu-cnn(epochs=1, {chosen})", CORPUS.material)
    assert sum(note.startswith("stopped") for *_, note in heard) == trained


@pytest.mark.parametrize(
    "name",
    [
        "nnpu-cnn(epochs=2, batch=40, folds=2)",
        "nnpu-cnn(epochs=2, batch=40, folds=9)",
        "nnpu-cnn(epochs=2, batch=40, models=2)",
        "nnpu-cnn(epochs=2, loss=squared, spread=1e20)",
        "nnpu-cnn(epochs=1, batch=40) + nnpu-cnn(epochs=2) + linear",
    ],
)
@pytest.mark.parametrize(
    "material", [SMALL.material, simulated_corpus(hidden=1, others=0).material]
)
def test_progress_goes_up_to_its_end_and_never_back(name, material):
    _, heard = steps_of(name, material)
    shares = [done / total for done, total, *_ in heard]
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1


def test_the_risk_and_what_it_is_made_of_is_told():
    _, heard = steps_of(QUICK)
    first = heard[0][2]
    assert first.startswith("risk 0.")
    assert "positive" in first
    assert "negative" in first


# Negatives

# The last ten of the small corpus are off topic, and stand right after the seeds.
ORDER = [*range(8), *range(118, 128), *range(8, 118)]
MARKED = replace(
    material_of(
        [(SMALL.material.documents[n].title, SMALL.material.documents[n].abstract) for n in ORDER],
        seeds=8,
    ),
    negatives=10,
)
LEARNING = ("pnu", "ensemble", "pn", "pubn")


@pytest.mark.parametrize("by", [*LEARNING, "ignore", "unlabeled"])
def test_seeds_negatives_and_pool_are_scored_whatever_is_learned_from_negatives(by):
    found = scored(f"nnpu-cnn(epochs=1, negatives={by})", MARKED).scores
    assert [len(part) for part in found] == [8, 110, 10]
    assert np.isfinite(np.concatenate(found)).all()


def test_unlabeled_negatives_are_as_if_nothing_were_known_of_them():
    told = scored("nnpu-cnn(epochs=1, negatives=unlabeled)", MARKED).scores
    untold = scored("nnpu-cnn(epochs=1)", replace(MARKED, negatives=0)).scores
    assert (np.append(told.negatives, told.pool) == untold.pool).all()
    assert (told.seeds == untold.seeds).all()


@pytest.fixture
def groups(monkeypatch):
    """How many rows of each group every network learned from."""
    seen, learn = [], PUNetwork.learn

    def watched(self, positive, unlabeled, negative=None):
        off = 0 if negative is None else negative.shape[0]
        seen.append((positive.shape[0], unlabeled.shape[0], off))
        return learn(self, positive, unlabeled, negative)

    monkeypatch.setattr(PUNetwork, "learn", watched)
    return seen


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        # A half of 8 seeds, 110 of the pool and 10 negatives, twice; negatives are unlabeled too.
        ("pnu", (8, 120, 10)),
        ("pn", (8, 120, 10)),
        ("ensemble", (16, 240, 10)),
        ("unlabeled", (8, 120, 0)),
        ("ignore", (8, 110, 0)),
    ],
)
def test_networks_learn_from_what_is_not_held_out(by, expected, groups):
    scored(f"nnpu-cnn(epochs=1, folds=2, negatives={by})", MARKED)
    assert tuple(map(sum, zip(*groups, strict=True))) == expected


def test_how_much_negatives_count_is_a_share_that_is_half_where_they_are_as_many_as_seeds(
    monkeypatch,
):
    risks = []
    monkeypatch.setattr(
        "likewise.learn.neural.negatives.PNU", lambda **given: risks.append(given) or PNU(**given)
    )
    for count in (8, 2):
        marked = replace(MARKED, negatives=count)
        scored("nnpu-cnn(epochs=1, folds=2, negatives=pnu, pn_weight=0.2)", marked)
    # Beside 8 seeds: 8 of 16, and 2 of 10.
    assert [given["weight"] for given in risks] == pytest.approx([0.1, 0.1, 0.04, 0.04])


def test_negatives_that_count_more_are_shown_more_often(groups):
    weighed = replace(MARKED, negative_weights=np.repeat([0.5, 1.5], 5))
    scored("nnpu-cnn(epochs=1, negatives=pn)", weighed)
    # Each of the ten is left out by one of two models, and weighed alike it is shown by the other.
    assert sum(off for *_, off in groups) > 10


@pytest.mark.parametrize("by", ["ignore", "unlabeled"])
def test_how_much_negatives_count_is_nothing_to_what_does_not_learn_from_them(by):
    weighed = replace(MARKED, negative_weights=np.repeat([0.5, 1.5], 5))
    name = f"nnpu-cnn(epochs=1, negatives={by})"
    assert is_same(scored(name, weighed).scores, scored(name, MARKED).scores)


@pytest.mark.parametrize("by", ["pnu", "ignore", "unlabeled"])
def test_what_is_unseen_stays_so_beside_negatives(by, groups):
    found = scored(f"nnpu-cnn(epochs=1, folds=2, negatives={by})", replace(MARKED, unseen=30))
    assert [len(part) for part in found.scores] == [8, 110, 10]
    known = 0 if by == "ignore" else 10
    # Of 80 documents of the pool that may be learned from, and the negatives, each is once.
    assert sum(unlabeled for _, unlabeled, _ in groups) == 80 + known


@pytest.mark.parametrize("by", LEARNING)
def test_progress_with_negatives_goes_up_to_its_end_and_never_back(by):
    _, heard = steps_of(f"nnpu-cnn(epochs=2, batch=40, negatives={by})", MARKED)
    shares = [done / total for done, total, *_ in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("by", LEARNING)
def test_a_single_negative_is_learned_from_and_scored(by):
    found = scored(f"nnpu-cnn(epochs=1, negatives={by})", replace(MARKED, negatives=1)).scores
    assert [len(part) for part in found] == [8, 119, 1]
    assert np.isfinite(np.concatenate(found)).all()


def test_negatives_are_scored_below_what_is_on_topic():
    order = [*range(30), *range(310, 330), *range(30, 310)]
    documents = [CORPUS.material.documents[number] for number in order]
    texts = [(document.title, document.abstract) for document in documents]
    marked = replace(material_of(texts, seeds=30), negatives=20)
    found = scored("nnpu-cnn(epochs=4, batch=32, dropout=0, negatives=pnu)", marked).scores
    assert found.negatives.mean() < found.pool[:60].mean() - 0.5


# Training that goes wrong


def test_training_that_diverges_is_warned_of_once():
    found = scored("nnpu-cnn(epochs=2, loss=squared, spread=1e20)")
    (warning,) = found.warnings
    assert warning.startswith(
        "training diverged in epoch 1, and weights that have learned nothing are used"
    )
    assert np.isfinite([*found.scores.seeds, *found.scores.pool]).all()


def test_warnings_reach_a_fusion():
    assert len(scored("linear + nnpu-cnn(epochs=2, loss=squared, spread=1e20)").warnings) == 1


def test_scores_that_are_no_numbers_are_an_error_in_one_line():
    with pytest.raises(NotFiniteError, match="scores are not finite; look for weights") as caught:
        scored("nnpu-cnn(epochs=1, start=random, spread=1e38)")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("chosen", ["batch=1", "folds=1", "models=0", "epochs=0", "dropout=1"])
def test_what_can_not_be_trained_is_refused_before_any_work(chosen):
    with pytest.raises(SettingsError, match=f"{chosen.split('=')[0]} is a "):
        parse_method(f"nnpu-cnn({chosen})")


# A transformer

TRAINED = ["head", "cnn", "all", "cnn-all"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A tiny transformer, and documents in the few words that it knows."""
    pytest.importorskip("transformers", reason="the extra transformers is not installed")
    from features.tiny import save_tiny
    from likewise.features.huggingface import HuggingFace

    rng = np.random.default_rng(0)
    is_on = np.arange(70) < 30
    texts = [
        (
            "",
            " ".join(rng.choice(["insulin", "rat"] if on else ["sleep", "a"], rng.integers(1, 15))),
        )
        for on in is_on
    ]
    encoder = HuggingFace(str(save_tiny(tmp_path_factory.mktemp("models") / "tiny")))
    material = replace(material_of(texts, seeds=10), encoder=encoder)
    vectors = encoder.encode([document.text for document in material.documents])
    return material.with_views(VectorView(vectors)), is_on[10:]


def without_vectors(material):
    views = {name: view for name, view in material.views.items() if name != "vectors"}
    return replace(material, views=views)


def test_a_head_on_vectors_finds_hidden_documents(tiny):
    material, is_relevant = tiny
    found = scored("nnpu-transformer(epochs=15, batch=16)", material)
    assert above_hidden(found.scores, is_relevant) < 0.2


def test_vectors_are_made_where_there_are_none(tiny):
    material, _ = tiny
    name = "nnpu-transformer(epochs=1, trained=head)"
    bare = scored(name, without_vectors(material))
    assert is_same(bare.scores, scored(name, material).scores)


@pytest.mark.parametrize("trained", ["all", "cnn-all", "cnn"])
def test_all_of_a_transformer_may_be_trained_or_a_network_on_it(trained, tiny, monkeypatch):
    material, is_relevant = tiny
    # So tiny a model takes larger steps.
    monkeypatch.setattr(scorers, "LEARNING_RATE", 0.01)
    name = f"nnpu-transformer(epochs=4, batch=16, folds=2, trained={trained})"
    weights = {n: w.clone() for n, w in material.encoder.pretrained.model.state_dict().items()}
    found = scored(name, without_vectors(material))
    assert above_hidden(found.scores, is_relevant) < 0.2
    kept = material.encoder.pretrained.model.state_dict()
    assert all(torch.equal(weights[name], kept[name]) for name in weights)


@pytest.mark.parametrize("trained", ["all", "cnn-all", "cnn"])
def test_vectors_make_no_difference_where_texts_are_read(trained, tiny):
    material, _ = tiny
    name = f"nnpu-transformer(epochs=1, folds=2, trained={trained})"
    bare = scored(name, without_vectors(material))
    assert is_same(bare.scores, scored(name, material).scores)


@pytest.mark.parametrize(
    ("trained", "batch", "epochs"),
    [("head", 250, 15), ("cnn", 250, 15), ("all", 16, 3), ("cnn-all", 16, 3)],
)
def test_how_much_a_transformer_learns_from_is_usual_where_nothing_else_is_said(
    trained, batch, epochs, tiny, monkeypatch
):
    given, nothing = [], Scored(Scores(np.empty(0), np.empty(0)), None)
    monkeypatch.setattr(
        scorers, "_score_out_of_fold", lambda network, *_, **__: given.append(network) or nothing
    )
    scored(f"nnpu-transformer(trained={trained})", tiny[0])
    assert [(network.batch, network.settings.epochs) for network in given] == [(batch, epochs)]


@pytest.mark.parametrize("trained", TRAINED)
def test_a_transformer_tells_how_far_it_is(trained, tiny):
    _, heard = steps_of(f"nnpu-transformer(epochs=1, batch=32, trained={trained})", tiny[0])
    shares = [done / total for done, total, *_ in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("trained", "by"),
    [*((trained, "pnu") for trained in TRAINED), *(("head", w) for w in LEARNING[1:])],
)
def test_a_transformer_learns_from_negatives(trained, by, tiny):
    # The last twenty of seventy are off topic; the rows are turned so that they follow the seeds.
    material, _ = tiny
    order = [*range(10), *range(50, 70), *range(10, 50)]
    marked = replace(
        material.with_views(VectorView(material.vectors[order])),
        documents=[material.documents[number] for number in order],
        negatives=20,
    )
    found = scored(f"nnpu-transformer(epochs=1, negatives={by}, trained={trained})", marked).scores
    assert [len(part) for part in found] == [10, 40, 20]
    assert np.isfinite(np.concatenate(found)).all()


@pytest.mark.parametrize("trained", TRAINED)
@pytest.mark.parametrize("size", [1, 2])
def test_a_transformer_works_with_three_seeds_and_a_tiny_pool(trained, size, tiny):
    material = replace(
        material_of([("insulin", ""), ("", "rat"), ("", ""), *[("sleep", "a")] * size], seeds=3),
        encoder=tiny[0].encoder,
    )
    found = scored(f"nnpu-transformer(epochs=1, trained={trained})", material).scores
    assert np.isfinite([*found.seeds, *found.pool]).all()


def test_a_transformer_has_to_be_one_of_hugging_face():
    given = {known.name: known.default for known in METHODS["nnpu-transformer"].parameters}
    with pytest.raises(SettingsError, match="needs a Hugging Face encoder"):
        score_nnpu_transformer(SMALL.material, rng=np.random.default_rng(0), **given)
