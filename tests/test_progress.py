"""Progress bars: on terminals and in notebooks, and nowhere else."""

import os
import signal
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

import likewise
from expansion.corpus import corpus, library_in, library_of, seeds_on
from likewise.progress import is_notebook, show_progress


class Shown:
    """What a notebook's cell shows of one output, in the order in which it was updated."""

    def __init__(self):
        self.bundles = []

    def __call__(self, bundle, *, raw, display_id):
        assert raw
        assert display_id
        self.bundles.append(bundle)
        return self

    def update(self, bundle, *, raw):
        assert raw
        self.bundles.append(bundle)


@pytest.fixture
def notebook(monkeypatch):
    """A kernel, as far as bars ask for one."""
    shown = Shown()
    module, display = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.display = shown
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("likewise.progress.PAUSE", 0.0)
    return shown


def test_a_notebook_shows_a_bar_that_moves_and_vanishes(notebook):
    with show_progress("seeds") as move:
        move("learning", 0.42, "fold <3>")
    first, moved, last = notebook.bundles
    assert first["text/plain"] == "seeds 0%"
    assert moved["text/plain"] == "learning 42% fold <3>"
    assert 'value="0.420"' in moved["text/html"]
    assert "fold &lt;3&gt;" in moved["text/html"]
    assert last == {"text/html": "", "text/plain": ""}


def test_a_bar_is_not_sent_to_the_browser_more_often_than_eyes_can_see(notebook, monkeypatch):
    monkeypatch.setattr("likewise.progress.PAUSE", 60.0)
    with show_progress("seeds") as move:
        for step in range(1000):
            move("learning", step / 1000, "")
    assert len(notebook.bundles) == 2


def test_a_notebooks_bar_vanishes_when_it_is_interrupted(notebook):
    with pytest.raises(KeyboardInterrupt), show_progress("seeds"):
        raise KeyboardInterrupt
    assert notebook.bundles[-1]["text/html"] == ""


def test_ipython_on_a_terminal_is_no_notebook(notebook):
    sys.modules["IPython"].get_ipython = lambda: SimpleNamespace(kernel=None)
    assert not is_notebook()


def test_a_terminal_shows_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with show_progress("seeds") as move:
        move("learning", 0.5, "fold 3")
    out, err = capsys.readouterr()
    assert out == ""
    assert "learning" in err


def test_where_nobody_sees_it_nothing_is_written(capfd):
    with show_progress("seeds") as move:
        move("learning", 0.5, "")
    assert capfd.readouterr() == ("", "")


def test_an_expansion_shows_a_bar_in_a_notebook(notebook):
    seeds = [seed.id for seed in seeds_on("sugar", 6)]
    likewise.expand(library_of(*corpus()), seeds, rounds=1)
    shown = {bundle["text/plain"].split(" ")[0] for bundle in notebook.bundles}
    assert {"seeds", "retrieval", "learning", "judgement"} <= shown


def test_an_expansion_can_be_quiet(notebook, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    seeds = [seed.id for seed in seeds_on("sugar", 6)]
    likewise.expand(library_of(*corpus()), seeds, rounds=1, progress=False)
    assert notebook.bundles == []
    assert capsys.readouterr() == ("", "")


def test_who_listens_sees_no_bar(notebook):
    told = []
    seeds = [seed.id for seed in seeds_on("sugar", 6)]
    likewise.expand(library_of(*corpus()), seeds, rounds=1, on_progress=told.append)
    assert told
    assert notebook.bundles == []


def test_a_session_shows_one_bar(notebook, tmp_path):
    path, seeds = tmp_path / "sugar.likewise", seeds_on("sugar", 6)
    with likewise.Session.create(path, library_of(*corpus()), seeds, rounds=1) as session:
        session.expand()
        assert sum(bundle["text/plain"] == "" for bundle in notebook.bundles) == 1
        before = len(notebook.bundles)
        session.expand(progress=False)
        assert len(notebook.bundles) == before


def test_indexing_shows_a_bar_with_the_files_name(notebook, tmp_path):
    likewise.write(corpus(), tmp_path / "papers.ris")
    likewise.index_files(tmp_path / "papers.ris", tmp_path / "lib")
    assert any(bundle["text/plain"].startswith("papers.ris") for bundle in notebook.bundles)


INTERRUPTED = """
import os, signal, sys
import likewise

def interrupt(progress):
    if progress.stage == "learning":
        os.kill(os.getpid(), signal.SIGINT)

with likewise.Session.open(sys.argv[1]) as session:
    session.expand(on_progress=interrupt)
"""


def test_ctrl_c_leaves_the_session_as_it_was_and_nothing_half_written(tmp_path):
    library = library_in(tmp_path / "lib", *corpus())
    path = tmp_path / "sessions" / "sugar.likewise"
    path.parent.mkdir()
    likewise.Session.create(path, library, seeds_on("sugar", 6)).close()
    held = sorted((tmp_path / "lib").rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, path],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode in (-signal.SIGINT, 1)
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert list(path.parent.iterdir()) == [path]
    assert sorted((tmp_path / "lib").rglob("*")) == held
    with likewise.Session.open(path) as session:
        assert session.expansions() == []
        assert len(session.expand(keep="top=5", rounds=1)) == 5
