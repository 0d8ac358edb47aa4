"""likewise watch: what it prints, writes and says by its exit code."""

import json
import shutil
from functools import partial

import msgspec
import pytest

from cli.screening import SEEDS
from expansion.corpus import corpus, on
from likewise.documents import read
from likewise.expansion.sessions.session import Session
from likewise.library import open_library

NEW = [
    msgspec.structs.replace(document, id=f"9{document.id}", pmid=f"9{document.id}", title=title)
    for document, title in zip(
        on("bees")[-3:],
        ("Honey of the colony", "Forager and queen", "A swarm and its hive"),
        strict=True,
    )
]
IDS = {document.id for document in NEW}


@pytest.fixture
def library(session, tmp_path):
    """A library of the session's own, which may be added to."""
    with Session.open(session, read_only=True) as opened:
        shutil.copytree(opened.library, tmp_path / "lib")
    return tmp_path / "lib"


@pytest.fixture
def watch(run_on_session, library):
    return partial(run_on_session, "watch", "--library", library)


def put(library, *documents):
    with open_library(library, write=True) as opened:
        opened.add(documents)
        opened.commit()


def ids_in(out):
    return {line.split("\t")[2] for line in out.splitlines() if "\t" in line}


def test_nothing_new_is_said_and_told_by_the_code(watch):
    code, out, _ = watch()
    assert code == 3
    assert out.startswith("Nothing new on “")


def test_what_is_new_is_a_table_and_the_code_is_0(watch, library):
    put(library, *NEW)
    code, out, _ = watch()
    assert code == 0
    assert ids_in(out) == IDS
    assert "3 documents came into the library; 3 are likely on your topic." in out


def test_twice_is_nothing_new_and_leaves_the_digest_alone(watch, library, tmp_path):
    put(library, *NEW)
    assert watch("-o", tmp_path / "new.ris")[0] == 0
    assert watch("-o", tmp_path / "new.ris")[0] == 3
    assert {document.id for document in read(tmp_path / "new.ris")} == IDS


def test_the_last_digest_can_be_had_again(watch, library, tmp_path):
    put(library, *NEW)
    watch()
    code, out, _ = watch("--last", "-o", tmp_path / "again.json")
    assert (code, ids_in(out)) == (0, IDS)
    written = json.loads((tmp_path / "again.json").read_text())
    assert {entry["document"]["id"] for entry in written["new"]} == IDS


def test_without_any_digest_the_last_one_is_an_error_in_a_line(watch, session):
    code, _, err = watch("--last")
    assert code == 1
    saying = "no look has found anything yet; look with: likewise watch"
    assert err == f"likewise: {session}: {saying} {session}\n"


def test_json_says_what_the_digest_does(watch, library):
    put(library, *NEW)
    code, out, _ = watch("--json")
    said = json.loads(out)
    assert code == 0
    assert (said["added"], len(said["new"]), said["warnings"]) == (3, 3, [])


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.json"])
def test_a_retracted_seed_is_warned_of_at_once_and_in_every_digest(watch, library, tmp_path, name):
    (seed,) = (document for document in corpus() if document.id == SEEDS[0])
    put(library, msgspec.structs.replace(seed, publication_types=("Retracted Publication",)))
    code, _, err = watch("-o", tmp_path / name)
    assert code == 0
    assert f"warning: retracted: {seed.title}\n" in err
    assert "retracted" in (tmp_path / name).read_text()


def test_a_revised_record_of_the_list_is_told(watch, library):
    (seed,) = (document for document in corpus() if document.id == SEEDS[0])
    put(library, msgspec.structs.replace(seed, journal="Bees"))
    code, _, err = watch()
    assert code == 3
    assert f"revised among your seeds and your list: 1 record: {seed.id}\n" in err


def test_a_library_that_is_gone_is_one_line(run_on_session, session, library):
    with Session.open(session) as opened:
        opened.add_expansion(opened.expansion(), library=str(library))
    shutil.rmtree(library)
    code, out, err = run_on_session("watch")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "its library is no longer at" in err


def test_a_suffix_that_is_no_digest_is_refused_before_the_work(watch, tmp_path):
    code, _, err = watch("-o", tmp_path / "a.pdf")
    assert code == 1
    assert "a digest can't be written in this format; use one of: .atom" in err


def test_a_digest_that_can_t_be_written_is_kept_all_the_same(watch, library, tmp_path):
    put(library, *NEW)
    (tmp_path / "a.json").mkdir()
    code, _, err = watch("-o", tmp_path / "a.json")
    assert code == 1
    assert "what was found is kept: likewise watch" in err
    assert ids_in(watch("--last")[1]) == IDS


def test_no_digest_is_written_over_the_session(watch, session):
    code, _, err = watch("-o", session)
    assert code == 1
    assert "a digest can't be written in this format" in err
