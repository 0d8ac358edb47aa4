import json
from functools import partial

import pytest

from cli.screening import ON_TOPIC, copied
from expansion.corpus import corpus
from likewise.cli import run
from likewise.documents import read
from likewise.expansion.sessions.session import Session

YEARS = {document.id: str(document.year) for document in corpus()}


@pytest.fixture
def ask(run_on_session):
    return partial(run_on_session, "next")


def ids_in(out):
    return [line.split("\t")[2] for line in out.splitlines()]


def test_the_most_likely_are_a_table_of_rank_probability_id_year_and_title(ask):
    code, out, _ = ask("--count", 3)
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert all(0 <= float(row[1]) <= 1 for row in rows)
    assert [row[3] for row in rows] == [YEARS[row[2]] for row in rows]


def test_it_is_told_how_to_read_and_to_mark_them(ask, session):
    err = ask()[2]
    assert "read one with: likewise show " in err
    assert err.endswith(
        f"mark them with: likewise mark {session} --relevant ID... --irrelevant ID...\n"
    )


def test_twenty_are_shown_if_nothing_else_is_said(ask):
    assert len(ids_in(ask()[1])) == 20


def test_what_is_marked_is_not_shown_again(ask, session, capsys):
    first = ids_in(ask("--count", 4)[1])
    run(["mark", session, "--relevant", *first[:2], "--maybe", first[2]])
    assert not set(first[:3]) & set(ids_in(ask("--count", 10)[1]))


def test_those_that_teach_most_are_others_than_the_most_likely(ask):
    likely = ids_in(ask("--count", 5)[1])
    assert ids_in(ask("--count", 5, "--strategy", "uncertain")[1]) != likely


def test_to_calibrate_ranks_go_from_above_the_line_to_far_below_it(ask, session):
    code, out, _ = ask("--count", 5, "--strategy", "calibrate")
    ranks = [int(line.split("\t")[0]) for line in out.splitlines()]
    with Session.open(session) as opened:
        decided = sum(place.decision and not place.seed for place in opened.expansion().ranking)
    assert code == 0
    assert ranks == sorted(set(ranks))
    assert ranks[0] < decided < ranks[-1]


def test_an_audit_is_kept_in_the_session_and_gone_on_with(ask, session, capsys):
    drawn = ids_in(ask("--count", 6, "--strategy", "audit")[1])
    run(["mark", session, "--irrelevant", *drawn[:2]])
    rest = ids_in(ask("--count", 6, "--strategy", "audit")[1])
    with Session.open(session) as opened:
        (audit,) = opened.audits()
        assert set(audit.drawn) == set(drawn)
        assert {mark.audit for mark in opened.history()} == {1}
    assert set(rest) == set(drawn[2:])


def test_the_same_number_draws_the_same_audit(begun, tmp_path, capsys):
    drawn = []
    for name, number in (("a", "3"), ("b", "3"), ("c", "4")):
        (tmp_path / name).mkdir()
        capsys.readouterr()
        session = copied(begun, tmp_path / name)
        run(["next", session, "--strategy", "audit", "--seed", number])
        drawn.append(ids_in(capsys.readouterr().out))
    assert drawn[0] == drawn[1] != drawn[2]


def test_as_json_the_documents_are_whole(ask):
    first = json.loads(ask("--count", 1, "--json")[1])[0]
    assert first["rank"] == 1
    assert 0 <= first["probability"] <= 1
    document = next(d for d in corpus() if d.id == first["document"]["id"])
    assert first["document"]["abstract"] == document.abstract


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_table_has_a_column_to_fill_in_and_to_give_back(suffix, ask, session, tmp_path, capsys):
    file = tmp_path / f"look.{suffix}"
    _, out, err = ask("--count", 3, "-o", file)
    assert out == ""
    assert err.startswith(f"{file}: 3 documents; fill in the column mark, then: likewise mark ")
    header, *rows = file.read_text().splitlines()
    assert header.endswith("mark")
    file.write_text("\n".join([header, *(f"{row}yes" for row in rows)]))
    assert run(["mark", session, str(file)]) == 0
    with Session.open(session) as opened:
        assert opened.marks().relevant == tuple(document.id for document in read(file))


@pytest.mark.parametrize("suffix", ["xlsx", "jsonl", "ris", "nbib", "bib", "enw"])
def test_every_format_can_be_written(suffix, ask, tmp_path):
    assert ask("--count", 2, "-o", tmp_path / f"look.{suffix}")[0] == 0
    assert len(list(read(tmp_path / f"look.{suffix}"))) == 2


def test_a_file_that_may_hold_marks_is_not_written_over(ask, tmp_path):
    file = tmp_path / "look.csv"
    file.write_text("filled in")
    code, _, err = ask("-o", file)
    assert (code, file.read_text()) == (1, "filled in")
    assert "look.csv: there already, and it may hold marks" in err


def test_a_place_that_can_not_be_written_draws_no_audit(ask, session, tmp_path):
    for name in ("look.docx", "no/look.csv"):
        assert ask("--strategy", "audit", "-o", tmp_path / name)[0] == 1
    with Session.open(session) as opened:
        assert opened.audits() == []


def test_when_all_is_marked_that_is_said(ask, session, capsys):
    everything = [document.id for document in corpus()]
    run(["mark", session, "--irrelevant", *everything])
    code, out, err = ask()
    assert (code, out) == (0, "")
    assert err == "nothing is left to look at: every document of the pool is marked\n"


def test_a_document_that_the_library_lost_is_shown_as_such(ask, begun, session, tmp_path):
    from likewise.library import open_library

    first = ids_in(ask("--count", 1)[1])
    with open_library(tmp_path / "other", write=True) as library:
        library.add([document for document in corpus() if document.id not in first])
        library.commit()
    row = ask("--count", 1, "--library", tmp_path / "other")[1].rstrip("\n").split("\t")
    assert row[2:] == [*first, "", "(no longer in the library)"]


@pytest.mark.parametrize("options", [["--count", "0"], ["--strategy", "guess"], ["--seed", "-1"]])
def test_wrong_usage_ends_with_2(options, ask):
    assert ask(*options)[0] == 2


def test_on_topic_documents_come_first(ask):
    assert len(set(ids_in(ask()[1])) & set(ON_TOPIC)) >= 15
