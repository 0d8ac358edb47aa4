"""Settings are stated once: the command, the HTTP API and the page follow their class."""

from dataclasses import fields

import pytest

from expansion.corpus import corpus, library_in, seeds_on
from likewise.cli import run
from likewise.expansion.settings import SETTINGS, ExpandSettings
from likewise.server import ServerSettings
from likewise.server.app import make_app
from likewise.server.models.sessions import SettingsAnswer, SettingsRequest
from likewise.server.page import ServedLibrary, render_home
from server.guarded import client_of


@pytest.fixture
def other_default(monkeypatch):
    """Change the default of a setting where it is stated."""

    def change(name, value):
        (field,) = [one for one in fields(ExpandSettings) if one.name == name]
        monkeypatch.setattr(field, "default", value)
        monkeypatch.setitem(ExpandSettings.__init__.__kwdefaults__, name, value)

    return change


def test_a_default_is_what_the_command_says(other_default, capsys):
    other_default("pool", 1234)
    assert run(["expand", "--help"]) == 0
    assert "[default: 1234; x>=1]" in " ".join(capsys.readouterr().out.split())


def test_a_default_is_what_the_page_begins_with(other_default):
    other_default("pool", 1234)
    other_default("keep", "recall=0.95")
    page = render_home(ServedLibrary("papers", 7), most_upload=1)
    assert 'name="pool" min="1" max="200000" step="1" value="1234"' in page
    assert 'value="recall=0.95" checked' in page
    assert page.count(" checked") == 1


def test_a_default_is_what_a_session_over_http_begins_with(other_default, tmp_path):
    other_default("pool", 1234)
    library = library_in(tmp_path / "lib", *corpus()[:40])
    seeds = [{"title": seed.title, "abstract": seed.abstract} for seed in seeds_on("sugar")]
    with client_of(make_app(ServerSettings(library=library, sessions=tmp_path / "s"))) as client:
        made = client.post("/api/sessions", json={"seeds": seeds}).json()
    assert made["settings"]["pool"] == 1234


def test_the_shapes_of_http_have_every_setting_that_is_served_with_its_bounds():
    served = {name: setting for name, setting in SETTINGS.items() if setting.served}
    assert list(SettingsRequest.model_fields) == list(SettingsAnswer.model_fields) == list(served)
    pool, *_ = SettingsRequest.model_json_schema()["properties"]["pool"]["anyOf"]
    assert (pool["minimum"], pool["maximum"]) == (1, SETTINGS["pool"].served.most)


def test_the_page_asks_for_every_setting_that_has_a_label():
    page = render_home(ServedLibrary("papers", 7), most_upload=1)
    labelled = [name for name, setting in SETTINGS.items() if setting.label]
    assert labelled
    assert all(f'name="{name}"' in page for name in labelled)
