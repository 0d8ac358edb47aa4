from dataclasses import replace

import pytest

from expansion.corpus import corpus, library_in, library_of, seeds_on
from expansion.samples import MATCHED, POOL, small_expansion
from expansion.sessions.samples import SEEDS, new_session, small_saved
from likewise.documents import Document
from likewise.errors import (
    ClusterError,
    NotALibraryError,
    SeedsError,
    SessionError,
    UnknownDocumentError,
)
from likewise.expansion import flow
from likewise.expansion.marks import Marks
from likewise.expansion.saved import fingerprint_library
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library

CHANGED = "the library has changed since the last expansion"


@pytest.fixture
def library(tmp_path):
    """Where a library of the small expansion's documents lies."""
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([*MATCHED, *POOL])
        library.commit()
    return tmp_path / "lib"


@pytest.fixture
def session(tmp_path, library):
    """A session of that library, expanded once."""
    with new_session(tmp_path, library=str(library)) as session:
        session.add_expansion(small_saved(library=fingerprint(library)))
        yield session


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """What the flow was asked for; it answers with the small expansion."""
    asked = {}

    def expand(library, seeds, **options):
        asked.update(options, seeds=seeds)
        found = fingerprint_library(library.info())
        return small_expansion(settings=options["settings"], library=found)

    monkeypatch.setattr(flow, "expand", expand)
    return asked


def fingerprint(address):
    with open_library(address) as library:
        return fingerprint_library(library.info())


def put(address, *documents, without=()):
    with open_library(address, write=True) as library:
        library.add(documents)
        library.delete(without)
        library.commit()


def test_a_session_is_expanded_from_its_seeds_marks_and_settings(tmp_path, library, asked):
    chosen = ExpandSettings(keep="top=5")
    with new_session(tmp_path, library=str(library), settings=chosen) as session:
        session.mark({"201": "relevant", "205": "irrelevant"})
        expand_session(session)
    assert (asked["seeds"], asked["settings"]) == (SEEDS, chosen)
    assert asked["marks"] == Marks(("201",), ("205",), read=("201", "205"))


def test_what_comes_out_is_added_to_the_session(session):
    expansion = expand_session(session)
    assert session.expansion(2) == expansion.saved
    assert expansion.warnings == small_expansion().warnings


def test_why_documents_stand_where_they_do_is_added_too(session):
    expand_session(session)
    assert session.explanations().explain("203").up == ("insulin",)


def test_settings_may_be_others_this_once(session):
    expand_session(session, settings=replace(session.start.settings, keep="recall=0.95"))
    assert session.expansion().settings["keep"] == "recall=0.95"
    assert session.start.settings.keep == "f1"


def test_marks_given_while_it_is_expanded_are_not_known_to_it(session, monkeypatch):
    session.mark({"201": "relevant"})
    slow = flow.expand

    def expand(library, seeds, **options):
        with Session.open(session.path) as other:
            other.mark({"205": "irrelevant"})
        return slow(library, seeds, **options)

    monkeypatch.setattr(flow, "expand", expand)
    expand_session(session)
    assert (session.expansions()[-1].mark, session.history()[-1].number) == (1, 2)


def test_a_library_that_grew_is_used_and_that_is_said_once(session, library):
    put(library, Document(id="300", title="A new paper on insulin"))
    assert expand_session(session).warnings[-1] == CHANGED
    assert session.expansion().warnings[-1] == CHANGED
    assert CHANGED not in expand_session(session).warnings


def test_a_library_that_lost_some_is_used_and_they_are_counted(session, library):
    session.mark({"201": "relevant", "205": "irrelevant"})
    put(library, without=["101", "205"])
    said = f"{CHANGED}, and no longer holds 2 seed or marked documents"
    assert expand_session(session).warnings[-1] == said


def test_another_library_is_refused(session, tmp_path):
    session.mark({"201": "relevant"})
    put(tmp_path / "other", MATCHED[0], Document(id="7", title="On cats"))
    said = r"a session of another library: this one holds 1 of the 4 documents that are seeds or"
    with pytest.raises(SessionError, match=said):
        expand_session(session, library=tmp_path / "other")
    assert len(session.expansions()) == 1


def test_another_library_is_used_if_it_is_meant(session, tmp_path):
    put(tmp_path / "other", Document(id="7", title="On cats"))
    expansion = expand_session(session, library=tmp_path / "other", any_library=True)
    assert "and no longer holds 3 seed or marked documents" in expansion.warnings[-1]


def test_where_a_library_was_moved_to_is_remembered(session, library, tmp_path):
    library.rename(tmp_path / "moved")
    expand_session(session, library=tmp_path / "moved")
    assert session.library == str(tmp_path / "moved")
    assert len(expand_session(session).found) == 3


def test_a_library_that_is_gone_says_what_to_do(session, library):
    library.rename(library.with_name("moved"))
    said = r"its library is no longer at .*lib; say where it is now: likewise expand LIB"
    with pytest.raises(SessionError, match=said):
        expand_session(session)


def test_a_folder_that_is_no_library_is_named(session, tmp_path):
    with pytest.raises(NotALibraryError, match="nothing"):
        expand_session(session, library=tmp_path / "nothing")


def test_a_library_that_is_open_is_used_and_left_open(session, library):
    with open_library(library) as opened:
        expand_session(session, library=opened)
        assert opened.count() == 8
    assert session.library == str(library)


def test_a_session_begins_with_seeds_that_were_matched(tmp_path):
    path = library_in(tmp_path / "lib", *corpus())
    given = seeds_on("bees", 4)
    with Session.create(tmp_path / "bees.likewise", path, [seed.id for seed in given]) as session:
        assert [seed.id for seed in session.start.seeds] == [seed.id for seed in given]
        assert (session.library, session.expansions(), session.name) == (path, [], "")
        expand_session(session)
        assert [head.number for head in session.expansions()] == [1]


def test_a_session_is_named_by_its_seeds_if_that_is_asked_for(tmp_path):
    def name(seeds):
        return f"{len(seeds.matched)} in the library"

    library = library_of(*corpus())
    path = tmp_path / "bees.likewise"
    with Session.create(path, library, seeds_on("bees", 4), name=name) as session:
        assert session.name == "4 in the library"


def test_no_session_is_begun_with_too_few_seeds(tmp_path):
    with pytest.raises(SeedsError, match="2 usable seeds"):
        Session.create(tmp_path / "few.likewise", library_of(*corpus()), seeds_on("bees", 2))
    assert not (tmp_path / "few.likewise").exists()


def test_nothing_is_left_of_a_session_that_is_discarded(tmp_path):
    library = library_of(*corpus())
    Session.create(tmp_path / "bees.likewise", library, seeds_on("bees", 4)).discard()
    assert list(tmp_path.iterdir()) == []


def test_nobody_who_marks_waits_for_explanations(session, monkeypatch):
    """They take longer than all else that is saved."""
    explain = type(small_expansion().explain)
    real, marked = explain.explain_all, []

    def explain_all(self):
        with Session.open(session.path) as other:
            marked.append(other.mark({"201": "relevant"}).new)
        return real(self)

    monkeypatch.setattr(explain, "explain_all", explain_all)
    expand_session(session)
    assert marked == [1]


# Marks on documents that nobody knows


def test_what_neither_the_library_nor_the_session_knows_is_not_marked(session):
    with pytest.raises(UnknownDocumentError) as caught:
        session.mark({"201": "relevant", "77": "irrelevant", "9": "maybe"})
    found = "77, 9: not in the library, so not marked; find the right id with: likewise search LIB"
    assert str(caught.value) == f"{found} WORDS"
    assert session.history() == []


def test_a_seed_and_what_only_the_library_has_can_be_marked(session, library):
    put(library, Document(id="77", title="Outside the ranking"))
    assert session.mark({"77": "relevant", SEEDS[-1].id: "irrelevant"}).new == 2
    put(library, without=["77"])
    assert session.mark({"77": "irrelevant"}).changed


def test_a_mark_that_no_document_has_can_be_taken_back_all_the_same(session):
    assert session.mark({"77": None}) == (0, 1, ())


def test_without_the_library_nobody_can_tell_what_it_knows(tmp_path):
    with new_session(tmp_path, library=str(tmp_path / "gone")) as session:
        assert session.mark({"77": "relevant"}).new == 1


def test_of_a_cluster_that_does_not_answer_nobody_can_tell_either(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise ClusterError("nothing answers")

    monkeypatch.setattr("likewise.expansion.sessions.marking.open_library", refuse)
    with new_session(tmp_path, library="opensearch://localhost:1/papers") as session:
        assert session.mark({"77": "relevant"}).new == 1


def test_a_misspelt_label_is_said_before_the_library_is_asked(session):
    with pytest.raises(SessionError, match="relevnt"):
        session.mark({"77": "relevnt"})


def test_a_long_id_that_is_not_known_is_shown_whole(session):
    name = "https://host/" + "a" * 80
    with pytest.raises(UnknownDocumentError, match=name):
        session.mark({name: "relevant"})


def test_a_library_that_is_open_is_asked(tmp_path):
    library = library_of(*corpus())
    with Session.create(tmp_path / "bees.likewise", library, seeds_on("bees", 4)) as session:
        with pytest.raises(UnknownDocumentError, match="unheard: not in the library"):
            session.mark({"unheard": "relevant"})
        assert session.mark({corpus()[-1].id: "irrelevant"}).new == 1
