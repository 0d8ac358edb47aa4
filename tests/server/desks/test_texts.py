import pytest

from expansion.corpus import library_of
from likewise.documents import Document
from likewise.server.desks.reading import MOST_POOLS, PoolKey, Texts

CAT = Document(
    id="cat", title="On CATS", abstract="They purr.", year=1999, authors=("Müller, Änne",)
)
DOG = Document(id="dog", title="On dogs", journal="The Journal of Dogs", year=2001)
POOL = PoolKey("abc", 1)


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


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("on", {"cat", "dog"}),
        ("cats", {"cat"}),
        ("CAT PURR", {"cat"}),
        ("cats dogs", set()),
        ("müller", {"cat"}),
        ("MÜLLER 1999", {"cat"}),
        ("journal", {"dog"}),
        ("200", {"dog"}),
        ("", {"cat", "dog"}),
    ],
)
def test_all_words_must_occur_anywhere_whatever_their_case(texts, words, found):
    assert texts.having(words, ["cat", "dog"], pool=POOL) == found


def test_words_do_not_reach_from_one_field_into_the_next(texts):
    assert texts.having("catsthey", ["cat"], pool=POOL) == set()


def test_a_document_that_is_not_in_the_library_says_nothing(texts):
    assert texts.having("cat", ["gone"], pool=POOL) == set()


def test_texts_are_read_once(texts, library):
    texts.having("cat", ["cat", "gone"], pool=POOL)
    texts.having("dog", ["cat", "dog", "gone"], pool=POOL)
    assert library.asked == 3


def test_texts_of_the_latest_pools_alone_are_kept(texts, library):
    for expansion in range(1, MOST_POOLS + 2):
        texts.having("cat", ["cat"], pool=PoolKey("abc", expansion))
    texts.having("cat", ["cat"], pool=POOL)
    assert library.asked == MOST_POOLS + 2
