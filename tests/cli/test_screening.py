"""The whole path of a person who screens, on the invented corpus, whose topics are known."""

import json
from pathlib import Path

from cli.screening import ON_TOPIC, SEEDS
from expansion.corpus import corpus, library_in
from likewise.cli import run
from likewise.expansion.sessions.session import Session


def test_a_person_screens_until_told_to_stop_and_finds_nearly_all(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    library = library_in(tmp_path / "lib", *corpus())
    assert run(["expand", library, *SEEDS, "-o", "found.csv", "--session", "bees.likewise"]) == 0
    advice = {"kind": "go on", "count": 20}
    for step in range(12):
        if advice["kind"] == "stop":
            break
        look(advice, step)
        assert run(["expand", "--session", "bees.likewise", "--rounds", "1", "--show", "0"]) == 0
        advice = advice_of("bees.likewise", capsys)
    assert advice["kind"] == "stop"
    with Session.open("bees.likewise") as session:
        found = set(session.marks().relevant)
        looked_at = len(session.current())
    assert len(found & set(ON_TOPIC)) >= 0.8 * len(ON_TOPIC)
    assert looked_at < len(corpus())


def look(advice, step):
    """Look at what is advised: fill in the column of a file, and give the file back."""
    strategy = "audit" if advice["kind"] == "audit" else "likely"
    count = str(advice["count"] if strategy == "audit" else min(advice["count"], 40))
    file = Path(f"look{step}.jsonl")
    arguments = ["--count", count, "--strategy", strategy, "-o", str(file)]
    assert run(["next", "bees.likewise", *arguments]) == 0
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        row["mark"] = "relevant" if row["id"] in ON_TOPIC else "irrelevant"
    file.write_text("\n".join(map(json.dumps, rows)))
    assert run(["mark", "bees.likewise", str(file)]) == 0


def advice_of(session, capsys):
    capsys.readouterr()
    assert run(["status", session, "--recall", "0.8", "--confidence", "0.8", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["advice"]


def test_a_second_session_begins_from_what_a_first_one_exported(tmp_path, capsys):
    library = library_in(tmp_path / "lib", *corpus())
    first, second, file = (str(tmp_path / name) for name in ("a.likewise", "b.likewise", "a.ris"))
    run(["expand", library, *SEEDS, "--session", first])
    run(["mark", first, "--relevant", *ON_TOPIC[:4], "--maybe", ON_TOPIC[4]])
    assert run(["export", first, "-o", str(file)]) == 0
    run(["expand", library, *SEEDS, "--session", second])
    assert run(["mark", second, file]) == 0
    with Session.open(first) as one, Session.open(second) as other:
        labels = [
            {name: mark.label for name, mark in session.current().items()}
            for session in (one, other)
        ]
    assert labels[0] == labels[1]
