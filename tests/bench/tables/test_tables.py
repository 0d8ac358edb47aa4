import numpy as np
import pytest

from bench.made_results import TOPICS, failed, on_topics, result, write_results
from likewise.bench.runs.summary import (
    keep_methods,
    load_summary,
    read_summary,
    summarise,
    write_summary,
)
from likewise.bench.tables import TABLES, TableSettings, make_table6, make_tables
from likewise.bench.tables.table import Number
from likewise.bench.tasks import TaskMetadata
from likewise.errors import RunError, SettingsError

LENGTH = {"negatives": 50, "negatives_bias": "length", "seeds": 50}
CHANCE = {"negatives": 50, "seeds": 50}


def tables(results, like, *, methods=(), **settings):
    summary = keep_methods(summarise(results), methods)
    rng = np.random.default_rng(0)
    return make_tables(summary, like, settings=TableSettings(**settings), rng=rng)


def rows(table, *columns):
    """Return the cells of some columns as they are shown, a row each."""
    places = [table.columns.index(column) for column in columns]
    return [tuple(row.values[p] and str(row.values[p]) for p in places) for row in table.rows]


def best(table, column):
    """Return which cells of a column are marked as best."""
    place = table.columns.index(column)
    return [isinstance(v := row.values[place], Number) and v.is_best for row in table.rows]


# Table 1


def test_table_1_has_a_row_for_each_topic_and_the_average():
    found = [*on_topics("linear", 0.4, 0.5), *on_topics("linear", 0.6, 0.7, draw=1)]
    table = tables(found, "table1")[0]
    assert rows(table, "|LP|", "topic", "linear") == [
        ("20", TOPICS[0], "50.0"),
        ("20", TOPICS[1], "60.0"),
        ("20", "Average of 2 topics", "55.0"),
    ]


def test_table_1_has_a_block_for_each_number_of_seeds():
    found = [*on_topics("linear", 0.4, 0.5, seeds=50), *on_topics("linear", 0.1, 0.1)]
    assert [seeds for (seeds,) in rows(tables(found, "table1")[0], "|LP|")] == ["20"] * 3 + [
        "50"
    ] * 3


def test_bm25_is_shown_by_its_top_k_too():
    top_k = {"top-k F1": 0.3, "top-k F1 deviation": 0.1}
    table = tables([result("bm25", 0.2, measures=top_k)], "table1")[0]
    assert rows(table, "bm25", "bm25 (top-k)") == [("20.0", "30.0 \u00b1 10.0")]


def test_the_upper_bound_is_last_and_never_the_best():
    found = [result("upper-bound", 0.9), result("naive", 0.1), result("linear", 0.4)]
    table = tables(found, "table1")[0]
    assert table.columns[2:] == ("linear", "naive", "upper-bound")
    assert best(table, "linear") == [True]
    assert best(table, "upper-bound") == [False]


def test_a_missing_topic_is_left_open_and_the_average_is_of_what_all_have():
    found = [*on_topics("linear", 0.4, 0.5), result("naive", 0.1)]
    table = tables(found, "table1")[0]
    assert rows(table, "topic", "linear", "naive") == [
        (TOPICS[0], "40.0", "10.0"),
        (TOPICS[1], "50.0", None),
        ("Average of 2 topics", "45.0", None),
        ("Average of the tasks that all have: 1 of 2", "40.0", "10.0"),
    ]
    assert "naive has 1 of 2 tasks." in table.notes


@pytest.mark.parametrize("like", ["table1", "methods"])
def test_a_method_that_lacks_draws_is_not_the_best(like):
    """The lacking one was run on the easier draw alone."""
    found = [result(name, 0.3, draw=0) for name in ("linear", "naive")]
    found += [result("linear", 0.6, draw=1), result("naive", 0.5, draw=1)]
    found += [result("spy", 0.55, draw=1), result("upper-bound", 0.9, draw=2)]
    table = tables(found, like)[0]
    marked = [v for row in table.rows for v in row.values if isinstance(v, Number) and v.is_best]
    assert [str(number).split()[0] for number in marked if number.unit == "share"] == ["45.0"]


def test_where_less_is_better_table_1_begins_with_the_least():
    found = [
        result(name, 0.5, measures={"BER": error})
        for name, error in (("naive", 0.4), ("linear", 0.2), ("spy", 0.3))
    ]
    table = tables(found, "table1", measures=("BER",))[0]
    assert table.columns[2:] == ("linear", "spy", "naive")


def test_failed_results_are_counted_below_the_table():
    table = tables([result("linear", 0.4), failed("naive"), failed("naive", draw=1)], "table1")[0]
    assert table.notes[-1] == "2 results are missing because the method failed: naive (2)."


def test_tasks_of_different_sorts_are_different_tables():
    found = [result("linear", 0.4), result("linear", 0.8, setting="transductive")]
    *ours, _ = tables(found, "table1")
    assert [rows(table, "linear") for table in ours] == [[("40.0",)], [("80.0",)]]


def test_the_papers_table_1_stands_beside_ours():
    published = tables([result("linear", 0.4)], "table1")[-1]
    assert rows(published, "topic", "BM25+nnPU", "BM25 (top-k)")[3] == (
        "Average of 10† topics",
        "33.3",
        "26.7 \u00b1 7.2",
    )


BRAIN, LAPAROSCOPY = "Rats + Animals + Brain", "Aged + Laparoscopy + Middle Aged"
NEWBORN = "Female + Infant, Newborn + Pregnancy"


def test_topics_of_the_paper_are_averaged_as_it_averages_them():
    found = [
        result("linear", f1, topic=topic)
        for topic, f1 in ((BRAIN, 0.4), (LAPAROSCOPY, 0.2), (NEWBORN, 0.6), (TOPICS[0], 0.8))
    ]
    table = tables(found, "table1")[0]
    assert rows(table, "topic", "linear")[-3:] == [
        ("Average of 2† topics", "30.0"),
        ("Average of 3‡ topics", "40.0"),
        ("Average of 4 topics", "50.0"),
    ]
    assert any(note.startswith("† and ‡: the topics here") for note in table.notes)


def test_one_topic_of_the_paper_is_no_average():
    found = [result("linear", 0.4, topic=BRAIN), result("linear", 0.8)]
    table = tables(found, "table1")[0]
    assert rows(table, "topic")[-1] == ("Average of 2 topics",)
    assert not any("†" in note for note in table.notes)


def test_a_bound_that_is_passed_by_what_it_bounds_says_why():
    bounds = [result("upper-bound", 0.6), result("upper-bound-cnn", 0.4)]
    below = [*bounds, result("linear", 0.5), result("random + cnn", 0.3)]
    assert not any("bound" in note for note in tables(below, "table1")[0].notes[1:])
    _, mean, why = tables([*below, result("cnn", 0.45)], "table1")[0].notes
    assert mean == "upper-bound-cnn is below cnn with |LP| = 20 on the 1 tasks that both have."
    assert why.startswith("Topics on which a method is above its bound: cnn with |LP| = 20 on 1 of")
    assert "it learns from few" in why


def test_a_bound_that_is_passed_on_a_single_topic_says_why():
    # 0.5 against 0.6 on the mean of both topics, and 0.5 against 0.4 on one of them.
    bounds = [result("upper-bound-cnn", 0.4), result("upper-bound-cnn", 0.8, topic=BRAIN)]
    found = [*bounds, result("cnn", 0.5), result("cnn", 0.5, topic=BRAIN)]
    _, why = tables(found, "table1")[0].notes
    assert why.startswith(
        "Topics on which a method is above its bound: cnn with |LP| = 20 on 1 of 2. A bound is "
    )


def test_another_measure_can_be_shown_without_the_papers():
    found = [result("linear", 0.4, measures={"AP": 0.3})]
    (table,) = tables(found, "table1", measures=("AP",))
    assert rows(table, "linear") == [("30.0",)]


def test_only_the_methods_asked_for_are_shown():
    found = [result("linear", 0.4), result("naive", 0.1)]
    assert "naive" not in tables(found, "table1", methods=("linear",))[0].columns


# Tables 2 and 3


def test_table_2_has_the_true_prior_and_one_half_beside_the_papers():
    accuracy = {"measures": {"accuracy": 0.8}}
    found = [
        *on_topics("cnn(risk=nnpu, prior=true)", 0.0, 0.0, **accuracy),
        *on_topics("cnn(prior=0.5, epochs=10)", 0.4, 0.2, **accuracy),
    ]
    (table,) = tables(found, "table2")
    assert rows(table, "prior", "topics", "accuracy", "F1", "accuracy, paper", "F1, paper") == [
        ("\u03c0+", "2", "80.0", "0.0", "84.3", "0.0"),
        ("0.5", "2", "80.0", "30.0", "62.1", "33.3"),
    ]


def test_rows_of_table_2_are_means_of_the_same_topics():
    found = [
        result("cnn(prior=true)", 0.1, measures={"accuracy": 0.8}),
        *on_topics("cnn", 0.4, 0.2, measures={"accuracy": 0.6}),
    ]
    (table,) = tables(found, "table2")
    assert rows(table, "method", "F1") == [("cnn(prior=true)", "10.0"), ("cnn", "40.0")]


def test_table_3_has_the_batches_of_the_paper():
    found = [
        result("upper-bound-cnn(batch=16, batching=ordinary)", 0.1),
        result("upper-bound-cnn(batch=16)", 0.5),
        result("cnn(batching=ordinary, batch=512)", 0.3),
    ]
    (table,) = tables(found, "table3")
    assert rows(table, "setting", "batch", "proportional", "F1", "F1, paper") == [
        ("PN", "512", "no", None, "32.6"),
        ("PN", "16", "no", "10.0", "5.6"),
        ("PN", "16", "yes", "50.0", "41.6"),
        ("PU", "512", "no", "30.0", "22.8"),
        ("PU", "16", "no", None, "0.0"),
        ("PU", "16", "yes", None, "22.4"),
    ]


def test_a_table_of_methods_that_were_not_run_says_which_to_run():
    with pytest.raises(RunError, match=r'run: --methods "cnn\(risk=nnpu, prior=true\)"'):
        tables([result("linear", 0.4)], "table2")


# Tables 4 and 5


def test_table_4_has_pu_beside_pn_with_each_sort_of_negatives():
    measures = {"measures": {"precision": 0.3, "recall": 0.7}}
    found = [
        result("cnn(risk=nnpu)", 0.41, **CHANCE, **measures),
        result("cnn(risk=pn)", 0.42, **CHANCE, **measures),
        result("cnn(risk=pn)", 0.31, **LENGTH, **measures),
    ]
    (table,) = tables(found, "table4")
    assert rows(table, "setting", "precision", "recall", "F1", "F1, paper") == [
        ("PU", "30.0", "70.0", "41.0", "40.8"),
        ("PN (unbiased N)", "30.0", "70.0", "42.0", "42.1"),
        ("PN (N by length)", "30.0", "70.0", "31.0", "31.3"),
    ]


def test_pu_may_come_from_tasks_without_negatives():
    found = [result("cnn", 0.41, seeds=50), result("cnn(risk=pn)", 0.42, **CHANCE)]
    (table,) = tables(found, "table4")
    assert rows(table, "setting", "F1") == [("PU", "41.0"), ("PN (unbiased N)", "42.0")]


def test_table_5_has_a_column_for_each_sort_of_negatives():
    found = [
        result("cnn(risk=pn) + cnn(risk=nnpu)", 0.43, **CHANCE),
        result("cnn(risk=nnpu) + cnn(risk=pn)", 0.38, **LENGTH),
        result("cnn(risk=pnu)", 0.42, **LENGTH),
        result("cnn(models=3)", 0.4, **CHANCE),
    ]
    (table,) = tables(found, "table5")
    assert rows(table, "model", "unbiased N F1", "N by length F1", "N by length F1, paper") == [
        ("Ensemble (PN+PU 1+1)", "43.0", "38.0", "37.6"),
        ("Multi-task", None, "42.0", "41.5"),
        ("Ensemble (3)", "40.0", None, "41.3"),
    ]


IGNORING, LEARNING = "nnpu-cnn(negatives=ignore)", "nnpu-cnn"


def test_our_methods_stand_below_the_papers_without_negatives_and_with_each_sort():
    found = [
        result("cnn(risk=nnpu)", 0.41, **CHANCE),
        *(result(IGNORING, f1, **kind) for f1, kind in ((0.3, CHANCE), (0.31, LENGTH))),
        *(result(LEARNING, f1, **kind) for f1, kind in ((0.33, CHANCE), (0.32, LENGTH))),
    ]
    (table,) = tables(found, "table4")
    assert rows(table, "setting", "method", "F1", "F1, paper")[3:] == [
        ("without N", IGNORING, "30.0", None),
        ("with unbiased N", LEARNING, "33.0", None),
        ("with N by length", LEARNING, "32.0", None),
    ]


def test_without_the_papers_methods_table_5_shows_ours_alone():
    top = {"negatives": 50, "negatives_bias": "rank", "seeds": 50}
    found = [
        *(result(IGNORING, f1, **kind) for f1, kind in ((0.3, CHANCE), (0.31, top))),
        *(result(LEARNING, f1, **kind) for f1, kind in ((0.33, CHANCE), (0.32, top))),
    ]
    (table,) = tables(found, "table5")
    assert rows(table, "setting", "method", "unbiased N F1", "N by rank F1") == [
        ("PU", IGNORING, "30.0", "31.0"),
        ("PNU", LEARNING, "33.0", "32.0"),
    ]
    assert "paper" not in f"{table.columns} {table.notes}".lower()


def test_tasks_with_few_negatives_and_with_more_have_tables_of_their_own():
    found = [result(LEARNING, 0.3, negatives=number) for number in (10, 50)]
    assert [table.title.partition("case-control, ")[2] for table in tables(found, "table5")] == [
        "10 labelled negatives)",
        "50 labelled negatives)",
    ]


def test_methods_that_can_not_learn_from_negatives_are_not_among_ours():
    found = [result("bm25", 0.3, **CHANCE), result("cnn(risk=pnu)", 0.4, **CHANCE)]
    (table,) = tables(found, "table5")
    assert "bm25" not in [method for (method,) in rows(table, "method")]


@pytest.mark.parametrize(
    ("method", "setting"),
    [
        ("nnpu-cnn(negatives=unlabeled)", "PU"),
        ("bm25 + nnpu-cnn(negatives=ignore)", "PU"),
        ("bm25 + nnpu-cnn", "PNU"),
    ],
)
def test_our_methods_learn_from_negatives_unless_no_part_does(method, setting):
    (table,) = tables([result(method, 0.3, **CHANCE)], "table5")
    assert rows(table, "setting", "method") == [(setting, method)]


def test_tables_of_negatives_need_tasks_with_some():
    with pytest.raises(RunError, match="make such tasks with: likewise bench make --negatives 50"):
        tables([result("cnn(risk=pn)", 0.4)], "table4")


# Table 6


def test_table_6_averages_what_was_retrieved_over_draws():
    metadata = [
        TaskMetadata(topic="Rats", seeds=20, draw=draw, number=0, P_size=100, LP_size=30,
                     U_size=1000, precision=precision, recall=0.2)
        for draw, precision in enumerate((0.1, 0.3))
    ]  # fmt: skip
    ours, published = make_table6(metadata)
    assert rows(ours, *ours.columns) == [("Rats", "20", "1,000", "20.0", "20.0", "100", "2")]
    assert rows(published, "|U|", "precision")[0] == ("10,000", "17.5")


# Methods


def test_methods_have_means_with_their_intervals_best_first():
    found = [*on_topics("naive", 0.1, 0.1), *on_topics("linear", 0.2, 0.6)]
    (table,) = tables(found, "methods", measures=("F1",))
    assert rows(table, "method", "topics", "F1") == [
        ("linear", "2", "40.0 [20.0, 60.0]"),
        ("naive", "2", "10.0 [10.0, 10.0]"),
    ]


def test_a_method_that_ranks_and_does_not_decide_has_its_row():
    ranked = result("bm25", 0.0, measures={"AP": 0.3})
    del ranked.measures["F1"]
    found = [result("linear", 0.4, measures={"AP": 0.2}), ranked]
    table = tables(found, "methods", measures=("F1", "AP"))[0]
    assert rows(table, "method", "topics", "F1", "AP") == [
        ("linear", "1", "40.0", "20.0"),
        ("bm25", "1", None, "30.0"),
    ]


def test_methods_are_compared_with_one_of_them():
    found = [*on_topics("naive", 0.1, 0.2), *on_topics("linear", 0.4, 0.5), result("all", 0.3)]
    (table,) = tables(found, "methods", measures=("F1",), against="naive")
    told = ("method", "F1 less naive", "tasks of both", "p", "p (Holm)")
    assert rows(table, *told) == [
        ("linear", "+30.0 [+30.0, +30.0]", "2", "0.500", "1.000"),
        ("all", "+20.0", "1", "1.000", "1.000"),
        ("naive", None, None, None, None),
    ]


def test_where_less_is_better_the_least_is_best_and_first():
    found = [result("slow", 0.5, seconds=9.0), result("quick", 0.5, seconds=1.0)]
    (table,) = tables(found, "methods", measures=("seconds",))
    assert rows(table, "method", "seconds") == [("quick", "1.0"), ("slow", "9.0")]
    assert best(table, "seconds") == [True, False]


def test_methods_without_a_task_in_common_are_not_compared():
    found = [result("naive", 0.1, mark="other"), result("linear", 0.4)]
    with pytest.raises(RunError, match="no other method has a task in common with 'naive'"):
        tables(found, "methods", against="naive")


def test_tasks_without_the_method_to_compare_with_are_shown_without_comparison():
    found = [result("naive", 0.1), result("all", 0.2), result("all", 0.3, setting="transductive")]
    first, second = tables(found, "methods", against="naive")
    assert "F1 less naive" in first.columns
    assert "F1 less naive" not in second.columns


def test_a_method_run_with_several_settings_has_to_be_named_whole():
    found = [result("naive", 0.1, settings={"keep": keep}) for keep in ("f1", "ber")]
    with pytest.raises(RunError, match=r"several settings; choose one of: naive \[keep=ber\], "):
        tables(found, "methods", against="naive")
    (table,) = tables(found, "methods", measures=("F1",), against="naive [keep=f1]")
    assert rows(table, "method", "F1 less naive [keep=f1]")[0] == ("naive [keep=ber]", "+0.0")


def test_an_unknown_method_is_answered_with_those_there_are():
    with pytest.raises(RunError, match="'lineal' has no results; choose one of: linear"):
        tables([result("linear", 0.4)], "methods", against="lineal")


def test_an_unknown_measure_is_refused():
    with pytest.raises(SettingsError, match="no measure 'F2'"):
        TableSettings(measures=("F2",))


def test_a_measure_that_no_result_has_is_refused():
    with pytest.raises(RunError, match="no result has the measure 'AUC'; they have: F1"):
        tables([result("linear", 0.4)], "methods", measures=("AUC",))


# Pretrained


def test_a_method_with_an_encoder_stands_beside_itself_without():
    found = [
        *on_topics("linear", 0.3, 0.4, settings={"encoder": ""}),
        *on_topics("linear", 0.4, 0.6, settings={"encoder": "minilm"}),
    ]
    (table,) = tables(found, "pretrained")
    assert rows(table, "method", "with", "F1 without", "F1 with", "difference") == [
        ("linear", "minilm", "35.0", "50.0", "+15.0 [+10.0, +20.0]"),
        ("CNN, Jacovi et al. (2021)", "SciBERT", "25.8", "30.0", "+4.2"),
    ]


@pytest.mark.parametrize(
    ("without", "with_it"),
    [
        ("nnpu-cnn(start=random)", "nnpu-cnn"),
        ("cnn", "cnn(start=topics)"),
        ("cnn(epochs=3, start=random)", "cnn(epochs=3, start=topics)"),
    ],
)
def test_embeddings_that_start_from_topics_stand_beside_random_ones(without, with_it):
    found = [result(without, 0.3), result(with_it, 0.4)]
    (table,) = tables(found, "pretrained")
    assert rows(table, "with", "F1 without", "F1 with")[0] == ("start=topics", "30.0", "40.0")


@pytest.mark.parametrize("encoder", ["", "scibert"])
def test_networks_over_an_encoders_states_stand_beside_those_over_words(encoder):
    found = [
        result("cnn(epochs=3)", 0.3, settings={"encoder": encoder}),
        result("cnn(embeddings=encoder, epochs=3)", 0.4, settings={"encoder": "scibert"}),
        result("cnn(embeddings=tuned, epochs=3)", 0.5, settings={"encoder": "scibert"}),
    ]
    (table,) = tables(found, "pretrained")
    assert rows(table, "with", "F1 without", "F1 with")[:2] == [
        ("scibert (embeddings=encoder)", "30.0", "40.0"),
        ("scibert (embeddings=tuned)", "30.0", "50.0"),
    ]


def test_without_pairs_there_is_no_table_of_pretraining():
    with pytest.raises(RunError, match="no method was run both with an encoder and without"):
        tables([result("linear", 0.4)], "pretrained")


# All


@pytest.mark.parametrize("like", TABLES)
def test_tables_of_a_run_and_of_its_summary_are_the_same(tmp_path, like):
    measures = {"accuracy": 1 / 3, "AP": 2 / 7, "top-k F1": 1 / 9, "top-k F1 deviation": 0.1}
    names = ("bm25", "cnn", "cnn(prior=true)", "cnn(risk=pn)", "cnn(batch=16)", "cnn(start=topics)")
    found = [
        one
        for place, name in enumerate(names)
        for kind in ({}, {"negatives": 50})
        for one in on_topics(name, place / 7, place / 11, measures=measures, **kind)
    ]
    runs = write_results(tmp_path / "runs", found)
    write_summary(load_summary(runs), tmp_path / "fast.json")
    both = (load_summary(runs), read_summary(tmp_path / "fast.json"))
    first, second = (
        make_tables(one, like, settings=TableSettings(), rng=np.random.default_rng(0))
        for one in both
    )
    assert first == second


def test_nothing_is_shown_of_results_that_all_failed():
    with pytest.raises(RunError, match="all 1 results failed"):
        tables([failed("linear")], "table1")
