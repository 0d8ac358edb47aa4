import os
import signal
import subprocess
import sys
import time

import msgspec

from likewise.expansion.expansion import StageProgress
from likewise.server.jobs import (
    FailureMessage,
    ProgressMessage,
    ResultMessage,
    StartMessage,
    WarningsMessage,
    WorkRequest,
    decode_message,
    encode_line,
    worker,
)
from likewise.server.jobs.worker import Reporter, make_sendable, try_job
from server.jobs.samples import expansions_in, is_alive, real_session

NO_SUCH = WorkRequest("gone.likewise", "lib")


class Listener(list):
    def __init__(self):
        super().__init__()
        self.time = 0.0
        self.tell = Reporter(self.append, clock=lambda: self.time)

    def move(self, stage, share, *, after=0.0, note=""):
        self.time += after
        self.tell.on_progress(StageProgress(stage, share, note))


def test_each_new_stage_is_told_at_once():
    heard = Listener()
    heard.move("seeds", 0.0)
    heard.move("retrieval", 0.0)
    assert heard == [ProgressMessage("seeds", 0.0), ProgressMessage("retrieval", 0.0)]


def test_within_a_stage_twenty_moves_a_second_are_told():
    heard = Listener()
    for step in range(1001):
        heard.move("learning", step / 1000, after=0.001)
    assert 18 <= len(heard) <= 21


def test_warnings_are_told_and_too_many_are_not():
    heard = Listener()
    heard.tell.on_seeds(None, [f"no {number}" for number in range(100)])
    assert heard == [WarningsMessage(tuple(f"no {number}" for number in range(50)))]


def test_of_seeds_without_warnings_nothing_is_told():
    heard = Listener()
    heard.tell.on_seeds(None, [])
    assert heard == []


def test_a_long_text_is_cut():
    assert make_sendable("a" * 5_000) == "a" * 1_999 + "…"


def test_a_mistake_of_the_user_is_told_in_one_line():
    failed = try_job(NO_SUCH, tell=Listener().tell)
    assert failed.error.startswith("gone.likewise: there is no such session")
    assert not failed.is_mistake


def test_a_mistake_of_ours_is_named_and_where_it_is_goes_to_the_log(monkeypatch, capsys):
    def expanded(asked, *, tell):
        raise TypeError("two\nlines")

    monkeypatch.setattr(worker, "add_expansion", expanded)
    expected = "TypeError: two lines; this is a bug in likewise, please report it"
    assert try_job(NO_SUCH, tell=Listener().tell) == FailureMessage(expected, is_mistake=True)
    assert "Traceback" in capsys.readouterr().err


def test_want_of_memory_says_what_to_do(monkeypatch):
    def expanded(asked, *, tell):
        raise MemoryError

    monkeypatch.setattr(worker, "add_expansion", expanded)
    assert "choose a smaller pool" in try_job(NO_SUCH, tell=Listener().tell).error


def test_an_expansion_is_in_the_session_when_it_is_told(tmp_path, library):
    heard = Listener()
    path = real_session(tmp_path, library)
    done = try_job(WorkRequest(str(path), library), tell=heard.tell)
    assert (done, heard[0], expansions_in(path)) == (ResultMessage(1), StartMessage(0), 1)


def started(**options):
    command = [sys.executable, "-m", "likewise.server.jobs.worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **options)


def test_a_worker_that_is_never_asked_ends_quietly():
    said, errors = started().communicate(timeout=30)
    assert (said, errors) == (b"", b"")


def test_a_worker_that_computes_and_says_nothing_ends_when_its_input_closes():
    lines = """
import threading
from likewise.server.jobs.worker import end_when_alone
threading.Thread(target=end_when_alone, daemon=True).start()
while True:
    pass
"""
    alone = subprocess.Popen([sys.executable, "-c", lines], stdin=subprocess.PIPE)
    alone.communicate(timeout=30)
    assert alone.returncode == worker.ALONE


def test_what_is_printed_by_others_is_no_message():
    lines = """
from likewise.server.jobs import ResultMessage, worker
send = worker.open_channel()
print("hello", flush=True)
send(ResultMessage(1))
"""
    said = subprocess.run([sys.executable, "-c", lines], capture_output=True, check=True)
    assert (said.stdout, said.stderr) == (encode_line(ResultMessage(1)), b"hello\n")


def test_a_worker_loads_nothing_of_the_server():
    listing = "import sys, likewise.server.jobs.worker; print('fastapi' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True)
    assert said.stdout == b"False\n"


PARENT = """
import subprocess, sys
command = [sys.executable, "-m", "likewise.server.jobs.worker"]
pipe = subprocess.PIPE
worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
worker.stdin.write(sys.stdin.buffer.readline())
worker.stdin.flush()
print(worker.pid, flush=True)
sys.stdout.buffer.write(worker.stdout.readline())
sys.stdout.flush()
worker.wait()
"""


def test_a_worker_ends_at_once_and_adds_nothing_if_the_server_is_killed(tmp_path, library):
    path = real_session(tmp_path, library)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=pipe, stdout=pipe) as parent:
        parent.stdin.write(encode_line(WorkRequest(str(path), library)))
        parent.stdin.flush()
        number = int(parent.stdout.readline())
        begun = decode_message(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    killed = time.perf_counter()
    while is_alive(number) and time.perf_counter() - killed < 5:
        time.sleep(0.01)
    assert not is_alive(number)
    assert (begun, expansions_in(path)) == (StartMessage(0), 0)


def test_settings_reach_the_worker_as_they_are():
    line = encode_line(NO_SUCH)
    assert msgspec.json.decode(line) == {
        "type": "expansion",
        "path": "gone.likewise",
        "library": "lib",
        "settings": None,
        "is_watch": False,
        "source": "",
    }
