from dataclasses import replace

import pytest

from bench.figures.charts import point, rows_with, titles
from likewise.bench.figures.topics import (
    PretrainingPair,
    draw_pretrained,
    draw_topics,
    find_best,
    find_pretraining_pairs,
)
from likewise.errors import RunError

pytest.importorskip("altair")

POINTS = [
    point("linear", 0.4, topic="x"),
    point("naive", 0.5, topic="x"),
    point("upper-bound", 0.9, topic="x"),
    point("linear", 0.3, topic="y"),
    point("naive", 0.1, topic="y"),
]


def test_the_best_of_a_topic_is_not_an_upper_bound():
    assert [(one.topic, one.label) for one in find_best(POINTS)] == [
        ("x", "naive"),
        ("y", "linear"),
    ]


def test_the_best_of_each_number_of_seeds_is_found():
    more = point("linear", 0.8, topic="x", seeds=50)
    assert [one.seeds for one in find_best([*POINTS, more])] == [20, 20, 50]


def test_every_result_is_a_cell_and_the_best_are_outlined():
    won = {
        (row["topic"], row["label"])
        for row in rows_with(draw_topics(POINTS).chart, "won")
        if row["won"]
    }
    assert won == {("x", "naive"), ("y", "linear")}


def test_topics_and_methods_are_ordered_by_their_means():
    (panel,) = draw_topics(POINTS).chart.to_dict()["vconcat"]
    sides = panel["layer"][0]["encoding"] | panel.get("encoding", {})
    assert sides["x"]["sort"] == ["upper-bound", "linear", "naive"]
    assert sides["y"]["sort"] == ["x", "y"]


def test_there_is_a_panel_for_each_number_of_seeds():
    more = [point("linear", 0.8, topic="x", seeds=1000)]
    assert titles(draw_topics(POINTS + more).chart) == ["|LP| = 20", "|LP| = 1,000"]


def test_the_best_are_told_in_words():
    assert (
        "x with 20 seeds: naive, 0.50; y with 20 seeds: linear, 0.30"
        in draw_topics(POINTS).alternative
    )


def test_a_single_topic_is_no_figure():
    with pytest.raises(RunError, match=r"topics needs .* two or more topics"):
        draw_topics(POINTS[:3])


pytest.importorskip("altair")

PLAIN = point("linear", 0.4)
ENCODED = point("linear [encoder=minilm]", 0.5, method="linear", encoder="minilm")
STARTS = ("start=random", "start=topics")


def test_a_method_is_paired_with_itself_with_an_encoder():
    assert list(find_pretraining_pairs([ENCODED, PLAIN])) == [
        PretrainingPair("linear", "no encoder", "minilm", 20, "Rats", 0.4, 0.5)
    ]


def test_each_of_several_encoders_is_a_pair():
    other = point("linear [encoder=specter]", 0.6, method="linear", encoder="specter")
    assert [one.having for one in find_pretraining_pairs([PLAIN, ENCODED, other])] == [
        "minilm",
        "specter",
    ]


def test_results_of_other_topics_or_sizes_are_no_pair():
    assert not list(find_pretraining_pairs([PLAIN, replace(ENCODED, topic="Mice")]))
    assert not list(find_pretraining_pairs([PLAIN, replace(ENCODED, seeds=50)]))


@pytest.mark.parametrize(
    ("random", "topics", "method"),
    [
        ("cnn(start=random)", "cnn(start=topics)", "cnn"),
        ("cnn", "cnn(start=topics)", "cnn"),
        ("nnpu-cnn(start=random)", "nnpu-cnn", "nnpu-cnn"),
        ("cnn(risk=pn, start=random)", "cnn(risk=pn, start=topics)", "cnn(risk=pn)"),
        ("cnn(start=random, risk=pn)", "cnn(risk=pn)", "cnn(risk=pn)"),
    ],
)
def test_starts_are_paired_if_all_else_is_the_same(random, topics, method):
    found = list(find_pretraining_pairs([point(random, 0.1), point(topics, 0.3)]))
    assert found == [PretrainingPair(method, *STARTS, 20, "Rats", 0.1, 0.3)]


def test_methods_that_differ_otherwise_are_no_pair():
    found = [point("cnn(start=random)", 0.1), point("cnn(risk=pn, start=topics)", 0.3)]
    assert not list(find_pretraining_pairs(found))


def test_a_start_that_is_spelled_out_goes_before_one_that_is_not():
    names = ("cnn", "cnn(start=random)", "cnn(start=topics)")
    (found,) = find_pretraining_pairs(
        [point(name, number / 10) for number, name in enumerate(names, 1)]
    )
    assert (found.before, found.after) == (0.2, 0.3)


def test_a_line_goes_from_one_end_to_the_other_for_each_topic():
    points = [PLAIN, ENCODED, *(replace(one, topic="Mice") for one in (PLAIN, ENCODED))]
    found = rows_with(draw_pretrained(points).chart, "topic")
    assert [(row["topic"], row["end"], row["value"]) for row in found] == [
        ("Mice", "no encoder", 0.4),
        ("Mice", "minilm", 0.5),
        ("Rats", "no encoder", 0.4),
        ("Rats", "minilm", 0.5),
    ]


def test_means_are_told_in_words():
    told = draw_pretrained([PLAIN, ENCODED]).alternative
    assert "linear with 20 seeds: 0.40 with no encoder, 0.50 with minilm" in told


def test_without_a_pair_it_says_what_is_needed():
    with pytest.raises(RunError, match="pretrained needs a method without and with an encoder"):
        draw_pretrained([PLAIN, point("naive", 0.2)])
