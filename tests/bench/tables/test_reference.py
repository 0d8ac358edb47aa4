import pytest

from likewise.bench.tables import reference
from likewise.bench.tables.reference import TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TABLE_6

AVERAGES = {row.seeds: row for row in TABLE_1 if row.topic == "Average of 10† topics"}


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: f"{row.seeds} {row.topic}")
def test_full_supervision_is_above_everything(row):
    others = (row.nnpu, row.bm25, row.random_nnpu, row.copkmeans, row.naive, row.all_positive)
    assert row.upper_bound > max(others)


@pytest.mark.parametrize("seeds", [20, 50])
def test_the_prior_of_one_half_is_the_method_of_table_1(seeds):
    (row,) = (row for row in TABLE_2 if (row.seeds, row.prior) == (seeds, "0.5"))
    assert row.f1 == AVERAGES[seeds].nnpu


@pytest.mark.parametrize("row", TABLE_4, ids=lambda row: row.setting)
def test_a_mean_of_f1_is_not_far_above_the_f1_of_the_means(row):
    of_means = 2 * row.precision * row.recall / (row.precision + row.recall)
    assert row.f1 <= of_means + 0.5


def test_proportional_batches_are_best_among_small_ones():
    small = {(row.setting, row.is_proportional): row.f1 for row in TABLE_3 if row.batch == 16}
    assert small["PN", True] > small["PN", False]
    assert small["PU", True] > small["PU", False]


def test_the_ensemble_without_negatives_does_not_depend_on_their_bias():
    (row,) = (row for row in TABLE_5 if row.setting == "PU")
    assert row.unbiased_f1 == row.biased_f1


def test_precision_and_recall_of_a_pool_agree_on_the_size_of_the_topic():
    # Of one topic, on topic = precision * |U| / recall, whatever the seeds.
    for first, second in ((0, 1), (2, 3)):
        sizes = [row.precision * row.pool / row.recall for row in (TABLE_6[first], TABLE_6[second])]
        assert sizes[0] == pytest.approx(sizes[1], rel=0.005)


def test_the_papers_topics_are_named_as_ours():
    from likewise.bench.topics import PAPER, read_topics

    ours = {frozenset(topic.terms) for topic in read_topics(PAPER)}
    named = [row.topic for row in TABLE_1 if not row.is_average]
    named += [row.topic for row in TABLE_6]
    assert all(frozenset(name.split(" + ")) in ours for name in named)


def test_pretraining_helped():
    assert reference.PRETRAINING.with_encoder > reference.PRETRAINING.without
