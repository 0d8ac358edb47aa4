"""The methods: every named way of scoring a pool, those of plug-ins too."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint

from likewise.errors import SettingsError
from likewise.extras import Offer, load_plug_in, plug_ins
from likewise.learn.method_info import MethodInfo
from likewise.learn.parameters import (
    BELOW_1,
    COUNT,
    FROM_0_TO_1,
    LOSS,
    NOT_NEGATIVE,
    POSITIVE,
    PRIOR,
    SEVERAL,
    Parameter,
    Value,
    one_of,
    or_one_of,
)

GROUP = "likewise.methods"
"""The entry points under which a package of one's own adds a `MethodInfo`."""

_NNPU = (
    Parameter("prior", 0.5, PRIOR, "the share of the pool that the risk takes for on topic"),
    Parameter("beta", 0.0, NOT_NEGATIVE, "how far below 0 the risk's negative part may fall"),
    Parameter(
        "gamma",
        1.0,
        or_one_of(FROM_0_TO_1, "tune"),
        "how large the step back is once that part falls below -beta; tune tries several and takes "
        "that of the lowest validation risk",
    ),
    Parameter("loss", "sigmoid", LOSS, "the surrogate loss"),
    Parameter("weight_decay", 0.001, NOT_NEGATIVE, "how strongly weights are drawn to 0"),
    Parameter(
        "validation", 0.0, BELOW_1, "the share of seeds and pool that is set aside to stop early"
    ),
    Parameter("patience", 5, COUNT, "epochs without a lower validation risk that end training"),
    Parameter("models", 1, COUNT, "models whose scores are averaged"),
    Parameter("folds", 5, SEVERAL, "parts of seeds and pool, each scored by models without it"),
    Parameter(
        "center",
        "mean",
        one_of("mean", "zero"),
        "where scores of several models meet: at their means, or at 0, which --keep zero needs",
    ),
    Parameter(
        "negatives",
        "pnu",
        one_of("pnu", "ensemble", "pn", "pubn", "unlabeled", "ignore"),
        "how what is known to be off topic is learned from",
    ),
    Parameter(
        "pn_weight",
        0.3,
        FROM_0_TO_1,
        "how much many of them count in pnu beside the pool; half of it if they are as many as "
        "the seeds",
    ),
)
_CNN = (
    *_NNPU,
    Parameter(
        "batch",
        250,
        or_one_of(SEVERAL, "auto"),
        "documents a batch; auto is 1000, or as many as leave 15 steps an epoch",
    ),
    Parameter("epochs", 15, COUNT, "loops through the seeds"),
    Parameter("learning_rate", 0.001, POSITIVE, "how large the steps of Adam are"),
    Parameter("words", "stems", one_of("stems", "plain"), "words as they are searched, or written"),
    Parameter(
        "start",
        "topics",
        one_of("topics", "random"),
        "embeddings before training: from what the pool's documents share, or random",
    ),
    Parameter("spread", 0.1, NOT_NEGATIVE, "the deviation of embeddings before training"),
    Parameter("dropout", 0.5, BELOW_1, "the share of features left out of each step"),
)
_PAPER: dict[str, Value] = {
    "weight_decay": 0.0,
    "validation": 0.33,
    "patience": 20,
    "center": "zero",
    "batch": "auto",
    "epochs": 100,
    "words": "plain",
    "start": "random",
    "spread": 0.01,
    "dropout": 0.0,
}
"""Where the paper's settings are others than ours."""
_NNPU_REFERENCE = (
    "Jacovi, Niu, Goldberg, Sugiyama (2021), Scalable Evaluation and Improvement of Document Set "
    "Expansion via Neural Positive-Unlabeled Learning; Kiryo, Niu, du Plessis, Sugiyama (2017), "
    "Positive-Unlabeled Learning with Non-Negative Risk Estimator"
)

_BUILT_IN = (
    MethodInfo(
        name="linear",
        description="Sums over terms, fused: what is surprising to find, or to miss, in the seeds "
        "against the pool; against the library, as the engine ranks; and, where the pool is nearly "
        "the whole library, logistic regressions of terms and of latent topics. The default",
        scorer="likewise.learn.scorers:score_linear",
        parameters=(
            Parameter(
                "library",
                "auto",
                or_one_of(NOT_NEGATIVE, "auto"),
                "how much the engine's contrast with the library counts beside that with the pool; "
                "auto is twice the share of the library outside the pool",
            ),
            Parameter(
                "regressions",
                "auto",
                or_one_of(NOT_NEGATIVE, "auto"),
                "how much the regressions count; auto is 1 where the pool is the library, and 0 "
                "where a quarter of it or more is outside",
            ),
            Parameter("strength", 0.1, POSITIVE, "how freely the regression of terms may fit"),
            Parameter(
                "topic_strength", 0.03, POSITIVE, "how freely those of topics and vectors may fit"
            ),
            Parameter(
                "negatives",
                "fading",
                one_of("fading", "ensemble", "pnu", "pn", "unlabeled", "ignore"),
                "how what is known to be off topic is learned from",
            ),
        ),
        uses_vectors=True,
    ),
    MethodInfo(
        name="naive",
        description="Logistic regression of tf-idf that takes the pool for off topic",
        scorer="likewise.learn.scorers:score_naive",
        parameters=(Parameter("strength", 1.0, POSITIVE, "how freely it may fit"),),
    ),
    MethodInfo(
        name="bm25",
        description="The order in which more-like-these finds documents; one round",
        scorer="likewise.learn.scorers:score_bm25",
        reference="Robertson, Zaragoza (2009), The Probabilistic Relevance Framework: "
        "BM25 and Beyond",
    ),
    MethodInfo(
        name="copkmeans",
        description="Two clusters of latent topics, or of an encoder's vectors, with all seeds in "
        "one of them, which decides; one round",
        scorer="likewise.learn.scorers:score_copkmeans",
        reference="Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained K-means Clustering with "
        "Background Knowledge",
        parameters=(Parameter("restarts", 5, COUNT, "starts, of which the tightest is taken"),),
        uses_vectors=True,
        zero=(),
        keep="zero",
    ),
    MethodInfo(
        name="nnpu-cnn",
        description="The paper's CNN trained with the non-negative PU risk; one round",
        scorer="likewise.learn.neural.scorers:score_nnpu_cnn",
        reference=_NNPU_REFERENCE,
        extra="neural",
        parameters=_CNN,
        zero=("center", "zero"),
        is_costly=True,
    ),
    MethodInfo(
        name="jacovi2021",
        description="nnpu-cnn with the settings of the paper, decided as there, at score 0",
        scorer="likewise.learn.neural.scorers:score_nnpu_cnn",
        reference=_NNPU_REFERENCE,
        extra="neural",
        parameters=tuple(one._replace(default=_PAPER.get(one.name, one.default)) for one in _CNN),
        zero=("center", "zero"),
        keep="zero",
        is_costly=True,
    ),
    MethodInfo(
        name="nnpu-transformer",
        description="A pretrained transformer (--encoder) trained with the non-negative PU risk; "
        "one round",
        scorer="likewise.learn.neural.scorers:score_nnpu_transformer",
        reference=_NNPU_REFERENCE,
        extra="transformers",
        parameters=(
            *_NNPU,
            Parameter(
                "batch",
                "auto",
                or_one_of(SEVERAL, "auto"),
                "documents a batch; auto is 250, and 16 where the transformer learns",
            ),
            Parameter(
                "epochs",
                "auto",
                or_one_of(COUNT, "auto"),
                "loops through the seeds; auto is 15, and 3 where the transformer learns",
            ),
            Parameter(
                "trained",
                "head",
                one_of("head", "cnn", "all", "cnn-all"),
                "a head on its vectors, or the paper's CNN on the states of its word pieces, alone "
                "or with all of the transformer",
            ),
        ),
        needs_transformer=True,
        uses_vectors=True,
        vectorless=(("trained", "cnn"), ("trained", "all"), ("trained", "cnn-all")),
        zero=("center", "zero"),
        is_costly=True,
    ),
    MethodInfo(
        name="fused",
        description="The mean of what linear and nnpu-cnn say",
        short_for="linear + nnpu-cnn",
        extra="neural",
        is_costly=True,
    ),
)
METHODS = {known.name: known for known in _BUILT_IN}
"""Every built-in method by name; the first is the default."""


def method_named(name: str, *, others: Mapping[str, MethodInfo] | None = None) -> MethodInfo:
    """Return what is known about the method of this name.

    Args:
        name: Of the method.
        others: Methods that are none of the product, but may be named too.
    """
    known = METHODS | dict(others or {})
    if name in known:
        return known[name]
    for entry in _list_plug_ins():
        if entry.name == name:
            return _load_plug_in(entry)
    names = dict.fromkeys([*method_names(), *known])
    raise SettingsError(f"there is no method {name!r}; choose one of: {', '.join(names)}")


def method_names() -> list[str]:
    """Return the names of all methods: the built-in ones, then those that plug-ins add."""
    return list(dict.fromkeys([*METHODS, *(entry.name for entry in _list_plug_ins())]))


def _list_plug_ins() -> tuple[EntryPoint, ...]:
    return tuple(plug_ins(GROUP).values())


def _load_plug_in(entry: EntryPoint) -> MethodInfo:
    found = load_plug_in(entry, kind="method")
    # What is spelled under one name has to be found under it again.
    if not isinstance(found, MethodInfo) or found.name != entry.name:
        raise Offer.of(entry, kind="method").error("is no MethodInfo of this name")
    return found
