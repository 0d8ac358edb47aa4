"""A small expansion, made by hand, for the tests of what is done with one."""

from dataclasses import replace

from likewise.documents import Document
from likewise.expansion.expansion import Expansion
from likewise.expansion.records import (
    DOWN,
    UP,
    Estimates,
    Explanation,
    ExplanationNumbers,
    Explanations,
    Place,
    Round,
)
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Interval

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
        up=("blood", "glucos", "glucagon", "dog", "rais", "rose", "gave", "we", "to"),
        down=("p",),
        nearest_seed="102",
    ),
    "10.1000/a b": Explanation(up=("insulin", "pump"), down=("sum",), nearest_seed="101"),
    "203": Explanation(up=("insulin",), down=(), nearest_seed="101"),
}
_NO_REASON = Explanation(up=(), down=(), nearest_seed="103")


class Explaining:
    """Explains documents as it was told to; most have no reason."""

    def __init__(self, explanations, other=_NO_REASON):
        self._explanations, self._other = explanations, other

    def __call__(self, identifier):
        return self._explanations.get(identifier, self._other)

    def explain_all(self):
        """Return all explanations, and that of a document without a reason."""
        every = self._explanations | {"205": self._other}
        terms = list(dict.fromkeys(term for why in every.values() for term in why.up + why.down))
        seeds = list(dict.fromkeys(why.nearest_seed for why in every.values()))
        documents = {
            name: ExplanationNumbers(
                tuple(map(terms.index, why.up[:UP])),
                tuple(map(terms.index, why.down[:DOWN])),
                seeds.index(why.nearest_seed),
            )
            for name, why in every.items()
        }
        return Explanations(tuple(terms), tuple(seeds), documents)


def place(identifier, rank=1, score=0.0, probability=0.5, *, decision=False, seed=False, mark=None):
    """Return a place of a ranking."""
    return Place(
        id=identifier,
        rank=rank,
        score=score,
        probability=probability,
        decision=decision,
        seed=seed,
        mark=mark,
    )


def small_expansion(**changes) -> Expansion:
    """Four seeds (one of them text only), a pool of five, three of them found."""
    expansion = Expansion(
        seeds=Seeds(matched=MATCHED, text_only=TEXT_ONLY, not_found=("999",)),
        settings=ExpandSettings(),
        ranking=tuple(
            place(
                identifier, rank, score, probability, decision=decision, seed=identifier in _SEEDS
            )
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
        explain=Explaining(_EXPLANATIONS),
    )
    return replace(expansion, **changes)
