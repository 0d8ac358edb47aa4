from collections import Counter

import msgspec
import pytest

from expansion.corpus import corpus, library_in, seeds_on
from expansion.samples import small_expansion
from likewise.expansion.flow import expand
from likewise.expansion.records import DOWN, Explanation, Explanations
from likewise.expansion.settings import ExpandSettings


@pytest.fixture(scope="module", params=["linear", "bm25"])
def expansion(request, tmp_path_factory):
    settings = ExpandSettings(method=request.param, rounds=1)
    library = library_in(tmp_path_factory.mktemp("explained") / "lib", *corpus())
    return expand(library, seeds_on("bees"), settings=settings)


def test_every_document_is_explained_as_it_is_when_asked_for_alone(expansion):
    explanations = expansion.explain.explain_all()
    for ranked in expansion.ranking:
        why = expansion.explain(ranked.id)
        kept = Explanation(why.up, why.down[:DOWN], why.nearest_seed)
        assert explanations.explain(ranked.id) == kept


def test_what_was_not_ranked_is_not_explained():
    assert small_expansion().explain.explain_all().explain("nowhere") is None


def test_terms_that_occur_most_have_the_smallest_numbers(expansion):
    explained = expansion.explain.explain_all().documents.values()
    used = Counter(number for why in explained for number in (*why.up, *why.down))
    assert [used[number] for number in range(len(used))] == sorted(used.values(), reverse=True)


def test_what_is_written_is_read_back(expansion):
    explanations = expansion.explain.explain_all()
    written = msgspec.json.encode(explanations)
    assert msgspec.json.decode(written, type=Explanations) == explanations


@pytest.mark.parametrize(
    ("numbers", "said"),
    [([[1], [], 0], "no term 1"), ([[], [-1], 0], "no term -1"), ([[0], [], 1], "no seed 1")],
)
def test_numbers_of_nothing_are_refused(numbers, said):
    written = msgspec.json.encode({"terms": ["a"], "seeds": ["s"], "documents": {"d": numbers}})
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.json.decode(written, type=Explanations)
