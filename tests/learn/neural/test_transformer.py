"""Networks over a transformer: a tiny one, with random weights."""

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

import torch

from features.tiny import save_tiny
from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.features import MOST_WORDS, Ragged, TokenizedTexts
from likewise.features.huggingface import HuggingFace
from likewise.features.pretrained import load_pretrained
from likewise.learn.neural import transformer
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU
from likewise.learn.neural.transformer import (
    LEARNING_RATE,
    FrozenCNN,
    TransformerClassifier,
    TransformerNetwork,
    TunedCNN,
    drop_long_rows,
    make_contextual_rows,
)
from likewise.learn.rows import Rows

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


# As long as the model's limit, beyond it, shorter than a filter's window, and of no words.
DOCUMENTS = [
    Document(title="insulin rats", abstract="sleep a rat " * 2),
    Document(title="sleep", abstract="insulin rats sleep " * 9),
    Document(title="", abstract="rat sleep insulin sleep a"),
    Document(title="a sleep a sleep a rat", abstract=""),
    Document(),
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return HuggingFace(str(save_tiny(tmp_path_factory.mktemp("tiny"))))


@pytest.fixture(scope="module")
def frozen(encoder):
    return make_contextual_rows(encoder, DOCUMENTS, frozen=True)


@pytest.fixture(scope="module")
def tuned(encoder):
    return make_contextual_rows(encoder, DOCUMENTS, frozen=False)


def made_frozen(**filters):
    torch.manual_seed(0)
    return FrozenCNN(16, **filters).eval()


def made_tuned(encoder, **filters):
    torch.manual_seed(0)
    return TunedCNN(encoder.pretrained, **filters).eval()


def plain_scores(model, states, *, longest=40):
    """Convolve, rectify, and take the maximum over runs that are not padding."""
    features = []
    for filters_of, kind in ((model.title, states.kinds[0]), (model.abstract, states.kinds[1])):
        rows = [torch.tensor(np.array(kind.row(n), np.float32)) for n in range(kind.shape[0])]
        padded = torch.stack([torch.cat([r, torch.zeros(longest - len(r), 16)]) for r in rows])
        for filters in filters_of:
            kernel = filters.weight.permute(2, 1, 0)
            found = torch.nn.functional.conv1d(padded.transpose(1, 2), kernel, filters.bias)
            last = torch.tensor([max(len(row) - filters.window, 0) for row in rows])
            outside = torch.arange(found.shape[2]) > last[:, None]
            features.append(found.masked_fill(outside[:, None], -torch.inf).amax(dim=2))
    return model.head(torch.relu(torch.cat(features, dim=1))).squeeze(1)


# Rows


def test_title_and_abstract_are_read_apart(tuned, encoder):
    titles, abstracts, _ = tuned.kinds
    pieces = [encoder.tokenize([text]).pieces.values.tolist() for text in ("sleep", "insulin rats")]
    assert titles.row(1).tolist() == pieces[0]
    assert abstracts.row(1)[:3].tolist() == pieces[1]


def test_words_of_both_fields_are_counted(tuned):
    assert tuned.kinds[2].tolist() == [2 + 6, 1 + 27, 0 + 5, 6 + 0, 0]


def test_frozen_rows_have_the_states_of_the_pieces(frozen, tuned):
    assert [kind.lengths.tolist() for kind in frozen.kinds[:2]] == [
        kind.lengths.tolist() for kind in tuned.kinds[:2]
    ]
    assert frozen.kinds[0].values.shape[1] == 16


def test_rows_can_be_picked(frozen):
    picked = frozen[np.array([2, 0])]
    assert picked.kinds[2].tolist() == [5, 8]
    model = made_frozen()
    assert torch.allclose(model(picked), model(frozen)[[2, 0]], atol=1e-6)


# Networks


def test_it_has_the_papers_sizes(encoder):
    # 100 filters for the title and 200 for the abstract, split evenly between windows of 3 and 5.
    for model in (made_frozen(), made_tuned(encoder)):
        shapes = [tuple(filters.weight.shape) for filters in (*model.title, *model.abstract)]
        assert shapes == [(3, 16, 50), (5, 16, 50), (3, 16, 100), (5, 16, 100)]
        assert model.head.weight.shape == (1, 300)


def test_scores_are_those_of_a_plain_convolution(frozen):
    model = made_frozen()
    assert torch.allclose(model(frozen), plain_scores(model, frozen), atol=1e-5)


def test_gradients_are_those_of_a_plain_convolution(frozen):
    model, weights = made_frozen(), torch.arange(1.0, 6.0)
    found, expected = (
        torch.autograd.grad((scores * weights).sum(), list(model.parameters()))
        for scores in (model(frozen), plain_scores(model, frozen))
    )
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)


def test_before_training_frozen_and_tuned_are_the_same_but_for_half_precision(
    encoder, frozen, tuned
):
    assert torch.allclose(made_frozen()(frozen), made_tuned(encoder)(tuned), atol=2e-3)


def test_a_row_scores_the_same_by_the_cnn_alone_and_among_others(encoder, tuned):
    model = made_tuned(encoder)
    alone = torch.cat([model(tuned[np.array([row])]) for row in range(5)])
    assert torch.allclose(model(tuned), alone, atol=1e-5)


def test_many_rows_are_scored_a_few_at_a_time(frozen, monkeypatch):
    model = made_frozen()
    whole, sizes = model(frozen), []
    monkeypatch.setattr(transformer, "ROWS_AT_ONCE", 2)
    embed = model.embed_fields
    monkeypatch.setattr(model, "embed_fields", lambda *f: sizes.append(f[0].shape[0]) or embed(*f))
    with torch.no_grad():
        assert torch.allclose(model(frozen), whole, atol=1e-6)
    assert sizes == [2, 2, 1]


def test_no_rows_have_no_scores_by_the_cnn(encoder, frozen, tuned):
    assert made_frozen()(frozen[:0]).shape == (0,)
    assert made_tuned(encoder)(tuned[:0]).shape == (0,)


def test_what_is_tuned_learns_whole(encoder, tuned):
    model = made_tuned(encoder)
    model(tuned).sum().backward()
    unused = [name for name, p in model.named_parameters() if p.grad is None]
    assert all("pooler" in name for name in unused)


# Learning


def cnn_network(build, **chosen):
    settings = TrainingSettings(epochs=3, learning_rate=0.01)
    usual = {"risk": NNPU(prior=0.3), "batch": 8, "settings": settings}
    return TransformerNetwork(build, **usual | chosen)


ON = [Document(title="insulin", abstract="rats insulin rats insulin")] * 6
OFF = [Document(title="sleep", abstract="a sleep " * count) for count in range(1, 13)]


@pytest.mark.parametrize("is_frozen", [True, False])
def test_it_learns_to_tell_the_topic(encoder, is_frozen):
    rows = make_contextual_rows(encoder, [*ON, *OFF, *ON[:4]], frozen=is_frozen)
    build = made_frozen if is_frozen else lambda: made_tuned(encoder)
    learned = cnn_network(lambda _: build()).learn(rows[:6], rows[6:])
    scores = learned.decision_function(rows[6:])
    assert scores[12:].min() > scores[:12].max()


def same_weights(model, other):
    ours, theirs = model.state_dict(), other.state_dict()
    return [name for name in ours if torch.equal(ours[name], theirs[name])]


def test_tuning_changes_the_copy_and_never_the_transformer_itself(encoder):
    before = {n: w.clone() for n, w in encoder.pretrained.model.state_dict().items()}
    rows = make_contextual_rows(encoder, [*ON, *OFF], frozen=False)
    learned = cnn_network(lambda _: made_tuned(encoder)).learn(rows[:6], rows[6:])
    kept = encoder.pretrained.model.state_dict()
    assert all(torch.equal(before[name], kept[name]) for name in before)
    same = same_weights(learned.models_[0].transformer, encoder.pretrained.model)
    # What is above the states is not used, and places beyond the texts' are never seen.
    assert all("pooler" in name for name in same)


def test_what_is_frozen_has_no_weights_of_the_transformer_to_change(encoder):
    before = {n: w.clone() for n, w in encoder.pretrained.model.state_dict().items()}
    rows = make_contextual_rows(encoder, [*ON, *OFF], frozen=True)
    learned = cnn_network(lambda _: made_frozen()).learn(rows[:6], rows[6:])
    kept = encoder.pretrained.model.state_dict()
    assert all(torch.equal(before[name], kept[name]) for name in before)
    names = {name.split(".")[0] for name in learned.models_[0].state_dict()}
    assert names == {"title", "abstract", "head"}


def test_documents_over_600_words_are_scored_and_not_learned_from(encoder, monkeypatch):
    given, learn = [], PUNetwork.learn

    def watched(self, *groups):
        given.extend(groups)
        return learn(self, *groups)

    monkeypatch.setattr(PUNetwork, "learn", watched)
    long = Document(title="insulin", abstract="rat " * MOST_WORDS)
    rows = make_contextual_rows(encoder, [*ON, long, *OFF, long], frozen=True)
    learned = cnn_network(lambda _: made_frozen()).learn(rows[:7], rows[7:])
    assert [group.shape[0] for group in given[:2]] == [6, 12]
    assert np.isfinite(learned.decision_function(rows)).all()
    assert rows.shape == (20,)


def test_a_text_of_exactly_600_words_is_not_too_long():
    texts = TokenizedTexts(Ragged.of([[1], [1]]), np.array([600, 601]))
    assert drop_long_rows(texts).words.tolist() == [600]


def test_words_are_counted_not_pieces():
    texts = TokenizedTexts(Ragged.of([[1, 2, 3], [1]]), np.array([2, 3]))
    assert drop_long_rows(texts, 2).words.tolist() == [2]


def test_the_rate_is_the_papers():
    assert LEARNING_RATE == 5e-5


@pytest.mark.parametrize("is_frozen", [True, False])
def test_what_is_saved_scores_as_before(encoder, is_frozen, tmp_path):
    rows: Rows = make_contextual_rows(encoder, [*ON, *OFF], frozen=is_frozen)

    def build(_):
        return FrozenCNN(16) if is_frozen else TunedCNN(encoder.pretrained)

    learned = cnn_network(build).learn(rows[:6], rows[6:])
    learned.save(tmp_path / "cnn_network")
    loaded = TransformerNetwork.load(tmp_path / "cnn_network", build)
    assert (loaded.decision_function(rows) == learned.decision_function(rows)).all()
