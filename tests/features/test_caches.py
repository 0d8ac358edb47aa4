"""The cache folder."""

from pathlib import Path

import pytest

from likewise.errors import SettingsError
from likewise.features.encoders import cache_folder


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LIKEWISE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


def test_it_is_in_the_home_folder(home):
    assert cache_folder() == home / ".cache" / "likewise"


def test_it_is_in_the_folder_that_the_desktop_names(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert cache_folder() == Path("/var/cache/likewise")


@pytest.mark.parametrize("named", ["", "caches"])
def test_a_relative_folder_of_the_desktop_is_passed_over(home, monkeypatch, named):
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert cache_folder() == home / ".cache" / "likewise"


def test_our_own_variable_wins(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    monkeypatch.setenv("LIKEWISE_CACHE", "/data/likewise")
    assert cache_folder() == Path("/data/likewise")


def test_our_own_variable_may_begin_at_home(home, monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", "~/vectors")
    assert cache_folder() == home / "vectors"


def test_a_home_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("LIKEWISE_CACHE", "~no-such-user/vectors")
    with pytest.raises(SettingsError, match="no such home folder; set LIKEWISE_CACHE"):
        cache_folder()
