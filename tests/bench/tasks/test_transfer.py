"""BEIR and TREC, and the statistics of whatever folder."""

import json

import pytest

from bench.topical import BEES, UIS, labelled_documents, made, relevant
from likewise.bench.tables import compute_statistics, read_task_metadata
from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.dse import write_dse
from likewise.bench.tasks.folders import TaskFolder
from likewise.bench.tasks.leakage import strip_labels
from likewise.bench.tasks.transfer import export_tasks, find_corpus, import_tasks, read_beir_topics
from likewise.documents import read, write
from likewise.errors import ReadError, TaskError

NAMES = [f"L6/{UIS['sleep']}/draw-0", f"L6/{BEES}/draw-0"]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return TaskFolder(made(tmp_path_factory.mktemp("made") / "tasks", "Bees", "Sleep"))


@pytest.fixture(scope="module")
def trec(tasks, tmp_path_factory):
    out = tmp_path_factory.mktemp("trec") / "out"
    export_tasks(tasks.path, out, as_format="trec")
    return out


@pytest.fixture(scope="module")
def beir(tasks, tmp_path_factory):
    out = tmp_path_factory.mktemp("beir") / "out"
    export_tasks(tasks.path, out, as_format="beir")
    return out


def measured_in(tasks, name):
    """Return the ids that methods are measured on."""
    entries = [entry for entry in tasks.read_task(name).entries if entry.is_measured]
    # Seeds were not retrieved, and have no rank.
    return [e.id for e in sorted(entries, key=lambda entry: (entry.rank or 999, entry.id))]


def cells(path):
    return [line.split() for line in path.read_text().splitlines()]


# TREC


def test_qrels_judge_what_is_measured_and_the_run_is_the_engines_order(tasks, trec):
    for name in NAMES:
        judged = {row[2]: row[3] for row in cells(trec / "qrels.txt") if row[0] == name}
        run = [row for row in cells(trec / "run.txt") if row[0] == name]
        truth = tasks.read_truth(name).relevant
        assert list(judged) == measured_in(tasks, name)
        assert {each for each, value in judged.items() if value == "1"} == truth & judged.keys()
        assert [row[2] for row in run] == measured_in(tasks, name)[: len(run)]
        assert len(judged) - len(run) == 3
        assert [int(row[3]) for row in run] == list(range(1, len(run) + 1))


def test_a_run_has_six_columns_and_falling_scores(trec):
    rows = [row for row in cells(trec / "run.txt") if row[0] == NAMES[0]]
    assert all(len(row) == 6 for row in rows)
    scores = [float(row[4]) for row in rows]
    assert scores == sorted(scores, reverse=True)


# BEIR


def test_a_task_is_a_query_whose_seeds_are_for_training(tasks, beir):
    queries = [json.loads(line) for line in (beir / "queries.jsonl").read_text().splitlines()]
    assert [(query["_id"], query["text"]) for query in queries] == [
        (NAMES[1], "Bees") if name == NAMES[1] else (name, "Sleep") for name in tasks.list_names()
    ]
    train = [row for row in cells(beir / "qrels" / "train.tsv")[1:] if row[0] == NAMES[1]]
    seeds = tasks.read_task(NAMES[1]).list_entries("positive")
    assert {row[1] for row in train} == {entry.id for entry in seeds if entry.split != "test"}


def test_a_querys_relevant_documents_are_those_on_topic_among_the_measured(tasks, beir):
    lines = cells(beir / "qrels" / "test.tsv")
    assert lines[0] == ["query-id", "corpus-id", "score"]
    found = {row[1] for row in lines if row[0] == NAMES[1]}
    assert found == relevant() & set(measured_in(tasks, NAMES[1]))


def test_the_corpus_has_the_documents_of_all_tasks_once(tasks, beir):
    documents = [document.id for document in read(beir / "corpus.jsonl", format="beir")]
    named = {entry.id for name in NAMES for entry in tasks.read_task(name).entries}
    assert len(documents) == len(set(documents))
    assert set(documents) == named


def collection(folder, *, queries=("q1 bees", "q2 sleep"), header=True):
    """Write a collection of the labelled documents, whose queries are topics of theirs."""
    (folder / "qrels").mkdir(parents=True)
    write(map(strip_labels, labelled_documents()), folder / "corpus.jsonl", format="beir")
    lines = ["query-id\tcorpus-id\tscore"] if header else []
    asked = dict(query.split() for query in queries)
    for identifier, text in asked.items():
        judged = [*sorted(relevant(text.capitalize())), "nobody"]
        lines += [f"{identifier}\t{each}\t1" for each in judged]
    lines.append("q1\t1\t0")
    said = [json.dumps({"_id": identifier, "text": text}) for identifier, text in asked.items()]
    (folder / "queries.jsonl").write_text("\n".join(said))
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n")
    return folder


def imported(folder, out, **chosen):
    settings = TaskSettings(**{"seeds": (6,), "pool": 100, "draws": 1, **chosen})
    return import_tasks(folder, out, settings=settings)


@pytest.mark.parametrize("header", [True, False])
def test_queries_of_a_collection_become_topics_with_their_relevant_documents(tmp_path, header):
    folder = collection(tmp_path / "beir", header=header)
    report = imported(folder, tmp_path / "tasks")
    assert (report.format, report.tasks) == ("beir", ("L6/bees/draw-0", "L6/sleep/draw-0"))
    assert TaskFolder(tmp_path / "tasks").read_truth("L6/bees/draw-0").relevant == relevant()


def test_queries_that_say_the_same_are_told_apart_by_their_ids(tmp_path):
    folder = collection(tmp_path / "beir", queries=("q1 bees", "q2 bees"))
    assert imported(folder, tmp_path / "tasks").tasks == ("L6/q1/draw-0", "L6/q2/draw-0")


def test_queries_with_too_few_documents_are_left_out_and_told(tmp_path):
    folder = collection(tmp_path / "beir")
    with (folder / "qrels" / "train.tsv").open("w") as more:
        more.write("query-id\tcorpus-id\tscore\nq3\t1\t1\n")
    report = imported(folder, tmp_path / "tasks")
    assert len(report.tasks) == 2
    assert "q3: 1 document on topic" in report.notes[0]


def test_a_line_of_qrels_that_is_no_judgement_is_named(tmp_path):
    folder = collection(tmp_path / "beir")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\t1\tgood\n")
    with pytest.raises(ReadError, match=r"test.tsv:2: .* is not a judgement"):
        imported(folder, tmp_path / "tasks")


def test_a_query_that_is_no_json_is_named(tmp_path):
    folder = collection(tmp_path / "beir")
    (folder / "queries.jsonl").write_text("bees\n")
    with pytest.raises(ReadError, match=r"queries.jsonl:1: not a query"):
        imported(folder, tmp_path / "tasks")


def test_qrels_that_call_nothing_relevant_are_refused(tmp_path):
    folder = collection(tmp_path / "beir")
    (folder / "qrels" / "test.tsv").write_text("q1\t1\t0\n")
    with pytest.raises(TaskError, match="no document is relevant"):
        read_beir_topics(folder, None)


def test_a_corpus_without_qrels_is_no_collection(tmp_path):
    (tmp_path / "corpus.jsonl").write_text("{}")
    assert find_corpus(tmp_path) is None


# Statistics


def test_statistics_are_means_over_the_draws_of_a_topic(tmp_path):
    folder = made(tmp_path / "tasks", draws=2, seeds=(6, 10))
    told = read_task_metadata(folder)
    few, many = compute_statistics(told)
    assert (few.topic, few.seeds, few.draws, few.on_topic) == ("Bees", 6, 2, 45)
    assert many.seeds == 10
    recalls = [metadata.recall for metadata in told if metadata.seeds == 6]
    assert few.recall == pytest.approx((recalls[0] + recalls[1]) / 2)
    assert few.pool == 50


def test_statistics_of_the_authors_folders_are_the_same(tasks, tmp_path):
    for name in tasks.list_names():
        write_dse(tasks.read_task(name), tasks.read_truth(name), tmp_path / name)
    assert compute_statistics(read_task_metadata(tmp_path)) == compute_statistics(
        read_task_metadata(tasks.path)
    )


def test_statistics_of_no_tasks_are_refused(tmp_path):
    with pytest.raises(TaskError, match="not a folder of tasks"):
        read_task_metadata(tmp_path)
