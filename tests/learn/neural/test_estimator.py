"""Networks as estimators; the contract of all estimators is in tests/learn/test_estimators.py."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from learn.neural.extra import torch
from likewise.errors import NotFiniteError, ReadError, ScoresError, SettingsError
from likewise.learn.folds import measure_scale, out_of_fold
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.grouped_rows import GroupedRows, RiskOnRows, group_rows, score_rows
from likewise.learn.neural.losses import sigmoid
from likewise.learn.neural.negatives import PUbNNetwork
from likewise.learn.neural.pubn import Labelling, PUbN
from likewise.learn.neural.records import History, TrainingSettings
from likewise.learn.neural.risks import NNPU, PN, PNU, UPU
from likewise.learn.neural.transformer import LinearHead, MLPHead
from likewise.learn.rows import LabelledRows, Rows, make_labels, stack_rows

OLD = Path(__file__).parents[2] / "data" / "old"
RNG = np.random.default_rng(1)
SEEDS = RNG.normal(1.5, 1, (12, 2))
NEGATIVE = RNG.normal(-1.5, 1, (12, 2))
HIDDEN = RNG.normal(1.5, 1, (20, 2))
POOL = np.concatenate([HIDDEN, RNG.normal(-1.5, 1, (60, 2))])
SETTINGS = TrainingSettings(epochs=10, learning_rate=0.05)
BRIEF = replace(SETTINGS, epochs=2)
"""For what trains many times."""


def labelled(*groups):
    """Rows of groups as one, and their labels."""
    return stack_rows(groups), make_labels(LabelledRows(*groups))


def linear(rows):
    return LinearHead(rows.shape[1])


def network(**others):
    given = {"risk": NNPU(prior=0.25), "batch": 24, "settings": SETTINGS}
    return PUNetwork(others.pop("build", linear), **given | others)


def area(scores):
    """The chance that a hidden positive scores higher than another document of the pool."""
    first = len(HIDDEN)
    least = first * (first + 1) / 2
    return (rankdata(scores)[:first].sum() - least) / first / (len(scores) - first)


@pytest.mark.parametrize(
    "risk", [NNPU(prior=0.25), UPU(prior=0.25), PN(prior=0.5), PNU(prior=0.25)]
)
def test_two_clouds_are_told_apart(risk):
    learned = network(risk=risk).learn(SEEDS, POOL, NEGATIVE)
    assert area(learned.decision_function(POOL)) > 0.95


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_an_mlp_learns_too(kind):
    mlp = network(build=lambda rows: MLPHead(rows.shape[1], hidden=(8,), dropout=0.2))
    learned = mlp.learn(kind(SEEDS), kind(POOL))
    assert area(learned.decision_function(kind(POOL))) > 0.95


def test_scores_are_of_double_precision():
    scores = network().learn(SEEDS, POOL).decision_function(POOL)
    assert (scores.dtype, scores.shape) == (np.float64, (80,))


def test_no_rows_have_no_scores():
    assert network().learn(SEEDS, POOL).decision_function(POOL[:0]).shape == (0,)


def test_scores_do_not_depend_on_the_rows_beside():
    learned = network().learn(SEEDS, POOL)
    assert learned.decision_function(POOL)[37:38] == pytest.approx(
        learned.decision_function(POOL[37:38])
    )


class TestRandomness:
    def test_learning_again_gives_the_same(self):
        first = network().learn(SEEDS, POOL).decision_function(POOL)
        torch.rand(9)
        assert (network().learn(SEEDS, POOL).decision_function(POOL) == first).all()

    def test_another_seed_gives_something_else(self):
        first = network().learn(SEEDS, POOL).decision_function(POOL)
        other = network(settings=replace(SETTINGS, seed=4)).learn(SEEDS, POOL)
        assert (other.decision_function(POOL) != first).any()

    def test_the_randomness_of_the_program_around_it_is_left_alone(self):
        state = torch.get_rng_state()
        network(validation=0.3).learn(SEEDS, POOL).decision_function(POOL)
        assert torch.equal(torch.get_rng_state(), state)

    def test_a_copy_learns_for_itself_and_from_fresh_weights(self):
        learned = network().learn(SEEDS, POOL)
        before = learned.decision_function(POOL)
        other = copy.copy(learned).learn(SEEDS[:6], POOL[10:])
        assert (learned.decision_function(POOL) == before).all()
        fresh = network().learn(SEEDS[:6], POOL[10:])
        assert (other.decision_function(POOL) == fresh.decision_function(POOL)).all()

    def test_out_of_fold_nothing_of_what_it_learned_before_comes_along(self):
        learned = network(settings=BRIEF).learn(SEEDS, POOL)
        found, fresh = (
            out_of_fold(given, SEEDS, POOL, rng=np.random.default_rng(0))
            for given in (learned, network(settings=BRIEF))
        )
        assert (found.pool == fresh.pool).all()
        assert (found.seeds == fresh.seeds).all()


class TestGroups:
    def test_build_sees_all_rows_that_are_learned_from(self):
        seen = []
        network(build=lambda rows: seen.append(rows) or linear(rows)).learn(SEEDS, POOL)
        assert (seen[0] == np.concatenate([SEEDS, POOL])).all()

    def test_a_risk_of_negatives_needs_some(self):
        with pytest.raises(SettingsError, match="PNU needs negative rows, but there are none"):
            network(risk=PNU(prior=0.25)).learn(SEEDS, POOL)

    def test_negatives_without_a_group_of_their_own_join_the_unlabeled(self):
        rows = group_rows(NNPU(prior=0.25), positive=SEEDS, unlabeled=POOL, negative=NEGATIVE)
        assert rows.sizes == {"positive": 12, "unlabeled": 92}
        assert (rows.block[rows.numbers["unlabeled"]][80:] == NEGATIVE).all()

    def test_each_group_gets_its_own_scores(self):
        rows = GroupedRows.of({"positive": SEEDS, "unlabeled": POOL})
        batch = {"positive": np.array([3, 1]), "unlabeled": np.array([], dtype=np.int64)}
        first_column = RiskOnRows(
            lambda rows: torch.tensor(rows[:, 0]), rows, risk_of=lambda *found: found
        )
        scores, numbers = first_column.measure_batch(batch)
        assert scores["positive"].tolist() == SEEDS[[3, 1], 0].tolist()
        assert scores["unlabeled"].shape == (0,)
        assert numbers["positive"].tolist() == [3, 1]

    def test_rows_of_several_kinds_are_taken_together(self):
        class Second(LinearHead):
            def forward(self, rows):
                return super().forward(rows.kinds[1])

        def both(rows):
            return Rows(np.zeros((len(rows), 1)), sparse.csr_array(rows))

        learned = network(build=lambda _: Second(2)).learn(both(SEEDS), both(POOL))
        assert area(learned.decision_function(both(POOL))) > 0.95

    def test_ordinary_batches_may_lack_seeds(self):
        risk = NNPU(prior=0.25, lenient=True)
        learned = network(risk=risk, proportional=False, batch=8).learn(SEEDS, POOL)
        assert area(learned.decision_function(POOL)) > 0.95

    def test_what_an_epoch_goes_through_can_be_chosen(self):
        steps = []
        chosen = network(loop="unlabeled", on_step=lambda *step: steps.append(step))
        chosen.learn(SEEDS, POOL)
        # 4 of 24 rows are seeds, so that 80 take 4 batches of 20.
        assert steps[-1][:2] == (40, 40)


class TestValidation:
    def test_without_it_all_epochs_are_run(self):
        (history,) = network().learn(SEEDS, POOL).histories_
        assert history.stopped == "epochs"
        assert history.epochs[0].validation is None

    def test_with_it_training_stops_on_the_risk_of_rows_set_aside(self):
        settings = TrainingSettings(epochs=200, learning_rate=0.3, patience=2)
        (history,) = network(validation=1 / 3, settings=settings).learn(SEEDS, POOL).histories_
        assert history.stopped == "patience"
        values = [epoch.validation.value for epoch in history.epochs]
        assert min(values) == values[history.best - 1]

    def test_rows_set_aside_are_not_learned_from(self):
        rows = GroupedRows.of({"positive": SEEDS, "unlabeled": POOL})
        learned, aside = rows.split(0.25, rng=np.random.default_rng(0))
        assert (learned.sizes, aside.sizes) == (
            {"positive": 9, "unlabeled": 60},
            {"positive": 3, "unlabeled": 20},
        )
        for name, numbers in rows.numbers.items():
            both = [*learned.numbers[name], *aside.numbers[name]]
            assert sorted(both) == numbers.tolist()

    def test_at_least_two_seeds_are_set_aside(self):
        rows = GroupedRows.of({"positive": SEEDS, "unlabeled": POOL})
        parts = rows.split(0.01, rng=np.random.default_rng(0))
        assert parts[1].sizes == {"positive": 2, "unlabeled": 1}

    def test_with_three_seeds_none_is_set_aside_and_that_is_told(self):
        learned = network(validation=0.3).learn(SEEDS[:3], POOL)
        assert learned.histories_[0].stopped == "epochs"
        (told,) = learned.warnings_
        assert told.startswith("too few rows to set some aside for validation (3 positive, 80 unl")


class TestEnsembles:
    def test_scores_are_averaged_on_the_same_scale(self):
        both = network(models=2).learn(SEEDS, POOL)
        parts = []
        for seed in (0, 1):
            one = network(settings=replace(SETTINGS, seed=seed)).learn(SEEDS, POOL)
            scores = one.decision_function(POOL)
            mean, deviation = measure_scale(scores)
            parts.append((scores - mean) / deviation)
        assert both.decision_function(POOL) == pytest.approx(np.mean(parts, axis=0))
        assert len(both.histories_) == 2

    def test_a_single_model_keeps_its_own_scale(self):
        learned = network().learn(SEEDS, POOL)
        assert (learned.decision_function(POOL) == learned.score_by_model(POOL)[0]).all()

    def test_steps_are_counted_over_all_models(self):
        steps = []
        network(models=2, on_step=lambda *step: steps.append(step)).learn(SEEDS, POOL)
        # 4 of 24 rows are seeds: 3 batches go through all 12, in each of 10 epochs.
        done = [number for number, _, _ in steps]
        assert done == [*range(1, 31), 30, *range(31, 61), 60]
        assert {total for _, total, _ in steps} == {60}


class TestTroubles:
    def test_training_that_diverges_is_told_of(self):
        learned = network(
            build=lambda _: MLPHead(2, hidden=(4,)),
            settings=TrainingSettings(epochs=3, learning_rate=1e30),
        ).learn(SEEDS, POOL)
        (told,) = learned.warnings_
        assert told.startswith(
            "training diverged in epoch 1, and weights that have learned nothing are used"
        )
        assert np.isfinite(learned.decision_function(POOL)).all()

    def test_scores_that_are_no_numbers_are_refused(self):
        learned = network().learn(SEEDS, POOL)
        with torch.no_grad():
            learned.models_[0].columns.weight.fill_(torch.inf)
        with pytest.raises(NotFiniteError, match="12 of 12 scores are not finite; look for "):
            learned.decision_function(SEEDS)

    def test_scores_of_two_dimensions_are_refused(self):
        with pytest.raises(ScoresError, match=r"of shape \(24, 1\) for 24 rows"):
            network(build=lambda _: Tall(2)).learn(SEEDS, POOL)

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, lambda rows: Rows(rows, rows)])
    def test_rows_that_are_not_finite_are_refused(self, kind):
        bad = POOL.copy()
        bad[3, 1] = np.nan
        with pytest.raises(SettingsError, match=r"the unlabeled rows .* features of 1 cells"):
            network().learn(kind(SEEDS), kind(bad))

    @pytest.mark.parametrize(
        "wrong", [{"batch": 0}, {"models": 0}, {"validation": 1.0}, {"loop": "moon"}]
    )
    def test_parameters_that_make_no_sense_are_refused(self, wrong):
        with pytest.raises(SettingsError, match=f"{next(iter(wrong))} is "):
            network(**wrong).learn(SEEDS, POOL)

    def test_the_second_step_of_pubn_is_no_risk_of_its_own(self):
        with pytest.raises(SettingsError, match="use PUbNNetwork"):
            network(risk=PUbN(prior=0.2, biased=0.1, eta=0.5)).learn(SEEDS, POOL, NEGATIVE)


class Tall(LinearHead):
    def forward(self, rows):
        return super().forward(rows)[:, None]


class TestSaving:
    def test_what_is_saved_is_loaded_again(self, tmp_path):
        saved = network(models=2, validation=0.2, settings=BRIEF).fit(*labelled(SEEDS, POOL))
        saved.save(tmp_path)
        loaded = PUNetwork.load(tmp_path, lambda _: LinearHead(2))
        assert (loaded.predict_proba(POOL) == saved.predict_proba(POOL)).all()
        assert (loaded.decision_function(POOL) == saved.decision_function(POOL)).all()
        assert loaded.histories_ == saved.histories_
        assert isinstance(loaded.histories_[0], History)
        assert loaded.settings == BRIEF

    def test_one_that_was_not_fitted_scores(self, tmp_path):
        saved = network().learn(SEEDS, POOL)
        saved.save(tmp_path)
        loaded = PUNetwork.load(tmp_path, lambda _: LinearHead(2))
        assert (loaded.decision_function(POOL) == saved.decision_function(POOL)).all()
        assert not hasattr(loaded, "judgement_")

    def test_given_a_risk_it_learns_again(self, tmp_path):
        saved = network().learn(SEEDS, POOL)
        saved.save(tmp_path)
        loaded = PUNetwork.load(tmp_path, lambda _: LinearHead(2), risk=NNPU(prior=0.25))
        again = loaded.learn(SEEDS, POOL).decision_function(POOL)
        assert (again == saved.decision_function(POOL)).all()

    def test_without_a_risk_it_does_not_learn(self, tmp_path):
        network().learn(SEEDS, POOL).save(tmp_path)
        with pytest.raises(SettingsError, match="has no risk to learn with"):
            PUNetwork.load(tmp_path, linear_of_two).learn(SEEDS, POOL)

    def test_the_risk_is_told_to_people(self, tmp_path):
        network().learn(SEEDS, POOL).save(tmp_path)
        told = json.loads((tmp_path / "network.json").read_bytes())["risk"]
        assert told.startswith("NNPU(prior=0.25, loss=sigmoid,")

    def test_saving_again_leaves_nothing_old(self, tmp_path):
        network(models=2).learn(SEEDS, POOL).save(tmp_path)
        network().learn(SEEDS, POOL).save(tmp_path)
        files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
        assert files == ["network.json", "weights-2/model-0.safetensors"]

    def test_another_model_is_refused(self, tmp_path):
        network().learn(SEEDS, POOL).save(tmp_path)
        with pytest.raises(SettingsError, match="weights of another model"):
            PUNetwork.load(tmp_path, lambda _: LinearHead(3))

    def test_a_folder_without_a_network_is_refused(self, tmp_path):
        with pytest.raises(ReadError, match=r"there is no network\.json in it"):
            PUNetwork.load(tmp_path, linear_of_two)

    def test_what_an_older_version_saved_is_loaded(self):
        loaded = PUNetwork.load(OLD / "format1.network", linear_of_two)
        assert loaded.decision_function(np.array([[2.0, 3.0]])).tolist() == [2 + 10 * 3 + 5]
        assert loaded.judgement_.scores.pool.shape == (8,)

    def test_what_has_not_learned_is_not_saved(self, tmp_path):
        with pytest.raises(SettingsError, match="has not learned yet"):
            network().save(tmp_path)


def linear_of_two(_rows):
    return LinearHead(2)


class TestPUbN:
    @staticmethod
    def two_steps(**others):
        return PUbNNetwork(network(risk=Labelling(prior=0.2, biased=0.2), **others))

    def test_making_one_only_stores_the_parameters(self):
        assert set(vars(self.two_steps())) == {"network", "tau", "loss"}

    def test_two_clouds_are_told_apart(self):
        learned = self.two_steps().learn(SEEDS, POOL, NEGATIVE)
        assert area(learned.decision_function(POOL)) > 0.95

    def test_the_first_step_scores_what_is_labelled_of_either_kind(self):
        far = RNG.normal(8, 1, (60, 2))
        pool = np.concatenate([HIDDEN, far])
        first = self.two_steps().learn(SEEDS, pool, NEGATIVE).first_
        labelled, others = first.decision_function(NEGATIVE), first.decision_function(far)
        assert labelled.mean() > others.mean()

    def test_it_can_be_fitted(self):
        made = self.two_steps(settings=TrainingSettings(epochs=2))
        fitted = made.fit(*labelled(SEEDS, POOL, NEGATIVE))
        assert fitted.predict_proba(POOL).shape == (80, 2)
        assert fitted.warnings_ == []

    def test_its_network_is_left_as_it_was_given(self):
        learned = self.two_steps(models=2).learn(SEEDS, POOL, NEGATIVE)
        assert not hasattr(learned.network, "models_")

    def test_it_needs_negatives(self):
        with pytest.raises(SettingsError, match="Labelling needs negative rows"):
            self.two_steps().learn(SEEDS, POOL)

    def test_the_risk_of_its_network_is_that_of_the_first_step(self):
        with pytest.raises(SettingsError, match="the network's risk is NNPU"):
            PUbNNetwork(network()).learn(SEEDS, POOL, NEGATIVE)

    def test_its_first_step_has_the_logistic_loss(self):
        first = Labelling(prior=0.2, biased=0.2, loss=sigmoid)
        with pytest.raises(SettingsError, match="only the logistic loss gives; leave out its loss"):
            PUbNNetwork(network(risk=first)).learn(SEEDS, POOL, NEGATIVE)


def test_a_model_scores_as_many_rows_as_it_is_given():
    with pytest.raises(ScoresError, match=r"of shape \(\) for 80 rows"):
        score_rows(lambda rows: torch.tensor(0.0), POOL)


# Batches, zero and gamma


def test_batches_are_made_to_fit():
    steps, settings = set(), replace(SETTINGS, epochs=1)
    made = network(batch="auto", settings=settings, on_step=lambda _, all_, __: steps.add(all_))
    learned = made.learn(SEEDS, POOL)
    # One of twelve seeds is in up to 92 / 12 rows, and a loop through all has twelve steps.
    assert steps == {12}
    assert learned.decision_function(POOL).shape == (80,)


def test_early_stopping_after_a_step_or_two_is_told_of():
    learned = network(batch=1000, validation=0.3).learn(SEEDS, POOL)
    assert learned.warnings_[0].startswith("an epoch is only 1 step of ")


def test_zero_stays_zero_where_models_are_averaged():
    learned = network(models=3, center="zero").learn(SEEDS, POOL)
    assert {mean for mean, _ in learned.scales_} == {0.0}
    deviations = [scores.std() for scores in learned.score_by_model(POOL)]
    assert [deviation for _, deviation in learned.scales_] == pytest.approx(deviations)
    signs = np.sign(learned.score_by_model(POOL))
    agreed = (signs == signs[0]).all(axis=0)
    assert (np.sign(learned.decision_function(POOL)) == signs[0])[agreed].all()


def test_the_gamma_of_the_lowest_validation_risk_is_taken():
    # So high a prior that the part that stands for the negative falls below 0.
    given = {"risk": NNPU(prior=0.9), "validation": 0.3}
    alone = {
        gamma: network(**given | {"risk": NNPU(prior=0.9, gamma=gamma)}).learn(SEEDS, POOL)
        for gamma in (1.0, 0.1)
    }
    risks = {gamma: one.histories_[0].best_risk for gamma, one in alone.items()}
    assert risks[1.0] != risks[0.1]
    tuned = network(**given, gammas=(1.0, 0.1)).learn(SEEDS, POOL)
    best = alone[min(risks, key=risks.get)]
    assert (tuned.decision_function(POOL) == best.decision_function(POOL)).all()


def test_without_validation_no_gamma_can_be_tuned():
    with pytest.raises(SettingsError, match=r"set rows aside for it, for example validation=0\.33"):
        network(gammas=(1.0, 0.1)).learn(SEEDS, POOL)
