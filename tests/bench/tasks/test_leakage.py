import dataclasses

import msgspec
import pytest

from likewise.bench.tasks import Task, TaskEntry, TaskMetadata, Truth
from likewise.bench.tasks.leakage import check_leakage, hash_text, strip_labels
from likewise.documents import Document
from likewise.documents.document import MeshHeading
from likewise.errors import TaskError

TERMS = ("Cats", "Sleep", "D000001")
ON_TOPIC = 12


def metadata():
    return TaskMetadata(
        topic="Cats + Sleep", seeds=2, draw=0, number=0,
        P_size=14, LP_size=2, U_size=40, precision=0.3, recall=1.0,
    )  # fmt: skip


def honest():
    """Return a task whose first 12 pool documents are on topic, and nothing tells so."""
    entries = [TaskEntry("s1", "positive", "train"), TaskEntry("s2", "positive", "validation")]
    splits = ("train", "train", "validation", "test")
    entries += [
        TaskEntry(f"p{number}", "unlabeled", splits[number % 4], number + 1, 50.0 - number)
        for number in range(40)
    ]
    documents = {
        entry.id: Document(id=entry.id, title=f"Text {entry.id}", abstract="Words.", year=1990)
        for entry in entries
    }
    task = Task(
        name="L2/x/draw-0", metadata=metadata(), entries=tuple(entries), documents=documents
    )
    return task, Truth(frozenset({"s1", "s2", *(f"p{number}" for number in range(ON_TOPIC))}))


def with_documents(task, **changed):
    """Return a task in which documents are changed: by id, the fields that are new."""
    documents = dict(task.documents)
    for identifier, fields in changed.items():
        documents[identifier] = msgspec.structs.replace(documents[identifier], **fields)
    return dataclasses.replace(task, documents=documents)


def with_entries(task, *entries):
    named = {entry.id for entry in entries}
    kept = tuple(entry for entry in task.entries if entry.id not in named)
    return dataclasses.replace(task, entries=(*kept, *entries))


def leak(task, truth):
    with pytest.raises(TaskError) as raised:
        check_leakage(task, truth, terms=TERMS)
    return str(raised.value)


def test_an_honest_task_passes():
    task, truth = honest()
    check_leakage(task, truth, terms=TERMS)


# Documents named twice


def test_a_seed_in_the_pool_is_refused():
    task, truth = honest()
    task = dataclasses.replace(task, entries=(*task.entries, TaskEntry("s1", "unlabeled", "test")))
    assert leak(task, truth) == (
        "L2/x/draw-0: methods could read the truth: s1 is named twice, a seed (train) and "
        "in the pool (test); leave it out"
    )


def test_a_labelled_negative_in_the_pool_is_refused():
    task, truth = honest()
    task = dataclasses.replace(task, entries=(*task.entries, TaskEntry("p30", "negative", "train")))
    assert "p30 is named twice, in the pool (validation) and a labelled negative" in leak(
        task, truth
    )


def test_a_document_in_two_splits_is_refused():
    task, truth = honest()
    task = dataclasses.replace(task, entries=(*task.entries, TaskEntry("p0", "unlabeled", "test")))
    assert "p0 is named twice, in the pool (train) and in the pool (test)" in leak(task, truth)


# The same text


def test_the_same_text_in_train_and_test_is_refused_case_and_marks_aside():
    task, truth = honest()
    task = with_documents(task, p3={"title": "TEXT: p0!", "abstract": "words"})
    assert "p0 in the pool (train) and p3 in the pool (test) have the same text" in leak(
        task, truth
    )


def test_a_seeds_text_in_the_pool_is_refused():
    task, truth = honest()
    task = with_documents(task, p0={"title": "Text s1"})
    assert "s1 a seed (train) and p0 in the pool (train) have the same text" in leak(task, truth)


def test_the_same_text_twice_in_one_part_of_the_pool_gives_nothing_away():
    task, truth = honest()
    check_leakage(with_documents(task, p1={"title": "Text p0"}), truth, terms=TERMS)


# Labels in what methods see


@pytest.mark.parametrize(
    "field",
    [{"mesh": (MeshHeading("Cats"),)}, {"keywords": ("cats",)}, {"journal": "Cat sleep"}],
    ids=lambda field: next(iter(field)),
)
def test_documents_that_carry_more_than_title_abstract_and_year_are_refused(field):
    task, truth = honest()
    assert f"p5 carries {next(iter(field))}" in leak(with_documents(task, p5=field), truth)


def test_what_is_left_of_a_document_has_nothing_that_labels_it():
    whole = Document(
        id="1", title="T", abstract="A", year=1990, keywords=("k",), mesh=(MeshHeading("m"),),
        source="f", pmid="1", journal="j",
    )  # fmt: skip
    assert strip_labels(whole) == Document(id="1", title="T", abstract="A", year=1990)


def test_a_document_that_is_missing_is_named():
    task, truth = honest()
    task = with_entries(task, TaskEntry("p99", "unlabeled", "test", 41, 1.0))
    assert "p99 is not among the documents" in leak(task, truth)


def test_an_identifier_of_the_topic_in_a_text_is_refused():
    task, truth = honest()
    task = with_documents(task, p20={"abstract": "Indexed as D000001."})
    assert "the text of p20 holds the identifier D000001" in leak(task, truth)


def test_a_longer_identifier_is_another():
    task, truth = honest()
    task = with_documents(task, p20={"abstract": "Indexed as D0000012."})
    check_leakage(task, truth, terms=TERMS)


def block(number):
    return {"abstract": f"Words {number}. MeSH: SLEEP; Cats"}


def test_labels_written_into_the_texts_are_refused():
    task, truth = honest()
    task = with_documents(task, **{f"p{number}": block(number) for number in range(ON_TOPIC)})
    assert "those on topic, and hardly any others, hold all its terms" in leak(task, truth)


def test_terms_that_many_off_topic_hold_too_tell_nothing():
    task, truth = honest()
    task = with_documents(task, **{f"p{number}": block(number) for number in range(2 * ON_TOPIC)})
    check_leakage(task, truth, terms=TERMS)


def test_terms_inside_other_words_do_not_count():
    task, truth = honest()
    inside = {f"p{n}": {"abstract": f"Sleepers, wildcats {n}"} for n in range(ON_TOPIC)}
    task = with_documents(task, **inside)
    check_leakage(task, truth, terms=TERMS)


def test_few_documents_on_topic_may_be_told_by_chance():
    task, _ = honest()
    truth = Truth(frozenset({"s1", "s2", *(f"p{number}" for number in range(9))}))
    task = with_documents(task, **{f"p{number}": block(number) for number in range(9)})
    check_leakage(task, truth, terms=TERMS)


@pytest.mark.parametrize("place", ["rank", "score"])
def test_documents_on_topic_without_a_place_are_refused(place):
    task, truth = honest()
    without = [
        msgspec.structs.replace(entry, **{place: None})
        for entry in task.entries
        if entry.label == "unlabeled" and entry.id in truth.relevant
    ]
    assert f"have no {place}" in leak(with_entries(task, *without), truth)


def test_a_pool_without_any_places_tells_nothing():
    task, truth = honest()
    without = [msgspec.structs.replace(entry, rank=None, score=None) for entry in task.entries]
    check_leakage(dataclasses.replace(task, entries=tuple(without)), truth, terms=TERMS)


def test_texts_have_one_key_if_they_say_the_same():
    one = Document(id="1", title="On cats", abstract="They purr.")
    assert hash_text(one) == hash_text(Document(id="2", title="On Cats.", abstract="they purr"))
    assert hash_text(one) != hash_text(Document(id="1", title="On cats", abstract="They do."))


# What methods are given


def test_a_task_has_no_way_to_its_truth():
    fields = {field.name for field in dataclasses.fields(Task)}
    assert fields == {"name", "metadata", "entries", "documents", "background"}
    assert set(TaskEntry.__struct_fields__) == {"id", "label", "split", "rank", "score", "above"}


def test_a_review_that_lists_the_topic_is_refused_in_the_pool():
    task, truth = honest()
    listed = tuple(f"p{number}" for number in range(7))
    assert "p30 lists the topic's papers as its references" in leak(
        with_documents(task, p30={"references": listed}), truth
    )


def test_a_paper_that_cites_some_of_the_topic_is_no_leak():
    task, truth = honest()
    some = with_documents(task, p30={"pmid": "30", "references": ("p1", "p2", "p3", "elsewhere")})
    check_leakage(some, truth, terms=TERMS)
