import json

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, begin, copied
from likewise.cli import run


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    session = begin(tmp_path_factory.mktemp("begun"))
    run(["mark", session, "--irrelevant", *OFF_TOPIC[:2], "--reason", "not on bees"])
    run(["mark", session, "--relevant", ON_TOPIC[0]])
    return session


@pytest.fixture
def session(begun, tmp_path, capsys):
    capsys.readouterr()
    return copied(begun, tmp_path)


def test_a_diagram_is_drawn_with_the_numbers_given(session, tmp_path, capsys):
    given = ["--sought", "1,2"]
    assert run(["prisma", session, *given]) == 2
    svg = tmp_path / "prisma.svg"
    given = ["--sought", "9", "--excluded", "too short=3", "--included", "5"]
    assert run(["prisma", session, *given, "-o", str(svg)]) == 0
    drawn = svg.read_text().replace("\xa0", " ")
    for text in ("(n = 9)", "too short (n = 3)", "included in review (n = 5)", "bees (n = 2)"):
        assert text in drawn
    assert f"{svg}: written" in capsys.readouterr().err


def test_without_a_file_the_numbers_are_printed(session, capsys):
    assert run(["prisma", session]) == 0
    told = capsys.readouterr()
    assert "screening\t3\trecords screened by a person" in told.out
    assert "included\tnot given\tstudies included in review" in told.out
    assert "identification\t320\trecords identified" in told.out
    assert "Screening was not complete" in told.err


def test_numbers_as_json(session, capsys):
    run(["prisma", session, "--json", "--identified", "PubMed=400", "--duplicates", "2"])
    found = json.loads(capsys.readouterr().out)
    assert (found["identified"], found["duplicates"], found["excluded"]) == (400, 2, 2)


def test_a_file_of_another_kind_is_refused_before_anything_is_read(session, capsys):
    assert run(["prisma", session, "-o", "prisma.pdf"]) == 1
    assert "use one of: .svg .png .json .csv .html" in capsys.readouterr().err


def test_the_session_is_not_written_over(session, tmp_path, capsys):
    named = tmp_path / "review.svg"
    named.hardlink_to(session)
    assert run(["prisma", session, "-o", str(named)]) == 1
    assert "this is the session" in capsys.readouterr().err
