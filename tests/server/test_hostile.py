"""A small version of the attack that `make bench-attacks` makes, on a server of its own."""

import random
from itertools import islice

import pytest
from benchmarks.attacks import http
from benchmarks.attacks.hostile_requests import Target, mutate
from benchmarks.attacks.tries import format_table

TARGET = Target(0, "abc", {"paths": {}, "components": {"schemas": {}}})


@pytest.fixture(scope="module")
def rows():
    return http.attack(150)


def test_nothing_that_is_sent_is_answered_with_a_mistake_or_ends_the_server(rows):
    fallen = [row for row in rows if row.failures and row.kind != "other users meanwhile"]
    assert not fallen, format_table(fallen) + fallen[0].first_failure


def test_who_has_the_token_is_answered_all_the_while(rows):
    (others,) = [row for row in rows if row.kind == "other users meanwhile"]
    assert others.tries > 10
    assert not others.failures, others.first_failure


@pytest.mark.parametrize(("waits", "lags", "failures"), [
    ([0.1, 3.0], [0.0, 0.01], 1),
    ([0.1, 3.0], [0.0, 0.2], 0),
    ([0.1, 30.0], [0.0, 0.2], 1),
])  # fmt: skip
def test_another_user_waits_too_long_only_if_the_machine_is_not_why(waits, lags, failures):
    bystander = http.Bystander(0)
    bystander.waits, bystander.lags = waits, lags
    assert bystander.sum_up().failures == failures


def test_an_answer_with_a_mistake_of_the_server_is_a_failure():
    outcomes = [http.Outcome(200, 0.1), http.Outcome(500, 0.3, "oh"), http.Outcome(503, 0.2)]
    row = http._count("JSON", [b"a", b"b", b"c"], outcomes)
    assert (row.tries, row.failures, row.slowest) == (3, 1, 0.3)
    assert row.first_failure == "b'b' ... b'b': 500 oh"


def test_a_refusal_of_several_lines_is_a_failure():
    answer = (
        b'HTTP/1.1 422 X\r\nContent-Type: application/json\r\n\r\n{"error": {"message": "a\\nb"}}'
    )
    assert http._judge(answer, 0.1).status == 599


def test_an_attack_is_the_same_every_time():
    first, again = (
        list(islice(http.hostile.upload_mutations(TARGET, random.Random(3)), 20)) for _ in range(2)
    )
    assert first == again


def test_a_mutation_is_another_file():
    rng = random.Random(0)
    assert sum(mutate(b"TY  - JOUR", rng) != b"TY  - JOUR" for _ in range(50)) > 40
