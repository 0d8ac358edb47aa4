"""Pseudo-reviews, of a collection that is made up."""

import gzip
import json

import pytest
from benchmarks.screen import pseudo_reviews as made

from likewise.bench.screening.reviews import read_reviews

NAMES = ("Bees", "Honey", "Pollen", "Wasps", "Nests", "Larvae")
SIZE = 720


def rows_of_insects():
    """Return documents that have descriptors by number: each second "Bees", each third "Honey"."""
    rows = []
    for number in range(SIZE):
        names = [name for step, name in enumerate(NAMES, 2) if number % step == 0]
        text = " ".join(names).lower()
        rows.append(
            {
                "id": f"d{number}",
                "title": f"On {text or 'nothing'}, part {number}",
                "abstract": f"What is known of {text or 'nothing'} to humans, bees and wasps.",
                "mesh": [*names, "Humans", *(["Liver"] if number % 5 == 1 else [])],
            }
        )
    return rows


@pytest.fixture(autouse=True)
def held_back(monkeypatch):
    monkeypatch.setattr(made, "HELD_BACK", {"Liver"})


@pytest.fixture(scope="module")
def reviews():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, "HELD_BACK", {"Liver"})
        return list(made.make_pseudo_reviews(rows_of_insects()))


def descriptors():
    return {row["id"]: set(row["mesh"]) for row in rows_of_insects()}


def test_what_is_on_topic_has_all_descriptors_of_the_topic(reviews):
    assert reviews
    held = descriptors()
    for review in reviews:
        names = set(review.topic.split(" + "))
        assert review.on_topic == {one for one in review.listed if names <= held[one]}


def test_topics_are_two_or_three_descriptors_and_not_what_nearly_everything_has(reviews):
    for review in reviews:
        names = review.topic.split(" + ")
        assert len(names) in (2, 3)
        assert set(names) - {"Humans"}


def test_descriptors_that_are_measured_on_are_never_used(reviews):
    assert not any("Liver" in review.topic for review in reviews)


def test_no_list_is_shorter_or_longer_than_lists_are_or_names_a_record_twice(reviews):
    low, high = made.SIZES
    for review in reviews:
        assert len(review.listed) == len(set(review.listed))
        assert low <= len(review.listed) <= high
        assert len(review.on_topic) >= made.NEEDED


def test_no_main_descriptor_is_in_two_lists_of_the_same_sort():
    topics = list(made._choose_topics(rows_of_insects()))
    assert len(topics) > 2
    for turn in (0, 1):
        names = [name for topic in topics[turn::2] for name in topic if name != "Humans"]
        assert len(names) == len(set(names))


def test_topics_have_neither_too_few_nor_too_many_documents():
    held = descriptors()
    for topic in made._choose_topics(rows_of_insects()):
        count = sum(set(topic) <= names for names in held.values())
        assert made.LEAST <= count <= made.MOST


def test_the_same_rows_make_the_same_reviews(reviews):
    assert list(made.make_pseudo_reviews(rows_of_insects())) == reviews


def test_no_more_are_made_than_are_wanted(monkeypatch):
    monkeypatch.setattr(made, "COUNT", 1)
    assert len(list(made.make_pseudo_reviews(rows_of_insects()))) == 1


def test_they_are_written_as_reviews_are_read(tmp_path, monkeypatch, reviews):
    monkeypatch.setattr(made, "read_rows", lambda name: rows_of_insects())
    made.write_pseudo_reviews(tmp_path / "mesh.jsonl.gz")
    read = {one.name: one for one in read_reviews([tmp_path / "mesh.jsonl.gz"], least=1)}
    assert {name: one.on_topic for name, one in read.items()} == {
        review.topic: frozenset(review.on_topic) for review in reviews
    }
    assert {one.kind for one in read.values()} == {"mesh"}
    with gzip.open(tmp_path / "mesh.jsonl.gz", "rt") as lines:
        assert set(json.loads(next(lines))) == {"id", "title", "abstract", "reviews"}
