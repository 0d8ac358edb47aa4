"""What the machine has to give, as the system and its control groups say."""

import time
from functools import partial

import pytest

from likewise import machine
from likewise.expansion.candidates import warn_of_memory
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.indexing import index_files


class Machine:
    """Files as the system has them."""

    def __init__(self, folder):
        self._folder = folder
        self.files = {"/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    8000000 kB\n"}

    def read(self, path):
        return self.files.get(str(path), "")


@pytest.fixture
def system(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setattr(machine, "_read", made.read)
    return made


def test_what_the_system_has_free_counts_without_groups(system):
    assert machine.measure_free_memory() == 8_000_000 * 1024
    assert not machine.has_little_memory()


def test_a_system_that_says_nothing_has_enough(system):
    system.files.clear()
    assert not machine.has_little_memory()


def test_a_group_of_the_first_version_leaves_less(system):
    system.files |= {
        "/proc/self/cgroup": "5:cpu:/\n4:memory:/jobs/one\n0::/\n",
        "/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": "500000000\n",
        "/sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes": "300000000\n",
        "/sys/fs/cgroup/memory/jobs/one/memory.stat": (
            "active_file 1\ninactive_file 1\n"
            "total_active_file 150000000\ntotal_inactive_file 50000000\n"
        ),
    }
    assert machine.measure_free_memory() == 400_000_000
    assert machine.has_little_memory()


def test_the_tightest_of_a_group_and_its_parents_counts(system):
    system.files |= {
        "/proc/self/cgroup": "0::/pods/one\n",
        "/sys/fs/cgroup/pods/one/memory.max": "max\n",
        "/sys/fs/cgroup/pods/one/memory.current": "300000000\n",
        "/sys/fs/cgroup/pods/memory.max": "700000000\n",
        "/sys/fs/cgroup/pods/memory.current": "600000000\n",
        "/sys/fs/cgroup/pods/memory.stat": "active_file 100000000\ninactive_file 0\nanon 5\n",
    }
    assert machine.measure_free_memory() == 200_000_000


def test_a_count_that_can_not_be_read_is_none(system):
    system.files |= {
        "/proc/self/cgroup": "4:memory:/jobs\n",
        "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": "500000000\n",
    }
    assert machine.measure_free_memory() == 500_000_000


@pytest.mark.parametrize(("limit", "used"), [("RLIMIT_DATA", "VmData"), ("RLIMIT_AS", "VmSize")])
def test_a_limit_of_the_process_leaves_less(system, monkeypatch, limit, used):
    limits = {getattr(machine.resource, limit): 500_000_000}
    endless = machine.resource.RLIM_INFINITY
    monkeypatch.setattr(machine.resource, "getrlimit", lambda kind: (limits.get(kind, endless), 0))
    system.files["/proc/self/status"] = f"VmPeak: 9 kB\n{used}:   200000 kB\n"
    assert machine.measure_free_memory() == 500_000_000 - 200_000 * 1024


def test_cores_are_at_least_one_and_at_most_what_is_asked():
    assert machine.count_cores(most=1) == 1
    assert 1 <= machine.count_cores(most=4) <= 4


def test_a_shortage_is_told_with_how_many_candidates_would_fit(system):
    assert warn_of_memory(38_000_000, pool=20_000) == []
    system.files["/proc/meminfo"] = "MemAvailable:    500000 kB\n"
    assert warn_of_memory(38_000_000, pool=20_000) == []
    (warning,) = warn_of_memory(38_000_000, pool=100_000)
    assert warning.startswith("there may not be enough memory for 100,000 candidates; ")
    assert warning.endswith("try --pool 27000")
    assert warn_of_memory(900, pool=100_000) == []


def test_with_little_memory_the_same_is_indexed(system, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    for number in range(3):
        lines = (f'{{"id": "{number}-{row}", "title": "cats {row}"}}\n' for row in range(40))
        (files / f"{number}.jsonl").write_text("".join(lines))
    index_files(files, tmp_path / "usual", progress=False)
    system.files["/proc/meminfo"] = "MemAvailable:    200000 kB\n"
    index_files(files, tmp_path / "thrifty", progress=False)
    with EmbeddedLibrary(tmp_path / "usual") as usual, EmbeddedLibrary(tmp_path / "thrifty") as one:
        assert usual.list_ids() == one.list_ids()
        assert usual.count() == 120


def test_memory_is_given_back_wherever_that_can_be_asked_for(monkeypatch):
    machine.give_back_memory()
    monkeypatch.setattr("likewise.machine.ctypes.CDLL", lambda _: object())
    machine.give_back_memory()


def test_steps_are_dropped_once_one_has_failed():
    ran = []

    def run(number):
        ran.append(number)
        if number == 1:
            raise ValueError(number)
        time.sleep(0.05)
        return number

    with pytest.raises(ValueError, match="1"):
        list(machine.run_steps([partial(run, number) for number in range(100)], threads=2))
    assert len(ran) < 50


@pytest.mark.parametrize("threads", [1, 3])
def test_no_step_begins_after_the_last_one_is_asked_for(threads):
    ran = []
    steps = [partial(ran.append, number) for number in range(5)]
    running = machine.run_steps(steps, threads=threads)
    next(running)
    running.close()
    begun = len(ran)
    time.sleep(0.01)
    assert len(ran) == begun
