import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likewise
from expansion.sessions.samples import SEEDS, new_session, of_documents, small_saved
from likewise.errors import SessionError, SettingsError
from likewise.expansion.marks import LABELS, Marks
from likewise.expansion.sessions.records import Change, MarkCounts
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.learn.stopping.target import Target
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
    with pytest.raises(SessionError, match="an audit is drawn from its population"):
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
    assert session.version() == (0, 0, 0, 0, 0, 0)
    session.add_expansion(small_saved())
    session.mark({"1": "relevant", "2": "maybe"})
    session.undo()
    session.move_threshold(4)
    session.rename("Bees")
    session.add_audit(["204"], population=["204", "205"])
    session.choose_target(Target(0.9))
    assert session.version() == (1, 3, 1, 1, 1, 1)


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


@settings(max_examples=30)
@given(steps=st.lists(STEPS, max_size=8))
def test_any_marks_and_undos_leave_what_a_simple_model_leaves(tmp_path_factory, steps):
    model = {}
    with new_session(tmp_path_factory.mktemp("session")) as session:
        for step in steps:
            if isinstance(step, dict):
                session.mark(step)
                said = {key: label for key, label in step.items() if label != model.get(key)}
            else:
                session.undo(step)
                said = dict.fromkeys(step or list(model)[-1:])
            for document, label in said.items():
                model.pop(document, None)
                model |= {document: label} if label else {}
        assert list(labels_of(session).items()) == list(model.items())


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
