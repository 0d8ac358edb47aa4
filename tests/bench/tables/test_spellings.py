import pytest

from bench.made_results import on_topics
from likewise.bench.runs.summary import summarise
from likewise.bench.tables.columns import find_method_like, parse_spelling


def run(*methods):
    """Return methods as if they were run: the first on two topics, the others on one."""
    found = [*on_topics(methods[0], 0.1, 0.1)]
    for method in methods[1:]:
        found += on_topics(method, 0.1)
    return summarise(found).group_by_method()


@pytest.mark.parametrize(
    "method",
    ["cnn", "cnn(risk=nnpu)", "cnn(prior=0.50)", "cnn(batch=16)", "cnn(epochs=3, risk=nnpu)"],
)
def test_parameters_may_be_given_in_any_way_or_left_at_their_defaults(method):
    assert find_method_like(run(method), "cnn(risk=nnpu, prior=0.5)") == method


@pytest.mark.parametrize(
    "method", ["naive", "cnn(risk=pn)", "cnn(prior=true)", "cnn(models=3)", "cnn + naive"]
)
def test_other_methods_are_not_taken_for_it(method):
    assert find_method_like(run(method), "cnn(risk=nnpu, prior=0.5)") is None


def test_the_size_of_batches_matters_where_it_is_asked_for():
    methods = run("cnn(batch=16)", "cnn(batch=512)", "cnn")
    assert find_method_like(methods, "cnn(batch=512)") == "cnn(batch=512)"
    assert find_method_like(methods, "cnn(batch=auto)") == "cnn"


def test_batches_of_the_usual_size_are_preferred():
    assert find_method_like(run("cnn(batch=16)", "cnn(epochs=3)"), "cnn") == "cnn(epochs=3)"


def test_of_several_the_one_with_most_results_is_taken():
    assert find_method_like(run("cnn(epochs=3)", "cnn"), "cnn(risk=nnpu)") == "cnn(epochs=3)"


def test_the_parts_of_a_fusion_may_be_in_any_order():
    assert find_method_like(run("cnn + cnn(risk=pn)"), "cnn(risk=pn) + cnn(risk=nnpu)")


def test_settings_are_no_part_of_a_spelling():
    assert parse_spelling("linear [encoder=x]") == parse_spelling("linear")


def test_a_parameter_can_be_left_out():
    (part,) = parse_spelling("cnn(start=topics, batch=16)")
    assert part.get("start") == "topics"
    assert part.without("start") == parse_spelling("cnn(batch=16)")[0]
