import numpy as np
import pytest

from expansion.corpus import corpus, on
from likewise.bench.tasks.bias import (
    BIASES,
    DrawFacts,
    check_bias,
    order_by_bias,
    order_by_corner,
    read_citations,
)
from likewise.documents import Document
from likewise.errors import ReadError, SettingsError, TaskError
from likewise.library.analysis import build_analyzer

NINE = [str(number) for number in range(1, 10)]


def rng(number=0):
    return np.random.default_rng(number)


def analyze_all(_, texts):
    return [build_analyzer().analyze(text) for text in texts]


def known(documents=(), ranks=None, citations=None):
    return DrawFacts(
        documents=lambda: documents,
        ranks=lambda: ranks or {},
        analyze_all=analyze_all,
        citations=citations,
    )


def order(bias, ids=NINE, number=0, **what):
    return order_by_bias(ids, bias, known=known(**what), rng=rng(number))


def test_without_a_bias_the_order_is_random_whatever_order_the_documents_came_in():
    assert sorted(order("")) == NINE
    assert order("") == order("", ids=NINE[::-1])
    assert order("") != order("", number=1)


@pytest.mark.parametrize("bias", BIASES)
def test_every_bias_draws_every_document_once(bias):
    documents = [Document(id=each, abstract="word " * int(each), year=1990) for each in NINE]
    counts = dict.fromkeys(NINE, 1)
    drawn = order(bias, documents=documents, ranks=counts, citations=counts)
    assert sorted(drawn) == NINE


def test_short_abstracts_come_first_and_none_at_all_last():
    lengths = {"1": 50, "2": 10, "3": 0, "4": 30, "5": 20, "6": 40}
    documents = [Document(id=each, abstract="x" * length) for each, length in lengths.items()]
    drawn = order("length", ids=list(lengths), documents=documents)
    # The favoured third is drawn in random order, then comes the rest by length.
    assert set(drawn[:2]) == {"2", "5"}
    assert drawn[2:] == ["4", "6", "1", "3"]


@pytest.mark.parametrize(
    ("bias", "first"), [("rank", "123"), ("rank-high", "123"), ("rank-low", "789")]
)
def test_the_engines_order_is_favoured_from_either_end(bias, first):
    ranks = {each: int(each) for each in NINE}
    assert set(order(bias, ranks=ranks)[:3]) == set(first)


def test_documents_that_the_engine_did_not_find_come_last():
    assert set(order("rank-low", ranks={"1": 1, "2": 2, "3": 3})[:3]) == set("123")


@pytest.mark.parametrize(("bias", "first"), [("year", "789"), ("year-old", "123")])
def test_recent_or_old_documents_come_first(bias, first):
    documents = [Document(id=each, year=1990 + int(each)) for each in NINE]
    assert set(order(bias, documents=documents)[:3]) == set(first)


def test_a_document_without_a_year_is_neither_recent_nor_old():
    documents = [Document(id="1", year=1990), Document(id="2"), Document(id="3", year=2000)]
    assert order("year", ids=["1", "2", "3"], documents=documents) == ["3", "1", "2"]
    assert order("year-old", ids=["1", "2", "3"], documents=documents) == ["1", "3", "2"]


def test_documents_that_are_cited_often_come_first():
    citations = {"4": 10, "2": 300, "9": 20, "1": 1}
    assert set(order("citations", citations=citations)[:3]) == {"2", "9", "4"}


def test_citations_that_are_not_known_are_asked_for():
    with pytest.raises(TaskError, match="--citations FILE"):
        order("citations")


def test_which_of_the_favoured_third_comes_first_is_by_chance():
    ranks = {each: int(each) for each in NINE}
    firsts = {order("rank", ranks=ranks, number=number)[0] for number in range(30)}
    assert firsts == {"1", "2", "3"}


def test_an_unknown_bias_is_answered_with_those_there_are():
    with pytest.raises(SettingsError, match=r"there is no bias 'size'.*length.*cluster"):
        check_bias("size")


# Corners


def two_corners():
    return [*on("bees"), *on("teeth")]


def test_seeds_of_a_corner_are_alike():
    documents = two_corners()
    ids = [document.id for document in documents]
    first = order_by_bias(ids, "cluster", known=known(documents=documents), rng=rng(3))[:15]
    about = [document.keywords[0] for document in corpus() if document.id in first]
    assert max(about.count("bees"), about.count("teeth")) >= 14


def test_which_corner_is_by_chance():
    documents = two_corners()
    ids = [document.id for document in documents]
    topics = {document.id: document.keywords for document in documents}
    firsts = {
        topics[order_by_corner(ids, documents, analyze_all=analyze_all, rng=rng(number))[0]]
        for number in range(12)
    }
    assert firsts == {("bees",), ("teeth",)}


def test_few_documents_have_no_corners_and_stay_as_they_are():
    documents = on("bees")[:30]
    ids = [document.id for document in documents]
    assert order_by_corner(ids, documents, analyze_all=analyze_all, rng=rng()) == ids


def test_documents_that_all_say_the_same_can_be_clustered_too():
    documents = [Document(id=str(each), title="One and the same") for each in range(60)]
    ids = [document.id for document in documents]
    assert sorted(order_by_corner(ids, documents, analyze_all=analyze_all, rng=rng())) == sorted(
        ids
    )


# Citations


@pytest.mark.parametrize("between", ["\t", ",", " ", ", "])
def test_citations_are_read_whatever_stands_between_id_and_count(tmp_path, between):
    (tmp_path / "cited.txt").write_text(f"id{between}count\n7{between}12\n\n8{between}0\n")
    assert read_citations(tmp_path / "cited.txt") == {"7": 12, "8": 0}


def test_a_line_of_another_kind_is_named(tmp_path):
    (tmp_path / "cited.txt").write_text("7,12\n8,often\n")
    with pytest.raises(ReadError, match=r"cited.txt:2: '8,often' is not an id with a count"):
        read_citations(tmp_path / "cited.txt")


def test_a_file_without_counts_is_refused(tmp_path):
    (tmp_path / "cited.txt").write_text("id,count\n")
    with pytest.raises(ReadError, match="no count in it"):
        read_citations(tmp_path / "cited.txt")
