import gzip
import json
import shutil

import pytest

from bench.topical import BEES, made, relevant
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.bench.tasks import TaskSettings, Truth
from likewise.bench.tasks.dse import find_dse_folders, read_dse, read_dse_metadata, write_dse
from likewise.bench.tasks.folders import TaskFolder
from likewise.bench.tasks.transfer import export_tasks, import_tasks
from likewise.errors import ReadError, TaskError

NAME = f"L6/{BEES}/draw-0"


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    return TaskFolder(made(tmp_path_factory.mktemp("made") / "tasks", negatives=4))


@pytest.fixture
def written(tasks, tmp_path):
    """A task in the authors' format."""
    write_dse(tasks.read_task(NAME), tasks.read_truth(NAME), tmp_path / "written")
    return tmp_path / "written"


def rows(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewrite(path, lines):
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))


def imported(folder, out):
    return import_tasks(folder, out, settings=TaskSettings())


# What is written is read back


def test_what_is_written_is_read_back(tasks, written):
    task, found = tasks.read_task(NAME), read_dse(written)
    assert found.task.name == NAME
    assert found.task.entries == task.entries
    assert found.task.documents == {e.id: task.documents[e.id] for e in task.entries}
    assert found.missing == ()
    shown = {entry.id for entry in task.entries}
    assert found.truth.relevant == relevant() & shown


def test_counts_are_of_the_whole_task(tasks, written):
    ours, theirs = tasks.read_metadata(NAME), read_dse_metadata(written)
    assert (theirs.P_size, theirs.U_size, theirs.recall) == (45, ours.U_size, ours.recall)


def test_a_transductive_task_is_read_back_too(tmp_path):
    folder = TaskFolder(made(tmp_path / "tasks", setting="transductive"))
    write_dse(folder.read_task(NAME), folder.read_truth(NAME), tmp_path / "written")
    found = read_dse(tmp_path / "written").task
    assert found.entries == folder.read_task(NAME).entries
    assert found.metadata.setting == "transductive"


def test_a_line_has_the_names_that_the_authors_gave(written):
    seed, retrieved = rows(written / "train.jsonl.gz")[0], rows(written / "test.jsonl.gz")[-1]
    assert {"title", "abstract", "pmid", "mesh_set", "label_L12", "label_true"} <= seed.keys()
    assert seed["label_L12"] == seed["label_true"] == "positive/labeled"
    assert not {"score", "rank"} & seed.keys()
    assert {"score", "rank"} <= retrieved.keys()
    assert retrieved["label_L12"] == "negative/unlabeled"


def test_headings_are_not_read(written):
    path = written / "train.jsonl.gz"
    rewrite(path, [{**row, "mesh_set": "D000818 D001921"} for row in rows(path)])
    documents = read_dse(written).task.documents.values()
    assert not any(document.mesh or document.keywords for document in documents)


def test_unpacked_files_are_read_too(tasks, written):
    path = written / "valid.jsonl.gz"
    (written / "valid.jsonl").write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()
    assert read_dse(written).task.entries == tasks.read_task(NAME).entries


# Seeds of the test part


def test_seeds_of_the_test_part_are_measured_on_and_not_known_as_seeds(written):
    path = written / "test.jsonl.gz"
    seed = {
        "title": "A ninth", "abstract": "seed", "pmid": "s9", "mesh_set": "",
        "label_L12": "positive/labeled", "label_true": "positive/labeled",
    }  # fmt: skip
    rewrite(path, [seed, *rows(path)])
    told = json.loads((written / "metadata.json").read_text())
    (written / "metadata.json").write_text(json.dumps({**told, "test_LP_size": 4}))
    found = read_dse(written)
    view = TaskView(found.task, CountedTerms())
    assert "s9" in found.truth.relevant
    assert "s9" in view.measured
    assert "s9" not in {entry.id for entry in view.seed_entries}


# What can be wrong


def test_files_that_do_not_agree_with_the_metadata_are_refused(written):
    path = written / "valid.jsonl.gz"
    rewrite(path, rows(path)[:-1])
    with pytest.raises(TaskError, match=r"valid.jsonl.gz: \d+ documents are unlabeled, but"):
        read_dse(written)


def test_a_line_that_is_no_document_is_named(written):
    path = written / "test.jsonl.gz"
    lines = rows(path)
    del lines[2]["label_true"]
    rewrite(path, lines)
    with pytest.raises(ReadError, match=r"test.jsonl.gz:3: not a document of a task"):
        read_dse(written)


@pytest.mark.parametrize(
    "wrong",
    [{"label_true": "yes"}, {"label_true": []}, {"rank": "first"}, {"score": []}, {"title": 5}],
)
def test_a_line_with_a_value_of_another_kind_is_named(written, wrong):
    path = written / "test.jsonl.gz"
    first, *others = rows(path)
    rewrite(path, [{**first, **wrong}, *others])
    with pytest.raises(ReadError, match=r"test\.jsonl\.gz:1: not a document of a task"):
        read_dse(written)


def test_a_document_without_an_abstract_is_read_all_the_same(written):
    path = written / "test.jsonl.gz"
    first, *others = rows(path)
    rewrite(path, [{**first, "abstract": None}, *others])
    assert read_dse(written).task.documents[first["pmid"]].abstract == ""


def test_a_line_without_any_label_is_named(written):
    path = written / "test.jsonl.gz"
    rewrite(path, [{n: v for n, v in row.items() if n != "label_L12"} for row in rows(path)])
    with pytest.raises(ReadError, match=r"test.jsonl.gz:1: .*label_L"):
        read_dse(written)


@pytest.mark.parametrize("content", ["[]", "{", '{"P_size": 5}', '{"LP_size": "many"}'])
def test_metadata_of_another_kind_are_refused(written, content):
    (written / "metadata.json").write_text(content)
    with pytest.raises(TaskError, match="not the metadata of a task"):
        read_dse_metadata(written)


def test_the_same_text_in_two_splits_is_refused(written):
    train, test = (rows(written / f"{part}.jsonl.gz") for part in ("train", "test"))
    test[0] |= {"title": train[-1]["title"], "abstract": train[-1]["abstract"]}
    rewrite(written / "test.jsonl.gz", test)
    with pytest.raises(TaskError, match="have the same text"):
        read_dse(written)


# Folders


def test_all_tasks_below_a_folder_are_imported_and_named_as_they_were(tasks, tmp_path):
    export_tasks(tasks.path, tmp_path / "out", as_format="dse")
    # A topic that was drawn once is a folder as the authors have it.
    assert (tmp_path / "out" / "L6" / BEES / "train.jsonl.gz").is_file()
    report = imported(tmp_path / "out", tmp_path / "back")
    assert report.tasks == (NAME,)
    back = TaskFolder(tmp_path / "back")
    assert back.read_task(NAME).entries == tasks.read_task(NAME).entries
    assert back.read_truth(NAME) == Truth(
        relevant() & {e.id for e in tasks.read_task(NAME).entries}
    )


def test_several_draws_have_a_folder_each(tmp_path):
    folder = made(tmp_path / "tasks", draws=2)
    export_tasks(folder, tmp_path / "out", as_format="dse")
    assert len(find_dse_folders(tmp_path / "out")) == 2
    assert imported(tmp_path / "out", tmp_path / "back").tasks == (NAME, f"L6/{BEES}/draw-1")


def test_a_missing_part_is_told(written, tmp_path):
    (written / "train.jsonl.gz").unlink()
    report = imported(written, tmp_path / "back")
    # What is left are the three seeds for validation.
    name = NAME.replace("L6", "L3")
    assert report.notes == (f"{name}: imported, but files are missing: train.jsonl.gz",)
    assert TaskFolder(tmp_path / "back").read_metadata(name).seeds == 3


def test_two_tasks_of_one_name_are_refused_and_nothing_is_written(written, tmp_path):
    shutil.copytree(written, tmp_path / "both" / "one")
    shutil.copytree(written, tmp_path / "both" / "two")
    with pytest.raises(TaskError, match="a second task"):
        imported(tmp_path / "both", tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_folder_without_tasks_says_what_is_looked_for(tmp_path):
    with pytest.raises(TaskError, match=r"metadata.json and .* corpus.jsonl and qrels"):
        imported(tmp_path, tmp_path / "back")


def test_what_is_in_a_folder_is_not_written_over(written, tasks, tmp_path):
    with pytest.raises(TaskError, match="the folder is not empty"):
        imported(written, written)
    with pytest.raises(TaskError, match="the folder is not empty"):
        export_tasks(tasks.path, written, as_format="dse")


# The authors' own


def test_the_authors_sample_gives_the_counts_that_it_tells(shared_data):
    found = read_dse(shared_data / "dse-sample")
    told = found.task.metadata
    assert found.task.name == "L25/D000818.D001921.D051381/draw-0"
    assert (told.seeds, told.pool_of) == (25, "train")
    assert (told.P_size, told.LP_size, told.U_size, told.recall) == (350, 100, 6132, 0.788)
    assert found.missing == ("train.jsonl.gz",)
    parts = [(entry.label, entry.split) for entry in found.task.entries]
    assert parts.count(("positive", "validation")) == 25
    assert parts.count(("unlabeled", "validation")) == 1532
    assert parts.count(("unlabeled", "test")) == 1535
    assert parts.count(("positive", "test")) == 25
    assert len(parts) == 25 + 1532 + 1535 + 25
    # 25 seeds in either part, 49 others on topic in the one and 50 in the other.
    assert len(found.truth.relevant) == 25 + 49 + 25 + 50
