import csv
import time

import numpy as np
import pytest
from msgspec.structs import replace

from expansion.samples import MATCHED, POOL, small_expansion
from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.records import Place
from likewise.expansion.sessions import shelf
from likewise.expansion.sessions.exporting import export_session
from likewise.expansion.sessions.looking import choose_next
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import read_status
from likewise.library.memory import MemoryLibrary

EXPLANATIONS = small_expansion().explain.explain_all()


@pytest.fixture
def session(tmp_path):
    """A session with the small expansion in it, in which the line lies below rank 6."""
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


def decided(saved):
    return [place.id for place in saved.ranking if place.decision and not place.seed]


def long_saved(size):
    """An expansion of so many places, the first ten of which are decided."""
    return small_saved(
        ranking=tuple(
            Place(
                id=f"d{rank}", rank=rank, score=-rank, probability=1 / rank,
                decision=rank <= 10, seed=False,
            )
            for rank in range(1, size + 1)
        )
    )  # fmt: skip


# The line


def test_a_line_that_was_not_moved_is_where_it_was_learned(session):
    assert (session.cut(), session.original_cut(), session.thresholds()) == (6, 6, [])


def test_a_line_that_was_moved_decides(session):
    session.move_threshold(4)
    assert decided(session.expansion()) == ["201", "10.1000/a b"]
    assert (session.cut(), session.original_cut()) == (4, 6)


def test_what_was_learned_is_kept(session):
    session.move_threshold(9)
    session.move_threshold(None)
    assert session.expansion() == small_saved()


def test_every_line_is_kept_with_what_lies_above_it(session):
    session.move_threshold(4)
    session.move_threshold(None)
    said = [
        (line.number, line.expansion, line.decided, line.above) for line in session.thresholds()
    ]
    assert said == [(1, 1, 4, 2), (2, 1, None, None)]


@pytest.mark.parametrize("again", [[4, 4], [4, 4, 4], [None, 4]])
def test_a_line_that_is_there_is_not_moved(session, again):
    for rank in again:
        session.move_threshold(rank)
    assert len(session.thresholds()) == 1


@pytest.mark.parametrize(("asked", "moved"), [(10, 9), (10**9, 9), (-3, 0)])
def test_a_line_stays_within_the_pool(session, asked, moved):
    session.move_threshold(asked)
    assert session.thresholds()[0].decided == session.cut() == moved


def test_without_an_expansion_there_is_no_line_to_move(tmp_path):
    with new_session(tmp_path) as session:
        assert session.cut() == session.original_cut() == 0
        with pytest.raises(SessionError, match=r"review\.likewise: nothing was expanded yet"):
            session.move_threshold(3)


def test_the_next_expansion_has_a_line_of_its_own(session):
    session.move_threshold(0)
    session.add_expansion(small_saved())
    assert (session.cut(), session.cut(1), session.cut(2)) == (6, 0, 6)
    assert [head.decided for head in session.expansions()] == [0, 3]


def test_a_line_is_seen_by_others_that_have_the_session_open(session, tmp_path):
    with Session.open(tmp_path / "review.likewise", read_only=True) as other:
        assert other.cut() == 6
        session.move_threshold(2)
        assert other.cut() == 2
        session.move_threshold(None)
        assert other.cut() == 6


def test_a_line_is_drawn_once_however_often_it_is_looked_at(session):
    session.move_threshold(4)
    assert session.expansion() is session.expansion()


def test_the_status_follows_the_line(session):
    session.move_threshold(2)
    session.mark({"204": "relevant"})
    assert read_status(session).decided == 1


def test_what_is_least_certain_follows_the_line(session):
    session.move_threshold(7)
    # Decided down to 0.25, not from 0.0625 on: the margin is 0.156.
    nearest = choose_next(session, 2, "uncertain", rng=np.random.default_rng(0))
    assert [place.id for place in nearest] == ["204", "205"]


def test_what_is_exported_is_above_the_line_a_seed_or_marked(tmp_path):
    saved = long_saved(30)
    ranking = (*saved.ranking, replace(saved.ranking[-1], id="101", rank=30, seed=True))
    library = MemoryLibrary()
    library.add([*MATCHED, *POOL, *(replace(POOL[0], id=f"d{n}") for n in range(1, 31))])
    library.commit()
    with new_session(tmp_path) as session:
        session.add_expansion(replace(saved, ranking=ranking))
        session.mark({"d2": "irrelevant", "d20": "relevant"})
        session.move_threshold(5)
        export_session(session, tmp_path / "out.csv", library=library)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = {row["id"]: row["decision"] for row in csv.DictReader(file)}
    assert list(rows) == ["d1", "d2", "d3", "d4", "d5", "d20", "101"]
    assert rows["d2"] == "false"


# Explanations


def test_explanations_are_read_as_they_were_added(session, tmp_path):
    session.add_expansion(small_saved(), explanations=EXPLANATIONS)
    with Session.open(tmp_path / "review.likewise", read_only=True) as again:
        assert again.explanations() == again.explanations(2) == EXPLANATIONS
        assert again.explanations(1) is None


def test_explanations_of_the_latest_are_unpacked_once(session):
    session.add_expansion(small_saved(), explanations=EXPLANATIONS)
    assert session.explanations() is session.explanations()


def test_where_nothing_was_expanded_nothing_is_explained(tmp_path):
    with new_session(tmp_path) as session:
        assert session.explanations() is None


def test_explanations_that_make_no_sense_are_damaged(session):
    session.add_expansion(small_saved(), explanations=replace(EXPLANATIONS, documents={}))
    with session._store.writing() as connection:
        shelf.tables.insert_rows(connection, "explanations", (1, shelf.pack({"terms": []})))
    with pytest.raises(SessionError, match="a damaged session"):
        session.explanations(1)


# What is kept


def test_the_places_of_the_latest_expansion_are_found_without_going_through_it(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(long_saved(20_000))
        session.mark({"d1": "maybe"})
        started = time.process_time()
        for number in range(100):
            session.mark({f"d{number}": "relevant"})
        assert time.process_time() - started < 0.5
        assert session.history()[-1].rank == 99


def broken_off(session):
    with session.writing_together():
        session.add_expansion(small_saved(warnings=("taken back",)))
        session.move_threshold(0)
        assert session.cut() == 0
        raise KeyError


def test_what_was_taken_back_is_not_kept(session):
    with pytest.raises(KeyError):
        broken_off(session)
    assert session.expansion() == small_saved()
    session.add_expansion(small_saved(warnings=("kept",)))
    session.move_threshold(2)
    assert (session.expansion().warnings, session.cut()) == (("kept",), 2)
