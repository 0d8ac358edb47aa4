"""The paper's network over a transformer's states, by its protocol: a tiny transformer."""

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

import torch

from bench.made import BOTH, CATS, DOGS, made_task
from features.tiny import save_tiny
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.network_rows import TaskDocuments
from likewise.bench.methods.networks import USUAL, NetworkSettings, train_network
from likewise.bench.methods.supervision import deal_supervisions
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import SettingsError
from likewise.features.encoders import encoder_named
from likewise.learn.neural.transformer import FrozenCNN, TunedCNN

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *CATS, *DOGS, *BOTH, "long"]
QUICK = {
    "encoder": "embeddings=encoder, batch=16, epochs=6, learning_rate=0.01",
    "tuned": "embeddings=tuned, batch=16, epochs=3, learning_rate=0.003",
}
PRETRAINED = ["encoder", "tuned"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = save_tiny(tmp_path_factory.mktemp("models") / "tiny", vocab_size=len(WORDS))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    return encoder_named(str(folder))


def viewed(encoder, *, long=(), **made):
    task, truth = made_task(**made)
    for name in long:
        task.documents[name] = task.documents[name].__class__(id=name, abstract="long " * 601)
    return TaskView(task, CountedTerms(), encoder), truth


def rng():
    return np.random.default_rng(0)


def separated(answer, truth):
    on = np.array([name in truth.relevant for name in answer.ids])
    return (answer.scores[on, None] > answer.scores[None, ~on]).mean()


def network(embeddings, **chosen):
    usual = {"risk": "nnpu", "prior": 0.5, "loss": "sigmoid", "batch": "auto", "epochs": 1}
    usual |= {"batching": "proportional", "models": 1, "start": "random"}
    return NetworkSettings(embeddings=embeddings, **usual | chosen)


@pytest.mark.parametrize("embeddings", PRETRAINED)
def test_it_learns_to_tell_the_topic_and_decides_at_0(embeddings, encoder):
    view, truth = viewed(encoder)
    answer = parse_bench_method(f"cnn({QUICK[embeddings]})").answer(view, rng=rng())
    assert list(answer.ids) == view.measured
    assert separated(answer, truth) > 0.95
    assert (answer.decided == (answer.scores > 0)).all()


@pytest.mark.parametrize("embeddings", PRETRAINED)
def test_its_upper_bound_reads_the_same(embeddings, encoder):
    view, truth = viewed(encoder)
    method = parse_bench_method(f"upper-bound-cnn({QUICK[embeddings]})")
    assert separated(method.answer(view, rng=rng(), truth=truth), truth) > 0.95


def test_risks_of_two_steps_read_them_too(encoder):
    view, truth = viewed(encoder, negatives=12)
    answer = parse_bench_method(f"cnn(risk=pubn, {QUICK['encoder']})").answer(view, rng=rng())
    assert separated(answer, truth) > 0.9


@pytest.mark.parametrize("embeddings", PRETRAINED)
def test_the_same_numbers_give_the_same_answer(embeddings, encoder):
    view, _ = viewed(encoder)
    method = parse_bench_method(f"cnn(embeddings={embeddings}, epochs=1)")
    first = method.answer(view, rng=rng())
    torch.manual_seed(99)
    assert (method.answer(view, rng=rng()).scores == first.scores).all()


def test_tuning_changes_a_copy_of_the_transformer_alone(encoder):
    before = {n: w.clone() for n, w in encoder.pretrained.model.state_dict().items()}
    rows = TaskDocuments(viewed(encoder)[0], embeddings="tuned").split_rows(rng=rng())
    learned = train_network(network("tuned"), rows, seed=0).model
    kept, tuned = encoder.pretrained.model.state_dict(), learned.transformer.state_dict()
    assert all(torch.equal(before[name], kept[name]) for name in before)
    name = "embeddings.word_embeddings.weight"
    assert not torch.equal(before[name], tuned[name])


@pytest.mark.parametrize(("embeddings", "kind"), [("encoder", FrozenCNN), ("tuned", TunedCNN)])
def test_what_is_trained(embeddings, kind, encoder):
    rows = TaskDocuments(viewed(encoder)[0], embeddings=embeddings).split_rows(rng=rng())
    assert type(rows.embedded.build_model(start="random", rng=rng())) is kind


# Long documents


def sizes(examples):
    return [getattr(examples, g).shape[0] for g in ("positive", "unlabeled", "negative")]


def test_documents_over_600_words_are_measured_and_not_learned_from(encoder):
    # Of the pool, cat0, dog0, cat1 and dog1 are for training, cat2 and dog2 for validation, cat3
    # and dog3 for testing; of the seeds every third is for validation.
    long = ["seed0", "cat0", "dog2", "dog3"]
    plain, cut = (
        TaskDocuments(viewed(encoder, long=names, seeds=9)[0], embeddings="tuned").split_rows(
            rng=rng()
        )
        for names in ([], long)
    )
    assert sizes(plain.learned) == [6, 40, 0]
    assert sizes(cut.learned) == [5, 39, 0]
    assert sizes(plain.validation) == [3, 20, 0]
    assert sizes(cut.validation) == [3, 19, 0]
    assert cut.measured.shape == plain.measured.shape == (20,)


def test_the_upper_bound_does_not_learn_from_them_either(encoder):
    view, truth = viewed(encoder, long=["seed0", "cat0", "dog3"], seeds=9)
    relevant = np.array([name in truth.relevant for name in view.pool])
    (part,) = deal_supervisions(view, rng=rng())
    numbered = TaskDocuments(view, embeddings="tuned")
    rows = numbered.split_by_truth(relevant, part=part, rng=rng())
    on = int(relevant[part.learned].sum())
    assert sizes(rows.learned) == [6 + on - 2, 0, 40 - on]
    assert rows.measured.shape == (20,)


def test_networks_over_words_learn_from_long_documents(encoder):
    rows = TaskDocuments(viewed(encoder, long=["seed0", "cat0"], seeds=9)[0]).split_rows(rng=rng())
    assert sizes(rows.learned) == [6, 40, 0]


# Settings


def test_the_papers_rate_and_batches_are_usual():
    assert USUAL["tuned"] == (16, 5e-5)
    assert network("tuned").settings.learning_rate == 5e-5
    assert network("encoder").settings.learning_rate == 0.001
    assert network("tuned", learning_rate=0.1).settings.learning_rate == 0.1


@pytest.mark.parametrize(("embeddings", "most"), [("words", 1000), ("encoder", 250), ("tuned", 16)])
def test_batches_are_as_large_as_memory_allows(embeddings, most):
    groups = {"positive": 50, "unlabeled": 20_000}
    assert network(embeddings).cut_batches(groups).size == most
    assert network(embeddings, batch=40).cut_batches(groups).size == 40


def test_progress_is_told_to_the_end_while_it_reads_and_while_it_learns(encoder):
    view, _ = viewed(encoder)
    heard = []
    parse_bench_method("cnn(embeddings=encoder, epochs=1, batch=16)").answer(
        view, rng=rng(), on_step=lambda done, total, note="": heard.append((done / total, note))
    )
    shares = [share for share, _ in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert heard[0][1] == "reading with the transformer"


@pytest.mark.parametrize("method", ["cnn", "vpu", "upper-bound-cnn", "random + cnn"])
@pytest.mark.parametrize("embeddings", PRETRAINED)
def test_an_encoder_of_hugging_face_is_needed_before_any_work(method, embeddings, encoder):
    chosen = parse_bench_method(f"{method}(embeddings={embeddings})")
    with pytest.raises(SettingsError, match="needs a Hugging Face encoder, but there is none"):
        chosen.check(encoder=None)
    chosen.check(encoder=encoder)
    parse_bench_method(method).check(encoder=None)


def test_a_task_without_an_encoder_is_told_in_one_line():
    view, _ = viewed(None)
    with pytest.raises(SettingsError, match=r"^cnn\(embeddings=tuned\) needs a Hugging"):
        parse_bench_method("cnn(embeddings=tuned)").answer(view, rng=rng())


def test_networks_of_different_embeddings_are_not_averaged():
    with pytest.raises(SettingsError, match="averaged networks must read the same embeddings"):
        parse_bench_method("cnn + cnn(embeddings=encoder)")
