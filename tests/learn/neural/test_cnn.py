"""The paper's CNN: what it computes quickly is what the plain way computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.neural.extra import torch
from learn.neural.scoring import few
from likewise.errors import SettingsError
from likewise.features import PADDING, Ragged
from likewise.learn.neural import cnn
from likewise.learn.neural.cnn import Filters, WordCNN
from likewise.learn.rows import Rows

WORDS = 12
words = st.lists(st.integers(1, WORDS - 1), max_size=9)
batches = st.lists(st.tuples(words, words), min_size=1, max_size=5)
# Longer than every window, as long as one, shorter, and of no words at all.
TEXTS = [
    ([2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 2, 3, 4, 5, 6]),
    ([2, 3, 4], [5, 6, 7, 8, 9]),
    ([2], [3, 4]),
    ([], []),
    ([], [7, 7, 7, 7, 7, 7, 7, 1]),
]


def rows_of(texts):
    return Rows(*(Ragged.of(kind) for kind in zip(*texts, strict=True)))


def made(**choices):
    """A small network of double precision."""
    torch.manual_seed(0)
    sizes = {"dimensions": 4, "title_filters": 3, "abstract_filters": 5}
    return WordCNN(WORDS, **sizes | choices).double()


def scores_of(texts, model=None):
    return (model or made())(rows_of(texts)).detach().numpy()


# The plain way


def plain_scores(model, texts, *, longest=0):
    """Embed, convolve, rectify, and take the maximum over what is not padding."""
    fields = zip((model.title, model.abstract), zip(*texts, strict=True), strict=True)
    features = [
        plain_features(model, filters, lists, longest=longest)
        for field, lists in fields
        for filters in field
    ]
    return model.head(torch.cat(features, dim=1)).squeeze(1)


def plain_features(model, filters, lists, *, longest):
    width = max(longest, filters.window, *map(len, lists))
    ids = torch.tensor([row + [PADDING] * (width - len(row)) for row in lists])
    embedded = torch.nn.functional.embedding(ids, model.embedding.weight, padding_idx=PADDING)
    kernel = filters.weight.permute(2, 1, 0)
    found = torch.nn.functional.conv1d(embedded.transpose(1, 2), kernel, filters.bias)
    last = torch.tensor([max(len(row) - filters.window, 0) for row in lists])
    is_padding = torch.arange(found.shape[2]) > last[:, None]
    return torch.relu(found.masked_fill(is_padding[:, None], -torch.inf).amax(dim=2))


def gradients(model, scores):
    # Each score weighs differently, so that they can't be taken for one another.
    weights = torch.arange(1.0, len(scores) + 1, dtype=scores.dtype)
    return torch.autograd.grad((scores * weights).sum(), list(model.parameters()))


def assert_same_gradients(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-12)


@few
@given(texts=batches)
def test_scores_are_those_of_the_plain_way(texts):
    model = made()
    assert scores_of(texts, model) == pytest.approx(plain_scores(model, texts).tolist())


@few
@given(texts=batches)
def test_gradients_are_those_of_the_plain_way(texts):
    model = made()
    assert_same_gradients(
        gradients(model, model(rows_of(texts))), gradients(model, plain_scores(model, texts))
    )


def test_both_ways_learn_from_every_kind_of_row():
    model = made()
    found = gradients(model, model(rows_of(TEXTS)))
    assert all(gradient.abs().sum() > 0 for gradient in found)
    assert_same_gradients(found, gradients(model, plain_scores(model, TEXTS)))


def test_how_far_the_plain_way_fills_rows_up_makes_no_difference():
    model = made()
    padded = plain_scores(model, TEXTS, longest=40)
    assert scores_of(TEXTS, model) == pytest.approx(padded.tolist())


def test_the_gradient_is_the_slope():
    runs = torch.tensor([[[1, 2], [2, 3]], [[3, 0], [3, 0]]])
    torch.manual_seed(0)
    inputs = [torch.randn(shape, dtype=torch.float64) for shape in ((4, 3), (2, 3, 2))]
    assert torch.autograd.gradcheck(
        lambda *given: cnn._BestWindow.apply(*given, runs),
        [each.requires_grad_() for each in inputs],
    )


def test_a_gradient_of_the_gradient_is_refused():
    weight = torch.ones(1, 1, 1, requires_grad=True)
    best = cnn._BestWindow.apply(torch.ones(2, 1), weight, torch.ones(1, 1, 1, dtype=torch.int64))
    (slope,) = torch.autograd.grad(best.sum() ** 2, weight, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_a_feature_is_the_best_run_of_words():
    model = made(dimensions=1, title_filters=1, abstract_filters=1, windows=(2,))
    with torch.no_grad():
        model.embedding.weight[2:6, 0] = torch.tensor([1.0, 5.0, 2.0, 4.0])
        for filters in (model.title[0], model.abstract[0]):
            # The second word counts ten times as much as the first.
            filters.weight[:, 0, 0] = torch.tensor([1.0, 10.0])
            filters.bias.fill_(0.5)
        model.head.weight.copy_(torch.tensor([[1.0, 1000.0]]))
        model.head.bias.zero_()
    # 1 + 50, 5 + 20 and 2 + 40 are the runs of the title; a word alone is the first of its run.
    assert scores_of([([2, 3, 4, 5], [5])], model) == pytest.approx([51.5 + 4500])


# Rows of any length, alone and together


def test_a_row_scores_the_same_alone_and_among_others():
    alone = [scores_of([text])[0] for text in TEXTS]
    assert scores_of(TEXTS) == pytest.approx(alone, abs=1e-12)
    much_longer = ([3] * 50, [4] * 200)
    assert scores_of([*TEXTS, much_longer])[:-1] == pytest.approx(alone, abs=1e-12)


def test_the_order_of_rows_changes_no_score():
    order = np.array([3, 1, 4, 0, 2])
    model, rows = made(), rows_of(TEXTS)
    assert torch.allclose(model(rows[order]), model(rows)[order], atol=1e-12)


def test_rows_picked_from_many_score_as_they_are():
    model, rows = made(), rows_of(TEXTS)
    picked = np.array([2, 2, 4])
    texts = [TEXTS[number] for number in picked]
    assert torch.allclose(model(rows[picked]), model(rows_of(texts)), atol=1e-12)


@pytest.mark.parametrize("tokens", [1, 7, 20])
def test_few_words_at_once_change_neither_scores_nor_gradients(tokens, monkeypatch):
    model = made()
    scores = model(rows_of(TEXTS))
    whole = gradients(model, scores)
    monkeypatch.setattr(cnn, "TOKENS_AT_ONCE", tokens)
    assert torch.allclose(model(rows_of(TEXTS)), scores, atol=1e-12)
    assert_same_gradients(gradients(model, model(rows_of(TEXTS))), whole)


@pytest.mark.parametrize(
    "texts", [[([], [])], [([], [])] * 3, [([], [2, 3]), ([], [4])], [([2, 3], []), ([4], [])]]
)
def test_a_field_may_be_empty_in_a_whole_batch(texts):
    model = made()
    assert scores_of(texts, model) == pytest.approx(plain_scores(model, texts).tolist())
    assert_same_gradients(
        gradients(model, model(rows_of(texts))), gradients(model, plain_scores(model, texts))
    )


def test_no_rows_have_no_scores():
    scores = made()(rows_of(TEXTS)[:0])
    assert scores.shape == (0,)
    scores.sum().backward()


def test_padding_stays_what_it_is():
    model = made(spread=3.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, weight_decay=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(rows_of(TEXTS)).sum().backward()
        optimizer.step()
    assert not model.embedding.weight[PADDING].any()


# The network


def test_it_has_the_papers_sizes():
    model = WordCNN(30)
    assert model.embedding.weight.shape == (30, 50)
    shapes = [tuple(filters.weight.shape) for filters in (*model.title, *model.abstract)]
    assert shapes == [(3, 50, 50), (5, 50, 50), (3, 50, 100), (5, 50, 100)]
    assert model.head.weight.shape == (1, 300)


def test_filters_start_as_torchs_own_convolution_does():
    torch.manual_seed(0)
    plain = torch.nn.Conv1d(4, 3, 5)
    torch.manual_seed(0)
    filters = Filters(4, 3, window=5)
    assert torch.equal(filters.weight, plain.weight.permute(2, 1, 0))
    assert torch.equal(filters.bias, plain.bias)


def test_the_spread_is_the_deviation_of_the_embeddings():
    torch.manual_seed(0)
    embeddings = WordCNN(2000, spread=0.1).embedding.weight[1:]
    assert embeddings.std().item() == pytest.approx(0.1, rel=0.02)


def test_features_are_dropped_out_in_training_alone():
    model = made(dropout=0.5)
    assert scores_of(TEXTS, model.eval()) == pytest.approx(scores_of(TEXTS))
    torch.manual_seed(1)
    first, second = (scores_of(TEXTS, model.train()) for _ in range(2))
    assert (first != second).any()


@pytest.mark.parametrize("dropout", [-0.1, 1, 2])
def test_everything_can_not_be_dropped_out(dropout):
    with pytest.raises(SettingsError, match="it is at least 0 and less than 1"):
        WordCNN(WORDS, dropout=dropout)


def test_rows_of_another_vocabulary_are_refused():
    with pytest.raises(SettingsError, match="word 12 is beyond this network, which has 12 words"):
        scores_of([([2], [12])])


def test_it_scores_the_same_after_its_weights_were_kept():
    other = made(spread=2.0)
    other.load_state_dict(made().state_dict())
    assert (scores_of(TEXTS, other) == scores_of(TEXTS)).all()
