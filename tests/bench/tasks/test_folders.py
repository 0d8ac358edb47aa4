import gzip
import json
import shutil

import pytest

from bench.topical import BEES, made, relevant
from likewise.bench.tasks.folders import TaskFolder, list_whole_tasks, read_entries
from likewise.documents import Document
from likewise.errors import TaskError

NAME = f"L6/{BEES}/draw-0"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return made(tmp_path_factory.mktemp("whole") / "tasks", draws=2, seeds=(6, 10))


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "tasks")


def error(action):
    with pytest.raises(TaskError) as raised:
        action()
    return str(raised.value)


def rewritten(path, change):
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, **change}))


def test_tasks_are_named_by_seeds_topic_and_draw_smaller_ones_first(folder):
    assert TaskFolder(folder).list_names() == [
        f"L6/{BEES}/draw-0",
        f"L6/{BEES}/draw-1",
        f"L10/{BEES}/draw-0",
        f"L10/{BEES}/draw-1",
    ]


def test_a_task_is_read_with_its_documents(folder):
    task = TaskFolder(folder).read_task(NAME)
    assert task.name == NAME
    assert task.metadata.topic == "Bees"
    assert len(task.list_entries("positive")) == 12
    assert {entry.id for entry in task.entries} <= task.documents.keys()


def test_documents_are_bare_and_shared_between_tasks(folder):
    tasks = TaskFolder(folder)
    documents = tasks.read_task(NAME).documents
    assert documents is tasks.read_task(f"L10/{BEES}/draw-1").documents
    one = next(iter(documents.values()))
    assert one == Document(id=one.id, title=one.title, abstract=one.abstract, year=one.year)


def test_the_truth_is_all_documents_on_topic(folder):
    assert TaskFolder(folder).read_truth(NAME).relevant == relevant()


def test_the_background_is_drawn_from_the_whole_library_and_its_documents_are_there(folder):
    task = TaskFolder(folder).read_task(NAME)
    assert set(task.background) <= task.documents.keys()
    # Enough for what a task names to be left out: as many as it has without a label.
    named = {entry.id for entry in task.entries}
    assert len(set(task.background) - named) >= 100
    # By chance 45 of 320 are on topic.
    share = len(relevant() & set(task.background)) / len(set(task.background))
    assert 0.08 <= share <= 0.2


def test_what_methods_see_of_a_task_is_in_other_files_than_its_truth(folder):
    assert sorted(path.name for path in (folder / NAME).iterdir()) == [
        "input.jsonl.gz", "metadata.json", "truth.txt",
    ]  # fmt: skip
    assert b"relevant" not in gzip.decompress((folder / NAME / "input.jsonl.gz").read_bytes())


# What can be wrong


def test_a_folder_of_something_else_is_no_folder_of_tasks(tmp_path):
    assert "it has no tasks.json" in error(lambda: TaskFolder(tmp_path))


def test_tasks_of_another_version_are_refused_with_both_versions(folder):
    rewritten(folder / "tasks.json", {"version": 7})
    told = error(lambda: TaskFolder(folder))
    assert "tasks of version 7" in told
    assert "reads version 1" in told


def test_a_file_of_another_kind_is_told(folder):
    rewritten(folder / "tasks.json", {"kind": "likewise session"})
    assert "'likewise session', not a folder of tasks" in error(lambda: TaskFolder(folder))


def test_a_folder_whose_making_was_broken_off_says_so(folder):
    rewritten(folder / "tasks.json", {"tasks": []})
    tasks = TaskFolder(folder)
    assert "was interrupted; run the same command again" in error(tasks.list_names)


@pytest.mark.parametrize("file", ["metadata.json", "input.jsonl.gz", "truth.txt"])
def test_a_file_that_is_gone_is_named(folder, file):
    (folder / NAME / file).unlink()
    tasks = TaskFolder(folder)
    told = error(lambda: (tasks.read_task(NAME), tasks.read_truth(NAME)))
    assert file in told
    assert "make the tasks again" in told


@pytest.mark.parametrize("file", ["metadata.json", "input.jsonl.gz"])
def test_a_file_that_is_cut_off_is_named(folder, file):
    path = folder / NAME / file
    path.write_bytes(path.read_bytes()[:-20])
    told = error(lambda: TaskFolder(folder).read_task(NAME))
    assert f"{file}: a damaged file" in told
    assert "remove it and make the tasks again" in told


def test_a_truth_that_was_changed_is_refused(folder):
    path = folder / NAME / "truth.txt"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    assert "not what the task was made with" in error(lambda: TaskFolder(folder).read_truth(NAME))


def test_documents_that_are_no_json_are_told(folder):
    (folder / "documents.jsonl.gz").write_bytes(gzip.compress(b"no json\n"))
    assert "documents.jsonl.gz: a damaged file" in error(lambda: TaskFolder(folder).read_task(NAME))


def test_a_document_that_carries_labels_is_refused_when_a_task_is_read(folder):
    path = folder / "documents.jsonl.gz"
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    labelled = [{**line, "keywords": ["bees"]} for line in lines]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, labelled)).encode()))
    assert "carries keywords" in error(lambda: TaskFolder(folder).read_task(NAME))


def test_a_seed_in_the_pool_is_refused_when_a_task_is_read(folder):
    path = folder / NAME / "input.jsonl.gz"
    content = gzip.decompress(path.read_bytes())
    seed = json.loads(content.splitlines()[0])["id"]
    more = json.dumps({"id": seed, "label": "unlabeled", "split": "test"}).encode()
    path.write_bytes(gzip.compress(content + more + b"\n"))
    assert f"{seed} is named twice" in error(lambda: TaskFolder(folder).read_task(NAME))


def test_an_unknown_task_is_answered_with_where_to_look(folder):
    assert "likewise bench stats" in error(lambda: TaskFolder(folder).read_task("L6/none/draw-0"))


def test_tasks_without_their_last_file_are_not_whole(folder):
    (folder / NAME / "metadata.json").unlink()
    assert NAME not in list_whole_tasks(folder)
    assert len(list_whole_tasks(folder)) == 3
    assert read_entries(folder, NAME)


@pytest.mark.parametrize("file", ["input.jsonl.gz", "truth.txt", "metadata.json"])
def test_a_damaged_file_of_a_task_that_is_removed_is_made_again_as_it_was(folder, file):
    before = (folder / NAME / file).read_bytes()
    (folder / NAME / file).unlink()
    made(folder, draws=2, seeds=(6, 10))
    assert (folder / NAME / file).read_bytes() == before


@pytest.mark.parametrize("file", ["documents.jsonl.gz", "background.txt"])
def test_a_damaged_file_of_the_folder_that_is_removed_is_made_again_as_it_was(folder, file):
    before = (folder / file).read_bytes()
    (folder / file).unlink()
    made(folder, draws=2, seeds=(6, 10))
    assert (folder / file).read_bytes() == before
