import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bench.figures.charts import rows_with, titles
from bench.made import made_task
from likewise.bench.figures.paper import Bucket, count_buckets, draw_scores
from likewise.bench.tasks import Truth
from likewise.errors import RunError

pytest.importorskip("altair")


def drawn(**given):
    task, truth = made_task(**given)
    return draw_scores(task.metadata, task.entries, truth)


def test_scores_are_counted_in_buckets_of_a_round_width():
    found = count_buckets(np.array([10.2, 10.4, 10.6, 29.9]), np.array([True, False, False, True]))
    assert found[0] == Bucket(10.0, 10.5, 1, 1)
    assert found[1] == Bucket(10.5, 11.0, 0, 1)
    assert found[-1] == Bucket(29.5, 30.0, 1, 0)


@given(arrays(float, st.integers(1, 50), elements=st.floats(0, 500)), st.integers(0, 9))
def test_every_score_is_in_one_bucket(found, seed):
    relevant = np.random.default_rng(seed).random(len(found)) < 0.3
    counted = count_buckets(found, relevant)
    assert sum(one.on_topic for one in counted) == relevant.sum()
    assert sum(one.off_topic for one in counted) == (~relevant).sum()


def test_scores_that_are_all_one_make_a_bucket():
    (found,) = count_buckets(np.array([7.0, 7.0]), np.array([True, False]))
    assert (found.on_topic, found.off_topic) == (1, 1)


def test_the_caption_tells_counts_and_precision():
    caption = drawn(seeds=8, relevant=20, others=60).caption
    assert "Cats with 8 seeds: 20 documents on topic, 60 off topic (precision 25.0 %)" in caption


def test_seeds_and_known_negatives_are_no_part_of_the_pool():
    chart = drawn(negatives=6).chart
    assert sum(row["documents"] for row in rows_with(chart, "documents")) == 80


def test_the_panels_are_of_documents_on_and_off_topic():
    assert titles(drawn().chart) == ["on topic (20)", "off topic (60)"]


def test_medians_are_marked():
    # From the top: 90 on topic (cat0), 89 off (dog0), 88 on (cat1), 87 off (dog1), 86 off (dog2).
    chart = drawn(relevant=2, others=3).chart
    assert {row["text"] for row in rows_with(chart, "text")} == {"median 89.0", "median 87.0"}


def test_a_pool_with_nothing_on_topic_is_drawn_too():
    task, _ = made_task()
    figure = draw_scores(task.metadata, task.entries, Truth(frozenset()))
    assert "0 documents on topic, 80 off topic (precision 0.0 %)" in figure.caption
    assert "on topic, " not in figure.alternative.replace("off topic, ", "")


def test_a_task_without_scores_says_what_is_needed():
    task, truth = made_task()
    with pytest.raises(RunError, match="scores needs a pool with the engine's scores"):
        draw_scores(task.metadata, task.entries[:8], truth)
