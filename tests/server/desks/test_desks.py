import asyncio
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from expansion.corpus import corpus, library_in, library_of, seeds_on
from expansion.samples import MATCHED, POOL
from likewise.documents.document import list_warnings
from likewise.errors import SeedsError, SessionError
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library
from likewise.server import desks as desks_module
from likewise.server.desks import Desks
from likewise.server.failures import UnknownSession
from server.desks.samples import libraries_of, marks_in, session_in

pytestmark = pytest.mark.anyio

NOTICE = ("Retracted Publication",)


@pytest.fixture
async def desks(tmp_path, library):
    desks = Desks(tmp_path, libraries_of(library))
    yield desks
    await desks.close()


def begin(desks, seeds, *, name=""):
    library = library_of(*corpus())
    given = GivenPapers(seeds, [], [])
    return desks.create(given, name=name, settings=ExpandSettings(), library=library)


def count_marks(reading):
    return len(reading.state.marks)


async def nothing_more(_identifier):
    """End nothing."""


async def test_a_session_that_is_begun_is_found_again(desks, tmp_path):
    identifier = await begin(desks, seeds_on("sugar"), name=" My\n review ")
    with Session.open(tmp_path / f"{identifier}.likewise") as session:
        assert session.name == "My review"
        assert len(session.start.seeds) == 12


async def test_a_session_without_a_name_gets_its_first_seeds_title(desks):
    seeds = seeds_on("sugar")
    await begin(desks, seeds)
    (head,) = (await desks.list_heads()).heads
    assert head.name.split()[:3] == seeds[0].title.split()[:3]


async def test_too_few_seeds_begin_nothing(desks, tmp_path):
    with pytest.raises(SeedsError):
        await begin(desks, seeds_on("sugar", 2))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("identifier", ["nothing", "../abc", "", "a/b"])
async def test_a_session_that_is_not_there_is_refused(desks, identifier):
    with pytest.raises(UnknownSession):
        async with desks.at(identifier):
            pass


async def test_reading_sees_what_was_written_through_the_desk(desks, tmp_path):
    session_in(tmp_path)
    async with desks.at("abc") as desk:
        before = await desk.read(count_marks)
        await desk.write(lambda session: session.mark({"201": "relevant"}), together=True)
        assert (before, await desk.read(count_marks)) == (0, 1)


async def test_reading_sees_what_other_processes_write(desks, tmp_path):
    path = session_in(tmp_path)
    async with desks.at("abc") as desk:
        await desk.read(count_marks)
        with Session.open(path) as session:
            session.mark({"201": "relevant", "203": "maybe"})
        assert await desk.read(count_marks) == 2


async def test_answers_are_kept_until_something_is_added(desks, tmp_path):
    session_in(tmp_path)

    def standing(reading):
        return reading.state

    async with desks.at("abc") as desk:
        first, again = await desk.read(standing), await desk.read(standing)
        await desk.write(lambda session: session.mark({"201": "relevant"}))
        later = await desk.read(standing)
    assert again is first
    assert later is not first
    assert later.pool is first.pool


async def test_desks_that_were_not_used_for_long_are_closed(desks, tmp_path, monkeypatch):
    monkeypatch.setattr(desks_module, "MOST_OPEN", 2)
    used = []
    for identifier in ("a", "b", "c"):
        session_in(tmp_path, identifier)
        async with desks.at(identifier) as desk:
            await desk.read(count_marks)
            used.append(desk)
    async with desks.at("c") as same, desks.at("a") as other:
        assert same is used[2]
        assert other is not used[0]


async def test_a_desk_in_use_stays_open_however_many_there_are(desks, tmp_path, monkeypatch):
    monkeypatch.setattr(desks_module, "MOST_OPEN", 1)
    for identifier in ("a", "b", "c"):
        session_in(tmp_path, identifier)
    async with desks.at("a") as desk:
        for identifier in ("b", "c"):
            async with desks.at(identifier) as other:
                await other.read(count_marks)
        assert await desk.read(count_marks) == 0


async def test_another_file_of_the_same_name_gets_another_desk(desks, tmp_path):
    path = session_in(tmp_path)
    async with desks.at("abc") as desk:
        await desk.read(count_marks)
    other = tmp_path / "other"
    other.mkdir()
    with Session.open(session_in(other)) as session:
        session.mark({"201": "relevant"})
    shutil.move(other / "abc.likewise", path)
    async with desks.at("abc") as desk:
        assert await desk.read(count_marks) == 1


async def test_a_session_that_somebody_else_deleted_is_closed(desks, tmp_path):
    path = session_in(tmp_path)
    async with desks.at("abc") as desk:
        await desk.read(count_marks)
    path.unlink()
    for _ in range(2):
        with pytest.raises(UnknownSession):
            await desks.delete("abc", end=nothing_more)
    with pytest.raises(UnknownSession):
        await desk.read(count_marks)


async def test_a_deleted_session_is_gone_with_all_that_lay_beside_it(desks, tmp_path):
    session_in(tmp_path)
    async with desks.at("abc") as desk:
        await desk.write(lambda session: session.mark({"201": "relevant"}))
        await desk.read(count_marks)
    await desks.delete("abc", end=nothing_more)
    assert not list(tmp_path.iterdir())
    with pytest.raises(UnknownSession):
        await desks.delete("abc", end=nothing_more)


async def test_what_else_is_done_for_a_session_ends_when_nobody_can_ask_for_more(desks, tmp_path):
    path = session_in(tmp_path)
    seen = []

    async def end(identifier):
        with pytest.raises(UnknownSession):
            async with desks.at(identifier):
                pass
        seen.append((identifier, path.is_file()))

    await desks.delete("abc", end=end)
    assert seen == [("abc", True)]
    assert not path.exists()


async def test_who_uses_a_session_while_it_is_deleted_is_told_so(desks, tmp_path):
    session_in(tmp_path)
    async with desks.at("abc") as desk:
        await desk.read(count_marks)
        await desks.delete("abc", end=nothing_more)
        with pytest.raises(UnknownSession):
            await desk.read(count_marks)
        with pytest.raises(UnknownSession):
            await desk.write(lambda session: session.undo())


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path.name)])
async def test_what_is_no_file_is_no_session_and_is_not_deleted(desks, tmp_path, make):
    path = tmp_path / "odd.likewise"
    make(path)
    with pytest.raises(
        SessionError, match=r"odd\.likewise: (not a file|can't be read: too many levels)"
    ):
        await desks.delete("odd", end=nothing_more)
    assert list(tmp_path.iterdir()) == [path]


async def test_closing_writes_what_waits(tmp_path, library):
    path = session_in(tmp_path)
    desks = Desks(tmp_path, libraries_of(library))
    async with desks.at("abc") as desk:
        marks = [
            asyncio.ensure_future(
                desk.write(lambda session, n=n: session.mark({f"d{n}": "maybe"}), together=True)
            )
            for n in range(10)
        ]
        await asyncio.sleep(0)
        await desks.close()
        await asyncio.gather(*marks)
    assert len(marks_in(path)) == 10


async def test_reading_sees_at_once_what_others_commit_to_the_library(tmp_path):
    seed = MATCHED[0]
    retracted = msgspec.structs.replace(seed, extra=(("nbib:RIN", "J Sugar. 2020"),))
    address = library_in(tmp_path / "lib", *MATCHED, *POOL)
    session_in(tmp_path)
    with open_library(address) as served:
        desks = Desks(tmp_path, libraries_of(served))
        async with desks.at("abc") as desk:
            assert await desk.read(find_retracted, [seed.id]) == ([], [])
            with open_library(address, write=True) as other:
                other.add([retracted, msgspec.structs.replace(POOL[0], publication_types=NOTICE)])
                other.commit()
            # The engine would see it too, but half a second later.
            assert await desk.read(find_retracted, [seed.id]) == ([seed.id], [POOL[0].id])
        await desks.close()


def find_retracted(reading, ids):
    """Return what is retracted of some documents, and of the list as its filter says."""
    listed = reading.find_rows("all", "is:retracted")
    return list(list_warnings(reading.library.get(ids))), [row.id for row in listed]
