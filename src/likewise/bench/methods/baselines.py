"""The baselines that methods are compared with, each with its reference and parameters.

Only the benchmark has them. Some score seeds and pool as any method does (`scorers.py`), the
networks follow the paper's protocol (`networks.py`), and the upper bounds learn from the truth
(`supervision.py`, `__init__.py`).
"""

from __future__ import annotations

import re
from functools import partial

from likewise.extras import PRIOR_GROUP
from likewise.learn.methods import LOSS, RISK, MethodInfo
from likewise.learn.priors import PRIORS
from likewise.parameters import (
    AT_LEAST_1,
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

_PRIOR = or_one_of(SHARE, "true", "estimate", *PRIORS, group=PRIOR_GROUP)
_OF_POOL = "the share of the pool that the risk takes for on topic"
_ESTIMATED = Parameter("prior", "estimate", _PRIOR, _OF_POOL)
_BY_BEST_BIN = Parameter("prior", "best-bin", _PRIOR, _OF_POOL)
_LOSS = Parameter("loss", "sigmoid", LOSS, "the surrogate loss")
_LOGISTIC = Parameter("loss", "logistic", LOSS, "the surrogate loss")
_NETWORK = (
    Parameter(
        "batch",
        "auto",
        or_one_of(SEVERAL, "auto"),
        "documents per batch; auto is 1000 (250 of an encoder's embeddings, and 16 if they are "
        "tuned), or as many as leave 15 steps per epoch",
    ),
    Parameter(
        "batching",
        "proportional",
        one_of("proportional", "ordinary"),
        "whether every batch has its share of each group, or all are shuffled together",
    ),
    Parameter("epochs", 100, COUNT, "loops through the seeds, at most"),
    Parameter("patience", 20, COUNT, "epochs without a lower validation risk that end training"),
    Parameter(
        "learning_rate",
        "auto",
        or_one_of(POSITIVE, "auto"),
        "how large the steps of Adam are; auto is 0.001, and 5e-5 with embeddings=tuned",
    ),
    Parameter("models", 1, COUNT, "models whose scores are averaged"),
    Parameter(
        "embeddings",
        "words",
        one_of("words", "encoder", "tuned"),
        "what is read: words, or the encoder's states of word pieces, as they are or tuned",
    ),
    Parameter("start", "random", one_of("random", "topics"), "embeddings of words before training"),
)
_describe_network = partial(
    MethodInfo,
    extra="neural",
    transformer_with=(("embeddings", "encoder"), ("embeddings", "tuned")),
    is_costly=True,
)
_PAPER = (
    "Jacovi, Niu, Goldberg, Sugiyama (2021), Scalable Evaluation and Improvement of Document Set "
    "Expansion via Neural Positive-Unlabeled Learning"
)
_GARG = (
    "Garg, Wu, Smola, Balakrishnan, Lipton (2021), Mixture Proportion Estimation and PU Learning: "
    "A Modern Approach"
)
_PUDE = (
    "Zhang, Chen, Zou, Pan, Wang, Stevenson (2024), Document Set Expansion with "
    "Positive-Unlabelled Learning Using Intractable Density Estimation"
)

SCORED = (
    MethodInfo(
        name="citations",
        description="How documents are linked with the seeds by citations, and nothing else",
        scorer="likewise.bench.methods.scorers:score_citations",
    ),
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
            Parameter("terms", 100, COUNT, "terms kept from the model, and from the query"),
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
            Parameter("kernel", "linear", one_of("linear", "rbf"), "how similarity is measured"),
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
            Parameter("noise", 0.15, FROM_0_TO_1, "the share of spies that counts as noise"),
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
            Parameter("held_out", 0.2, SHARE, "share of seeds that estimate how many are labelled"),
        ),
    ),
    MethodInfo(
        name="pue",
        description="A linear score of tf-idf with the non-negative PU risk, in which seeds count "
        "the more, the less likely they were to be seeds",
        scorer="likewise.bench.methods.scorers:score_pue",
        reference="Wang, Chen, Guo, Wang (2023), PUe: Biased Positive-Unlabeled Learning "
        "Enhancement by Causal Inference",
        parameters=(
            Parameter("prior", 0.5, SHARE, "the share of the pool that is taken for on topic"),
            Parameter("strength", 0.01, POSITIVE, "how freely it may fit"),
            Parameter("most", 10.0, AT_LEAST_1, "how many times another's weight a seed may have"),
        ),
    ),
    MethodInfo(
        name="pude",
        description="How dense seeds are where a document lies, against how dense the pool is: "
        "kernel densities of latent topics, or of the encoder's vectors",
        scorer="likewise.bench.methods.scorers:score_pude",
        reference=_PUDE,
        parameters=(
            Parameter("dimensions", 100, COUNT, "latent topics, at most"),
            Parameter("width", 5.0, POSITIVE, "width of kernels, as a multiple of Scott's rule"),
        ),
        uses_vectors=True,
    ),
    MethodInfo(
        name="pude-energy",
        description="puDE with densities from the energies of two networks",
        scorer="likewise.bench.methods.scorers:score_pude_energy",
        reference=_PUDE,
        extra="neural",
        parameters=(
            Parameter("dimensions", 25, COUNT, "latent topics, at most"),
            Parameter("steps", 100, COUNT, "training steps of each network"),
            Parameter("calm", 0.1, NOT_NEGATIVE, "how much the squares of energies count"),
            Parameter("folds", 3, SEVERAL, "models, each without a part of seeds and pool"),
        ),
        uses_vectors=True,
        is_costly=True,
    ),
)
SPECIAL = (
    MethodInfo(name="all", description="Everything is on topic"),
    _describe_network(
        name="cnn",
        description="The paper's CNN by its protocol: trained on the training part, stopped early "
        "on the validation part, decided at score 0",
        reference=_PAPER,
        parameters=(
            Parameter(
                "risk",
                "nnpu",
                RISK,
                "what training minimises; naive is pn with the pool as off topic",
            ),
            Parameter("prior", 0.5, _PRIOR, _OF_POOL),
            Parameter(
                "beta", 0.0, NOT_NEGATIVE, "how far below 0 the risk's negative part may fall"
            ),
            Parameter(
                "gamma",
                1.0,
                or_one_of(FROM_0_TO_1, "tune"),
                "how large the step back is once that part falls below -beta; tune tries several",
            ),
            Parameter("pnu_weight", 0.5, FROM_0_TO_1, "how much pn counts in pnu"),
            _LOSS,
            *_NETWORK,
        ),
    ),
    _describe_network(
        name="vpu",
        description="The paper's CNN trained with the variational PU risk, which needs no prior",
        reference="Chen, Liu, Wang, Zhao, Wu (2020), A Variational Approach for Learning from "
        "Positive and Unlabeled Data",
        parameters=_NETWORK,
    ),
    _describe_network(
        name="dist-pu",
        description="The paper's CNN trained to predict as many on topic as the prior says, and "
        "each with certainty",
        reference="Zhao, Xu, Jiang, Wen, Huang (2022), Dist-PU: Positive-Unlabeled Learning from a "
        "Label Distribution Perspective",
        parameters=(_ESTIMATED, *_NETWORK),
    ),
    _describe_network(
        name="cvir",
        description="The paper's CNN trained with the pool as off topic, except for the share of "
        "it that looks most on topic",
        reference=_GARG,
        parameters=(_BY_BEST_BIN, _LOGISTIC, *_NETWORK),
    ),
    _describe_network(
        name="tedn",
        description="cvir, with the prior estimated by best-bin after each epoch",
        reference=_GARG,
        parameters=(_LOGISTIC, *_NETWORK),
    ),
    MethodInfo(
        name="upper-bound",
        description="Full supervision of the default method's regressions: learns from the truth",
        parameters=(Parameter("strength", 10.0, POSITIVE, "how freely they may fit"),),
    ),
    _describe_network(
        name="upper-bound-cnn",
        description="Full supervision of cnn's network, trained as it is: learns from the truth",
        reference=_PAPER,
        parameters=(
            Parameter("prior", 0.5, or_one_of(SHARE, "true"), "how much documents on topic count"),
            _LOSS,
            *_NETWORK,
        ),
    ),
)
BASELINES = {known.name: known for known in (*SCORED, *SPECIAL)}
"""Every baseline by name."""

_NETWORK_NAME = re.compile(r"(?:random\s*\+\s*)?(?:cnn|vpu|dist-pu|cvir|tedn)\b")


def find_bound(method: str) -> str:
    """Return the upper bound of a method: its own model or the default one, fully supervised.

    >>> find_bound("random + cnn(risk=naive)"), find_bound("linear")
    ('upper-bound-cnn', 'upper-bound')
    """
    return "upper-bound-cnn" if _NETWORK_NAME.match(method) else "upper-bound"
