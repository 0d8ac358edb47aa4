import json
from functools import partial

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC
from expansion.corpus import corpus
from likewise.cli import run
from likewise.learn.stopping.rules import RULES


@pytest.fixture
def status(run_on_session):
    return partial(run_on_session, "status")


def test_it_is_told_what_is_found_what_is_left_and_what_to_do(status, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:3], "--irrelevant", *OFF_TOPIC[:2]])
    code, out, err = status()
    first, *_, last = out.splitlines()
    assert (code, err) == (0, "")
    assert first == ("12 seeds; 5 of 308 candidates looked at: 3 relevant, 2 irrelevant, 0 maybe.")
    assert last.startswith("Go on: about ")
    assert len(out.splitlines()) <= 12


def test_who_has_looked_at_everything_can_stop(status, session):
    run(["mark", session, "--irrelevant", *(document.id for document in corpus())])
    assert status()[1].splitlines()[-1] == "You can stop: everything was looked at."


def test_as_json_it_is_what_programs_may_want_to_know(status, session):
    run(["mark", session, "--relevant", ON_TOPIC[0], "--maybe", ON_TOPIC[1]])
    told = json.loads(status("--json", "--recall", 0.8, "--confidence", 0.9)[1])
    assert (told["relevant"], told["maybe"], told["looked_at"], told["pool"]) == (1, 1, 2, 308)
    assert set(told["left"]) == {"value", "low", "high"}
    assert set(told["recall"]) == {"value", "low", "high"}
    assert told["advice"]["kind"] in ("go on", "audit", "stop")
    assert told["target"] == {"recall": 0.8, "confidence": 0.9, "by": "reading"}
    assert told["rules"] == {}


def test_what_is_to_show_it_can_be_chosen(status, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:3]])
    read, audits = (json.loads(status("--json", "--proof", by)[1]) for by in ("reading", "audits"))
    assert (read["advice"]["by"], audits["advice"]["by"]) == ("reading", "audits")
    # Nothing is proven before an audit is.
    assert (read["at_most"], audits["at_most"]) == (None, None)


def test_other_rules_say_what_they_say(status):
    lines = status("--rule", "consecutive(count=3)", "--rule", "share(share=0.5)")[1].splitlines()
    rows = [line.split("\t") for line in lines[lines.index("") + 1 :]]
    assert [row[:2] for row in rows] == [
        ["consecutive(count=3)", "goes on"],
        ["share(share=0.5)", "goes on"],
    ]
    assert rows[0][2] == RULES["consecutive"].description


def test_a_rule_that_says_stop(status, session):
    run(["mark", session, "--irrelevant", *OFF_TOPIC[:5]])
    told = json.loads(status("--rule", "consecutive(count=3)", "--json")[1])
    assert told["rules"] == {"consecutive(count=3)": True}
    table = status("--rule", "consecutive(count=3)")[1].splitlines()[-1]
    assert table.split("\t")[1] == "would stop"


def test_rules_that_are_joined_are_asked_together(status, session):
    run(["mark", session, "--irrelevant", *OFF_TOPIC[:5]])
    joined = "consecutive(count=3) and share(share=0.5)"
    assert json.loads(status("--rule", joined, "--json")[1])["rules"] == {joined: False}


def test_what_is_to_be_taken_care_of_is_told(status, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:3], "--irrelevant", *OFF_TOPIC[:2]])
    (caution,) = json.loads(status("--json")[1])["cautions"]
    assert caution.startswith("Fewer than 10 were found by reading")
    assert caution in status()[1].splitlines()


def test_marks_of_a_file_are_told_to_have_no_order(status, session, tmp_path):
    rows = "".join(f"{name},1\n" for name in ON_TOPIC[:12])
    (tmp_path / "screened.csv").write_text("id,included\n" + rows)
    run(["mark", session, str(tmp_path / "screened.csv")])
    told = status()[1]
    assert "12 marks came from files, in no order: advice goes by what you read from now." in told


def test_all_rules_are_told_and_aim_at_the_target(status):
    rules = json.loads(status("--rule", "all", "--json", "--recall", 0.9)[1])["rules"]
    assert [rule.split("(")[0] for rule in rules] == list(RULES)
    assert "callaghan(recall=0.9, confidence=0.95)" in rules


def test_what_is_said_of_a_rule_counts_more_than_the_target(status):
    rules = json.loads(status("--rule", "callaghan(recall=0.7)", "--json")[1])["rules"]
    assert list(rules) == ["callaghan(recall=0.7, confidence=0.95)"]


def target_of(status, *options):
    return json.loads(status("--json", *options)[1])["target"]


def test_a_target_is_kept_only_if_that_is_asked_for(status, session):
    assert target_of(status, "--recall", 0.7)["recall"] == 0.7
    assert target_of(status)["recall"] == 0.95
    code, out, err = status("--recall", 0.8, "--proof", "audits", "--keep-target")
    assert (code, err) == (
        0,
        "Kept with the session: a recall of 0.8, a confidence of 0.95, by audits.\n",
    )
    assert out.startswith("12 seeds;")
    assert target_of(status) == {"recall": 0.8, "confidence": 0.95, "by": "audits"}


def test_what_is_given_counts_more_than_the_target_that_is_kept(status):
    status("--recall", 0.8, "--confidence", 0.9, "--keep-target")
    told = target_of(status, "--recall", 0.99)
    assert told == {"recall": 0.99, "confidence": 0.9, "by": "reading"}


def test_there_has_to_be_something_to_keep(status):
    code, out, err = status("--keep-target")
    assert (code, out) == (2, "")
    assert "nothing to keep; give --recall, --confidence or --proof too" in err


def test_a_target_that_makes_no_sense_is_not_kept(status):
    assert status("--recall", 2, "--keep-target")[0] == 1
    assert target_of(status)["recall"] == 0.95


def test_a_paragraph_for_a_paper_is_printed_alone(status, session):
    run(["mark", session, "--irrelevant", *(document.id for document in corpus())])
    code, out, err = status("--methods")
    assert (code, err) == (0, "")
    assert out.startswith("Records were screened with likewise")
    assert out.endswith("Screening ended when every candidate had been read.\n")
    assert json.loads(status("--methods", "--json")[1])["methods"] == out.strip()


def test_while_one_goes_on_the_paragraph_says_that_screening_is_not_complete(status, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:3], "--irrelevant", *OFF_TOPIC[:2]])
    assert "Screening was not complete" in status("--methods")[1]


def test_how_many_more_are_to_be_read_is_told(status, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:3], "--irrelevant", *OFF_TOPIC[:2]])
    told = json.loads(status("--json")[1])["course"]
    assert (told["read"][-1], told["found"][-1]) == (5, 3)
    assert told["further"]["low"] <= told["further"]["value"] <= told["further"]["high"]
    assert status()[1].splitlines()[-2].startswith("About ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--recall", "2"], "--recall 2: a recall is from 0.01 to 1"),
        (["--confidence", "1"], "--confidence 1: a confidence is from 0.01 to 0.9999"),
        (["--rule", "guess"], "the stopping rule 'guess' is not known; choose from: calibrated"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(options, said, status):
    code, out, err = status(*options)
    assert (code, out) == (1, "")
    assert said in err


def test_a_session_that_is_not_there_is_said(tmp_path, capsys):
    assert run(["status", str(tmp_path / "missing.likewise")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "missing.likewise" in line
