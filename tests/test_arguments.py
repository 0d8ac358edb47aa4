"""Whoever gives a public function something of a wrong type is told so in one line."""

import numpy as np
import pytest

import likewise
from expansion.corpus import library_of
from likewise import Document, Session
from likewise.arguments import describe_value, spell_identifier
from likewise.errors import ArgumentTypeError, LikewiseError, SeedsError, SettingsError

DOCUMENTS = [
    Document(id=f"{topic}{n}", title=f"On {topic}, part {n}")
    for topic in ("insulin", "sleep")
    for n in range(20)
]
SEEDS = ["sleep0", "sleep1", "sleep2"]


@pytest.fixture
def library():
    return library_of(*DOCUMENTS)


@pytest.fixture
def session(library, tmp_path):
    with Session.create(tmp_path / "a.likewise", library, SEEDS) as made:
        made.expand(progress=False)
        yield made


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda library: library.search(5), 'words is 5; give a text, such as "sleep apnea"'),
        (lambda library: library.search("a", limit="x"), "limit is 'x'; give a whole number"),
        (lambda library: library.search("a", where=5), "where is 5; give limits"),
        (lambda library: library.get("sleep0"), "ids is 'sleep0'; give a list of ids"),
        (lambda library: library.get([None]), "the id is None; give a text or a whole number"),
        (lambda library: library[["sleep0"]], "the id is a list; give a text or a whole number"),
        (lambda library: library.add(["x"]), "a document is 'x'; give a likewise.Document"),
        (lambda library: library.add([Document(title=5)]), "title is 5; give a text"),
        (lambda _: repr(Document(year="2010")), "year is '2010'; give a whole number or None"),
        (lambda _: likewise.open_library(5), "library is 5; give its path or address"),
        (lambda _: likewise.read(None), "path is None; give a path"),
        (lambda _: likewise.write([], 5), "path is 5; give a path"),
        (lambda _: likewise.write(5, "x.ris"), "documents is 5; give a list of documents"),
        (lambda _: likewise.index_files(5, "lib"), "sources is 5; give files and folders"),
        (lambda _: likewise.expand(5, SEEDS), "library is 5; give an open library, or its path"),
        (lambda library: likewise.expand(library, None), "None is not a seed; give documents"),
        (lambda library: likewise.expand(library, SEEDS, keep=5), "keep is 5; give a text"),
        (lambda library: likewise.expand(library, SEEDS, settings=5), "settings is 5; give like"),
        (lambda library: likewise.expand(library, SEEDS, marks=5), "marks is 5; give likewise"),
        (lambda _: likewise.MoreLike(max_terms="x"), "max_terms is 'x'; give a whole number"),
        (lambda _: Session.open(5), "path is 5; give a path"),
        (lambda library: Session.create(5, library, SEEDS), "path is 5; give a path"),
        (lambda _: Session.create("a.likewise", 5, SEEDS), "library is 5; give an open library"),
    ],
)
def test_an_argument_of_a_wrong_type_is_refused_in_one_line(library, ask, told):
    with pytest.raises(LikewiseError) as refused:
        ask(library)
    assert str(refused.value).startswith(told)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda session: session.mark({None: "relevant"}), "the id is None; give a text"),
        (lambda session: session.mark({"sleep3": 5}), "there is no label 5; use one of"),
        (lambda session: session.mark({"sleep3": "maybe"}, reviewer=5), "reviewer is 5; give a"),
        (
            lambda session: session.mark({"sleep3": "irrelevant"}, reason=5),
            "reason is 5; give a rea",
        ),
        (lambda session: session.next("x"), "count is 'x'; give a whole number"),
        (lambda session: session.next(seed="x"), "seed is 'x'; give a whole number"),
        (lambda session: session.export(5), "path is 5; give a path"),
        (lambda session: session.export("a.ris", which="x"), "there is no 'x' to write; use one"),
        (lambda session: session.status(target=5), "target is 5; give likewise.learn"),
        (lambda session: session.expand(5), "library is 5; give an open library, or its path"),
    ],
)
def test_so_is_one_of_a_session(session, ask, told):
    with pytest.raises(LikewiseError) as refused:
        ask(session)
    assert str(refused.value).startswith(told)


def test_it_can_be_caught_as_a_type_error(library):
    with pytest.raises(TypeError):
        library.search(5)
    assert issubclass(ArgumentTypeError, TypeError)


def test_a_table_in_place_of_seeds_is_told_apart_from_a_column(library):
    class Table(list):
        columns = ("pmid",)

    with pytest.raises(SeedsError, match="seeds is a table; give one column of it"):
        likewise.expand(library, Table(["pmid"]))


def test_ids_may_be_numbers_of_any_package():
    numbers = [7, np.int64(7), np.float64(7.0)]
    assert [spell_identifier(number) for number in numbers] == ["7"] * 3
    assert spell_identifier(True) is None
    assert spell_identifier(float("nan")) is None


def test_a_long_value_is_shown_by_its_beginning():
    assert describe_value("x" * 1000) == f"'{'x' * 58}…"
    assert describe_value(np.zeros(3)) == "a ndarray"


def test_a_count_below_nothing_is_refused(library):
    with pytest.raises(SettingsError, match="limit is -1; give a number of 0 or more"):
        library.search("sleep", limit=-1)
