"""A session as a notebook works with it: one object, from its seeds to what is handed in."""

import pytest

import likewise
from expansion.corpus import corpus, library_in, library_of, seeds_on
from likewise.errors import SeedsError, SessionError
from likewise.expansion.settings import ExpandSettings

SEEDS = [seed.id for seed in seeds_on("sugar", 12)]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("library") / "lib", *corpus())


@pytest.fixture
def session(tmp_path, library):
    with likewise.Session.create(
        tmp_path / "sugar.likewise", library, map(int, SEEDS), keep="top=25", rounds=1
    ) as session:
        yield session


def test_a_session_is_created_with_settings_by_name(session):
    assert session.start.settings == ExpandSettings(keep="top=25", rounds=1)
    assert [seed.id for seed in session.start.seeds] == SEEDS


def test_an_expansion_is_returned_and_kept(session):
    assert len(session.expand()) == 25
    assert len(session.expansions()) == 1


def test_settings_of_one_expansion_are_given_by_name(session):
    assert len(session.expand(keep="top=7")) == 7


def test_what_is_next_is_documents_that_are_not_marked(session):
    session.expand()
    first = session.next(5)
    assert len(first) == 5
    session.mark({int(paper.id): "relevant" for paper in first})
    assert {paper.id for paper in session.next(5)}.isdisjoint(paper.id for paper in first)


def test_an_audit_is_the_same_until_it_is_marked(session):
    session.expand()
    assert session.next(3, "audit") == session.next(3, "audit")
    assert len(session.audits()) == 1


def test_the_status_counts_marks_by_numbers(session):
    session.expand()
    session.mark({int(session.next(1)[0].id): "irrelevant"})
    assert session.status().irrelevant == 1


def test_an_export_holds_seeds_and_what_was_found(session, tmp_path):
    session.expand()
    assert session.export(tmp_path / "found.ris").documents == 25 + 12
    assert session.export(tmp_path / "relevant.csv", which="relevant").documents == 12


def test_a_look_tells_that_nothing_is_new(session):
    session.expand()
    digest = session.watch()
    assert digest.new == ()
    assert repr(digest).startswith("<Digest: nothing new on")
    assert "Nothing new on" in digest._repr_html_()


def test_a_session_is_opened_again_where_it_was_left(session):
    session.mark({SEEDS[0]: "relevant"})
    with likewise.Session.open(session.path) as again:
        assert again.marks().relevant == (SEEDS[0],)
        assert len(again.expand()) == 25


def test_a_library_that_is_open_is_used_and_nothing_is_opened(tmp_path):
    path, memory = tmp_path / "sugar.likewise", library_of(*corpus())
    with likewise.Session.create(path, memory, SEEDS, keep="top=25", rounds=1) as session:
        session.expand()
        assert len(session.next(2)) == 2
    with likewise.Session.open(path, library=memory) as session:
        assert session.export(tmp_path / "found.csv").documents == 25 + 12


def test_too_few_seeds_leave_no_file(tmp_path, library):
    with pytest.raises(SeedsError):
        likewise.Session.create(tmp_path / "few.likewise", library, SEEDS[:1])
    assert not (tmp_path / "few.likewise").exists()


def test_a_session_that_is_there_is_not_overwritten(session, library):
    with pytest.raises(SessionError):
        likewise.Session.create(session.path, library, SEEDS)


def test_a_session_is_one_line_even_when_it_is_closed(session):
    session.close()
    assert repr(session) == f"<Session {session.path}>"


def test_a_notebook_shows_where_a_session_stands(session):
    assert "12 seeds; nothing was expanded yet." in session._repr_html_()
    session.expand()
    assert "12 seeds; 0 of " in session._repr_html_()


def test_what_is_looked_for_before_anything_was_expanded_is_told(session):
    with pytest.raises(SessionError, match="nothing was expanded yet"):
        session.next()


def test_a_session_that_was_closed_says_so(session):
    session.close()
    for use in (session.status, session.expansions, lambda: session.mark({"1": "relevant"})):
        with pytest.raises(SessionError, match="this session is closed; open it again"):
            use()


def test_a_strategy_that_does_not_exist_is_refused(session):
    session.expand()
    with pytest.raises(SessionError, match="no strategy 'best'; use one of: likely"):
        session.next(2, "best")


def test_marks_without_labels_are_refused(session):
    with pytest.raises(SessionError, match="give labels by id, such as"):
        session.mark(["1", "2"])
