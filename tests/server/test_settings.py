from pathlib import Path

import pytest

from likewise.errors import SettingsError
from likewise.server import ReviewerToken, ServerSettings, is_loopback


def settings(**given):
    return ServerSettings(library="lib", sessions=Path("sessions"), **given)


def test_by_default_only_this_machine_can_reach_it():
    assert settings().is_local


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"])
def test_addresses_of_this_machine_need_no_token(host):
    assert is_loopback(host)
    assert settings(host=host).token is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.5", "example.org", "localhost.org"])
def test_any_other_address_needs_a_token(host):
    with pytest.raises(SettingsError, match="need a token"):
        settings(host=host)


@pytest.mark.parametrize(
    ("library", "name"),
    [("papers/lib/", "lib"), ("opensearch://a/papers?title=ti", "opensearch://a/papers")],
)
def test_a_library_is_called_by_its_folder_or_its_address(library, name):
    assert ServerSettings(library=library, sessions=Path("sessions")).library_name == name


def test_a_short_token_is_refused():
    with pytest.raises(SettingsError, match="the token has 15 characters, and at least 16"):
        settings(token="a" * 15)


@pytest.mark.parametrize("token", ["a token with spaces in it", "é" * 20, "a" * 20 + "\n"])
def test_a_token_that_no_header_can_hold_is_refused(token):
    with pytest.raises(SettingsError, match="plain letters and digits"):
        settings(token=token)


def test_a_token_of_one_letter_over_and_over_is_refused():
    with pytest.raises(SettingsError, match="only 2 different characters"):
        settings(token="ab" * 20)


ANN = ReviewerToken("Ann Lee", "the-token-of-Ann-alone")
BO = ReviewerToken("Bo", "the-token-of-Bo-alone")


def test_tokens_of_reviewers_are_enough_for_an_address_that_others_reach():
    assert settings(host="0.0.0.0", reviewers=(ANN, BO)).token is None


@pytest.mark.parametrize("name", ["Ann Lee", " ann  LEE"])
def test_two_reviewers_of_one_name_are_refused_in_one_line(name):
    with pytest.raises(SettingsError, match="two reviewers are called 'Ann Lee'") as refused:
        settings(reviewers=(ANN, BO._replace(reviewer=name)))
    assert "\n" not in str(refused.value)


def test_a_short_token_of_a_reviewer_is_refused():
    with pytest.raises(SettingsError, match="the token has 5 characters"):
        settings(reviewers=(ANN._replace(token="short"),))


def test_a_token_for_all_beside_those_of_reviewers_is_refused():
    with pytest.raises(SettingsError, match="use either one token for all"):
        settings(token="a-token-of-some-length", reviewers=(ANN,))
