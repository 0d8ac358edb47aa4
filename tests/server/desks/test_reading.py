import pytest

from expansion.corpus import library_of
from expansion.samples import MATCHED, POOL
from expansion.sessions.samples import small_saved
from likewise.documents import Document
from likewise.expansion.sessions.session import Session
from likewise.learn.estimates import Target
from likewise.server.desks.reading import MOST_ANSWERS, MOST_POOLS, PoolKey, SessionReader, Texts
from likewise.server.failures import NoExpansion, NothingBefore
from server.desks.samples import session_in


@pytest.fixture
def reading_of():
    """Return what reads the session at a path; it is closed afterwards."""
    opened = []
    library = library_of(*MATCHED, *POOL)

    def read(path):
        opened.append(Session.open(path, read_only=True))
        return SessionReader(opened[-1], library=library, texts=Texts(library))

    yield read
    for session in opened:
        session.close()


@pytest.fixture
def path(tmp_path):
    return session_in(tmp_path)


def ids(rows):
    return [row.id for row in rows]


def test_before_anything_was_expanded_there_is_no_ranking(tmp_path, reading_of):
    reading = reading_of(session_in(tmp_path, is_expanded=False))
    with pytest.raises(NoExpansion):
        reading.get_pool()
    with pytest.raises(NothingBefore):
        reading.find_changes()


def test_seeds_are_matched_before_anything_was_expanded(tmp_path, reading_of):
    seeds = reading_of(session_in(tmp_path, is_expanded=False)).match_seeds()
    assert ids(seeds.matched) == ["101", "102", "103"]
    assert ids(seeds.text_only) == ["mine"]


def test_words_are_looked_for_in_what_the_library_says(path, reading_of):
    assert ids(reading_of(path).find_rows("all", "  INSULIN  pumps ")) == ["10.1000/a b", "203"]


def test_lists_are_sorted_by_year_with_those_without_one_last(path, reading_of):
    rows = reading_of(path).find_rows("all", "", "year")
    assert ids(rows) == ["205", "10.1000/a b", "203", "201", "204"]


def test_lists_are_sorted_by_the_letters_of_their_titles(path, reading_of):
    # Glucagon ..., Insulin ..., Sugar ..., =SUM(A1) ..., The sleep ...
    rows = reading_of(path).find_rows("all", "", "title")
    assert ids(rows) == ["201", "203", "204", "10.1000/a b", "205"]


def test_sorting_and_filters_go_together(path, reading_of):
    rows = reading_of(path).find_rows("all", "year:2000.. NOT sleep", "title")
    assert ids(rows) == ["203", "10.1000/a b"]


def test_a_moved_line_arranges_the_ranking_anew(path, reading_of):
    reading = reading_of(path)
    before = reading.get_pool().cut
    with Session.open(path) as session:
        session.move_threshold(2)
    reading.look()
    assert (before, reading.get_pool().cut, reading.get_pool().learned) == (6, 2, 6)


def test_a_mark_leaves_the_ranking_as_it_is_arranged(path, reading_of):
    reading = reading_of(path)
    before = reading.get_pool()
    with Session.open(path) as session:
        session.mark({"201": "relevant"})
    assert list(reading.look().marks) == ["201"]
    assert reading.get_pool() is before


def test_what_is_added_while_an_answer_is_made_is_for_the_next_one(path, reading_of):
    reading = reading_of(path)
    reading.look()
    with Session.open(path) as session:
        session.add_expansion(small_saved())
        session.mark({"201": "relevant"})
    assert ids(reading.find_rows("unmarked", ""))[0] == "201"
    assert (reading.get_pool().number, list(reading.state.marks)) == (1, [])
    reading.look()
    assert ids(reading.find_rows("unmarked", ""))[0] != "201"
    assert (reading.get_pool().number, list(reading.state.marks)) == (2, ["201"])


def test_an_audit_changes_the_status_though_nothing_was_marked(path, reading_of):
    reading = reading_of(path)
    before = reading.find_status(Target())
    with Session.open(path) as session:
        session.add_audit(["204"], population=["204", "205"])
    reading.look()
    assert (before.unfinished, reading.find_status(Target()).unfinished) == (0, 1)


def test_a_status_is_kept_as_long_as_nothing_is_added(path, reading_of):
    reading = reading_of(path)
    assert reading.find_status(Target()) is reading.find_status(Target())
    assert reading.find_status(Target()) is not reading.find_status(Target(recall=0.5))


def test_a_second_expansion_is_compared_with_the_first(path, reading_of):
    reading = reading_of(path)
    saved = small_saved()
    turned = {"204": 2, "201": 7}
    ranking = [
        type(place)(
            id=place.id,
            rank=turned.get(place.id, place.rank),
            score=place.score,
            probability=place.probability,
            decision=place.decision,
            seed=place.seed,
        )
        for place in saved.ranking
    ]
    with Session.open(path) as session:
        session.add_expansion(small_saved(ranking=tuple(ranking)))
    changes = reading.find_changes()
    assert [(move.id, move.before, move.after) for move in changes.risen] == [("204", 7, 2)]
    assert [(move.id, move.before, move.after) for move in changes.fallen] == [("201", 2, 7)]


def test_few_answers_are_kept(path, reading_of):
    reading = reading_of(path)
    for number in range(3 * MOST_ANSWERS):
        reading.find_rows("all", f"word{number}")
    assert len(reading._answers) == MOST_ANSWERS


CAT = Document(
    id="cat", title="On CATS", abstract="They purr.", year=1999, authors=("Müller, Änne",)
)
DOG = Document(id="dog", title="On dogs", journal="The Journal of Dogs", year=2001)
KEY = PoolKey("abc", 1)


class Counting:
    """A library that counts how many documents it is asked for."""

    def __init__(self):
        self._library = library_of(CAT, DOG)
        self.asked = 0

    def get(self, ids):
        self.asked += len(ids)
        return self._library.get(ids)


@pytest.fixture
def library():
    return Counting()


@pytest.fixture
def texts(library):
    return Texts(library)


def test_a_document_that_is_not_in_the_library_says_nothing(texts):
    assert texts.read(["gone"], pool=KEY)["gone"].text == ""


def test_texts_are_read_once(texts, library):
    texts.read(["cat", "gone"], pool=KEY)
    texts.read(["cat", "dog", "gone"], pool=KEY)
    assert library.asked == 3


def test_texts_of_the_latest_pools_alone_are_kept(texts, library):
    for expansion in range(1, MOST_POOLS + 2):
        texts.read(["cat"], pool=PoolKey("abc", expansion))
    texts.read(["cat"], pool=KEY)
    assert library.asked == MOST_POOLS + 2
