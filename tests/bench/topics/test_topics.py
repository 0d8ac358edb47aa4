import pytest

from likewise.bench.topics import (
    PAPER,
    Members,
    Topic,
    Vocabulary,
    check_enough,
    parse_topic,
    read_topics,
)
from likewise.bench.topics.labels import Labels
from likewise.bench.topics.mesh import Descriptor, MeshTree
from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryError, TopicError
from likewise.library.memory import MemoryLibrary
from likewise.library.protocol import Heading


def test_terms_are_parted_by_plus_signs():
    assert parse_topic("Animals + Brain+Rats") == Topic(("Animals", "Brain", "Rats"))


def test_identifiers_are_parted_by_full_stops():
    assert parse_topic("D000818.D001921").terms == ("D000818", "D001921")


def test_a_plus_in_parentheses_belongs_to_a_heading():
    topic = Topic(("H(+)-K(+)-Exchanging ATPase", "Rats"))
    assert parse_topic(str(topic)) == topic


def test_what_the_truth_is_known_of_comes_after_within():
    topic = parse_topic("X.abstract within X")
    assert topic == Topic(("X.abstract",), "X")
    assert parse_topic(str(topic)) == topic


@pytest.mark.parametrize("text", ["", "Animals +", "+ Rats", "A ++ B", "X within "])
def test_a_topic_with_nothing_where_a_term_belongs_is_refused(text):
    with pytest.raises(TopicError, match=r"write a topic such as Animals \+ Brain \+ Rats"):
        parse_topic(text)


def test_topics_are_read_once_each_without_comments_and_blank_lines(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("# ours\nBrain + Rats\n\n  # theirs\nLiver\nBrain+Rats\n")
    assert [str(topic) for topic in read_topics(path)] == ["Brain + Rats", "Liver"]


def test_a_topic_that_makes_no_sense_is_named_with_its_line(tmp_path):
    path = tmp_path / "topics.txt"
    path.write_text("Brain\nBrain + \n")
    with pytest.raises(TopicError, match=r"topics\.txt:2: 'Brain \+ '"):
        list(read_topics(path))


def test_a_file_without_topics_is_refused(tmp_path):
    (tmp_path / "topics.txt").write_text("# none yet\n")
    with pytest.raises(TopicError, match=r"topics\.txt: no topic in it; write one on each line"):
        list(read_topics(tmp_path / "topics.txt"))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TopicError, match=r"nowhere\.txt: can't be read: No such file"):
        list(read_topics(tmp_path / "nowhere.txt"))


def test_the_fifteen_topics_of_the_paper_are_fourteen_of_three_terms_each():
    topics = list(read_topics(PAPER))
    assert [len(topic.terms) for topic in topics] == [3] * 14
    assert topics[0] == Topic(("Animals", "Brain", "Rats"))


MESH = {
    "1": [("Rats", "D051381"), ("Brain", "D001921")],
    "2": [("Rats", "D051381"), ("Brain Stem", "D001933")],
    "3": [("Rats", ""), ("Brain", "D001921")],
    "4": [("Brain", "D001921")],
    "5": [("Infant, Newborn", "D007231")],
}


@pytest.fixture
def library():
    library = MemoryLibrary()
    for name, headings in MESH.items():
        mesh = tuple(MeshHeading(*heading) for heading in headings)
        library.add([Document(id=name, title=f"Paper {name}", mesh=mesh)])
    library.commit()
    return library


TREE = MeshTree(
    [
        Descriptor(Heading("Brain", "D001921"), ("A08.186",)),
        Descriptor(Heading("Brain Stem", "D001933"), ("A08.186.132",)),
        Descriptor(Heading("Anatomy of Rats", "D999999"), ("A20",)),
    ]
)

LABELS = Labels(
    [
        (("id:1",), ("X", "X.abstract")),
        (("id:3",), ("X",)),
        (("id:4",), ("X", "X.abstract")),
        (("id:5",), ("X.abstract",)),
    ]
)


def members(library, topic, **given):
    return Vocabulary(library, **given).find_members(topic)


def relevant(library, topic, **given):
    return members(library, parse_topic(topic), **given).relevant


def test_members_have_all_terms(library):
    assert relevant(library, "Rats + Brain") == ("1", "3")


def test_terms_are_found_by_identifier_too(library):
    assert relevant(library, "D051381.D001921") == ("1", "3")


def test_a_heading_with_and_without_its_identifier_is_one(library):
    assert relevant(library, "Rats") == relevant(library, "D051381") == ("1", "2", "3")


def test_case_and_spaces_do_not_matter(library):
    assert relevant(library, "infant,newborn") == ("5",)


def test_a_heading_that_was_renamed_is_one(library):
    library.add([Document(id="6", title="Old", mesh=(MeshHeading("Rat", "D051381"),))])
    library.commit()
    assert relevant(library, "Rats") == ("1", "2", "3", "6")


def test_names_and_identifiers_are_as_the_library_has_them_in_the_topics_order(library):
    found = members(library, parse_topic("rats + D001921"))
    assert (found.names, found.uis) == (("Rats", "Brain"), ("D051381", "D001921"))
    assert found.counts == (3, 3)


def test_there_are_identifiers_for_all_terms_or_for_none(library):
    library.add([Document(id="6", title="New", mesh=(MeshHeading("Zebras"), MeshHeading("Rats")))])
    library.commit()
    assert members(library, parse_topic("Zebras + Rats")).uis == ()


def test_with_the_tree_a_heading_stands_for_those_below_it(library):
    found = members(library, parse_topic("Rats + Brain"), tree=TREE)
    assert found.relevant == ("1", "2", "3")
    assert (found.names, found.counts) == (("Rats", "Brain"), (3, 4))


def test_a_heading_that_only_those_below_it_occur_of_is_named_as_in_the_tree(library):
    library.delete(["1", "3", "4"])
    library.commit()
    found = members(library, parse_topic("Brain"), tree=TREE)
    assert (found.relevant, found.names, found.uis) == (("2",), ("Brain",), ("D001921",))


def test_labels_beside_the_library_are_terms(library):
    found = members(library, parse_topic("x.abstract"), labels=LABELS)
    assert (found.relevant, found.names, found.known) == (("1", "4", "5"), ("X.abstract",), None)


def test_labels_and_headings_can_be_combined(library):
    assert relevant(library, "X + Rats", labels=LABELS) == ("1", "3")


def test_within_a_label_only_its_documents_are_known_and_members(library):
    found = members(library, parse_topic("X.abstract within X"), labels=LABELS)
    assert (found.relevant, found.known) == (("1", "4"), frozenset({"1", "3", "4"}))


def test_the_truth_can_be_known_within_a_heading(library):
    found = members(library, parse_topic("Brain within Rats"))
    assert (found.relevant, found.known) == (("1", "3"), frozenset({"1", "2", "3"}))


def test_an_unknown_term_is_told_with_near_ones_in_one_line(library):
    with pytest.raises(TopicError) as error:
        members(library, parse_topic("Brian + Rats"))
    told = "Brian: no document has this heading or label; similar ones are Brain"
    assert str(error.value) == told


def test_near_ones_are_at_most_three(library):
    names = [MeshHeading(f"Neoplasm {letter}") for letter in "ABCDE"]
    library.add([Document(id="6", title="Many", mesh=tuple(names))])
    library.commit()
    with pytest.raises(TopicError) as error:
        members(library, parse_topic("Neoplasm"))
    assert str(error.value).count("Neoplasm ") == 3


def test_near_labels_are_suggested_too(library):
    with pytest.raises(TopicError, match=r"similar ones are X\.abstract"):
        members(library, parse_topic("X.abstracts"), labels=LABELS)


def test_a_term_like_no_other_is_told_where_to_find_some(library):
    with pytest.raises(TopicError, match="likewise bench suggest LIB shows some"):
        members(library, parse_topic("Quantum"))


def test_a_library_without_headings_asks_for_labels():
    with pytest.raises(TopicError, match="no MeSH headings; give a file of labels with --labels"):
        members(MemoryLibrary(), parse_topic("Rats"))


def test_labels_serve_a_library_that_indexes_no_headings(library, monkeypatch):
    def refuse():
        raise LibraryError("no MeSH heading is indexed in it")

    monkeypatch.setattr(library, "count_headings", refuse)
    assert relevant(library, "X", labels=LABELS) == ("1", "3", "4")
    with pytest.raises(LibraryError, match="no MeSH heading is indexed"):
        relevant(library, "Rats")


def test_many_topics_ask_the_library_for_its_headings_once(library, monkeypatch):
    asked = []
    headings = library.count_headings()
    monkeypatch.setattr(library, "count_headings", lambda: asked.append(1) or headings)
    vocabulary = Vocabulary(library)
    for text in ("Rats", "Brain", "Rats + Brain"):
        vocabulary.find_members(parse_topic(text))
    assert asked == [1]


def some(documents):
    ids = tuple(map(str, range(documents)))
    names, counts = ("Animals", "Brain", "Rats"), (20_000, 1_234, 3_000)
    return Members(relevant=ids, known=None, names=names, uis=(), counts=counts)


def test_too_small_a_topic_is_told_with_its_rarest_term():
    with pytest.raises(TopicError) as error:
        check_enough(some(1), 1_030, Topic(("Animals", "Brain", "Rats")))
    told = "Animals + Brain + Rats: 1 document on topic, 1,030 are needed; "
    assert str(error.value) == told + "its rarest term is Brain with 1,234"


def test_a_topic_with_enough_documents_is_fine():
    check_enough(some(30), 30, Topic(("Animals", "Brain", "Rats")))
