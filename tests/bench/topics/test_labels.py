import json

import pytest

from likewise.bench.topics.labels import read_labels
from likewise.documents import Document, read
from likewise.errors import ReadError, TopicError
from likewise.library.memory import MemoryLibrary


@pytest.fixture
def library():
    library = MemoryLibrary()
    library.add(Document(id=name, title=f"Paper {name}") for name in ("a", "b", "c", "d"))
    library.add([Document(id="e", pmid="77", doi="10.1000/x", title="Paper e")])
    library.commit()
    return library


@pytest.fixture
def labels_of(tmp_path, library):
    """Write a file of labels and return them with the ids that have each."""

    def read_back(content, field="labels", name="labels.txt"):
        if not isinstance(content, str):
            content = "".join(json.dumps(record) + "\n" for record in content)
        (tmp_path / name).write_text(content)
        labels = read_labels(tmp_path / name, field)
        return {name: sorted(labels.find_ids(name, library=library)) for name in labels.names}

    return read_back


def test_a_list_of_texts_is_a_list_of_labels(labels_of):
    records = [{"id": "a", "labels": ["x", "y"]}, {"id": "b", "labels": ["y"]}, {"id": "c"}]
    assert labels_of(records) == {"x": ["a"], "y": ["a", "b"]}


def test_a_text_is_parted_at_semicolons(labels_of):
    records = [{"id": "a", "tags": "x; y, z;"}, {"id": "b", "tags": ""}]
    assert labels_of(records, "tags") == {"x": ["a"], "y, z": ["a"]}


def test_being_listed_is_a_label_and_so_is_every_decision_that_is_true(labels_of):
    records = [
        {"id": "a", "reviews": {"X": {"abstract": 1, "included": 0}, "Y": {"abstract": False}}},
        {"id": "b", "reviews": {"X": {"abstract": True, "included": 1}}},
        {"id": "c", "reviews": {}},
    ]
    expected = {"X": ["a", "b"], "X.abstract": ["a", "b"], "X.included": ["b"], "Y": ["a"]}
    assert labels_of(records, "reviews") == expected


@pytest.mark.parametrize(("yes", "no"), [(1, 0), (True, False), ("yes", "no"), ("1.0", "0.0")])
def test_a_field_of_decisions_is_a_label_and_all_that_were_decided_on_another(labels_of, yes, no):
    records = [{"id": "a", "kept": yes}, {"id": "b", "kept": no}, {"id": "c", "kept": None}]
    assert labels_of(records, "kept") == {"kept.judged": ["a", "b"], "kept": ["a"]}


def test_one_of_several_numbers_is_a_label_of_its_own(labels_of):
    records = [{"id": "a", "group": 0}, {"id": "b", "group": 1}, {"id": "c", "group": 2}]
    assert labels_of(records, "group") == {"0": ["a"], "1": ["b"], "2": ["c"]}


def test_an_array_of_objects_is_read_like_lines(labels_of):
    content = json.dumps([{"id": "a", "labels": ["x"]}, {"id": "b", "labels": ["x"]}], indent=1)
    assert labels_of(content) == {"x": ["a", "b"]}


def test_tables_are_read_whatever_parts_their_values(labels_of):
    assert labels_of('id,labels\na,"x; y"\n\nb,y\n') == {"x": ["a"], "y": ["a", "b"]}
    assert labels_of("id\tlabels\na\tx, y\n") == {"x, y": ["a"]}


def test_judgements_of_trec_are_labels_of_their_topic(labels_of):
    content = "401 0 a 1\n401 0 b 0\n401\t0\tc\t2\n402 0 b -1\n"
    expected = {"401.judged": ["a", "b", "c"], "401": ["a", "c"], "402.judged": ["b"]}
    assert labels_of(content) == expected


def test_judgements_of_beir_are_read_too(labels_of):
    content = "query-id\tcorpus-id\tscore\nq 1\ta\t1\nq 1\tb\t0\n"
    assert labels_of(content) == {"q 1.judged": ["a", "b"], "q 1": ["a"]}


@pytest.mark.parametrize(
    "record",
    [{"id": "e"}, {"pmid": 77}, {"id": "77"}, {"id": "x", "DOI": "https://doi.org/10.1000/X"}],
)
def test_documents_are_matched_by_id_pmid_or_doi(labels_of, record):
    assert labels_of([{**record, "labels": ["x"]}]) == {"x": ["e"]}


def test_a_pmid_tells_more_than_an_id_that_only_counts_rows(labels_of):
    assert labels_of([{"id": "a", "pmid": "77", "labels": ["x"]}]) == {"x": ["e"]}


def test_an_id_is_its_own_documents_before_it_is_anothers_former_one(labels_of, library):
    library.add(
        [Document(id="1", title="Merged", other_ids=("id:z",)), Document(id="z", title="Z")]
    )
    library.commit()
    assert labels_of([{"id": "z", "labels": ["x"]}]) == {"x": ["z"]}


def test_labels_are_named_without_case_and_spaces(tmp_path):
    (tmp_path / "l.jsonl").write_text('{"id": "a", "labels": ["Heart Failure"]}')
    labels = read_labels(tmp_path / "l.jsonl")
    assert labels.find_label("heart  failure") == "Heart Failure"
    assert labels.find_label("heart") is None


def test_labels_of_another_library_are_refused_with_how_they_are_matched(labels_of):
    with pytest.raises(TopicError, match="none of the 1 documents labelled x is in the library"):
        labels_of([{"id": "nobody", "labels": ["x"]}])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "a", "tags": []}\n', "no field 'labels' in it; name one with --field; it has id"),
        ("id,tags\na,x\n", "no field 'labels' in it; name one with --field; it has id, tags"),
        ('{"id": "a", "labels": ["x"]}\n{"id"\n', r"labels\.txt:2: broken JSON"),
        ('{"id": "a", "labels": ["x"]}\n[1]\n', r"labels\.txt:2: a list where an object"),
        ('{"labels": ["x"]}\n', r"labels\.txt:1: no title, no abstract and no identifier; name"),
        ('{"id": "a", "labels": [{"name": "x"}]}\n', r"labels\.txt:1: an object among the labels"),
        ('{"id": "a", "labels": []}\n', "no record has anything in the field 'labels'"),
        ("401 0 a 1\n401 0 b\n", r"labels\.txt:2: '401 0 b' where a judgement was expected"),
        ("id,labels\na,x\nb\n", r"labels\.txt:3: a row of 1 values under 2 columns"),
        ('id,labels\n"a\na",x\n,y\n', r"labels\.txt:4: no title, no abstract and no identifier"),
        ("", "no field 'labels' in it; name one with --field; it has nothing"),
    ],
)
def test_a_bad_file_is_told_in_one_line_with_its_place(labels_of, content, message):
    with pytest.raises(ReadError, match=message):
        labels_of(content)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ReadError, match=r"nowhere\.csv: no such file"):
        read_labels(tmp_path / "nowhere.csv")


def test_real_decisions_are_counted_as_known(shared_data):
    library = MemoryLibrary()
    # Without texts, which take long to analyse.
    library.add(Document(id=paper.id) for paper in read(shared_data / "reviews.jsonl.gz"))
    library.commit()
    labels = read_labels(shared_data / "reviews.jsonl.gz", "reviews")
    names = [f"Cohen_BetaBlockers{part}" for part in ("", ".abstract", ".included")]
    assert [len(labels.find_ids(name, library=library)) for name in names] == [1819, 266, 41]
