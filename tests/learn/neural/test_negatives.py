"""Networks that learn from known negatives too."""

import numpy as np
import pytest

from learn.neural.extra import torch
from likewise.errors import SettingsError
from likewise.learn.folds import measure_scale, share_above
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.losses import squared
from likewise.learn.neural.negatives import WAYS, NetworkWithNegatives
from likewise.learn.neural.pubn import Labelling
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU, PN, PNU, UPU
from likewise.learn.neural.transformer import LinearHead

RISK = NNPU(prior=0.4, beta=0.1, gamma=0.5, loss=squared)
SETTINGS = TrainingSettings(epochs=3, learning_rate=0.01)


class Recorded(PUNetwork):
    """Remembers what every copy of it learned with."""

    log: list

    def learn(self, positive, unlabeled, negative=None):
        off = None if negative is None else negative.shape[0]
        self.log.append((self.risk, self.loop, off))
        return super().learn(positive, unlabeled, negative)


def network(**others):
    given = {"risk": NNPU(prior=0.4), "batch": 20, "settings": SETTINGS} | others
    made = Recorded(lambda rows: LinearHead(rows.shape[1]), **given)
    made.log = []
    return made


def rows(*sizes):
    """Return groups of so many rows on topic, which are further to the right, and so many off."""
    rng = np.random.default_rng(0)
    return [
        np.append(rng.normal(1.5, 1, (on, 2)), rng.normal(-0.5, 1, (off, 2)), 0)
        for on, off in sizes
    ]


POSITIVE, UNLABELED, NEGATIVE = rows((12, 0), (30, 70), (0, 9))


def learned(by, *, negative=NEGATIVE, weight=0.5, **others):
    model = NetworkWithNegatives(network(**others), by=by, weight=weight)
    return model.learn(POSITIVE, UNLABELED, negative)


@pytest.mark.parametrize("by", WAYS)
def test_every_way_ranks_what_is_on_topic_first(by):
    settings = TrainingSettings(epochs=5, learning_rate=0.1)
    scores = learned(by, settings=settings).decision_function(UNLABELED)
    # By chance, half of the others would stand above one that is on topic.
    assert share_above(scores[:30], scores[30:]).mean() < 0.2


@pytest.mark.parametrize("by", WAYS)
def test_without_negatives_every_way_is_its_network(by):
    alone = network().learn(POSITIVE, UNLABELED).decision_function(UNLABELED)
    assert (learned(by, negative=None).decision_function(UNLABELED) == alone).all()


@pytest.mark.parametrize(
    ("by", "risks"),
    [
        ("pnu", [PNU(prior=0.4, weight=0.3, beta=0.1, gamma=0.5, loss=squared)]),
        ("pn", [PN(prior=0.4, loss=squared)]),
        ("ensemble", [PN(prior=0.4, loss=squared), RISK]),
        # A quarter of the 0.6 that are off topic.
        ("pubn", [Labelling(prior=0.4, biased=0.15, beta=0.1, gamma=0.5)]),
    ],
)
def test_the_risks_have_the_settings_of_the_networks_own(by, risks):
    model = learned(by, weight=0.3, risk=RISK)
    assert [risk for risk, *_ in model.network.log] == risks


def test_the_risk_that_knows_no_negatives_is_given_none():
    model = learned("ensemble")
    assert [off for *_, off in model.network.log] == [9, None]


@pytest.mark.parametrize("by", ["pnu", "pn", "pubn"])
def test_an_epoch_is_a_loop_through_the_positives_however_few_negatives_there_are(by):
    model = learned(by, negative=NEGATIVE[:1])
    assert {loop for _, loop, _ in model.network.log} == {"positive"}


def steps_of(by, negative=NEGATIVE, **others):
    heard = []
    learned(by, negative=negative, on_step=lambda *told: heard.append(told), **others)
    return heard


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("models", [1, 2])
def test_progress_goes_up_to_its_end_and_never_back(by, models):
    shares = [done / total for done, total, _ in steps_of(by, models=models)]
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize(("negative", "steps"), [(NEGATIVE, 12), (NEGATIVE[:1], 12)])
def test_positives_and_negatives_take_as_many_steps_as_positives_and_pool(negative, steps):
    # A batch of 20 of 112 has 3 of the 12 positives: 4 batches in each of 3 epochs.
    assert len([note for *_, note in steps_of("pn", negative) if note.startswith("risk")]) == steps


def test_an_ensemble_is_the_mean_of_scores_of_the_same_scale():
    model = learned("ensemble")
    parts = [part.decision_function(UNLABELED) for part in model.parts_]
    scaled = [(scores - measure_scale(scores)[0]) / measure_scale(scores)[1] for scores in parts]
    assert model.decision_function(UNLABELED) == pytest.approx((scaled[0] + scaled[1]) / 2)


def test_the_warnings_of_all_networks_are_told():
    diverging = TrainingSettings(epochs=2, learning_rate=1e20)
    found = learned("ensemble", risk=RISK, settings=diverging).warnings_
    assert len(found) == 2
    assert all("training diverged" in warning for warning in found)


def test_what_learns_from_negatives_leaves_the_network_as_it_was():
    before = network(risk=RISK)
    NetworkWithNegatives(before, by="pnu").learn(POSITIVE, UNLABELED, NEGATIVE)
    assert (before.risk, before.loop, before.settings) == (RISK, "smallest", SETTINGS)
    assert not hasattr(before, "models_")


def test_the_same_number_gives_the_same_scores():
    first = learned("ensemble").decision_function(UNLABELED)
    torch.manual_seed(5)
    assert (learned("ensemble").decision_function(UNLABELED) == first).all()


def test_a_network_with_another_risk_is_refused():
    with pytest.raises(SettingsError, match="risk is UPU; to learn from negatives, give it"):
        learned("pnu", risk=UPU(prior=0.4))
