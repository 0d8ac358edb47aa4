"""The explanations of an expansion, small enough to be kept: words and nearest seeds as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

import msgspec

from likewise.expansion.expansion import Expansion, Reasons

UP, DOWN = 8, 3
"""How many terms are kept of a document; few readers ask what spoke against it."""


class Numbers(msgspec.Struct, frozen=True, array_like=True):
    """Why a document has its score, by the numbers of terms and seeds."""

    up: tuple[int, ...]
    down: tuple[int, ...]
    nearest_seed: int


class Explanations(msgspec.Struct, frozen=True):
    """Why the documents of an expansion have their scores.

    20,000 documents take 0.5 MB in a session.
    """

    terms: tuple[str, ...]
    """Those that occur most first, so that most numbers are short."""
    seeds: tuple[str, ...]
    """Their ids."""
    documents: dict[str, Numbers]
    """By id."""

    def __post_init__(self) -> None:
        """Make sure, where they come from a file, that numbers are those of terms and seeds."""
        terms, seeds = range(len(self.terms)), range(len(self.seeds))
        for numbers in self.documents.values():
            if numbers.nearest_seed not in seeds:
                raise ValueError(f"no seed {numbers.nearest_seed}")
            for term in (*numbers.up, *numbers.down):
                if term not in terms:
                    raise ValueError(f"no term {term}")

    @classmethod
    def of(cls, expansion: Expansion) -> Explanations:
        """Return the explanations of all documents of an expansion."""
        # Whoever reads explanations from a session need not load all that learning needs.
        from likewise.expansion.ranking import Explainer

        explain = expansion.explain
        if isinstance(explain, Explainer):
            made = explain.number_reasons(up=UP, down=DOWN)
            numbers = map(Numbers, made.up, made.down, made.nearest)
            return cls(made.terms, made.seeds, dict(zip(made.ids, numbers, strict=True)))
        explained = ((ranked.id, explain(ranked.id)) for ranked in expansion.ranking)
        return cls._number_reasons(
            (
                identifier,
                Reasons(
                    _strip_weights(why.up[:UP]), _strip_weights(why.down[:DOWN]), why.nearest_seed
                ),
            )
            for identifier, why in explained
        )

    @classmethod
    def _number_reasons(cls, reasons: Iterable[tuple[str, Reasons]]) -> Explanations:
        of_documents = dict(reasons)
        every = of_documents.values()
        found = Counter(chain.from_iterable(terms for why in every for terms in (why.up, why.down)))
        terms = [term for term, _ in found.most_common()]
        seeds = list(dict.fromkeys(why.nearest_seed for why in every))
        term_numbers = {term: number for number, term in enumerate(terms)}
        seed_numbers = {seed: number for number, seed in enumerate(seeds)}
        documents = {
            identifier: Numbers(
                tuple([term_numbers[term] for term in why.up]),
                tuple([term_numbers[term] for term in why.down]),
                seed_numbers[why.nearest_seed],
            )
            for identifier, why in of_documents.items()
        }
        return cls(tuple(terms), tuple(seeds), documents)

    def why(self, identifier: str) -> Reasons | None:
        """Return why the document of an id has its score; None if it was not ranked."""
        numbers = self.documents.get(identifier)
        if numbers is None:
            return None
        return Reasons(
            tuple(self.terms[number] for number in numbers.up),
            tuple(self.terms[number] for number in numbers.down),
            self.seeds[numbers.nearest_seed],
        )


def _strip_weights(weighed: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    return tuple(term for term, _ in weighed)
