import pytest

from likewise.bench.topics.topics import PAPER, Topic, parse_topic, read_topics
from likewise.errors import TopicError


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
    with pytest.raises(TopicError, match=r"written as in Animals \+ Brain \+ Rats"):
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
    with pytest.raises(TopicError, match=r"topics\.txt: no topic in it; write one a line"):
        list(read_topics(tmp_path / "topics.txt"))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TopicError, match=r"nowhere\.txt: can't be read: No such file"):
        list(read_topics(tmp_path / "nowhere.txt"))


def test_the_fifteen_topics_of_the_paper_are_fourteen_of_three_terms_each():
    topics = list(read_topics(PAPER))
    assert [len(topic.terms) for topic in topics] == [3] * 14
    assert topics[0] == Topic(("Animals", "Brain", "Rats"))
