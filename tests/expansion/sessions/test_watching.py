"""Watching: what came since the last look and is likely is told once, by the library's order."""

from xml.etree import ElementTree as ET

import msgspec
import pytest
from benchmarks.sources.ncbi import ncbi_server

from expansion.corpus import corpus, library_in, on, seeds_on
from library.sources.papers import make_papers
from likewise.documents import Document, read
from likewise.errors import SessionError
from likewise.expansion.gathering import gather
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.sessions import watching
from likewise.expansion.sessions.digests import make_digest, write_digest
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.looking import choose_next
from likewise.expansion.sessions.marking import open_own_library
from likewise.expansion.sessions.records import LookContent, SessionLook
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.watching import find_last_news, look_for_new
from likewise.library import open_library
from likewise.library.sources.kept import Budget
from likewise.library.sources.pubmed import PubmedSource

PAPERS = list(make_papers())
SEEDS = seeds_on("sugar")
NEW = {document.id for document in on("sugar")[25:]}
"""The documents on the topic that come later."""
OTHERS = {document.id for document in on("bees")[25:]}
LATER = [document for document in corpus() if document.id in NEW | OTHERS]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A library without what comes later, and a session of it, made once."""
    folder = tmp_path_factory.mktemp("begun")
    library_in(folder / "lib", *(d for d in corpus() if d.id not in NEW | OTHERS))
    with Session.create(folder / "review.likewise", folder / "lib", SEEDS, name="Sugar") as session:
        expand_session(session)
    return folder


@pytest.fixture
def folder(begun, tmp_path):
    """A copy of both; the session is told where the library is."""
    import shutil

    shutil.copytree(begun, tmp_path / "here")
    return tmp_path / "here"


def put(folder, *documents):
    with open_library(folder / "lib", write=True) as library:
        library.add(documents)
        library.commit()


def watch(folder):
    with (
        Session.open(folder / "review.likewise") as session,
        open_own_library(session, folder / "lib") as (library, address),
    ):
        return look_for_new(session, library, address=address)


def open_session(folder):
    return Session.open(folder / "review.likewise", read_only=True)


def revise(document, **changes):
    return msgspec.structs.replace(document, **changes)


def test_nothing_is_new_where_nothing_came(folder):
    look = watch(folder)
    assert not look.content.has_news
    with open_session(folder) as session:
        assert (len(session.looks()), len(session.expansions())) == (1, 1)


def test_what_came_and_is_on_topic_is_found_and_what_is_not_is_not(folder):
    put(folder, *LATER)
    look = watch(folder)
    found = {find.id for find in look.content.finds}
    assert look.content.added == len(LATER)
    assert len(found & NEW) >= 0.9 * len(NEW)
    assert not found & OTHERS


def test_a_second_look_finds_nothing_new(folder):
    put(folder, *LATER)
    watch(folder)
    look = watch(folder)
    assert not look.content.has_news
    assert look.content.added == 0


def test_what_is_new_is_in_the_ranking_with_the_same_probability_and_is_next(folder):
    put(folder, *LATER)
    look = watch(folder)
    with Session.open(folder / "review.likewise") as session:
        places = {place.id: place for place in session.expansion().ranking}
        chosen = [place.id for place in choose_next(session, 60, "likely", rng=None)]
    assert [places[f.id].probability for f in look.content.finds] == [
        f.probability for f in look.content.finds
    ]
    assert {find.id for find in look.content.finds} <= set(chosen)


def test_what_came_off_topic_leaves_the_ranking_as_it_is(folder):
    with Session.open(folder / "review.likewise") as session:
        session.move_threshold(5)
    put(folder, Document(id="9000", title="A bridge", abstract="The harbour and its museum."))
    assert not watch(folder).content.has_news
    with open_session(folder) as session:
        assert (len(session.looks()), len(session.expansions())) == (2, 1)


def test_expanding_again_in_between_hides_nothing_new(folder):
    put(folder, *LATER)
    with Session.open(folder / "review.likewise") as session:
        expand_session(session, library=folder / "lib")
    assert {find.id for find in watch(folder).content.finds} & NEW


def test_a_clock_set_back_loses_and_repeats_nothing(folder, monkeypatch):
    put(folder, LATER[0])
    watch(folder)
    monkeypatch.setattr(watching, "read_clock", lambda: "1999-01-01T00:00:00.000Z")
    put(folder, *LATER[1:])
    found = {find.id for find in watch(folder).content.finds}
    assert LATER[0].id not in found
    assert len(found & NEW) >= 0.9 * (len(NEW) - 1)


def test_of_two_looks_at_once_the_later_one_is_refused(folder):
    put(folder, *LATER)
    with (
        Session.open(folder / "review.likewise") as session,
        open_own_library(session, folder / "lib") as (library, _),
    ):

        def meanwhile(progress):
            if progress.stage == "learning" and len(session.looks()) == 1:
                watch(folder)

        with pytest.raises(SessionError, match="another watch of this session has just ended"):
            look_for_new(session, library, on_progress=meanwhile)
        assert (len(session.looks()), len(session.expansions())) == (2, 2)


def test_a_library_made_anew_is_compared_with_what_was_ranked(folder):
    import shutil

    shutil.rmtree(folder / "lib")
    library_in(folder / "lib", *corpus())
    look = watch(folder)
    assert look.content.added == -1
    assert len({find.id for find in look.content.finds} & NEW) >= 0.9 * len(NEW)
    assert not watch(folder).content.has_news


def test_a_session_of_before_is_compared_with_what_it_ranked(folder):
    put(folder, *LATER)
    with Session.open(folder / "review.likewise") as session:
        saved = session.expansion()
        settings = session.start.settings
    with Session.make(
        folder / "old.likewise", library="", fingerprint="", seeds=SEEDS, settings=settings
    ) as old:
        old.add_expansion(saved)
        with open_library(folder / "lib") as library:
            look = look_for_new(old, library)
            assert len({find.id for find in look.content.finds} & NEW) >= 0.9 * len(NEW)
            assert not look_for_new(old, library).content.has_news


def test_a_line_that_was_moved_stays_as_likely(folder):
    with Session.open(folder / "review.likewise") as session:
        session.move_threshold(2)
        least = [p for p in session.expansion().ranking if p.decision and not p.seed][-1].chance
    put(folder, *LATER)
    look = watch(folder)
    assert all(find.probability >= least - 1e-4 for find in look.content.finds)


def test_a_seed_that_was_retracted_since_is_warned_of_once(folder):
    put(folder, revise(SEEDS[0], publication_types=("Retracted Publication",)))
    look = watch(folder)
    assert look.content.notices == {SEEDS[0].id: "retracted"}
    assert look.content.revised == (SEEDS[0].id,)
    assert not watch(folder).content.has_news


def test_a_paper_that_is_on_topic_since_it_was_revised_is_told_as_such(folder):
    put(folder, revise(LATER[0], id="9001", pmid="9001", title="A note", abstract=""))
    watch(folder)
    on_topic = next(document for document in LATER if document.id in NEW)
    put(folder, revise(on_topic, id="9001", pmid="9001"))
    assert [(f.id, f.is_revised) for f in watch(folder).content.finds] == [("9001", True)]


def test_a_session_that_was_never_expanded_says_so(folder):
    with (
        Session.create(folder / "new.likewise", folder / "lib", SEEDS) as session,
        open_library(folder / "lib") as library,
        pytest.raises(SessionError, match="nothing was expanded yet"),
    ):
        look_for_new(session, library)


@pytest.fixture(scope="module")
def digest(begun, tmp_path_factory):
    import shutil

    folder = tmp_path_factory.mktemp("digest") / "here"
    shutil.copytree(begun, folder)
    retracted = revise(
        LATER[0], title="RETRACTED: On <b>sugar</b>", abstract=on("sugar")[0].abstract
    )
    put(folder, *LATER, revise(SEEDS[0], extra=(("nbib:RIN", "J Sugar. 2020"),)), retracted)
    watch(folder)
    with open_session(folder) as session, open_library(folder / "lib") as library:
        return make_digest(session, library, find_last_news(session.looks()))


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.json", "a.ris", "a.xml"])
def test_every_form_names_what_is_new(digest, tmp_path, name):
    write_digest(digest, tmp_path / name)
    written = (tmp_path / name).read_text()
    assert digest.new[0].document.title[:30] in written


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.json"])
def test_every_digest_warns_of_the_retracted_seed(digest, tmp_path, name):
    write_digest(digest, tmp_path / name)
    assert "etracted (J Sugar. 2020)" in (tmp_path / name).read_text().replace("\n   ", " ")


def test_a_feed_is_atom_whose_ids_stay(digest, tmp_path):
    write_digest(digest, tmp_path / "a.xml")
    write_digest(digest, tmp_path / "b.atom")
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.atom").read_bytes()
    feed = ET.parse(tmp_path / "a.xml").getroot()
    atom = "{http://www.w3.org/2005/Atom}"
    ids = [entry.findtext(f"{atom}id") for entry in feed.iter(f"{atom}entry")]
    assert len(set(ids)) == len(ids) == len(digest.new)
    assert feed.findtext(f"{atom}updated") == digest.look.time


def test_new_records_are_read_back(digest, tmp_path):
    write_digest(digest, tmp_path / "new.ris")
    assert [d.id for d in read(tmp_path / "new.ris")] == [e.document.id for e in digest.new]


@pytest.fixture
def pubmed(tmp_path):
    """A server like NCBI's, and a session of what was gathered there for a few seeds."""
    with ncbi_server() as server:
        early, late = PAPERS[:30] + PAPERS[40:], PAPERS[30:40]
        server.hold_papers(early)
        source = PubmedSource(server.eutils())
        seeds = [Document(id=str(number)) for number in range(1, 13)]
        gather(source, GivenPapers(seeds, [], []), tmp_path / "lib", budget=Budget(records=120))
        with Session.create(tmp_path / "pubmed.likewise", tmp_path / "lib", seeds) as session:
            expand_session(session)
            server.forget()
            yield server, source, session, late


def look_in_pubmed(session, source):
    brought = watching.bring_new(session, session.library, name="pubmed", source=source)
    with open_library(session.library) as library:
        return look_for_new(session, library, brought=brought)


def test_what_is_new_in_pubmed_is_brought_and_told_once(pubmed):
    server, source, session, late = pubmed
    assert not look_in_pubmed(session, source).content.has_news
    server.hold_papers(late, day=session.start.time[:10])
    found = {find.id for find in look_in_pubmed(session, source).content.finds}
    assert len(found & {paper.pmid for paper in late}) >= 8
    assert not look_in_pubmed(session, source).content.has_news


def test_what_came_long_ago_and_was_left_out_is_not_asked_for(pubmed):
    server, source, session, late = pubmed
    server.hold_papers(late, day="2001-02-03")
    assert not look_in_pubmed(session, source).content.finds


def test_a_retraction_in_pubmed_is_told(pubmed):
    server, source, session, _ = pubmed
    retracted = revise(PAPERS[0], publication_types=("Retracted Publication",))
    server.hold_papers([retracted])
    assert look_in_pubmed(session, source).content.notices == {"1": "retracted"}


def test_a_clock_that_ran_ahead_and_was_put_right_loses_no_day(pubmed, monkeypatch):
    server, source, session, late = pubmed
    session.add_look(SessionLook(2, "", 1, "", 0, "pubmed", LookContent(asked_on="2999-01-01")))
    server.hold_papers(late, day=session.start.time[:10])
    assert len(look_in_pubmed(session, source).content.finds) >= 8
