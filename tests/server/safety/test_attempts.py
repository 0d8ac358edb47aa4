from likewise.server.safety.tokens import MOST_ADDRESSES, Attempts


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_an_address_may_try_until_it_was_wrong_so_many_times():
    attempts = Attempts(most=2, clock=Clock())
    attempts.add("a", "1")
    assert attempts.wait("a") == 0
    attempts.add("a", "2")
    assert attempts.wait("a") == 60


def test_the_first_wrong_token_is_forgotten_first():
    clock = Clock()
    attempts = Attempts(most=2, seconds=60, clock=clock)
    attempts.add("a", "1")
    clock.now = 50
    attempts.add("a", "2")
    assert attempts.wait("a") == 10
    clock.now = 60
    assert attempts.wait("a") == 0


def test_the_same_wrong_token_counts_once():
    attempts = Attempts(most=2, clock=Clock())
    for _ in range(5):
        attempts.add("a", "old")
    assert attempts.wait("a") == 0


def test_another_address_is_not_kept_out():
    attempts = Attempts(most=1, clock=Clock())
    attempts.add("a", "1")
    assert attempts.wait("b") == 0


def test_only_so_many_addresses_are_remembered():
    attempts = Attempts(most=1, clock=Clock())
    for number in range(MOST_ADDRESSES + 1):
        attempts.add(str(number), "1")
    assert (attempts.wait("0"), attempts.wait("1")) == (0, 60)
