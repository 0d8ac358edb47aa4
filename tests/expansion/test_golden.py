"""An expansion of 60 papers, from files to a decided list, against what `make golden` stored."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORED = (ROOT / "tests" / "golden" / "expansion.json").read_text()
GOLDEN = json.loads(STORED)
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "golden_expansion.py"))
ROUNDING = 0.015
"""The second digit may differ by one: another machine adds numbers up in another order."""


@pytest.fixture(scope="module")
def made():
    return SCRIPT["make_golden"]()


def numbered(expansion, *, digits):
    """Return the numbers of an expansion, or all that is no number with digits."""
    rounded = ("score", "probability")
    places = {
        place["id"]: [value for name, value in place.items() if (name in rounded) == digits]
        for place in expansion["ranking"]
    }
    # Ranks of what scores nearly the same may change places.
    return places if digits else {name: values[2:] for name, values in places.items()}


@pytest.mark.parametrize("time", ["first", "second"])
def test_every_document_is_decided_as_it_was(made, time):
    assert numbered(made[time], digits=False) == numbered(GOLDEN[time], digits=False)


@pytest.mark.parametrize("time", ["first", "second"])
def test_every_document_scores_as_it_did(made, time):
    scores, stored = (numbered(golden[time], digits=True) for golden in (made, GOLDEN))
    assert scores.keys() == stored.keys()
    for name in stored:
        assert scores[name] == pytest.approx(stored[name], abs=ROUNDING)


@pytest.mark.parametrize("time", ["first", "second"])
def test_documents_are_ranked_as_they_were(made, time):
    ranks = [{place["id"]: place["rank"] for place in g[time]["ranking"]} for g in (made, GOLDEN)]
    assert ranks[0] == pytest.approx(ranks[1], abs=1)


@pytest.mark.parametrize("time", ["first", "second"])
def test_as_much_is_expected_as_was(made, time):
    for name in ("relevant", "precision", "recall"):
        assert made[time][name] == pytest.approx(GOLDEN[time][name], rel=0.01, abs=ROUNDING)
    assert made[time]["seeds"] == GOLDEN[time]["seeds"]
    assert made[time]["rounds"] == GOLDEN[time]["rounds"]


def test_what_was_decided_is_written(made):
    assert sorted(made["written"]) == sorted(GOLDEN["written"])


def test_what_is_stored_is_spelled_as_it_would_be_written():
    assert SCRIPT["spell"](GOLDEN) == STORED
