"""What a library holds is kept with each commit, and counted anew only where it is not."""

import json
import random

import pytest

from library.test_old_formats import make_library
from likewise.documents import Document
from likewise.library import open_library
from likewise.library.embedded import EmbeddedLibrary

ONE = Document(id="1", title="Cats", abstract="Of cats.", source="a.ris")
TWO = Document(id="2", title="Dogs", source="b.ris")


@pytest.fixture
def library(tmp_path):
    with open_library(tmp_path / "lib", write=True) as made:
        made.add([ONE, TWO])
        made.commit()
    return tmp_path / "lib"


@pytest.fixture
def count_nothing(monkeypatch):
    """Let it fail to count all of a library; it is to be called by the test."""

    def fail(*_, **__):
        pytest.fail("all of the library was counted")

    def forbid():
        for name in ("embedded.count_held", "embedded.find_position", "tantivy_index.count_held"):
            monkeypatch.setattr(f"likewise.library.{name}", fail)

    return forbid


def tell(path):
    """What a library says it holds."""
    with open_library(path) as opened:
        info = opened.info()
        return info.documents, info.fields, info.sources


def tell_anew(path):
    """The same, counted."""
    (path / "counts.json").unlink()
    return tell(path)


def test_nothing_is_counted_where_a_commit_has_kept_it(library, count_nothing):
    count_nothing()
    assert tell(library) == (2, {"title": 2, "abstract": 1}, {"a.ris": 1, "b.ris": 1})


def test_nothing_is_counted_to_tell_what_has_changed(library, count_nothing):
    count_nothing()
    with open_library(library) as opened:
        assert opened.list_changes(0).added == ("1", "2")


def test_only_what_a_commit_changes_is_counted(library, count_nothing):
    count_nothing()
    with open_library(library, write=True) as opened:
        opened.add([Document(id="1", title="Cats", source="c.ris"), Document(id="3", title="Owls")])
        opened.delete(["2", "unknown"])
        opened.commit()
    assert tell(library) == (2, {"title": 2}, {"c.ris": 1, "": 1})


def test_a_commit_of_nothing_keeps_them(library, count_nothing):
    count_nothing()
    before = tell(library)
    with open_library(library, write=True) as opened:
        opened.commit()
    assert tell(library) == before


def test_what_is_dropped_before_a_commit_is_not_counted(library):
    before = tell(library)
    with open_library(library, write=True) as opened:
        opened.delete(["1"])
    assert tell(library) == before


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_done_what_is_kept_is_what_is_counted(tmp_path, seed):
    rng = random.Random(seed)
    for _ in range(4):
        with open_library(tmp_path / "lib", write=True) as opened:
            for _ in range(rng.randrange(1, 4)):
                for _ in range(rng.randrange(12)):
                    change_something(opened, rng)
                opened.commit()
    kept = tell(tmp_path / "lib")
    assert kept == tell_anew(tmp_path / "lib")


def change_something(library, rng):
    """Add, replace or delete one document."""
    name = str(rng.randrange(15))
    if rng.random() < 0.3:
        library.delete([name])
    else:
        abstract = rng.choice(["", "Of something."])
        library.add([Document(id=name, title="A", abstract=abstract, source=rng.choice("xy"))])


def test_a_process_killed_between_commit_and_counts_leaves_none_that_are_wrong(
    library, monkeypatch
):
    monkeypatch.setattr("likewise.library.tantivy_index.save_counts", lambda *_: None)
    with open_library(library, write=True) as opened:
        opened.add([Document(id="2", title="Dogs", abstract="Of dogs.", source="b.ris")])
        opened.commit()
    assert tell(library)[1] == {"title": 2, "abstract": 2}
    with open_library(library) as opened:
        assert opened.list_changes(2).revised == ("2",)


def test_the_next_commit_keeps_them_again(library, count_nothing):
    (library / "counts.json").write_text("{")
    with open_library(library, write=True) as opened:
        opened.delete(["1"])
        opened.commit()
    count_nothing()
    assert tell(library) == (1, {"title": 1}, {"b.ris": 1})


@pytest.mark.parametrize("number", [1, 2])
def test_a_library_of_before_is_counted(tmp_path, number):
    folder = make_library(tmp_path / "lib", number=number)
    with open_library(folder, write=True) as opened:
        opened.add([TWO])
        opened.commit()
    assert tell(folder)[0] == 2
    assert not (folder / "counts.json").exists()


def test_counts_of_another_commit_are_not_used(library):
    kept = json.loads((library / "counts.json").read_text())
    (library / "counts.json").write_text(json.dumps(kept | {"stamp": 99, "fields": {}}))
    assert tell(library)[1] == {"title": 2, "abstract": 1}


def test_a_position_is_never_ahead_of_what_searches_see(library):
    with EmbeddedLibrary(library) as late, open_library(library, write=True) as opened:
        opened.add([Document(id="1", title="Cats, revised", source="a.ris")])
        opened.commit()
        assert late.list_changes(2).revised == ("1",)


def test_counts_that_can_not_be_written_stop_nothing(library):
    (library / "counts.json").unlink()
    (library / "counts.json").mkdir()
    with open_library(library, write=True) as opened:
        opened.delete(["1"])
        opened.commit()
    assert tell(library)[0] == 1
