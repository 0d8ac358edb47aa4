"""The terms of a session's candidates, kept beside it."""

import msgspec
import numpy as np
import pytest

from expansion.corpus import corpus, library_in, library_of, seeds_on
from likewise.documents import Document
from likewise.expansion import kept_terms as module
from likewise.expansion.kept_terms import KeptTerms
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings

CATS = Document(id="cats", title="Cats", abstract="Cats eat mice; cats' paws")
DOGS = Document(id="dogs", title="Of dogs", abstract="")
BOTH = (CATS, DOGS)


class Engine:
    """An engine that remembers what it analysed, and may see whole texts only."""

    engine = "test 1"

    def __init__(self, *, analyzes_by_chunk):
        self.analyzes_by_chunk = analyzes_by_chunk
        self.library = library_of()
        self.asked = []

    def analyze_all(self, field, texts):
        self.asked += [text for text in texts if text and text != module.PROBE]
        return self.library.analyze_all(field, texts)


@pytest.fixture(params=[True, False], ids=["by chunk", "by text"])
def engine(request):
    return Engine(analyzes_by_chunk=request.param)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "review.likewise"


def counted(path, engine, documents=BOTH):
    """Count documents as an expansion does, and keep it; return what came out and what was read."""
    engine.asked.clear()
    kept = KeptTerms.beside(path)
    counter = kept.counter(engine)
    counter.add(documents)
    ids = [document.id for document in documents]
    (terms, title, abstract), words = counter.counts(ids), counter.words(ids)
    kept.save(documents)
    made = (terms, title.toarray().tolist(), abstract.toarray().tolist())
    return (*made, words.names, words.rows.values.tolist()), list(engine.asked)


def test_the_file_lies_beside_the_session(path, engine):
    counted(path, engine)
    assert [file.name for file in path.parent.iterdir()] == ["review.likewise-terms"]


def test_the_same_comes_out_and_nothing_is_read_again(path, engine):
    first, _ = counted(path, engine)
    again, read = counted(path, engine)
    assert again == first
    assert read == []


def test_the_same_comes_out_whatever_was_kept_before(path, engine):
    counted(path, engine, [DOGS, CATS])
    birds = Document(id="birds", title="Birds eat", abstract="dogs")
    found, _ = counted(path, engine, [birds, CATS])
    assert found == counted(path.with_name("other"), engine, [birds, CATS])[0]


def test_only_what_is_new_is_read(path, engine):
    counted(path, engine)
    _, read = counted(path, engine, [*BOTH, Document(id="birds", title="birds")])
    assert read == ["birds"]


def test_a_document_whose_text_has_changed_is_read_again(path, engine):
    counted(path, engine)
    changed = msgspec.structs.replace(DOGS, abstract="wolves")
    (terms, *_), read = counted(path, engine, [changed])
    assert terms == ["dog", "wolv"]
    assert "wolves" in read


def test_a_word_that_moves_from_the_title_to_the_abstract_is_a_change(path, engine):
    counted(path, engine, [Document(id="x", title="cats dogs", abstract="mice")])
    moved = Document(id="x", title="cats", abstract="dogs mice")
    (_, title, _, *_), _ = counted(path, engine, [moved])
    assert np.sum(title) == 1


def test_what_is_no_candidate_any_more_is_not_kept(path, engine):
    counted(path, engine)
    counted(path, engine, [DOGS, Document(id="birds", title="birds")])
    kept = module.load_terms(KeptTerms.beside(path).path, stamp=module._make_stamp(engine))
    assert list(kept.digests) == ["dogs", "birds"]


def test_nothing_is_written_where_nothing_is_new(path, engine):
    counted(path, engine)
    before = KeptTerms.beside(path).path.stat().st_mtime_ns
    counted(path, engine, [CATS])
    assert KeptTerms.beside(path).path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "broken",
    [
        lambda content: b"",
        lambda content: content[:40],
        lambda content: content[:-1],
        lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        lambda content: b"something else entirely",
    ],
    ids=["empty", "head", "cut", "flipped", "other"],
)
def test_a_broken_file_is_as_none(path, engine, broken):
    first, _ = counted(path, engine)
    file = KeptTerms.beside(path).path
    file.write_bytes(broken(file.read_bytes()))
    again, read = counted(path, engine)
    assert again == first
    assert read
    assert counted(path, engine)[1] == []


def test_a_whole_file_of_something_else_is_as_none(path, engine):
    packed = msgspec.msgpack.encode({"stamp": 7})
    KeptTerms.beside(path).path.write_bytes(
        module._HEAD + module._compute_checksum(packed) + packed
    )
    assert counted(path, engine)[1]


def test_a_folder_in_its_place_is_no_trouble(path, engine, caplog):
    KeptTerms.beside(path).path.mkdir()
    counted(path, engine)
    assert "texts will be read again" in caplog.text


@pytest.mark.parametrize("name", ["FORMAT", "__version__"])
def test_a_file_of_another_version_is_as_none(path, engine, monkeypatch, name):
    counted(path, engine)
    monkeypatch.setattr(module, name, "other")
    assert counted(path, engine)[1]


def test_a_file_of_another_analysis_is_as_none(path, engine, monkeypatch):
    counted(path, engine)
    monkeypatch.setattr(engine.library, "analyze_all", lambda _, texts: [[t] for t in texts])
    assert counted(path, engine)[1]


def test_a_file_that_was_never_counted_with_is_not_written(path):
    KeptTerms.beside(path).save([])
    assert not list(path.parent.iterdir())


@pytest.fixture
def session(path):
    library = library_in(path.with_name("lib"), *corpus())
    seeds = seeds_on("bees")
    with Session.make(path, library=str(library), fingerprint="", seeds=seeds) as session:
        yield session


def test_a_session_expands_the_same_with_and_without_what_is_kept(session):
    settings = ExpandSettings(rounds=1, pool=60)
    first = expand_session(session, settings=settings, any_library=True)
    session.mark(dict.fromkeys([r.id for r in first.ranking[-8:] if not r.seed], "irrelevant"))
    with_it = expand_session(session, settings=settings)
    KeptTerms.beside(session.path).path.unlink()
    without = expand_session(session, settings=settings)
    assert with_it.saved == without.saved
    assert KeptTerms.beside(session.path).path.exists()
