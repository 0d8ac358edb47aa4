"""A small expansion, made by hand, for the tests of what is done with one."""

from dataclasses import replace

from likewise.documents import Document
from likewise.expansion.expansion import Estimates, Expansion, Explanation, Interval, Ranked, Round
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings

MATCHED = (
    Document(id="101", pmid="101", title="Insulin and blood glucose in rats", year=1978),
    Document(id="102", pmid="102", title="Blood glucose after insulin", abstract="It fell."),
    Document(id="103", doi="10.1000/103", title="Insulin resistance & obesity", year=2001),
)
TEXT_ONLY = (Document(id="mine", title="A thesis on insulin", abstract="Never published."),)
POOL = (
    Document(
        id="201",
        pmid="201",
        pmcid="PMC2010",
        doi="10.1000/201",
        title="Glucagon raises blood glucose in dogs",
        abstract="We gave glucagon to 12 dogs. Blood glucose rose by 50% (p < 0.05).",
        year=1977,
        authors=("Müller, Änne", "Dog Study Group"),
        journal="The Journal of Dogs",
        keywords=("glucagon", "dogs"),
        language="eng",
        source="pubmed:a.xml.gz",
    ),
    Document(id="10.1000/a b", title="=SUM(A1) and <b>insulin</b>", abstract="Pumps.", year=2020),
    Document(id="203", pmid="203", title="Insulin pumps for children", year=2019),
    Document(id="204", pmid="204", title="Sugar in the diet of bees", abstract="They like it."),
    Document(id="205", pmid="205", title="The sleep of shift workers", year=2021),
)

# id, score, probability, decision; in the order of the ranking.
_PLACES = (
    ("102", 3.25, 0.99, True),
    ("201", 2.5, 0.9312345, True),
    ("101", 2.0000001234, 0.9, True),
    ("10.1000/a b", 1.5, 0.8, True),
    ("mine", 1.25, 0.75, True),
    ("203", 1.0, 0.7, True),
    ("204", -0.5, 0.25, False),
    ("103", -1.0, 0.125, True),
    ("205", -2.0, 0.0625, False),
)
_SEEDS = frozenset(seed.id for seed in (*MATCHED, *TEXT_ONLY))
_EXPLANATIONS = {
    "201": Explanation(
        up=tuple((term, 1.0 / place) for place, term in enumerate(
            ("blood", "glucos", "glucagon", "dog", "rais", "rose", "gave", "we", "to"), 1
        )),
        down=(("p", -0.25),),
        nearest_seed="102",
    ),
    "10.1000/a b": Explanation((("insulin", 0.5), ("pump", 0.25)), (("sum", -0.5),), "101"),
    "203": Explanation((("insulin", 0.5),), (), "101"),
}  # fmt: skip


def explain(identifier: str) -> Explanation:
    """Return why the document of an id has its score; most have no reason."""
    return _EXPLANATIONS.get(identifier, Explanation((), (), "103"))


def small_expansion(**changes) -> Expansion:
    """Four seeds (one of them text only), a pool of five, three of them found."""
    expansion = Expansion(
        seeds=Seeds(matched=MATCHED, text_only=TEXT_ONLY, not_found=("999",)),
        settings=ExpandSettings(),
        ranking=tuple(
            Ranked(identifier, rank, score, probability, decision, seed=identifier in _SEEDS)
            for rank, (identifier, score, probability, decision) in enumerate(_PLACES, 1)
        ),
        threshold=0.75,
        estimates=Estimates(
            relevant=Interval(3.5, 2.0, 5.0),
            precision=0.81,
            recall=0.9,
            outside=Interval(0.12, 0.05, 0.3),
        ),
        rounds=(Round(added=5, likely=3, decided=3),),
        warnings=("4 seeds are few; 10 or more give a better list",),
        seconds={"pool": 0.5, "score": 1.25},
        documents={document.id: document for document in (*MATCHED, *TEXT_ONLY, *POOL)},
        library="0123456789abcdef",
        library_size=8,
        explain=explain,
    )
    return replace(expansion, **changes)
