"""The client: which of several hosts is asked next."""

from likewise.library.opensearch.address import Host, HostRing

HOSTS = [Host("a", 1), Host("b", 1), Host("c", 1)]


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def choose(ring, times):
    return [ring.choose().name for _ in range(times)]


def test_hosts_are_asked_in_turn():
    chosen = choose(HostRing(HOSTS), 6)
    assert sorted(chosen[:3]) == ["a", "b", "c"]
    assert chosen[:3] == chosen[3:]


def test_a_host_that_failed_is_passed_over_for_twice_as_long_each_time():
    clock = Clock()
    ring = HostRing(HOSTS, clock=clock)
    ring.note_failure(HOSTS[0])
    assert set(choose(ring, 9)) == {"b", "c"}
    clock.now += 5
    assert set(choose(ring, 9)) == {"a", "b", "c"}
    ring.note_failure(HOSTS[0])
    clock.now += 9
    assert set(choose(ring, 9)) == {"b", "c"}
    clock.now += 1
    assert set(choose(ring, 9)) == {"a", "b", "c"}


def test_what_answers_again_is_forgiven():
    ring = HostRing(HOSTS, clock=Clock())
    ring.note_failure(HOSTS[0])
    ring.note_success(HOSTS[0])
    assert set(choose(ring, 3)) == {"a", "b", "c"}


def test_if_all_are_away_the_one_that_is_back_soonest_is_asked():
    clock = Clock()
    ring = HostRing(HOSTS, clock=clock)
    for host in (HOSTS[1], HOSTS[0], HOSTS[2]):
        ring.note_failure(host)
        clock.now += 1
    assert choose(ring, 2) == ["b", "b"]
