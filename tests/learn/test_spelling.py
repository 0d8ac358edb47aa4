"""The spelling of methods: read, written, and refused in one line."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.encoding import HashEncoder
from likewise.errors import MissingExtraError, SettingsError
from likewise.features.huggingface import HuggingFace
from likewise.learn.methods import METHODS
from likewise.learn.spelling import Fusion, Method, parse_method

NUMBERS = st.floats(0, 1) | st.floats(0, 1e308) | st.integers(0, 10**6)


def values_of(kind):
    words = st.sampled_from(kind.words) if kind.words else st.nothing()
    is_number = any(map(kind.allows, (0.5, 1)))
    return words | NUMBERS.filter(kind.allows) if is_number else words


def methods_named(name):
    chosen = [
        st.tuples(st.just(parameter.name), values_of(parameter.kind))
        for parameter in METHODS[name].parameters
    ]
    given = st.lists(st.one_of(chosen), unique_by=lambda pair: pair[0]) if chosen else st.just([])
    return st.builds(Method, st.just(name), given.map(tuple))


single = st.sampled_from([n for n in METHODS if not METHODS[n].short_for]).flatmap(methods_named)
fusions = st.lists(single, min_size=2, max_size=4).map(lambda parts: Fusion(tuple(parts)))


@given(method=single | fusions)
def test_what_is_spelled_out_is_read_back(method):
    read = parse_method(str(method))
    assert [given_to(part) for part in parts_of(read)] == [given_to(p) for p in parts_of(method)]
    assert parse_method(str(read)) == read


def parts_of(method):
    return getattr(method, "parts", (method,))


def given_to(method):
    """Return what is given to a method, defaults or not."""
    usual = {known.name: known.default for known in METHODS[method.name].parameters}
    return method.name, usual | dict(method.parameters)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("linear(topic_strength=0.5, strength=2.0)", "linear(strength=2, topic_strength=0.5)"),
        ("linear(strength=2,topic_strength=5e-1)", "linear(strength=2, topic_strength=0.5)"),
        ("linear(strength=0.10, library=auto)", "linear"),
        ("nnpu-cnn(gamma=1, beta=0, epochs=15)", "nnpu-cnn"),
        ("fused", "fused"),
        ("fused ( )", "fused"),
        ("fused + naive", "linear + nnpu-cnn + naive"),
        ("jacovi2021", "jacovi2021"),
        ("jacovi2021 + naive", "jacovi2021 + naive"),
    ],
)
def test_a_method_has_one_spelling(text, spelled):
    assert str(parse_method(text)) == spelled
    assert str(parse_method(spelled)) == spelled


LINEAR, NAIVE, CNN = Method("linear"), Method("naive"), Method("nnpu-cnn")


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("linear", LINEAR),
        (" linear ( ) ", LINEAR),
        ("naive(strength=2)", Method("naive", (("strength", 2),))),
        (
            "linear( strength = 1e-3,topic_strength=0.5, )",
            Method("linear", (("strength", 0.001), ("topic_strength", 0.5))),
        ),
        ("nnpu-cnn(prior=estimate)", Method("nnpu-cnn", (("prior", "estimate"),))),
        ("nnpu-cnn(prior=best-bin)", Method("nnpu-cnn", (("prior", "best-bin"),))),
        ("nnpu-cnn(prior=0.1)", Method("nnpu-cnn", (("prior", 0.1),))),
        ("nnpu-cnn(beta=0)", CNN),
        ("nnpu-cnn(beta=1)", Method("nnpu-cnn", (("beta", 1.0),))),
        ("nnpu-cnn(loss=double-hinge)", Method("nnpu-cnn", (("loss", "double-hinge"),))),
        ("linear + nnpu-cnn", Fusion((LINEAR, CNN))),
        ("linear+naive +\nnnpu-cnn", Fusion((LINEAR, NAIVE, CNN))),
        ("linear + linear", Fusion((LINEAR, LINEAR))),
        ("fused", Fusion((LINEAR, CNN))),
        ("fused() + naive", Fusion((LINEAR, CNN, NAIVE))),
        (
            "naive(strength=1e+3) + linear(strength=2e+1)",
            Fusion(
                (Method("naive", (("strength", 1e3),)), Method("linear", (("strength", 20.0),)))
            ),
        ),
    ],
)
def test_spellings(text, method):
    assert parse_method(text) == method


POSITIVE = "strength is a number greater than 0"
PRIOR = "prior is a number between 0 and 1, or one of: estimate, experience, smallest-ratio, "
WRITTEN = "write parameters such as linear(name=1.0"


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("best", "choose one of: linear, naive, bm25"),
        ("", "choose one of: linear, naive, bm25"),
        ("Linear", "choose one of: linear, naive, bm25"),
        ("linear(", "choose one of: linear, naive, bm25"),
        ("linear + best", "there is no method 'best'; choose one of: linear"),
        ("linear +", "'linear +': a method is missing beside a plus; write a fusion such as"),
        ("+ linear", "'+ linear': a method is missing beside a plus"),
        ("+", "'+': a method is missing beside a plus"),
        ("linear +\n+ naive", "'linear +\\n+ naive': a method is missing beside a plus"),
        ("linear - naive", "there is no method 'linear - naive'"),
        ("linear(depth=3)", "its parameters are: library, regressions, strength, topic_strength"),
        ("bm25(depth=3)", "it has no parameters"),
        (
            "fused(epochs=3)",
            "'fused' has no parameter 'epochs'; it is short for 'linear + nnpu-cnn'",
        ),
        ("linear(strength=x)", f"linear(strength=x): {POSITIVE}"),
        ("linear(strength=0)", POSITIVE),
        ("linear(strength=-1)", POSITIVE),
        ("linear(strength=True)", POSITIVE),
        ("linear(strength=1j)", POSITIVE),
        ("linear(strength='1')", POSITIVE),
        ("linear(strength=1e999)", POSITIVE),
        ("linear(strength=1" + 400 * "0" + ")", POSITIVE),
        ("linear(strength=nan)", POSITIVE),
        ("linear(strength=1\n2)", POSITIVE),
        ("linear(strength=1 + 2)", POSITIVE),
        ("nnpu-cnn(prior=0)", f"nnpu-cnn(prior=0): {PRIOR}"),
        ("nnpu-cnn(prior=1)", PRIOR),
        ("nnpu-cnn(prior=1.5)", PRIOR),
        ("nnpu-cnn(prior='estimate')", PRIOR),
        ("nnpu-cnn(prior=guess)", PRIOR),
        ("nnpu-cnn(beta=-0.1)", "beta is a number, at least 0"),
        ("nnpu-cnn(batch=1)", "nnpu-cnn(batch=1): batch is a whole number, at least 2"),
        ("nnpu-cnn(folds=1)", "folds is a whole number, at least 2"),
        ("nnpu-cnn(epochs=0)", "epochs is a whole number, at least 1"),
        ("nnpu-cnn(epochs=2.5)", "epochs is a whole number, at least 1"),
        ("nnpu-cnn(epochs=2.0)", "epochs is a whole number, at least 1"),
        ("nnpu-cnn(loss=hinge)", "loss is one of: sigmoid, logistic, squared, double-hinge, ramp"),
        ("nnpu-cnn(loss=1)", "loss is one of: sigmoid"),
        ("linear + naive(strength=0)", f"naive(strength=0): {POSITIVE}"),
        ("linear(0.3)", WRITTEN),
        ("linear(strength)", WRITTEN),
        ("linear(strength=)", WRITTEN),
        ("linear(strength=1, strength=2)", WRITTEN),
        ("linear(,)", WRITTEN),
    ],
)
def test_a_bad_spelling_is_told_in_one_line_with_the_way_out(text, way_out):
    with pytest.raises(SettingsError) as caught:
        parse_method(text)
    assert way_out in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", METHODS)
def test_a_methods_scout_is_itself(name):
    method = Method(name)
    assert method.scout is method


@pytest.mark.parametrize(
    ("text", "scout"),
    [
        ("linear + naive", "linear + naive"),
        ("fused", "linear"),
        ("nnpu-cnn + linear(strength=0.3)", "linear(strength=0.3)"),
        ("linear + nnpu-cnn + bm25", "linear + bm25"),
        ("nnpu-cnn + nnpu-transformer", "nnpu-cnn + nnpu-transformer"),
    ],
)
def test_the_parts_that_are_not_costly_scout_for_a_fusion(text, scout):
    assert str(parse_method(text).scout) == scout


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("linear", True),
        ("naive", False),
        ("naive + bm25", False),
        ("naive + linear", True),
        ("nnpu-transformer", True),
        ("nnpu-transformer(trained=all)", False),
        ("nnpu-transformer(trained=cnn)", False),
        ("nnpu-transformer(trained=cnn-all)", False),
    ],
)
def test_vectors_are_used_where_a_part_uses_them(text, uses):
    assert parse_method(text).uses_vectors is uses


@pytest.mark.parametrize("text", ["nnpu-transformer", "linear + nnpu-transformer"])
@pytest.mark.parametrize(
    ("encoder", "found"), [(None, "there is none"), (HashEncoder(), "'hash' is not one")]
)
def test_a_part_that_needs_a_transformer_says_so(text, encoder, found, monkeypatch):
    monkeypatch.setattr("likewise.learn.methods.find_spec", lambda module: module)
    with pytest.raises(SettingsError) as caught:
        parse_method(text).check(encoder=encoder)
    assert str(caught.value) == (
        f"the method 'nnpu-transformer' needs a Hugging Face encoder, but {found}; "
        "name one, for example --encoder allenai/scibert_scivocab_uncased"
    )


def test_a_transformer_of_hugging_face_is_what_it_needs(monkeypatch):
    monkeypatch.setattr("likewise.learn.methods.find_spec", lambda module: module)
    encoder = HuggingFace.__new__(HuggingFace)
    parse_method("linear + nnpu-transformer").check(encoder=encoder)


@pytest.mark.parametrize("text", ["nnpu-cnn", "fused"])
def test_a_missing_extra_is_named_with_the_command_that_adds_it(text, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError) as caught:
        parse_method(text).check(encoder=None)
    assert str(caught.value) == (
        "The method nnpu-cnn needs an optional dependency. "
        "Install it with: pip install 'likewise[neural]'"
    )


def test_what_needs_no_extra_needs_nothing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    parse_method("linear + naive + bm25 + copkmeans").check(encoder=None)


@pytest.mark.parametrize(
    ("spelling", "has_zero"),
    [
        ("copkmeans", True),
        ("copkmeans(restarts=2)", True),
        ("copkmeans + linear", False),
        ("linear", False),
    ],
)
def test_score_0_means_a_cluster_to_clusters_and_nothing_to_others(spelling, has_zero):
    method = parse_method(spelling)
    assert method.has_zero is has_zero
    assert str(method.keep) == ("zero" if has_zero else "f1")
