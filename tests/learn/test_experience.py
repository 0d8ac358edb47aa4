"""What other topics teach: properties that hold whatever they were."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.corpus import material_of, simulated_corpus, simulated_scores
from learn.past import (
    HIGHER,
    kept_of,
    simulated_experience,
    simulated_task,
    two_tasks_of_each_kind,
)
from likewise.learn.experience import (
    FAIR,
    FORMAT,
    READINGS,
    Experience,
    ExperienceFile,
    past_experience,
    read_material_signs,
    read_score_signs,
)
from likewise.learn.folds import Scores
from likewise.learn.judgement import UNLIKELY
from likewise.learn.precision import KNOTS
from likewise.learn.views import EngineView, WordView

SHIPPED = past_experience()


def by_kind(readings):
    return {reading.kind: reading for reading in readings}


def weight(readings, kind):
    return by_kind(readings)[kind].weight if kind in by_kind(readings) else 0.0


def middle_of(experience, reading):
    """Return the signs in the middle of the tasks that a reading is made from."""
    rows = np.isin(experience.kinds, READINGS[reading])
    return dict(
        zip(experience.signs, np.median(experience.values[rows], axis=0).tolist(), strict=True)
    )


# Curves to expect


def test_where_nothing_is_told_the_mean_of_past_curves_is_expected():
    for reading in two_tasks_of_each_kind(curves=(-3.0, 1.0)).readings({}):
        assert reading.mean == pytest.approx(np.full(len(KNOTS), -1))
        # Both are 2 off.
        assert np.diag(reading.covariance) == pytest.approx(np.full(len(KNOTS), 4), rel=1e-3)


def test_where_nothing_is_told_seeds_are_as_likely_fair_as_not():
    weights = [reading.weight for reading in two_tasks_of_each_kind().readings({})]
    assert weights == pytest.approx([1 / 2, 1 / 4, 1 / 4])


def test_of_past_tasks_the_likest_count_most():
    past = two_tasks_of_each_kind(curves=(-2.0, 2.0))
    low, middle, high = (past.readings({"a": at})[0].mean[0] for at in (0.0, 0.5, 1.0))
    assert -2 < low < middle < high < 2
    assert middle == pytest.approx(0, abs=1e-6)


def test_a_task_that_is_more_usual_counts_more():
    past = two_tasks_of_each_kind(curves=(-2.0, 2.0))
    usual = replace(past, weights=np.array([1.0, 3.0] * 3))
    assert usual.readings({})[0].mean[0] == pytest.approx((-2 + 3 * 2) / 4)


def test_what_lies_outside_of_all_experience_tells_no_more_than_its_edge():
    past = simulated_experience()
    far, further = (past.readings({"alike": at}) for at in (1e3, 1e6))
    assert [one.weight for one in far] == [one.weight for one in further]
    assert (far[0].mean == further[0].mean).all()


def test_signs_that_are_missing_do_not_count():
    both = two_tasks_of_each_kind(values=((0.0, 5.0), (1.0, 5.5)), signs=("a", "b"))
    one = two_tasks_of_each_kind()
    for of_both, of_one in zip(both.readings({"a": 0.2}), one.readings({"a": 0.2}), strict=True):
        assert of_both.mean == pytest.approx(of_one.mean)
        assert of_both.weight == pytest.approx(of_one.weight)


def test_signs_that_nobody_knows_do_not_count():
    past = two_tasks_of_each_kind()
    told, untold = (past.readings(signs)[0].mean for signs in ({"a": 0.2, "b": 9.0}, {"a": 0.2}))
    assert (told == untold).all()


def test_a_sign_that_was_the_same_in_all_tasks_is_no_trouble():
    past = two_tasks_of_each_kind(values=((1.0,), (1.0,)))
    assert all(np.isfinite(reading.mean).all() for reading in past.readings({"a": 7.0}))


# Kinds of seeds


@pytest.mark.parametrize("kind", HIGHER)
def test_seeds_are_mostly_taken_for_what_they_are(kind):
    rng = np.random.default_rng(2)
    expected = FAIR if kind == "random" else kind
    weights = [
        weight(
            simulated_experience().readings(read_score_signs(task.scores) | task.signs), expected
        )
        for task in (simulated_task(kind, rng=rng) for _ in range(20))
    ]
    # By chance it would be a third.
    assert np.mean(weights) > 0.5


def test_a_reading_that_is_hardly_likely_is_there_with_its_weight():
    readings = by_kind(simulated_experience().readings({"alike": -3.0}))
    assert set(readings) == set(READINGS)
    assert 0 < readings["corner"].weight < UNLIKELY


def test_every_reading_is_normal():
    for reading in simulated_experience().readings({"alike": 1.0}):
        assert reading.covariance == pytest.approx(reading.covariance.T)
        assert (np.linalg.eigvalsh(reading.covariance) > 0).all()


# Leaving out, and keeping


def test_a_topic_can_be_left_out():
    rest = two_tasks_of_each_kind(curves=(-2.0, 2.0)).without("second")
    assert set(rest.topics) == {"first"}
    assert rest.readings({})[0].mean == pytest.approx(np.full(len(KNOTS), -2))


def test_to_leave_out_a_topic_that_is_not_there_changes_nothing():
    past = two_tasks_of_each_kind()
    assert (past.without("third").values == past.values).all()


def test_what_is_kept_is_read_back():
    rng = np.random.default_rng(3)
    kept = kept_of([simulated_task(kind, rng=rng, size=60) for kind in HIGHER])
    read = msgspec.json.decode(msgspec.json.encode(kept), type=ExperienceFile)
    assert read == kept
    assert read.format == FORMAT
    past, again = Experience.of(kept), Experience.of(read)
    for column in ("topics", "kinds", "weights", "values", "curves"):
        assert (getattr(past, column) == getattr(again, column)).all()


# What comes with the package


def test_every_column_has_a_row_for_each_task():
    tasks = len(SHIPPED.topics)
    assert SHIPPED.kinds.shape == SHIPPED.weights.shape == (tasks,)
    assert SHIPPED.values.shape == (tasks, len(SHIPPED.signs))
    assert SHIPPED.curves.shape == (tasks, len(KNOTS))
    assert np.isfinite(SHIPPED.values).all()
    assert np.isfinite(SHIPPED.curves).all()
    assert (SHIPPED.weights > 0).all()


def test_every_kind_of_seeds_is_read_and_every_reading_has_seeds():
    read = {kind for kinds in READINGS.values() for kind in kinds}
    assert set(SHIPPED.kinds) <= read
    for kinds in READINGS.values():
        assert np.isin(SHIPPED.kinds, kinds).sum() >= 20


def test_precision_falls_along_the_usual_curve():
    usual = SHIPPED.curves.mean(axis=0)
    # At the very top it may be level: those that are nearest to the seeds are seeds.
    assert (np.diff(usual[4:]) < -0.1).all()
    assert usual[:4].min() > usual[6:].max()


def test_its_signs_are_ones_that_are_told():
    known = set(read_score_signs(simulated_task(rng=np.random.default_rng(0)).scores))
    assert {name for name in SHIPPED.signs if name.startswith(("place", "score"))} <= known
    assert {"seeds", "size", "outside", "alike"} <= set(SHIPPED.signs)


def test_seeds_that_look_like_a_corner_are_read_as_one_rather_than_seeds_that_do_not():
    corner, fair = (SHIPPED.readings(middle_of(SHIPPED, kind)) for kind in ("corner", FAIR))
    assert weight(corner, "corner") > 2 * weight(fair, "corner")
    assert weight(fair, FAIR) > 2 * weight(corner, FAIR)


def test_the_more_alike_the_seeds_the_likelier_they_are_a_corner():
    between = middle_of(SHIPPED, FAIR)
    # How alike they are to one another, also beside how alike others are to them.
    of_seeds = [name for name in SHIPPED.signs if name.startswith(("alike", "nearest"))]
    of_seeds.remove("alike among the first")
    spread = dict(zip(SHIPPED.signs, SHIPPED.values.std(axis=0).tolist(), strict=True))
    alike, scattered = (
        between | {name: between[name] + by * spread[name] for name in of_seeds} for by in (1, -1)
    )
    readings = [SHIPPED.readings(signs) for signs in (scattered, between, alike)]
    weights = [weight(one, "corner") for one in readings]
    assert weights == sorted(weights)
    assert weights[2] > weights[0] + 0.1


def test_of_a_corner_more_is_left_than_of_a_fair_sample_that_looks_the_same():
    signs = middle_of(SHIPPED, "corner")
    readings = by_kind(SHIPPED.readings(signs))
    assert readings["corner"].mean[6:].mean() > readings[FAIR].mean[6:].mean()


ALIKE_NAMES = ("alike", "nearest alike", "alike 20", "alike below", "alike among the first")


def words(*names):
    return " ".join(names)


def texts_of(seeds, others):
    return [(title, "") for title in [*seeds, *others]]


def signs_of(seeds, others, *views, **changed):
    """Return the signs of titles, by the order in which they stand."""
    material = material_of(texts_of(seeds, others), seeds=len(seeds))
    seen = replace(material, **changed).with_views(*views)
    return read_material_signs(seen, material.retrieval)


# Of scores


def test_counts_are_told_as_logarithms():
    signs = read_score_signs(Scores(np.ones(20), np.arange(1000.0)))
    assert signs["seeds"] == pytest.approx(np.log(20))
    assert signs["size"] == pytest.approx(np.log(1000))


def test_places_of_seeds_are_logarithms_of_their_ranks():
    # Above the seeds are 0, 2 and 9 of ten: ranks 0.5, 2.5 and 9.5.
    signs = read_score_signs(Scores(np.array([9.5, 7.5, 0.5]), np.arange(10.0)))
    assert signs["place 0.5"] == pytest.approx(np.log(2.5))
    assert signs["place 0.25"] == pytest.approx((np.log(0.5) + np.log(2.5)) / 2)
    assert signs["spread of places"] == pytest.approx(np.std(np.log([0.5, 2.5, 9.5])))


def test_scores_are_told_in_deviations_of_the_pool():
    # Mean 2 and deviation 2: 4 is one deviation above, 0 one below.
    signs = read_score_signs(Scores(np.array([6.0]), np.array([0.0, 4.0, 0.0, 4.0])))
    assert signs["seed score 0.5"] == pytest.approx(2)
    assert signs["score 1"] == pytest.approx(1)
    assert signs["score 3"] == pytest.approx(-1)
    assert signs["skewness"] == pytest.approx(0)


def test_beyond_the_end_of_the_pool_stands_its_last_score():
    signs = read_score_signs(Scores(np.array([6.0]), np.array([0.0, 4.0, 0.0, 4.0])))
    assert signs["score 3000"] == signs["score 10"] == pytest.approx(-1)


@settings(max_examples=20)
@given(seeds=st.permutations(list(simulated_scores(seeds=9, size=30).seeds)))
def test_the_order_of_seeds_changes_no_sign_of_scores(seeds):
    first = simulated_scores(seeds=9, size=30)
    assert read_score_signs(first._replace(seeds=np.array(seeds))) == pytest.approx(
        read_score_signs(first)
    )


def test_scores_that_are_all_the_same_have_signs():
    assert np.isfinite([*read_score_signs(Scores(np.ones(3), np.ones(5))).values()]).all()


# Of texts


def test_seeds_that_are_all_the_same_are_as_alike_as_can_be():
    signs = signs_of([words("apple", "pear")] * 3, [f"word{n}" for n in range(9)])
    # A likeness of 1, and of 0 to all others; 0.001 is what is taken for nothing.
    assert signs["alike"] == signs["nearest alike"] == pytest.approx(np.log(1.001), abs=1e-5)
    assert signs["alike 20"] == pytest.approx(np.log(1.001) - np.log(0.001), abs=1e-5)
    assert signs["least alike"] == signs["spread of likeness"] == pytest.approx(0, abs=1e-5)


def test_seeds_that_share_nothing_are_not_alike():
    signs = signs_of(["apple", "pear", "fig"], ["apple fig", "pear", "kiwi", "plum"])
    assert signs["alike"] == pytest.approx(np.log(0.001))


def test_seeds_are_compared_with_the_first_documents_of_the_ranking():
    seeds, like, unlike = ["apple pear"] * 3, ["apple pear"] * 25, ["kiwi plum"] * 300
    first, last = signs_of(seeds, like + unlike), signs_of(seeds, unlike + like)
    assert first["alike 20"] == pytest.approx(0, abs=1e-6)
    assert last["alike 20"] > 5
    assert last["alike below"] < first["alike below"]


def test_of_one_seed_nothing_is_told_about_likeness():
    signs = signs_of(["apple"], ["apple", "pear", "fig"])
    assert not [name for name in signs if "alike" in name]


def test_what_was_marked_since_is_no_seed_any_more():
    texts = texts_of(["apple pear"] * 3, ["kiwi plum"] * 2 + [f"word{n}" for n in range(9)])
    marked = material_of(texts, seeds=5)
    signs = read_material_signs(marked, marked.retrieval, given=3)
    # The two that were marked share nothing with the seeds.
    assert signs["alike"] == pytest.approx(np.log(1.001), abs=1e-5)
    assert read_material_signs(marked, marked.retrieval)["alike"] < signs["alike"] - 0.5


def test_the_share_of_the_library_outside_is_a_sign():
    assert signs_of(["apple"] * 3, ["pear"] * 9, outside=0.7)["outside"] == 0.7


def test_the_engine_is_told_by_how_many_of_the_first_it_has_among_its_first():
    corpus = simulated_corpus()
    material, pool = corpus.material, np.linspace(1, 0, 120)
    # Of our first 30, the engine has the last ten of its first 30; of the first 100, eighty.
    theirs = np.roll(pool, 20)
    signs = read_material_signs(
        material.with_views(EngineView(Scores(material.retrieval.seeds, theirs))),
        Scores(material.retrieval.seeds, pool),
    )
    assert signs["engine 30"] == pytest.approx(10 / 30)
    assert signs["engine 100"] == pytest.approx(80 / 100)


def test_an_engine_that_says_nothing_is_no_sign():
    seeds, others = ["apple"] * 3, ["pear"] * 9
    silent = Scores(np.full(3, np.nan), np.zeros(9))
    assert not [name for name in signs_of(seeds, others, EngineView(silent)) if "engine" in name]


def test_the_most_telling_term_is_told_by_its_surprise():
    # All seeds have it, and one in eleven of the others: 1 x ln(1 / (1 / 11)).
    signs = signs_of(["apple"] * 4, ["apple", *(f"word{n}" for n in range(10))])
    assert signs["term 1"] == pytest.approx(np.log(np.log(11) + 0.001))


def test_scores_that_are_not_known_count_as_the_last():
    material = material_of(texts_of(["apple"] * 3, ["kiwi", "apple", "fig"]), seeds=3)
    scores = Scores(np.ones(3), np.array([3.0, np.nan, 1.0]))
    assert np.isfinite([*read_material_signs(material, scores).values()]).all()


@settings(max_examples=10)
@given(order=st.permutations(range(8)))
def test_the_order_of_seeds_changes_no_sign_of_texts(order):
    material = simulated_corpus().material
    rows = np.array([*order, *range(8, len(material.documents))])
    turned = replace(
        material.with_views(WordView(material.words.of(rows))),
        documents=[material.documents[row] for row in rows],
    )
    expected = read_material_signs(material, material.retrieval)
    assert read_material_signs(turned, material.retrieval) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("name", ALIKE_NAMES)
def test_signs_of_likeness_are_there(name):
    corpus = simulated_corpus()
    assert name in read_material_signs(corpus.material, corpus.material.retrieval)


@pytest.mark.parametrize(
    "texts",
    [[("", "")] * 8, [("one title", "one abstract")] * 8, [(f"title{n}", "") for n in range(8)]],
)
def test_odd_texts_have_signs(texts):
    material = material_of(texts, seeds=4)
    assert np.isfinite([*read_material_signs(material, material.retrieval).values()]).all()
