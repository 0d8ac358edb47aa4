import json
from pathlib import Path

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, SEEDS
from expansion.corpus import corpus, library_in
from likewise.cli import run
from likewise.cli.expanding import describe_changes
from likewise.documents import Document, read
from likewise.expansion.saved import Changes, Move
from likewise.expansion.seed_sources import read_seeds
from likewise.expansion.sessions.session import Session
from likewise.library import open_library


@pytest.fixture
def go_on(session, capsys):
    """Expand a session with further arguments, and return its exit code and what it printed."""

    def expand(*arguments):
        capsys.readouterr()
        code = run(["expand", *map(str, arguments), "--session", session])
        return code, *capsys.readouterr()

    return expand


def library_of(begun):
    return str(Path(begun).parent / "lib")


# The first expansion


def test_a_session_holds_seeds_settings_and_the_first_expansion(tmp_path, begun, capsys):
    session = tmp_path / "new.likewise"
    arguments = [library_of(begun), *SEEDS, "--session", str(session), "--keep", "top=20"]
    assert run(["expand", *arguments]) == 0
    assert (
        f"{session}: started; see what to look at first with: likewise next"
        in capsys.readouterr().err
    )
    with Session.open(session) as opened:
        assert opened.start.settings.keep == "top=20"
        assert [seed.id for seed in opened.start.seeds] == SEEDS
        assert opened.library == library_of(begun)
        assert [head.decided for head in opened.expansions()] == [20]
        best = opened.expansion().ranking[0].id
        assert opened.explanations().explain(best).up


def test_a_session_keeps_its_limits_until_they_are_lifted(tmp_path, begun):
    session = str(tmp_path / "new.likewise")

    def find_first_year():
        with Session.open(session) as opened, open_library(library_of(begun)) as library:
            ids = [place.id for place in opened.expansion().ranking if not place.seed]
            return min(paper.year for paper in library.get(ids))

    limited = ["--session", session, "--where", "year >= 2000"]
    assert run(["expand", library_of(begun), *SEEDS, *limited]) == 0
    assert find_first_year() == 2000
    assert run(["expand", "--session", session, "--keep", "top=9"]) == 0
    assert find_first_year() == 2000
    assert run(["expand", "--session", session, "--where", ""]) == 0
    assert find_first_year() == 1980


def test_a_session_may_be_begun_with_outputs_too(tmp_path, begun, capsys):
    found, session = tmp_path / "found.csv", tmp_path / "new.likewise"
    run(["expand", library_of(begun), *SEEDS, "-o", str(found), "--session", str(session)])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "found.csv", "found.expansion.json", "new.likewise", "new.likewise-terms"
    ]  # fmt: skip


def test_what_can_not_be_expanded_begins_no_session(tmp_path, begun, capsys):
    session = tmp_path / "new.likewise"
    assert run(["expand", library_of(begun), "1", "--session", str(session)]) == 1
    assert not session.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            [],
            "starting it takes both: Missing argument 'LIB' and 'SEEDS...'.",
        ),
        (["lib"], "does not exist yet, and starting it takes both: Missing argument 'SEEDS...'."),
    ],
)
def test_a_session_that_is_not_there_needs_library_and_seeds(arguments, said, tmp_path, capsys):
    assert run(["expand", *arguments, "--session", str(tmp_path / "new.likewise")]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_said_before_the_long_work(tmp_path, begun, capsys):
    arguments = [library_of(begun), *SEEDS, "--session", str(tmp_path / "no" / "new.likewise")]
    assert run(["expand", *arguments]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"new.likewise: can't be written: there is no folder {tmp_path / 'no'}")


# Further ones


def test_a_session_learns_from_its_marks(go_on, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:5], "--irrelevant", *OFF_TOPIC[:5]])
    code, out, _ = go_on("--show", 400)
    assert code == 0
    with Session.open(session) as opened:
        first, second = opened.expansions()
        marks = opened.expansion().marks
    assert (first.mark, second.mark) == (0, 10)
    assert marks.relevant == tuple(ON_TOPIC[:5])
    rows = [line.split("\t") for line in out.splitlines() if "\t" in line]
    best = {row[2] for row in rows if row[0].isdigit()}
    assert len(best) > 15
    assert best.isdisjoint([*ON_TOPIC[:5], *OFF_TOPIC[:5]])


def test_what_changed_is_told_before_the_best(go_on, session):
    run(["mark", session, "--relevant", *ON_TOPIC[:5], "--irrelevant", *OFF_TOPIC[:5]])
    code, out, _ = go_on("--show", 3, "--keep", "top=250")
    lines = out.splitlines()
    kinds = [line.split("\t")[0] for line in lines]
    assert code == 0
    assert kinds.count("new") == 5
    told = next(place for place, line in enumerate(lines) if "came onto the list" in line)
    assert lines[told + 1] == ""
    (summary,) = [place for place, line in enumerate(lines) if line.startswith("Found ")]
    assert told < summary


def test_a_moved_line_is_nothing_that_learning_changed(go_on, session):
    with Session.open(session) as opened:
        opened.move_threshold(1)
    assert "No unmarked document came onto the list or left it." in go_on("--show", 0)[1]


def test_options_not_given_stay_as_the_session_has_them(tmp_path, begun, capsys):
    session = str(tmp_path / "new.likewise")
    begin_it = ["expand", library_of(begun), *SEEDS, "--session", session, "--keep", "top=20"]
    run([*begin_it, "--rounds", "1"])
    assert run(["expand", "--session", session, "--seed", "7"]) == 0
    assert run(["expand", "--session", session, "--keep", "top=30"]) == 0
    with Session.open(session) as opened:
        settings = [opened.expansion(number).settings for number in (1, 2, 3)]
    kept = [(made["keep"], made["rounds"], made["seed"]) for made in settings]
    assert kept == [("top=20", 1, 0), ("top=20", 1, 7), ("top=30", 1, 0)]


def test_it_can_be_written_too(go_on, tmp_path):
    assert go_on("-o", tmp_path / "found.ris", "--keep", "top=20")[0] == 0
    assert len(list(read(tmp_path / "found.ris"))) == 20


def test_as_json_session_and_changes_are_named(go_on, session):
    told = json.loads(go_on("--json", "--keep", "top=3")[1])
    assert told["session"] == session
    assert set(told["changes"]) == {"decided", "dropped", "risen", "fallen", "relevant"}
    assert set(told["changes"]["relevant"]) == {"before", "after"}
    assert set(told["changes"]["dropped"][0]) == {"id", "before", "after"}


def test_a_library_that_grew_is_used_and_that_is_said(tmp_path, capsys):
    library = library_in(tmp_path / "lib", *corpus())
    session = str(tmp_path / "new.likewise")
    run(["expand", library, *SEEDS, "--session", session])
    library_in(tmp_path / "lib", Document(id="x1", title="Pollen, nectar, hive and queen bees"))
    capsys.readouterr()
    assert run(["expand", "--session", session]) == 0
    assert "warning: the library has changed" in capsys.readouterr().err


def test_a_library_that_moved_can_be_given(tmp_path, capsys):
    library_in(tmp_path / "old", *corpus())
    session = str(tmp_path / "new.likewise")
    run(["expand", str(tmp_path / "old"), *SEEDS, "--session", session])
    (tmp_path / "old").rename(tmp_path / "moved")
    capsys.readouterr()
    assert run(["expand", "--session", session]) == 1
    assert "likewise expand LIB --session" in capsys.readouterr().err
    assert run(["expand", str(tmp_path / "moved"), "--session", session]) == 0


def test_another_library_is_refused(go_on, tmp_path):
    other = [Document(id=f"y{n}", title=f"Harbour, metal and bridge {n}") for n in range(30)]
    code, _, err = go_on(library_in(tmp_path / "other", *other))
    assert code == 1
    assert "a session of another library" in err


def test_a_session_that_was_only_begun_is_finished_by_the_same_command(begun, tmp_path, capsys):
    path, library = tmp_path / "killed.likewise", library_of(begun)
    Session.create(path, library, read_seeds(SEEDS)).close()
    assert run(["expand", library, *SEEDS[1:], "--session", str(path)]) == 2
    assert run(["expand", library, *SEEDS, "--session", str(path)]) == 0
    with Session.open(path) as opened:
        assert len(opened.expansions()) == 1


def test_a_session_of_which_there_is_only_an_empty_file_is_begun(begun, tmp_path, capsys):
    path = tmp_path / "killed.likewise"
    path.touch()
    assert run(["expand", library_of(begun), *SEEDS, "--session", str(path)]) == 0
    with Session.open(path) as opened:
        assert len(opened.expansions()) == 1


def test_seeds_for_a_session_that_has_its_own_are_refused_with_the_way_out(go_on, begun):
    code, _, err = go_on(library_of(begun), "1", "2", "3")
    assert code == 2
    assert "has its seeds already: leave SEEDS out, and add papers with: likewise mark" in err


def test_the_session_is_not_written_over(session, tmp_path, capsys):
    Path(session).rename(tmp_path / "review.csv")
    before = (tmp_path / "review.csv").read_bytes()
    review = str(tmp_path / "review.csv")
    assert run(["expand", "--session", review, "-o", review]) == 1
    assert "review.csv: this is the session; choose another file" in capsys.readouterr().err
    assert (tmp_path / "review.csv").read_bytes() == before


def test_a_file_that_is_no_session_is_said(tmp_path, capsys):
    (tmp_path / "found.csv").write_text("pmid\n7\n")
    assert run(["expand", "--session", str(tmp_path / "found.csv")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "found.csv" in line


@pytest.mark.parametrize(
    ("decided", "dropped", "numbers", "said"),
    [
        (
            2, 1, (304.0, 31.2),
            ("2 documents came onto the list, and 1 left it. About 31 are estimated on topic now, "
             "300 before."),
        ),
        (
            0, 0, (31.2, 304.0),
            ("No unmarked document came onto the list or left it. About 300 are "
             "estimated on topic now, 31 before."),
        ),
        (0, 0, (31.2, 31.4), "No unmarked document came onto the list or left it."),
    ],
)  # fmt: skip
def test_changes_are_counted_in_a_sentence(decided, dropped, numbers, said):
    move = Move("7", None, 3)
    changes = Changes((move,) * decided, (move,) * dropped, (), (), relevant=numbers)
    assert describe_changes(changes) == said


@pytest.mark.parametrize(
    ("is_corner", "said"),
    [((True, False), " Your papers no longer look like one corner of a wider topic."),
     ((False, True), " Your papers look like one corner of a wider topic now."),
     ((True, True), ""), ((False, False), "")],
)  # fmt: skip
def test_that_marks_showed_seeds_to_be_something_else_is_said(is_corner, said):
    changes = Changes((), (), (), (), relevant=(300.0, 31.0), is_corner=is_corner)
    assert describe_changes(changes).endswith(f" now, 300 before.{said}")
