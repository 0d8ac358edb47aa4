import re
import shutil
import sqlite3
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likewise
from expansion.samples import small_expansion
from expansion.sessions.samples import SEEDS, new_session, of_documents, small_saved
from likewise.errors import SessionError, SettingsError
from likewise.expansion.marks import LABELS, Marks
from likewise.expansion.sessions import session_file as sessions
from likewise.expansion.sessions.records import Change, MarkCounts, SessionLook
from likewise.expansion.sessions.schema import FORMAT, NAMES, read_format
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Target
from likewise.library.more_like import MoreLike

OLD = Path(__file__).parents[2] / "data" / "old"


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        yield session


@pytest.fixture
def expanded(session):
    """A session with the small expansion in it: 201 is at rank 2, 204 at 7."""
    session.add_expansion(small_saved())
    return session


def labels_of(session):
    return {document: mark.label for document, mark in session.current().items()}


def test_a_session_knows_what_it_began_with(tmp_path):
    chosen = ExpandSettings(keep="top=5", more_like=MoreLike.of_the_paper())
    new_session(tmp_path, settings=chosen).close()
    with Session.open(tmp_path / "review.likewise") as session:
        start = session.start
    assert (start.seeds, start.settings, start.fingerprint) == (SEEDS, chosen, "0123456789abcdef")
    assert start.likewise == likewise.__version__
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", start.time)


def test_a_folder_is_found_from_other_folders_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with new_session(tmp_path, library="lib") as session:
        assert session.start.library == str(tmp_path / "lib")


def test_an_address_stays_as_it_is(tmp_path):
    with new_session(tmp_path, library="opensearch://here/papers") as session:
        assert session.library == "opensearch://here/papers"


def test_the_library_is_where_it_lay_last(session, tmp_path):
    session.add_expansion(small_saved(), library=str(tmp_path / "moved"))
    session.add_expansion(small_saved())
    assert session.library == str(tmp_path / "moved")


def test_a_mark_says_what_where_and_when(expanded):
    expanded.mark({"204": "irrelevant"}, source="screened.csv")
    (mark,) = expanded.history()
    assert (mark.number, mark.document, mark.label) == (1, "204", "irrelevant")
    assert (mark.expansion, mark.rank, mark.probability) == (1, 7, 0.25)
    assert (mark.strategy, mark.audit, mark.source) == (None, None, "screened.csv")
    assert mark.time >= expanded.start.time


def test_a_mark_before_any_expansion_has_no_rank(session):
    session.mark({"204": "maybe"})
    (mark,) = session.history()
    assert (mark.expansion, mark.rank, mark.probability) == (0, None, None)


def test_a_mark_on_what_was_not_ranked_has_no_rank(expanded):
    expanded.mark({"999": "relevant"})
    assert of_documents(expanded.history()) == [("999", "relevant", None, None)]


def test_a_mark_has_the_rank_of_the_latest_expansion(expanded):
    places = small_saved().ranking
    expanded.add_expansion(small_saved(ranking=(places[6], *places[:6])))
    expanded.mark({"204": "relevant"})
    assert expanded.history()[0].expansion == 2


def test_marks_are_counted_as_new_the_same_or_changed(session):
    session.mark({"1": "relevant", "2": "relevant", "3": "maybe"})
    marked = session.mark({"1": "relevant", "2": "irrelevant", "3": None, "4": "maybe", "5": None})
    changes = (Change("2", "relevant", "irrelevant"), Change("3", "maybe", None))
    assert marked == MarkCounts(new=1, same=2, changed=changes)


def test_what_is_said_again_adds_nothing(session):
    session.mark({"1": "relevant"})
    session.mark({"1": "relevant"})
    assert len(session.history()) == 1


def test_the_last_word_counts_and_the_first_is_kept(session):
    session.mark({"1": "relevant"})
    session.mark({"1": "irrelevant"})
    assert labels_of(session) == {"1": "irrelevant"}
    assert [mark.label for mark in session.history()] == ["relevant", "irrelevant"]


def test_marks_are_in_the_order_in_which_they_were_last_given(session):
    session.mark({"2": "relevant", "1": "relevant"})
    session.mark({"2": "maybe", "3": "relevant"})
    assert list(session.current()) == ["1", "2", "3"]
    assert session.marks() == Marks(("1", "3"), maybe=("2",), read=("2", "1", "3"))


def test_what_was_read_is_in_the_order_in_which_it_was_first_marked(session):
    session.mark({"2": "relevant", "1": "irrelevant"})
    session.mark({"3": "maybe", "2": "irrelevant"})
    assert session.marks().read == ("2", "1", "3")


def test_what_a_file_brought_was_not_read(session):
    session.mark({"1": "relevant", "2": "irrelevant"}, source="screened.csv")
    session.mark({"3": "relevant"})
    assert session.marks().read == ("3",)
    # Saying it again does not tell when it was read.
    session.mark({"1": "irrelevant"})
    assert session.marks().read == ("3",)


def test_what_was_drawn_for_an_audit_was_not_read_in_order(session):
    session.mark({"1": "relevant"})
    session.add_audit(["2", "3"], population=["2", "3", "4"])
    session.mark({"2": "irrelevant", "4": "irrelevant", "3": "relevant"})
    assert session.marks().read == ("1", "4")


def test_what_was_taken_back_was_not_read(session):
    session.mark({"1": "relevant", "2": "irrelevant"})
    session.undo(["1"])
    assert session.marks().read == ("2",)


def test_undo_takes_back_the_latest_mark(session):
    session.mark({"1": "relevant", "2": "irrelevant"})
    assert [(mark.document, mark.label) for mark in session.undo()] == [("2", "irrelevant")]
    assert labels_of(session) == {"1": "relevant"}


def test_undo_after_undo_takes_back_the_mark_before(session):
    session.mark({"1": "relevant", "2": "irrelevant"})
    session.undo()
    assert [mark.document for mark in session.undo()] == ["1"]
    assert session.undo() == []
    assert len(session.history()) == 4


def test_undo_restores_the_mark_before_with_the_time_when_it_was_given(session):
    session.mark({"1": "relevant"}, strategy="likely")
    given = session.current()["1"]
    session.mark({"1": "irrelevant"})
    session.undo(["1"])
    assert session.current()["1"] == given._replace(number=4)


def test_undo_goes_back_through_everything_in_the_order_it_was_marked(session):
    session.mark({"1": "relevant"})
    session.mark({"2": "maybe"})
    session.mark({"1": "irrelevant"})
    seen = [labels_of(session)]
    while session.undo():
        seen.append(labels_of(session))
    assert seen == [
        {"2": "maybe", "1": "irrelevant"},
        {"2": "maybe", "1": "relevant"},
        {"1": "relevant"},
        {},
    ]


def test_undo_restores_no_label_that_was_taken_away_before(session):
    session.mark({"1": "relevant"})
    session.mark({"1": None})
    session.mark({"1": "maybe"})
    session.undo()
    assert labels_of(session) == {}


def test_undo_of_documents_leaves_out_those_without_a_mark(session):
    session.mark({"1": "relevant", "2": "irrelevant", "3": "maybe"})
    taken = session.undo(["3", "9", "1", "3"])
    assert [mark.document for mark in taken] == ["3", "1"]
    assert labels_of(session) == {"2": "irrelevant"}


def test_what_was_taken_back_can_be_marked_again(session):
    session.mark({"1": "relevant"})
    session.undo(["1"])
    assert session.mark({"1": "relevant"}) == MarkCounts(new=1, same=0, changed=())


def test_a_word_that_is_no_label_marks_nothing(session):
    with pytest.raises(SessionError, match="no label 'good'; use one of: relevant, irrelevant"):
        session.mark({"1": "relevant", "2": "good"})
    with pytest.raises(SessionError, match="no strategy 'luck'; use one of: likely, uncertain"):
        session.mark({"1": "relevant"}, strategy="luck")
    assert session.history() == []


def test_an_id_that_can_t_be_written_marks_nothing(session):
    with pytest.raises(SessionError, match="half a character in an id or a name can't be written"):
        session.mark({"1": "relevant", "\ud800": "relevant"})
    assert session.history() == []


def test_expansions_are_counted_from_1_and_know_the_marks_before_them(session):
    session.mark({"1": "relevant", "2": "relevant"})
    assert session.add_expansion(small_saved(), mark=1) == 1
    assert session.add_expansion(small_saved(ranking=small_saved().ranking[:4])) == 2
    heads = [(head.number, head.mark, head.pool, head.decided) for head in session.expansions()]
    assert heads == [(1, 1, 5, 3), (2, 2, 2, 2)]


def test_an_expansion_is_read_as_it_was_added(session, tmp_path):
    session.add_expansion(small_saved())
    session.add_expansion(small_saved(warnings=("later",)))
    with Session.open(tmp_path / "review.likewise") as again:
        assert again.expansion(1) == small_saved()
        assert again.expansion().warnings == again.expansion(2).warnings == ("later",)


def test_there_may_be_no_expansion(session):
    assert session.expansion() is session.expansion(1) is None


def test_an_audit_knows_what_it_was_drawn_from(expanded, tmp_path):
    audit = expanded.add_audit(["205", "204"], population=["203", "204", "205"])
    assert (audit.number, audit.expansion) == (1, 1)
    with Session.open(tmp_path / "review.likewise") as again:
        assert again.audits() == [audit]
    assert (audit.drawn, audit.population) == (("205", "204"), ("203", "204", "205"))


@pytest.mark.parametrize("ids", [[], ["9"], ["1", "9"]])
def test_an_audit_is_drawn_from_its_population(session, ids):
    with pytest.raises(SessionError, match="is not among those it was drawn from"):
        session.add_audit(ids, population=["1", "2"])


def test_a_mark_on_what_an_audit_drew_is_part_of_it(session):
    session.add_audit(["1", "2"], population=["1", "2", "3"])
    session.mark({"1": "relevant", "3": "relevant"})
    said = [(mark.document, mark.audit, mark.strategy) for mark in session.history()]
    assert said == [("1", 1, "audit"), ("3", None, None)]


def test_of_two_audits_the_later_counts(session):
    session.add_audit(["1", "2"], population=["1", "2", "3"])
    session.add_audit(["2", "3"], population=["2", "3"])
    session.mark({"1": "maybe", "2": "maybe"}, strategy="uncertain")
    said = [(mark.audit, mark.strategy) for mark in session.history()]
    assert said == [(1, "uncertain"), (2, "uncertain")]


def test_two_that_are_open_see_each_other_s_marks(session, tmp_path):
    with Session.open(tmp_path / "review.likewise") as other:
        session.mark({"1": "relevant"})
        other.mark({"2": "irrelevant"})
        other.add_expansion(small_saved())
        session.mark({"204": "relevant"})
    assert labels_of(session) == {"1": "relevant", "2": "irrelevant", "204": "relevant"}
    assert session.history()[-1].rank == 7


def test_a_session_s_version_counts_what_was_added(session):
    assert set(session.version()) == {0}
    session.add_expansion(small_saved())
    session.mark({"1": "relevant", "2": "maybe"})
    session.undo()
    session.move_threshold(4)
    session.rename("Bees")
    session.add_audit(["204"], population=["204", "205"])
    session.choose_target(Target(0.9))
    session.review.add_reason("no bees")
    session.review.tag(["1", "2"], add=["hive"])
    session.review.note("1", "ask Ann")
    session.review.write_criteria("Bees alone.")
    session.add_look(SessionLook(1, "", 1, "", 0))
    assert session.version() == (1, 3, 1, 1, 1, 1, 1, 2, 1, 1, 1)


def test_a_session_has_no_target_until_one_is_chosen(session):
    assert session.target() is None


def test_the_target_that_was_chosen_last_counts_and_the_first_is_kept(session, tmp_path):
    for recall in (0.9, 0.9, 1):
        session.choose_target(Target(recall, 0.8, "audits"))
    with Session.open(tmp_path / "review.likewise", read_only=True) as again:
        assert again.target() == Target(1.0, 0.8, "audits")
        chosen = [(target.number, target.recall, target.proof) for target in again.targets()]
        assert chosen == [(1, 0.9, "audits"), (2, 1.0, "audits")]


def test_a_target_that_can_t_be_reached_is_not_kept(session):
    with pytest.raises(SettingsError, match=r"--recall 1\.2"):
        session.choose_target(Target(recall=1.2))
    assert session.target() is None


IDS = st.sampled_from("abc")
STEPS = st.one_of(
    st.dictionaries(IDS, st.sampled_from([*LABELS, None]), max_size=3),
    st.lists(IDS, max_size=2),
)


class SimpleMarks:
    """Labels by hand: a stack of what was said of each document, each with when it was."""

    def __init__(self):
        self.said = {}
        self.count = 0

    @property
    def labels(self):
        return {name: stack[-1][1] for name, stack in self.said.items() if stack[-1][1]}

    def mark(self, labels):
        for name, label in labels.items():
            if label != self.labels.get(name):
                self.count += 1
                stack = self.said.pop(name, [(0, None)])
                self.said[name] = [*stack, (self.count, label)]

    def undo(self, ids):
        latest = sorted(self.labels, key=lambda name: self.said[name][-1][0])[-1:]
        for name in dict.fromkeys(ids or latest):
            if name in self.labels:
                self.said[name] = self.said.pop(name)[:-1]


@settings(max_examples=30)
@given(steps=st.lists(STEPS, max_size=8))
def test_any_marks_and_undos_leave_what_a_simple_model_leaves(tmp_path_factory, steps):
    model, clock = SimpleMarks(), count()
    with (
        new_session(tmp_path_factory.mktemp("session")) as session,
        pytest.MonkeyPatch.context() as patch,
    ):
        # Two marks of one moment and one label are taken for one.
        patch.setattr(sessions, "read_clock", lambda: f"{next(clock):09}")
        for step in steps:
            act = "mark" if isinstance(step, dict) else "undo"
            getattr(session, act)(step)
            getattr(model, act)(step)
        assert list(labels_of(session).items()) == list(model.labels.items())


def test_a_session_of_an_older_version_still_opens():
    with Session.open(OLD / "format1.likewise", read_only=True) as session:
        assert session.start.settings == ExpandSettings(keep="top=5")
        assert [seed.id for seed in session.start.seeds] == ["101", "102", "103", "mine"]
        ranks = {"201": 2, "204": 7}
        assert session.marks() == Marks(("201",), ("204",), ranks=ranks, read=("201",))
        assert session.expansion().marks.ranks == {}
        assert [mark.label for mark in session.history()] == [
            *("relevant", "irrelevant", "maybe", None)
        ]
        assert len(session.expansion().ranking) == 9
        assert session.audits()[0].drawn == ("204",)


@pytest.fixture
def old(tmp_path):
    """A copy of a session of the first format, in which nothing has a name."""
    return Path(shutil.copy(OLD / "format1.likewise", tmp_path / "old.likewise"))


@pytest.fixture
def second(tmp_path):
    """A copy of a session of the second format, in which no target can be kept."""
    return Path(shutil.copy(OLD / "format2.likewise", tmp_path / "second.likewise"))


def tables(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    version = read_format(connection)
    connection.close()
    return version, {name for (name,) in found}


def test_a_session_has_the_name_it_was_made_with(tmp_path):
    with new_session(tmp_path, name="Bees, and <b>others</b>") as session:
        assert session.name == "Bees, and <b>others</b>"


def test_a_session_need_not_have_a_name(tmp_path):
    with new_session(tmp_path) as session:
        assert (session.name, session.names()) == ("", [])


def test_the_last_name_counts_and_the_first_is_kept(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        session.rename("Wasps")
        session.rename("Wasps")
    with Session.open(tmp_path / "review.likewise", read_only=True) as again:
        assert again.name == "Wasps"
        assert [(name.number, name.name) for name in again.names()] == [(1, "Bees"), (2, "Wasps")]


def test_a_name_can_be_taken_away(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        session.rename("")
        assert session.name == ""


def test_a_name_that_can_t_be_written_changes_nothing(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        with pytest.raises(SessionError, match="half a character in an id or a name"):
            session.rename("\ud800")
        assert session.name == "Bees"


def test_an_old_session_is_read_as_it_is(old):
    before = old.read_bytes()
    with Session.open(old, read_only=True) as session:
        assert (session.name, session.names(), session.thresholds()) == ("", [], [])
        assert session.explanations() is None
        assert (session.target(), session.targets()) == (None, [])
        assert session.version() == (1, 4, 0, 0, 1, 0, 0, 0, 0, 0, 0)
        assert session.cut() == session.original_cut() == 6
        assert [head.decided for head in session.expansions()] == [3]
    assert old.read_bytes() == before


def test_an_old_session_that_is_only_read_can_t_be_renamed(old):
    refused = pytest.raises(SessionError, match="can't be written to")
    with Session.open(old, read_only=True) as session, refused:
        session.rename("Bees")
    assert tables(old)[0] == 1


def test_an_old_session_is_brought_up_when_it_is_opened_to_be_written_to(old):
    Session.open(old).close()
    version, found = tables(old)
    assert (version, found) == (FORMAT, set(NAMES))


def test_an_old_session_that_was_brought_up_keeps_what_it_held(old):
    with Session.open(old, read_only=True) as session:
        before = session.start, session.history(), session.expansion(), session.audits()
    with Session.open(old) as session:
        now = session.start, session.history(), session.expansion(), session.audits()
    assert now == before


def test_an_old_session_can_do_what_new_ones_can(old):
    with Session.open(old) as session:
        session.rename("Bees")
        session.move_threshold(2)
        session.choose_target(Target(0.9))
        session.mark({"205": "maybe"})
        session.add_expansion(small_saved(), explanations=small_expansion().explain.explain_all())
    with Session.open(old) as again:
        assert (again.name, again.version()) == ("Bees", (2, 5, 1, 1, 1, 1, 0, 0, 0, 0, 0))
        assert again.explanations().explain("203").up == ("insulin",)
        assert (again.cut(1), again.cut(2)) == (2, 6)


def test_the_new_tables_of_an_old_session_are_only_ever_added_to(old):
    with Session.open(old) as session:
        session.rename("Bees")
    connection = sqlite3.connect(old)
    with pytest.raises(sqlite3.IntegrityError, match="sessions are only ever added to"):
        connection.execute("DELETE FROM names")
    connection.close()


def test_a_session_without_targets_is_read_as_it_is(second):
    before = second.read_bytes()
    with Session.open(second, read_only=True) as session:
        assert (session.target(), session.targets()) == (None, [])
        assert (session.name, session.cut(), session.version()) == (
            "Bees",
            4,
            (1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0),
        )
    assert second.read_bytes() == before


def test_a_session_without_targets_is_brought_up_and_keeps_what_it_held(second):
    with Session.open(second, read_only=True) as session:
        before = session.names(), session.thresholds(), session.history(), session.expansion()
    with Session.open(second) as session:
        session.choose_target(Target(0.8, 0.9, "audits"))
        now = session.names(), session.thresholds(), session.history(), session.expansion()
        assert (now, session.target()) == (before, Target(0.8, 0.9, "audits"))
    assert tables(second) == (FORMAT, set(NAMES))


@pytest.mark.parametrize("number", range(1, FORMAT))
def test_a_session_of_every_format_before_is_kept_to_be_opened(number):
    with Session.open(OLD / f"format{number}.likewise", read_only=True) as session:
        assert session.start.likewise == "0.1.0"


def test_an_old_session_that_another_process_brings_up_is_read_on(old):
    with Session.open(old, read_only=True) as reader, Session.open(old) as writer:
        writer.rename("Bees")
        writer.move_threshold(0)
        assert (reader.name, reader.cut()) == ("Bees", 0)


def test_two_that_open_an_old_session_at_once_bring_it_up_once(old):
    with Session.open(old) as one, Session.open(old) as other:
        one.rename("Bees")
        assert other.name == "Bees"


def test_an_old_session_that_can_t_be_brought_up_stays_as_it_is(old, monkeypatch):
    broken = ["CREATE TABLE names (number)", "CREATE TABLE ("]
    monkeypatch.setattr("likewise.expansion.sessions.store.make_statements", lambda since: broken)
    with pytest.raises(SessionError, match="it can't be read or written"):
        Session.open(old)
    assert tables(old) == (1, {"start", "expansions", "audits", "marks"})
