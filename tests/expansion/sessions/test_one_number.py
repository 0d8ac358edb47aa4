"""One number for one thing: what is left by an expansion, and by the status of its session."""

import shutil

import pytest

from expansion.sessions.screened import ON_TOPIC, expanded_session, read_on
from likewise.expansion.saved import compare_expansions
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.looking import read_looking
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import describe_status


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    folder = tmp_path_factory.mktemp("begun")
    expanded_session(folder).close()
    return folder / "bees.likewise"


@pytest.fixture
def session(begun, tmp_path):
    with Session.open(shutil.copy(begun, tmp_path)) as session:
        yield session


def by_hand(session):
    read_on(session, 40)


def by_file(session):
    read_on(session, 40, source="screened.csv")


def by_both(session):
    by_file(session)
    by_hand(session)


def seeds_too(session):
    read_on(session, 20)
    session.mark({session.start.seeds[0].id: "irrelevant", session.start.seeds[1].id: "relevant"})


def audit_too(session):
    read_on(session, 40)
    rest = [place.id for place in read_looking(session).rest]
    drawn = rest[::10]
    session.add_audit(drawn, population=rest)
    for name in drawn:
        session.mark({name: "relevant" if name in ON_TOPIC else "irrelevant"}, strategy="audit")


@pytest.mark.parametrize("marked", [by_hand, by_file, by_both, seeds_too, audit_too])
def test_an_expansion_and_its_status_say_the_same(session, marked):
    marked(session)
    expansion = expand_session(session)
    status = read_status(session)
    left = [bound - status.relevant for bound in expansion.estimates.relevant]
    assert tuple(map(round, left)) == tuple(status.left)


def test_once_everything_is_found_few_are_said_to_be_left(session):
    found = 0
    for _ in range(3):
        found += read_on(session, 20)
        expand_session(session)
    # After 60 of 308, all were found.
    assert found == len(ON_TOPIC)
    left = read_status(session).left
    assert left.low == 0
    assert left.value < 6


def test_seeds_are_counted_as_seeds_and_in_no_other_number(session):
    seeds_too(session)
    status = read_status(session)
    # Twenty were read; the two seeds that were marked are none of them.
    assert status.found + status.irrelevant + status.maybe == status.looked_at == 20
    assert status.outside == 0


def test_what_is_marked_and_no_candidate_is_told_apart(session):
    read_on(session, 5)
    session.mark_known({"far away": "relevant"})
    status = read_status(session)
    assert (status.looked_at, status.outside) == (5, 1)
    assert "(1 of these outside the candidates)" in describe_status(status)[0]


def test_a_moved_line_is_no_change_of_learning(session):
    before = session.expansion(as_learned=True)
    session.move_threshold(0)
    expand_session(session)
    session.move_threshold(0)
    after = session.expansion(as_learned=True)
    changes = compare_expansions(before, after)
    assert (changes.decided, changes.dropped) == ((), ())
    assert session.expansion() != after
