import asyncio
import threading
from contextlib import contextmanager

import pytest

from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session
from likewise.server.desks.desk import Scribe
from server.desks.samples import marks_in, session_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def path(tmp_path):
    return session_in(tmp_path)


@pytest.fixture
def scribe(path):
    scribe = Scribe(path)
    yield scribe
    scribe.close()
    scribe.join()


@pytest.fixture
def transactions(monkeypatch):
    """Count the transactions that are begun."""
    begun = []
    together = Session.writing_together
    monkeypatch.setattr(
        Session, "writing_together", lambda session: begun.append(1) or together(session)
    )
    return begun


def marking(**labels):
    return lambda session: session.mark(labels)


async def held_up(scribe):
    """Let the scribe be busy until the event that is returned is set."""
    gate, is_busy = threading.Event(), threading.Event()

    def wait(_session):
        is_busy.set()
        gate.wait(10)

    waiting = asyncio.ensure_future(scribe.write(wait))
    await asyncio.to_thread(is_busy.wait, 10)
    return gate, waiting


async def test_what_was_written_is_in_the_file_when_it_is_answered(scribe, path):
    marked = await scribe.write(marking(a="relevant"), together=True)
    assert marked.new == 1
    assert marks_in(path) == {"a": "relevant"}


async def test_what_comes_while_the_disk_is_waited_for_goes_into_one_transaction(
    scribe, path, transactions
):
    gate, waiting = await held_up(scribe)
    marks = [scribe.write(marking(**{f"d{n}": "relevant"}), together=True) for n in range(20)]
    given = asyncio.gather(*marks)
    await asyncio.sleep(0.02)
    gate.set()
    await asyncio.gather(waiting, given)
    assert len(transactions) == 2
    assert len(marks_in(path)) == 20


async def test_what_may_not_share_a_transaction_has_one_of_its_own(scribe, transactions):
    gate, waiting = await held_up(scribe)
    others = asyncio.gather(
        scribe.write(marking(a="relevant"), together=True),
        scribe.write(marking(b="relevant")),
        scribe.write(marking(c="relevant"), together=True),
    )
    await asyncio.sleep(0.02)
    gate.set()
    await asyncio.gather(waiting, others)
    assert len(transactions) == 4


async def test_order_is_kept_within_a_transaction(scribe, path):
    gate, waiting = await held_up(scribe)
    labels = ["relevant", "irrelevant", "maybe"]
    marks = asyncio.gather(*(scribe.write(marking(a=one), together=True) for one in labels))
    await asyncio.sleep(0.02)
    gate.set()
    await asyncio.gather(waiting, marks)
    assert marks_in(path) == {"a": "maybe"}


async def test_a_mark_that_fails_fails_alone(scribe, path):
    gate, waiting = await held_up(scribe)
    marks = asyncio.gather(
        scribe.write(marking(a="relevant"), together=True),
        scribe.write(marking(b="splendid"), together=True),
        scribe.write(marking(c="relevant"), together=True),
        return_exceptions=True,
    )
    await asyncio.sleep(0.02)
    gate.set()
    await waiting
    _, failed, _ = await marks
    assert isinstance(failed, SessionError)
    assert marks_in(path) == {"a": "relevant", "c": "relevant"}


async def test_what_hinders_them_all_is_waited_for_once(scribe, path, monkeypatch):
    gate, waiting = await held_up(scribe)
    given = [scribe.write(marking(**{f"d{n}": "relevant"}), together=True) for n in range(5)]
    marks = asyncio.gather(*given, return_exceptions=True)
    await asyncio.sleep(0.02)
    tried = []

    @contextmanager
    def locked(_session):
        tried.append(1)
        raise SessionError("another program writes to it")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(Session, "writing_together", locked)
        gate.set()
        await waiting
        failed = await marks
    assert [str(error) for error in failed] == ["another program writes to it"] * 5
    assert len(tried) == 1
    assert marks_in(path) == {}


async def test_nothing_stays_of_work_that_fails_halfway(scribe, path):
    def half(session):
        session.mark({"a": "relevant"})
        raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        await scribe.write(half, together=True)
    assert marks_in(path) == {}


async def test_what_is_not_waited_for_any_more_is_written_all_the_same(scribe, path):
    gate, waiting = await held_up(scribe)
    mark = asyncio.ensure_future(scribe.write(marking(a="relevant"), together=True))
    await asyncio.sleep(0.02)
    mark.cancel()
    gate.set()
    await waiting
    scribe.close()
    await asyncio.to_thread(scribe.join)
    assert marks_in(path) == {"a": "relevant"}


async def test_closing_waits_for_what_was_given_before(path):
    scribe = Scribe(path)
    marks = [
        asyncio.ensure_future(scribe.write(marking(**{f"d{n}": "maybe"}), together=True))
        for n in range(5)
    ]
    await asyncio.sleep(0)
    scribe.close()
    await asyncio.to_thread(scribe.join)
    await asyncio.gather(*marks)
    assert len(marks_in(path)) == 5


async def test_a_file_that_is_no_session_is_said_to_each_and_can_be_mended(tmp_path):
    scribe = Scribe(tmp_path / "abc.likewise")
    with pytest.raises(SessionError, match="no such session"):
        await scribe.write(marking(a="relevant"), together=True)
    session_in(tmp_path)
    assert (await scribe.write(marking(a="relevant"), together=True)).new == 1
    scribe.close()
    scribe.join()


async def test_without_anything_to_write_there_is_nothing_to_close(tmp_path):
    scribe = Scribe(tmp_path / "abc.likewise")
    scribe.close()
    scribe.join()
    assert not list(tmp_path.iterdir())
