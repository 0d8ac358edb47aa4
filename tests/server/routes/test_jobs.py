import asyncio

import msgspec
import pytest

from likewise.server.jobs.records import Job
from likewise.server.routes.expansions import stream_events

pytestmark = pytest.mark.anyio

JOB = Job(id="1", session="abc", state="running", created="2026-01-31T09:30:00.123Z", note="a\nb")


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_each_state_is_an_event_of_one_line():
    async def states():
        yield JOB
        yield msgspec.structs.replace(JOB, state="done")

    told = [event async for event in stream_events(states())]
    assert len(told) == 2
    assert told[0] == f"event: job\ndata: {msgspec.json.encode(JOB).decode()}\n\n"
    assert told[0].count("\n") == 3


async def test_a_comment_is_sent_while_there_is_no_news():
    gate = asyncio.Event()

    async def states():
        yield JOB
        await gate.wait()
        yield JOB

    told = []
    async for event in stream_events(states(), quiet=0.01):
        told.append(event[:6])
        if len(told) == 3:
            gate.set()
    assert told == ["event:", ": stil", ": stil", "event:"]


async def test_whoever_stops_watching_leaves_nothing_behind():
    ended = asyncio.Event()

    async def states():
        try:
            yield JOB
            await asyncio.sleep(60)
        finally:
            ended.set()

    watching = stream_events(states())
    await anext(watching)
    await watching.aclose()
    await asyncio.wait_for(ended.wait(), 5)
    assert ended.is_set()
