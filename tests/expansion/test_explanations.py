import time

import msgspec
import pytest

from expansion.corpus import corpus, library_in, seeds_on
from expansion.samples import small_expansion
from likewise.expansion.expansion import Reasons
from likewise.expansion.flow import expand
from likewise.expansion.ranking import TERMS
from likewise.expansion.records import DOWN, UP, Explanations
from likewise.expansion.settings import ExpandSettings


@pytest.fixture(scope="module", params=["linear", "bm25"])
def expansion(request, tmp_path_factory):
    settings = ExpandSettings(method=request.param, rounds=1)
    library = library_in(tmp_path_factory.mktemp("explained") / "lib", *corpus())
    return expand(library, seeds_on("bees"), settings=settings)


def test_every_document_is_explained_as_it_is_when_asked_for_alone(expansion):
    explanations = Explanations.of(expansion)
    for ranked in expansion.ranking:
        up, down, nearest_seed = expansion.explain(ranked.id)
        terms = [tuple(term for term, _ in moved) for moved in (up, down)]
        assert explanations.why(ranked.id) == (terms[0], terms[1][:DOWN], nearest_seed)


def test_all_the_terms_that_are_highlighted_are_kept():
    assert UP == TERMS


def test_any_way_of_explaining_can_be_kept():
    explanations = Explanations.of(small_expansion())
    assert explanations.why("10.1000/a b") == Reasons(("insulin", "pump"), ("sum",), "101")
    assert explanations.why("205") == Reasons((), (), "103")
    assert len(explanations.why("201").up) == UP


def test_what_was_not_ranked_is_not_explained():
    assert Explanations.of(small_expansion()).why("nowhere") is None


def test_terms_that_occur_most_have_the_smallest_numbers():
    assert Explanations.of(small_expansion()).terms[0] == "insulin"


def test_what_is_written_is_read_back(expansion):
    explanations = Explanations.of(expansion)
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


def test_thousands_of_documents_are_numbered_quickly():
    reasons = Reasons(tuple(f"up{n}" for n in range(UP)), ("down",), "seed")
    started = time.process_time()
    explanations = Explanations._number_reasons((str(number), reasons) for number in range(20_000))
    assert time.process_time() - started < 2
    assert explanations.why("19999") == reasons
