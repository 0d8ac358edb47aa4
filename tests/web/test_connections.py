"""Straight to a server, or through a proxy."""

import pytest

from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient
from likewise.web.connections import ConnectionPools, find_proxy


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_without_a_proxy_the_way_is_straight():
    assert find_proxy("https://host/a") == ""


def test_a_proxy_is_taken_from_the_environment(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.org:3128")
    assert find_proxy("https://host/a") == "http://proxy.example.org:3128"


def test_a_proxy_is_for_its_scheme_alone(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    assert find_proxy("http://host/a") == ""


def test_hosts_of_no_proxy_are_reached_without(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    monkeypatch.setenv("NO_PROXY", "example.net,ftp.example.com")
    assert find_proxy("https://ftp.example.com:8080/a") == ""


def test_a_request_goes_through_the_proxy(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.host)
    server.files["http://far.example.org/a"] = server.put_plain("b", b"by proxy")
    with WebClient() as web:
        assert web.get("http://far.example.org/a") == b"by proxy"


def test_the_password_of_a_proxy_is_sent_and_never_shown(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.host.replace("//", "//me:hush@"))
    with WebClient() as web, pytest.raises(DownloadError) as raised:
        web.get("http://far.example.org/a")
    assert server.asked[0][1]["proxy-authorization"] == "Basic bWU6aHVzaA=="
    assert "hush" not in str(raised.value)


def test_a_proxy_that_is_away_is_told(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with (
        WebClient(pause=0.001) as web,
        pytest.raises(DownloadError, match="through the proxy; check"),
    ):
        web.get("http://far.example.org/a")


def test_a_proxy_of_another_kind_is_refused(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:hush@127.0.0.1:1")
    with pytest.raises(SettingsError, match=r"the environment names socks5://127\.0\.0\.1:1"):
        ConnectionPools(connections=1, timeout=1).pool_for("http://host/a")
