import asyncio
import signal
import tempfile

import psutil
import pytest

from likewise.errors import ReadError
from likewise.server import ServerSettings
from likewise.server import processes as module
from likewise.server.failures import Stopping
from likewise.server.processes import Readers, TooCostly
from likewise.server.safety.guards import TooMuch
from likewise.server.upload_worker import UploadRequest

pytestmark = pytest.mark.anyio
RIS = b"TY  - JOUR\nTI  - On cats\nPY  - 2001\nER  - \n"
ASKED = UploadRequest("upload.ris", "refs.ris", 5_000)

LOOPING = """
import sys, likewise.server.upload_worker as worker
def read_upload(asked):
    while True: pass
worker.read_upload = read_upload
worker.main()
"""
SLEEPING = LOOPING.replace("while True: pass", "import time; time.sleep(600)")
EATING = LOOPING.replace("while True: pass", "return bytearray(10**12)")
DYING = LOOPING.replace("while True: pass", "import os; os.kill(os.getpid(), 11)")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def readers(tmp_path, monkeypatch):
    """Readers that may compute for a second each, and whose files lie in a folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # How long the machine takes that runs the tests is not what they are about.
    monkeypatch.setattr(module, "SECONDS_OF_HASTE", 60.0)
    monkeypatch.setattr(module, "LATENESS", 60)
    settings = ServerSettings(library="lib", sessions=tmp_path, most_reading_seconds=1)
    made = Readers(settings)
    yield made
    await made.close()


@pytest.fixture
def broken(monkeypatch):
    """Let readers that are started from now on run a script."""
    start = module.ReaderProcess.start.__func__

    def broken(script):
        async def start_script(cls, command):
            return await start(cls, (command[0], "-c", script, command[-1]))

        monkeypatch.setattr(module.ReaderProcess, "start", classmethod(start_script))

    yield broken
    monkeypatch.undo()


async def titles(readers, body=RIS):
    return [document.title for document in (await readers.read(body, ASKED)).documents]


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def numbers():
    children = psutil.Process().children()
    return {one.pid for one in children if "upload_worker" in " ".join(one.cmdline())}


async def test_a_file_is_read(readers):
    assert await titles(readers) == ["On cats"]


async def test_one_process_reads_one_file_after_the_other(readers):
    await titles(readers)
    first = numbers()
    await titles(readers)
    assert numbers() == first


async def test_two_files_are_read_at_once_by_two(readers):
    assert await asyncio.gather(titles(readers), titles(readers)) == [["On cats"], ["On cats"]]
    assert len(numbers()) == 2


async def test_a_file_that_can_not_be_read_is_told_and_costs_no_process(readers):
    with pytest.raises(ReadError, match=r"refs\.ris: the file is empty"):
        await readers.read(b"", ASKED)
    first = numbers()
    await titles(readers)
    assert numbers() == first


@pytest.mark.parametrize("script", [LOOPING, SLEEPING])
async def test_a_file_that_takes_for_ever_is_given_up(readers, broken, script, monkeypatch):
    monkeypatch.setattr(module, "LATENESS", 2)
    broken(script)
    with pytest.raises(TooCostly, match=r"^refs\.ris: reading it takes more than 1 seconds of"):
        await readers.read(RIS, ASKED)


async def test_a_file_that_takes_all_memory_is_given_up(readers, broken):
    broken(EATING)
    with pytest.raises(TooCostly, match=r"takes more than 1000 MB of memory, the limit"):
        await readers.read(RIS, ASKED)


async def test_a_file_that_breaks_its_reader_is_given_up(readers, broken, caplog):
    broken(DYING)
    with pytest.raises(TooCostly):
        await readers.read(RIS, ASKED)
    assert f"its reader ended ({-signal.SIGSEGV})" in caplog.text


async def test_after_a_file_that_was_given_up_the_next_is_read(readers, monkeypatch, broken):
    broken(EATING)
    with pytest.raises(TooCostly):
        await readers.read(RIS, ASKED)
    monkeypatch.undo()
    assert await titles(readers) == ["On cats"]


async def test_a_reader_that_takes_long_gives_way_to_others_and_is_not_used_again(
    readers, monkeypatch
):
    monkeypatch.setattr(module, "SECONDS_OF_HASTE", 0.0)
    await titles(readers)
    assert numbers() == set()


async def test_where_no_process_can_be_started_the_visitor_is_asked_to_come_again(
    readers, monkeypatch
):
    async def start(*_):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", lambda *_, **__: start())
    with pytest.raises(TooMuch, match=r"can be started \(Resource temporarily unavailable\); try"):
        await readers.read(RIS, ASKED)


async def test_a_reader_that_died_meanwhile_is_replaced(readers):
    await titles(readers)
    (number,) = numbers()
    psutil.Process(number).kill()
    await asyncio.sleep(0.2)
    assert await titles(readers) == ["On cats"]


async def test_nothing_is_left_of_files(readers, broken, tmp_path):
    await titles(readers)
    await readers.close()
    assert names_in(tmp_path) == []


async def test_nothing_is_left_of_a_file_that_was_given_up(readers, broken, tmp_path):
    broken(DYING)
    with pytest.raises(TooCostly):
        await readers.read(RIS, ASKED)
    assert names_in(tmp_path) == []


async def test_closing_ends_every_process_even_one_that_is_busy(readers, broken):
    broken(SLEEPING)
    reading = asyncio.create_task(readers.read(RIS, ASKED))
    while not readers._busy:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    (process,) = readers._busy
    await readers.close()
    assert not psutil.pid_exists(process.number)
    with pytest.raises(Stopping):
        await reading


async def test_who_gives_up_waiting_ends_the_process(readers, broken):
    broken(SLEEPING)
    reading = asyncio.create_task(readers.read(RIS, ASKED))
    while not readers._busy:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    (process,) = readers._busy
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not psutil.pid_exists(process.number)
