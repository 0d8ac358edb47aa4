"""The methods: every named way of scoring a pool, including those of plug-ins.

A scorer is a function of the material, `rng`, `on_step` and the method's parameters. It is loaded
only when it is used, so methods whose extra is missing are listed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec

from likewise.errors import SettingsError
from likewise.extras import (
    LOSS_GROUP,
    PRIOR_GROUP,
    RISK_GROUP,
    Offer,
    load_plug_in,
    plug_ins,
    require,
)
from likewise.features.encoders import Encoder
from likewise.features.huggingface import HuggingFace
from likewise.learn.priors import PRIORS
from likewise.parameters import (
    BELOW_1,
    COUNT,
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    SEVERAL,
    SHARE,
    Parameter,
    Value,
    one_of,
    or_one_of,
)

GROUP = "likewise.methods"
"""The group of entry points through which other packages add a `MethodInfo`."""

MODULES = {
    "neural": ("torch", "safetensors"),
    "transformers": ("torch", "transformers"),
    "bench": ("sklearn",),
}
"""The packages that show, for each extra, whether it is installed."""
ROWS = ("tfidf", "topics", "vectors", "texts", "documents")
"""What estimators may learn from: weighted terms, latent topics, an encoder's vectors, or texts and
documents as they are."""


@dataclass(frozen=True, kw_only=True)
class MethodInfo:
    """What is known about a method."""

    name: str
    description: str
    scorer: str = ""
    """Where its scorer is, as `module:function`."""
    estimator: str = ""
    """Where to find the class of an estimator, or a function that makes one, instead of a scorer.
    The estimator takes the parameters, and has `fit(X, y)` or `fit(X, y, validation=(X, y))`,
    `decision_function(X)`, and maybe `predict(X)`; see `plugged.py`."""
    rows: str = "tfidf"
    """What X is for an estimator, one of ROWS."""
    short_for: str = ""
    """The spelling that its name is short for, instead of a scorer or an estimator."""
    reference: str = ""
    """The authors, year and title of the paper that introduced it; "" if it is ours."""
    extra: str = ""
    """The extra that it needs, or ""."""
    parameters: tuple[Parameter, ...] = ()
    needs_transformer: bool = False
    """Whether the encoder has to be a Hugging Face transformer, which it trains further."""
    transformer_with: tuple[tuple[str, str], ...] = ()
    """Parameters with the values for which it needs one, though otherwise it needs none."""
    vectorless: tuple[tuple[str, str], ...] = ()
    """Parameters with the values for which it needs no vectors after all."""
    uses_vectors: bool = False
    """Whether it learns from the encoder's vectors, so that they have to be made."""
    zero: tuple[str, str] | tuple[()] | None = None
    """The parameter and value for which it decides at score 0, as --keep zero asks; () if it always
    does, None if it never does."""
    keep: str = ""
    """What decides unless --keep says otherwise; "" for f1."""
    is_costly: bool = False
    """Whether it takes minutes where others take seconds."""

    def __post_init__(self) -> None:
        if self.rows not in ROWS:
            raise SettingsError(f"rows are {self.rows!r}; use one of: {', '.join(ROWS)}")

    @property
    def is_installed(self) -> bool:
        """Whether the extra that it needs is installed, as far as can be told without loading."""
        return not self._missing()

    def check(
        self, *, encoder: Encoder | None, parameters: Iterable[tuple[str, Value]] = ()
    ) -> None:
        """Raise if what the method needs, with these parameters, is not there."""
        for module in self._missing():
            require(module, for_=f"The method {self.name}", extra=self.extra)
        is_needed = self.needs_transformer or any(
            chosen in self.transformer_with for chosen in parameters
        )
        if is_needed and not isinstance(encoder, HuggingFace):
            found = f"{encoder.name!r} is not one" if encoder else "there is none"
            raise SettingsError(
                f"the method {self.name!r} needs a Hugging Face encoder, but {found}; "
                "name one, for example --encoder allenai/scibert_scivocab_uncased"
            )
        if self.rows == "vectors" and not encoder:
            raise SettingsError(
                f"the method {self.name!r} learns from the vectors of an encoder, but there is "
                "none; name one, for example --encoder minilm-l6-v2"
            )

    def _missing(self) -> list[str]:
        return [module for module in MODULES.get(self.extra, ()) if find_spec(module) is None]


PRIOR = or_one_of(SHARE, "estimate", *PRIORS, group=PRIOR_GROUP)
"""A prior, or the estimator of one; `estimate` is the first estimator."""
RISK_NAMES = ("nnpu", "upu", "pn", "pnu", "vpu", "dist-pu", "cvir", "tedn", "pu-auc", "pubn")
"""The risks that a network can be trained with; here, so that spelling one does not load torch."""
RISK = one_of(*RISK_NAMES, "naive", group=RISK_GROUP)
"""A risk by its name; `naive` is pn that takes the pool for off topic."""
LOSS = one_of("sigmoid", "logistic", "squared", "double-hinge", "ramp", group=LOSS_GROUP)
"""A surrogate loss by its name."""
_NNPU = (
    Parameter("prior", 0.5, PRIOR, "the share of the pool that the risk takes for on topic"),
    Parameter("beta", 0.0, NOT_NEGATIVE, "how far below 0 the risk's negative part may fall"),
    Parameter(
        "gamma",
        1.0,
        or_one_of(FROM_0_TO_1, "tune"),
        "how large the step back is once that part falls below -beta; tune tries several and keeps "
        "the one with the lowest validation risk",
    ),
    Parameter("loss", "sigmoid", LOSS, "the surrogate loss"),
    Parameter("weight_decay", 0.001, NOT_NEGATIVE, "how strongly weights are drawn to 0"),
    Parameter(
        "validation", 0.0, BELOW_1, "the share of seeds and pool that is set aside to stop early"
    ),
    Parameter("patience", 5, COUNT, "epochs without a lower validation risk before training stops"),
    Parameter("models", 1, COUNT, "models whose scores are averaged"),
    Parameter("folds", 5, SEVERAL, "parts of seeds and pool, each scored by models without it"),
    Parameter(
        "center",
        "mean",
        one_of("mean", "zero"),
        "where scores of several models are aligned: at their means, or at 0 for --keep zero",
    ),
    Parameter(
        "negatives",
        "pnu",
        one_of("pnu", "ensemble", "pn", "pubn", "unlabeled", "ignore"),
        "how to learn from documents known to be off topic",
    ),
    Parameter(
        "pn_weight",
        0.3,
        FROM_0_TO_1,
        "how much negatives count in pnu beside the pool if there are many of them; half of that "
        "if there are as many as seeds",
    ),
)
_CNN = (
    *_NNPU,
    Parameter(
        "batch",
        250,
        or_one_of(SEVERAL, "auto"),
        "documents in a batch; auto is 1000, or as many as leave 15 steps in an epoch",
    ),
    Parameter("epochs", 15, COUNT, "loops through the seeds"),
    Parameter("learning_rate", 0.001, POSITIVE, "how large the steps of Adam are"),
    Parameter("words", "stems", one_of("stems", "plain"), "words as searched, or as written"),
    Parameter(
        "start",
        "topics",
        one_of("topics", "random"),
        "embeddings before training: alike for words of the same documents, or random",
    ),
    Parameter("spread", 0.1, NOT_NEGATIVE, "the deviation of embeddings before training"),
    Parameter("dropout", 0.5, BELOW_1, "the share of features left out at each step"),
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
"""The paper's settings, where they differ from ours."""
_NNPU_REFERENCE = (
    "Jacovi, Niu, Goldberg, Sugiyama (2021), Scalable Evaluation and Improvement of Document Set "
    "Expansion via Neural Positive-Unlabeled Learning; Kiryo, Niu, du Plessis, Sugiyama (2017), "
    "Positive-Unlabeled Learning with Non-Negative Risk Estimator"
)

_NNPU_CNN = MethodInfo(
    name="nnpu-cnn",
    description="The paper's CNN trained with the non-negative PU risk; one round",
    scorer="likewise.learn.neural.scorers:score_nnpu_cnn",
    reference=_NNPU_REFERENCE,
    extra="neural",
    parameters=_CNN,
    zero=("center", "zero"),
    is_costly=True,
)

_BUILT_IN = (
    MethodInfo(
        name="linear",
        description="The default. Sums over terms, fused: what is surprising to find, or to miss, "
        "in the seeds compared with the pool; the engine's ranking, which compares them with the "
        "library; and, if the pool is nearly the whole library, logistic regressions of terms and "
        "of latent topics",
        scorer="likewise.learn.linear:score_linear",
        parameters=(
            Parameter(
                "library",
                "auto",
                or_one_of(NOT_NEGATIVE, "auto"),
                "how much the engine's contrast with the library counts beside the contrast with "
                "the pool; auto is twice the share of the library outside the pool",
            ),
            Parameter(
                "regressions",
                "auto",
                or_one_of(NOT_NEGATIVE, "auto"),
                "how much the regressions count; auto is 1 if the pool is the whole library, and 0 "
                "if a quarter of it or more is outside",
            ),
            Parameter("strength", 0.1, POSITIVE, "how freely the regression of terms may fit"),
            Parameter(
                "topic_strength", 0.03, POSITIVE, "how freely those of topics and vectors may fit"
            ),
            Parameter(
                "negatives",
                "fading",
                one_of("fading", "ensemble", "pnu", "pn", "unlabeled", "ignore"),
                "how to learn from documents known to be off topic",
            ),
            Parameter(
                "citations",
                1.0,
                NOT_NEGATIVE,
                "how much links with the seeds count, if the library knows who cites whom; this is "
                "multiplied by how well they find held-out seeds, and 0 leaves them out",
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
        description="Two clusters of latent topics, or of an encoder's vectors; what is in the one "
        "with all the seeds is on topic; one round",
        scorer="likewise.learn.scorers:score_copkmeans",
        reference="Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained K-means Clustering with "
        "Background Knowledge",
        parameters=(Parameter("restarts", 5, COUNT, "starts; the tightest clusters are kept"),),
        uses_vectors=True,
        zero=(),
        keep="zero",
    ),
    _NNPU_CNN,
    replace(
        _NNPU_CNN,
        name="jacovi2021",
        description="nnpu-cnn with the settings of the paper, which decides at score 0",
        parameters=tuple(replace(one, default=_PAPER.get(one.name, one.default)) for one in _CNN),
        keep="zero",
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
                "documents in a batch; auto is 250, or 16 if the transformer learns",
            ),
            Parameter(
                "epochs",
                "auto",
                or_one_of(COUNT, "auto"),
                "loops through the seeds; auto is 15, or 3 if the transformer learns",
            ),
            Parameter(
                "trained",
                "head",
                one_of("head", "cnn", "all", "cnn-all"),
                "what learns: a head on the encoder's vectors, or the paper's CNN on the states of "
                "its word pieces; alone, or with all of the transformer",
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
        description="The mean of the scores of linear and nnpu-cnn",
        short_for="linear + nnpu-cnn",
        extra="neural",
        is_costly=True,
    ),
)
METHODS = {known.name: known for known in _BUILT_IN}
"""Every built-in method by name; the first is the default."""


def method_named(name: str, *, others: Mapping[str, MethodInfo] | None = None) -> MethodInfo:
    """Return what is known about the method of this name, which may be one of `others` too."""
    known = METHODS | dict(others or {})
    if name in known:
        return known[name]
    names = dict.fromkeys([*method_names(), *known])
    if name not in names:
        raise SettingsError(f"there is no method {name!r}; choose one of: {', '.join(names)}")
    entry = plug_ins(GROUP)[name]
    found = load_plug_in(entry, kind="method")
    # A method is saved by its own name, and has to be found again by that.
    if not isinstance(found, MethodInfo) or found.name != name:
        raise Offer.of(entry, kind="method").error("is not a MethodInfo of this name")
    return found


def method_names() -> list[str]:
    """Return the names of all methods: the built-in ones, then those that plug-ins add."""
    return list(dict.fromkeys([*METHODS, *plug_ins(GROUP)]))
