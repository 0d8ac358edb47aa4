"""Plug-ins for tests: entry points that are there as if a package were installed."""

from importlib.metadata import EntryPoint

import pytest

from likewise import extras


@pytest.fixture
def plug_in(monkeypatch):
    """Add a plug-in: its group, its name, and where it is."""
    added = {}

    def add(group, name, value):
        added.setdefault(group, []).append(EntryPoint(name, value, group))
        extras.plug_ins.cache_clear()

    monkeypatch.setattr(extras, "entry_points", lambda group: added.get(group, []))
    extras.plug_ins.cache_clear()
    yield add
    extras.plug_ins.cache_clear()


def install_metadata(folder, project):
    """Let a folder on the path say what a project offers, as it does once it is installed."""
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


def in_one_line(caught, *said):
    """Whether an error is one line that says all of this, and who has to correct it."""
    line = str(caught.value)
    return "\n" not in line and line.endswith("has to correct it") and all(s in line for s in said)
