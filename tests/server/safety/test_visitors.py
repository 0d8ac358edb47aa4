import os
import pwd
from types import SimpleNamespace

import pytest
from fastapi import Request

from likewise.errors import SettingsError
from likewise.server import safety
from likewise.server.safety import find_other_people, find_visitor, parse_proxy

PROXY = parse_proxy("10.0.0.0/24")


def visit(client, *forwarded, header="x-forwarded-for"):
    headers = [(header.encode(), value.encode()) for value in forwarded]
    return Request({"type": "http", "client": (client, 5_000), "headers": headers})


def test_a_visitor_is_whoever_connects():
    assert find_visitor(visit("192.0.2.7")) == "192.0.2.7"


def test_an_address_of_the_old_kind_is_the_same_in_the_new_kind_of_writing():
    assert find_visitor(visit("::ffff:192.0.2.7")) == "192.0.2.7"


def test_the_addresses_of_one_home_are_one_visitor():
    assert find_visitor(visit("2001:db8:0:5::1")) == find_visitor(visit("2001:db8:0:5:9::2"))


def test_neighbouring_homes_are_two_visitors():
    assert find_visitor(visit("2001:db8:0:5::1")) != find_visitor(visit("2001:db8:0:6::1"))


def test_a_known_proxy_says_for_whom_it_asks():
    assert find_visitor(visit("10.0.0.9", "192.0.2.7"), [PROXY]) == "192.0.2.7"


def test_nobody_else_does():
    assert find_visitor(visit("10.0.1.9", "192.0.2.7"), [PROXY]) == "10.0.1.9"


def test_only_what_the_proxy_added_itself_counts():
    asked = visit("10.0.0.9", "203.0.113.1, 192.0.2.7")
    assert find_visitor(asked, [PROXY]) == "192.0.2.7"


def test_lines_of_one_header_are_one_list():
    asked = visit("10.0.0.9", "203.0.113.1", "192.0.2.7")
    assert find_visitor(asked, [PROXY]) == "192.0.2.7"


def test_behind_several_proxies_the_visitor_is_who_asked_the_first():
    asked = visit("10.0.0.9", "203.0.113.1, 192.0.2.7, 10.0.0.8")
    assert find_visitor(asked, [PROXY]) == "192.0.2.7"


@pytest.mark.parametrize("forwarded", ["", "unknown", "192.0.2.7, nonsense"])
def test_a_proxy_that_names_nobody_is_the_visitor_itself(forwarded):
    assert find_visitor(visit("10.0.0.9", forwarded), [PROXY]) == "10.0.0.9"


@pytest.mark.parametrize("entry", ["192.0.2.7:4711", "[2001:db8::1]:4711"])
def test_a_port_makes_no_other_visitor(entry):
    bare = entry.rpartition(":")[0].strip("[]")
    assert find_visitor(visit("10.0.0.9", entry), [PROXY]) == find_visitor(visit(bare))


def test_a_proxy_may_use_a_header_of_its_own():
    asked = visit("10.0.0.9", "192.0.2.7", header="x-real-ip")
    assert find_visitor(asked, [parse_proxy("10.0.0.9=X-Real-IP")]) == "192.0.2.7"


@pytest.mark.parametrize("text", ["", "proxy.example.org", "10.0.0.9/8", "10.0.0.9=a b"])
def test_what_is_no_proxy_is_refused(text):
    with pytest.raises(SettingsError, match=r"give one such as"):
        parse_proxy(text)


def account(user, shell="/bin/bash", home="/"):
    return SimpleNamespace(pw_uid=user, pw_name=f"user-{user}", pw_shell=shell, pw_dir=home)


@pytest.fixture
def accounts(monkeypatch):
    """Give this computer the accounts of a list, of which the user has number 1001."""
    known = [account(0), account(33, "/usr/sbin/nologin"), account(1001)]
    monkeypatch.setattr(pwd, "getpwall", lambda: known)
    monkeypatch.setattr(os, "getuid", lambda: 1001)
    monkeypatch.setattr(safety, "_list_owners_of_processes", lambda: {0, 33, 1001})
    return known


def test_who_has_a_computer_alone_is_alone(accounts):
    assert find_other_people() == []


def test_another_account_with_a_shell_is_somebody(accounts):
    accounts.append(account(1002))
    assert find_other_people() == ["user-1002"]


@pytest.mark.parametrize(
    "nobody",
    [account(1002, "/bin/false"), account(1002, home="/no/such/home"), account(65_534)],
)
def test_an_account_that_nobody_signs_in_to_is_nobody(accounts, nobody):
    accounts.append(nobody)
    assert find_other_people() == []


def test_who_runs_programs_here_is_somebody_though_no_list_names_them(accounts, monkeypatch):
    monkeypatch.setattr(safety, "_list_owners_of_processes", lambda: {0, 1001, 5_417})
    assert find_other_people() == ["5417"]
