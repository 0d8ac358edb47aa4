"""What every method must do, those of the product and those of the benchmark alone."""

from functools import cache

import numpy as np
import pytest

from learn.corpus import contributions, material_of, simulated_corpus
from likewise.learn.spelling import parse_method

CORPUS = simulated_corpus()

ODD = {
    "equal": [("one title", "one abstract")] * 40,
    "empty": [("", "")] * 40,
    "empty pool": [("a title", "an abstract")] * 5 + [("", "")] * 35,
    "nothing shared": [(f"title{number}", f"abstract{number}") for number in range(40)],
    "a term in all": [("common", f"common {number % 7}") for number in range(40)],
    "no abstracts": [("all titles", "")] * 20 + [("no abstracts", "")] * 20,
}


@cache
def of_corpus(contract, name):
    return contract.scored(name)


class Described:
    """What is known of a method; subclasses are parametrized with it."""

    def test_method_is_described(self, known):
        assert known.description
        assert not known.description.endswith(".")
        assert all(parameter.description for parameter in known.parameters)

    def test_defaults_are_values_that_may_be_given(self, known):
        for parameter in known.parameters:
            assert parameter.kind.parse(str(parameter.default)) == parameter.default


class Scoring:
    """How a method scores; subclasses are parametrized with the spellings of methods."""

    others = None
    """Methods that the product does not have."""

    @classmethod
    def scored(cls, name, material=CORPUS.material):
        method = parse_method(name, others=cls.others)
        return method.score(material, rng=np.random.default_rng(0))

    def test_method_scores_every_seed_and_every_document_of_the_pool(self, name):
        scores = of_corpus(type(self), name).scores
        assert (scores.seeds.shape, scores.pool.shape) == ((8,), (120,))
        assert np.isfinite([*scores.seeds, *scores.pool]).all()

    def test_method_gives_the_same_for_the_same_rng(self, name):
        first, second = of_corpus(type(self), name).scores, self.scored(name).scores
        assert (first.pool == second.pool).all()
        assert (first.seeds == second.seeds).all()

    def test_method_takes_every_parameter_that_it_names(self, name):
        again = self.scored(" + ".join(self.with_all_parameters(name))).scores
        assert (again.pool == of_corpus(type(self), name).scores.pool).all()

    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_method_works_with_three_seeds_and_a_tiny_pool(self, name, size):
        scores = self.scored(name, simulated_corpus(seeds=3, hidden=size, others=0).material).scores
        assert np.isfinite([*scores.seeds, *scores.pool]).all()
        assert len(scores.pool) == size

    @pytest.mark.parametrize("texts", ODD.values(), ids=ODD)
    def test_method_works_with_odd_documents(self, name, texts):
        found = self.scored(name, material_of(texts, seeds=5))
        assert np.isfinite([*found.scores.seeds, *found.scores.pool]).all()
        if found.model:
            assert np.isfinite([*contributions(found.model, 39).values()]).all()

    def with_all_parameters(self, name):
        method = parse_method(name, others=self.others)
        for part in getattr(method, "parts", (method,)):
            given = {known.name: known.default for known in part.info.parameters}
            spelled = [f"{key}={value}" for key, value in (given | dict(part.parameters)).items()]
            yield f"{part.name}({', '.join(spelled)})"
