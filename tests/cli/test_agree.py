import json

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, begin, copied
from likewise.cli import run

ON, ALSO = ON_TOPIC[:2]
OFF = OFF_TOPIC[0]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A session in which Ann and Bob agree on two documents and disagree on one."""
    session = begin(tmp_path_factory.mktemp("begun"))
    ann = ["--relevant", ON, ALSO, "--irrelevant", OFF, "--reviewer", "Ann"]
    bob = ["--relevant", ON, "--irrelevant", OFF, ALSO, "--reviewer", "Bob"]
    assert run(["mark", session, *ann]) == run(["mark", session, *bob]) == 0
    return session


@pytest.fixture
def session(begun, tmp_path, capsys):
    capsys.readouterr()
    return copied(begun, tmp_path)


def test_agreement_is_told_in_a_sentence(session, capsys):
    run(["agree", session])
    told = capsys.readouterr()
    # By chance: Ann 2 of 3 relevant, Bob 1 of 3: (2 + 2) / 9; (2/3 - 4/9) / (1 - 4/9) = 0.4.
    assert "Ann and Bob agree on 2 of 3 documents (66.7 %); Cohen's kappa is 0.40." in told.out
    assert f"{ALSO}\tAnn: relevant; Bob: irrelevant" in told.out
    assert "1 conflict to settle: likewise mark" in told.err


def test_conflicts_are_shown_alone_if_asked_for(session, capsys):
    run(["agree", session, "--conflicts"])
    assert capsys.readouterr().out == f"{ALSO}\tAnn: relevant; Bob: irrelevant\n"


def test_a_settled_conflict_is_counted_and_no_longer_listed(session, capsys):
    run(["mark", session, "--relevant", ALSO, "--settle", "--reviewer", "Cat"])
    capsys.readouterr()
    run(["agree", session, "--conflicts"])
    assert capsys.readouterr().err == "no conflict to settle. 1 conflict settled.\n"


def test_agreement_as_json(session, capsys):
    run(["agree", session, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"][0]["share"] == pytest.approx(2 / 3)
    assert found["pairs"][0]["kappa"] == pytest.approx(0.4)
    assert [mark["reviewer"] for mark in found["conflicts"][0]["marks"]] == ["Ann", "Bob"]


def test_one_alone_is_told_how_another_joins(tmp_path, begun, capsys):
    session = begin(tmp_path)
    run(["mark", session, "--relevant", ON])
    capsys.readouterr()
    run(["agree", session])
    told = capsys.readouterr()
    assert "(no name)" in told.out
    assert "only one reviewer" in told.err
