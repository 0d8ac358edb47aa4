"""A transformer that scores texts: a tiny one, with random weights."""

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

import torch

from features.tiny import save_tiny
from likewise.errors import SettingsError
from likewise.features.pretrained import load_pretrained
from likewise.features.tokens import Ragged, TokenizedTexts
from likewise.learn.neural import transformer
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU
from likewise.learn.neural.transformer import TransformerClassifier, TransformerNetwork

TEXTS = ["insulin rats", "insulin rats sleep " * 9, "sleep", "", "rats sleep insulin sleep"]


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory):
    return load_pretrained(save_tiny(tmp_path_factory.mktemp("tiny")))


@pytest.fixture
def rows(pretrained):
    return pretrained.tokenize(TEXTS)


def made(pretrained, **choices):
    torch.manual_seed(0)
    return TransformerClassifier(pretrained, **choices)


def test_a_score_for_each_row(pretrained, rows):
    assert made(pretrained)(rows).shape == (5,)


def test_no_rows_have_no_scores(pretrained, rows):
    assert made(pretrained)(rows[:0]).shape == (0,)


def test_a_row_scores_the_same_alone_and_among_others(pretrained, rows):
    model = made(pretrained).eval()
    alone = torch.cat([model(rows[np.array([row])]) for row in range(5)])
    assert model(rows).detach().numpy() == pytest.approx(alone.detach().numpy(), abs=1e-6)


def test_the_order_of_rows_changes_no_score(pretrained, rows):
    model, order = made(pretrained).eval(), np.array([3, 1, 4, 0, 2])
    assert torch.allclose(model(rows[order]), model(rows)[order], atol=1e-6)


def test_small_chunks_change_neither_scores_nor_gradients(pretrained, rows, monkeypatch):
    def gradient():
        model = made(pretrained).eval()
        model(rows).square().sum().backward()
        return model.transformer.embeddings.word_embeddings.weight.grad

    whole = gradient()
    monkeypatch.setattr(transformer, "TOKENS_AT_ONCE", 1)
    assert torch.allclose(gradient(), whole, atol=1e-5)


def test_the_score_is_linear_in_the_vector(pretrained, rows):
    model = made(pretrained).eval()
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.fill_(0.5)
    assert model(rows).tolist() == [0.5] * 5


def test_everything_that_is_used_learns(pretrained, rows):
    model = made(pretrained)
    model(rows).sum().backward()
    used = [p for name, p in model.named_parameters() if "pooler" not in name]
    assert all(parameter.grad is not None for parameter in used)


def test_only_the_head_learns_if_frozen(pretrained, rows):
    model = made(pretrained, frozen=True)
    model(rows).sum().backward()
    learning = [name for name, p in model.named_parameters() if p.grad is not None]
    assert learning == ["head.weight", "head.bias"]


def test_nothing_drops_out_of_what_is_frozen(pretrained, rows):
    model = made(pretrained, frozen=True).train()
    assert (model(rows) == model(rows)).all()


def test_something_drops_out_in_training(pretrained, rows):
    model = made(pretrained).train()
    assert (model(rows) != model(rows)).any()


def test_the_pretrained_model_stays_as_it_is(pretrained, rows):
    before = pretrained.model.embeddings.word_embeddings.weight.clone()
    model = made(pretrained)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(rows).sum().backward()
    optimizer.step()
    assert (pretrained.model.embeddings.word_embeddings.weight == before).all()
    assert not pretrained.model.training


def test_it_can_be_taught(pretrained, rows):
    model, targets = made(pretrained), torch.tensor([1.0, 0, 1, 0, 1])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(40):
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model(rows), targets).backward()
        optimizer.step()
    assert ((model.eval()(rows) > 0) == (targets == 1)).all()


def test_a_pooling_that_there_is_not_is_named(pretrained):
    with pytest.raises(SettingsError, match="pooling is 'max'"):
        TransformerClassifier(pretrained, pooling="max")


def of_words(*words):
    return TokenizedTexts(Ragged.of([[7]] * len(words)), np.array(words))


@pytest.fixture
def learned_from(monkeypatch):
    """What a network is given to learn from, as the numbers of words."""
    given = []
    monkeypatch.setattr(PUNetwork, "learn", lambda self, *groups: given.extend(groups))
    return given


def test_documents_over_600_words_are_not_learned_from(learned_from):
    network = TransformerNetwork(lambda _: None, risk=NNPU(prior=0.5))
    network.learn(of_words(5, 601), of_words(600, 700, 8), of_words(900, 1))
    assert [texts.words.tolist() for texts in learned_from] == [[5], [600, 8], [1]]


def test_a_group_of_nothing_but_long_documents_is_learned_from(learned_from):
    TransformerNetwork(lambda _: None, risk=NNPU(prior=0.5)).learn(of_words(601), of_words(3))
    assert learned_from[0].words.tolist() == [601]
    assert learned_from[2] is None


def test_it_learns_from_seeds_and_pool_and_scores_long_documents_too(pretrained):
    seeds = pretrained.tokenize(["insulin rats"] * 4 + ["insulin " * 700])
    pool = pretrained.tokenize(["sleep " * n for n in range(1, 9)] + ["rats insulin"] * 2)
    network = TransformerNetwork(
        lambda _: TransformerClassifier(pretrained),
        risk=NNPU(prior=0.2),
        batch=10,
        settings=TrainingSettings(epochs=8, learning_rate=0.01),
    ).learn(seeds, pool)
    assert network.decision_function(seeds).shape == (5,)
    scores = network.decision_function(pool)
    assert scores[8:].min() > scores[:8].max()
