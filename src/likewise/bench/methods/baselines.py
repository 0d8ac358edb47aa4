"""The baselines: what methods are measured against, each with its reference and parameters.

They are methods of the benchmark alone. Some score seeds and pool as any method does
(`scorers.py`); the networks follow the paper's protocol (`networks.py`); the upper bounds learn
from the truth (`upper_bound.py`, `network_methods.py`).
"""

from __future__ import annotations

from likewise.learn.method_info import MethodInfo
from likewise.learn.parameters import (
    COUNT,
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    SEVERAL,
    SHARE,
    Parameter,
    one_of,
    or_one_of,
)

_LOSSES = one_of("sigmoid", "logistic", "squared", "double-hinge", "ramp")
_PRIOR = or_one_of(SHARE, "true", "estimate")
_NETWORK = (
    Parameter(
        "batching",
        "proportional",
        one_of("proportional", "ordinary"),
        "whether every batch has its share of each group, or all are shuffled together",
    ),
    Parameter("epochs", 40, COUNT, "loops through the seeds, at most"),
    Parameter("models", 1, COUNT, "models whose scores are averaged"),
    Parameter("start", "random", one_of("random", "topics"), "embeddings before training"),
)
_PAPER = (
    "Jacovi, Niu, Goldberg, Sugiyama (2021), Scalable Evaluation and Improvement of Document Set "
    "Expansion via Neural Positive-Unlabeled Learning"
)

SCORED = (
    MethodInfo(
        name="centroid",
        description="The cosine with the mean of the seeds' tf-idf",
        scorer="likewise.bench.methods.scorers:score_centroid",
    ),
    MethodInfo(
        name="rocchio",
        description="The mean of the seeds' tf-idf less a part of the pool's, as a query",
        scorer="likewise.bench.methods.scorers:score_rocchio",
        reference="Rocchio (1971), Relevance Feedback in Information Retrieval",
        parameters=(
            Parameter("beta", 0.75, POSITIVE, "how much the seeds' mean counts"),
            Parameter("gamma", 0.15, NOT_NEGATIVE, "how much the pool's mean counts against it"),
        ),
    ),
    MethodInfo(
        name="rm3",
        description="A relevance model of the seeds, mixed with the query that they make",
        scorer="likewise.bench.methods.scorers:score_rm3",
        reference="Lavrenko, Croft (2001), Relevance-Based Language Models; Abdul-Jaleel et al. "
        "(2004), UMass at TREC 2004",
        parameters=(
            Parameter("terms", 100, COUNT, "terms that are kept of the model, and of the query"),
            Parameter("original", 0.5, FROM_0_TO_1, "how much the query counts"),
        ),
    ),
    MethodInfo(
        name="one-class-svm",
        description="How far inside the region of the seeds' tf-idf a document lies",
        scorer="likewise.bench.methods.scorers:score_one_class_svm",
        reference="Schölkopf, Platt, Shawe-Taylor, Smola, Williamson (2001), Estimating the "
        "Support of a High-Dimensional Distribution",
        extra="bench",
        parameters=(
            Parameter("nu", 0.5, SHARE, "the share of seeds that may lie outside"),
            Parameter("kernel", "linear", one_of("linear", "rbf"), "what alike means"),
        ),
    ),
    MethodInfo(
        name="spy",
        description="Two steps: spies among the pool find what is surely off topic, and naive "
        "Bayes with EM learns from that (S-EM)",
        scorer="likewise.bench.methods.scorers:score_spy",
        reference="Liu, Lee, Yu, Li (2002), Partially Supervised Classification of Text Documents",
        parameters=(
            Parameter("share", 0.15, SHARE, "the share of seeds that are spies"),
            Parameter("noise", 0.15, FROM_0_TO_1, "the share of spies that is taken for noise"),
            Parameter("smoothing", 0.1, POSITIVE, "what is added to the counts of every term"),
            Parameter("turns", 8, COUNT, "turns of EM, at most"),
        ),
    ),
    MethodInfo(
        name="elkan-noto",
        description="Logistic regression of tf-idf that weighs the pool by how likely each "
        "document is a seed that was not labelled",
        scorer="likewise.bench.methods.scorers:score_elkan_noto",
        reference="Elkan, Noto (2008), Learning Classifiers from Only Positive and Unlabeled Data",
        parameters=(
            Parameter("strength", 1.0, POSITIVE, "how freely both regressions may fit"),
            Parameter("held_out", 0.2, SHARE, "the share of seeds that say how many are labelled"),
        ),
    ),
)
SPECIAL = (
    MethodInfo(name="all", description="Everything is on topic"),
    MethodInfo(
        name="cnn",
        description="The paper's CNN by its protocol: trained on the training part, stopped early "
        "on the validation part, decided at score 0",
        reference=_PAPER,
        extra="neural",
        parameters=(
            Parameter(
                "risk",
                "nnpu",
                one_of("nnpu", "upu", "pn", "pnu", "vpu", "naive"),
                "what is made small; naive is pn with the pool for off topic",
            ),
            Parameter(
                "prior", 0.5, _PRIOR, "the share of the pool that the risk takes for on topic"
            ),
            Parameter("gamma", 0.5, FROM_0_TO_1, "how much pn counts in pnu"),
            Parameter("loss", "sigmoid", _LOSSES, "the surrogate loss"),
            Parameter("batch", 1000, SEVERAL, "documents a batch"),
            *_NETWORK,
        ),
        is_costly=True,
    ),
    MethodInfo(
        name="vpu",
        description="The paper's CNN trained with the variational PU risk, which needs no prior",
        short_for="cnn(risk=vpu)",
        reference="Chen, Liu, Wang, Zhao, Wu (2020), A Variational Approach for Learning from "
        "Positive and Unlabeled Data",
        extra="neural",
        is_costly=True,
    ),
    MethodInfo(
        name="upper-bound",
        description="Full supervision of the default method's regressions: learns from the truth",
        parameters=(Parameter("strength", 10.0, POSITIVE, "how freely they may fit"),),
    ),
    MethodInfo(
        name="upper-bound-cnn",
        description="Full supervision of the paper's CNN: learns from the truth",
        reference=_PAPER,
        extra="neural",
        parameters=(
            Parameter("prior", "true", or_one_of(SHARE, "true"), "how much those on topic count"),
            Parameter("loss", "logistic", _LOSSES, "the surrogate loss"),
            Parameter("batch", 100, SEVERAL, "documents a batch"),
            *_NETWORK,
        ),
        is_costly=True,
    ),
)
BASELINES = {known.name: known for known in (*SCORED, *SPECIAL)}
"""Every baseline by name."""
