"""The commands that make, show, read and write tasks."""

import json
import re

import pytest

from bench.topical import BEES, labelled_documents
from expansion.corpus import library_in, on
from likewise.bench.tasks.folders import TaskFolder
from likewise.cli import run
from likewise.documents import write

NAME = f"L6/{BEES}/draw-0"
SMALL = ("--seeds", 6, "--pool", 100, "--draws", 1)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("library") / "lib", *labelled_documents())


@pytest.fixture
def bench(capsys):
    """Run a command that goes well, and return what it printed."""

    def bench(*arguments):
        assert run(["bench", *map(str, arguments)]) == 0
        return capsys.readouterr()

    return bench


@pytest.fixture
def refused(capsys):
    """Run a command that fails, and return what it said."""

    def refused(*arguments):
        assert run(["bench", *map(str, arguments)]) != 0
        return capsys.readouterr().err

    return refused


@pytest.fixture(scope="module")
def tasks(library, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "tasks"
    assert (
        run(["bench", "make", library, "--topic", "Bees", *map(str, SMALL), "--out", str(out)]) == 0
    )
    return out


# make


def test_make_prints_the_table_of_what_was_made(bench, library, tmp_path):
    out = tmp_path / "tasks"
    printed = bench(
        "make", library, "--topic", "Bees", "--topic", "Sleep", "--seeds", 6, 10,
        "--pool", 100, "--draws", 2, "--out", out,
    )  # fmt: skip
    rows = [line.split("\t") for line in printed.out.splitlines()]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("6", "100", "Bees"),
        ("10", "100", "Bees"),
        ("6", "100", "Sleep"),
        ("10", "100", "Sleep"),
    ]
    assert printed.err.endswith("8 tasks made\n")
    assert len(TaskFolder(out).list_names()) == 8


def test_make_again_keeps_what_is_there(bench, library, tmp_path):
    arguments = ("make", library, "--topic", "Bees", *SMALL, "--out", tmp_path / "tasks")
    bench(*arguments)
    assert "0 tasks made, 1 already there" in bench(*arguments).err


def test_make_takes_topics_of_a_file_and_names_those_left_out(bench, library, tmp_path):
    (tmp_path / "topics.txt").write_text("# some\nBees\nBears\nSleep + Bees\n")
    printed = bench(
        "make", library, "--topics", tmp_path / "topics.txt", *SMALL, "--out", tmp_path / "tasks"
    )
    assert "left out: Bears: no document has this heading" in printed.err
    assert "left out: Sleep + Bees: 0 documents on topic, 32 are needed" in printed.err
    assert TaskFolder(tmp_path / "tasks").list_names() == [NAME]


def test_make_tells_programs_what_it_made(bench, library, tmp_path):
    out = tmp_path / "tasks"
    told = json.loads(bench("make", library, "--topic", BEES, *SMALL, "--out", out, "--json").out)
    assert told["made"] == [NAME]
    assert told["left_out"] == []
    assert told["tasks"][0]["on_topic"] == 45


def test_make_takes_biases_negatives_scheme_and_setting(bench, library, tmp_path):
    out = tmp_path / "tasks"
    bench(
        "make", library, "--topic", "Bees", *SMALL, "--out", out, "--bias", "seeds=length",
        "--negatives", 5, "--negatives-bias", "rank", "--setting", "transductive",
        "--scheme", "censoring", "--seed", 3,
    )  # fmt: skip
    told = TaskFolder(out).read_metadata(NAME)
    assert (told.seeds_bias, told.negatives_bias, told.N_size) == ("length", "rank", 5)
    assert (told.setting, told.scheme, told.number) == ("transductive", "censoring", 3)


def test_make_takes_labels_of_a_file(bench, library, tmp_path):
    rows = [
        json.dumps({"id": d.id, "tags": [heading.name for heading in d.mesh]})
        for d in labelled_documents()
    ]
    (tmp_path / "tags.jsonl").write_text("\n".join(rows))
    out = tmp_path / "tasks"
    bench(
        "make", library, "--topic", "Sleep", *SMALL, "--out", out,
        "--labels", tmp_path / "tags.jsonl", "--field", "tags",
    )  # fmt: skip
    assert TaskFolder(out).list_names() == ["L6/Sleep/draw-0"]
    assert TaskFolder(out).head.made["truth_from"] == "tags.jsonl"


def test_make_takes_citations_of_a_file(bench, library, tmp_path):
    (tmp_path / "cited.csv").write_text("".join(f"{d.id},7\n" for d in labelled_documents()))
    out = tmp_path / "tasks"
    bench(
        "make", library, "--topic", "Bees", *SMALL, "--out", out, "--bias", "seeds=citations",
        "--citations", tmp_path / "cited.csv",
    )  # fmt: skip
    assert TaskFolder(out).read_metadata(NAME).seeds_bias == "citations"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give --topic, --topics or --paper"),
        (("--topic", "Bees + "), "write a topic such as"),
        (("--topic", "Beees"), "similar ones are Bees"),
        (
            ("--topic", "Bees", "--pool", 999),
            "a |U| of 999 takes 1,998 documents, but the library has 320",
        ),
        (("--topic", "Bees", "--bias", "length"), "write it as seeds=length"),
        (("--topic", "Bees", "--bias", "seeds=mood"), "there is no bias 'mood'"),
        (("--topic", "Bees", "--bias", "seeds=citations"), "--citations FILE"),
    ],
)
def test_make_says_what_is_wrong_in_one_line_and_leaves_nothing(
    refused, library, tmp_path, arguments, told
):
    out = tmp_path / "tasks"
    said = refused("make", library, *SMALL, *arguments, "--out", out)
    assert told in said
    assert not out.exists()


def test_make_says_how_many_documents_a_topic_has_that_has_too_few(refused, library, tmp_path):
    arguments = ("--topic", "Bees", "--pool", 100, "--out", tmp_path / "tasks", "--seeds", 30)
    assert "45 documents on topic, 80 are needed" in refused("make", library, *arguments)


def test_the_topics_of_the_paper_can_be_asked_for(refused, library, tmp_path):
    said = refused("make", library, "--paper", *SMALL, "--out", tmp_path / "tasks")
    assert "none of 14 topics can be used" in said


# stats


def test_stats_shows_precision_and_recall_in_percent(bench, tasks):
    told = TaskFolder(tasks).read_metadata(NAME)
    (line,) = bench("stats", tasks).out.splitlines()
    assert line.split("\t") == [
        "6", "100", f"{100 * told.precision:.2f}", f"{100 * told.recall:.2f}", "45", "1", "Bees",
    ]  # fmt: skip


def test_stats_of_the_authors_sample(bench, shared_data):
    (line,) = bench("stats", shared_data / "dse-sample").out.splitlines()
    assert line == "50\t3,065\t3.21\t78.80\t350\t1\tAnimals + Brain + Rats"


def test_stats_as_json(bench, tasks):
    (row,) = json.loads(bench("stats", tasks, "--json").out)
    assert (row["topic"], row["seeds"], row["setting"]) == ("Bees", 6, "inductive")


def test_stats_of_no_tasks_says_how_to_make_some(refused, tmp_path):
    assert "likewise bench make" in refused("stats", tmp_path)


# export and import


@pytest.mark.parametrize("form", ["dse", "beir", "trec"])
def test_export_writes_each_format(bench, tasks, tmp_path, form):
    out = tmp_path / form
    assert f"1 task written as {form}" in bench("export", tasks, "--as", form, "--out", out).err
    assert any(out.iterdir())


def test_what_was_exported_is_imported(bench, tasks, tmp_path):
    out, back = tmp_path / "out", tmp_path / "back"
    told = json.loads(bench("export", tasks, "--as", "dse", "--out", out, "--json").out)
    assert told["tasks"] == [NAME]
    assert "1 task read" in bench("import", out, "--out", back).err
    assert TaskFolder(back).read_task(NAME).entries == TaskFolder(tasks).read_task(NAME).entries


def test_import_of_the_authors_sample_says_what_is_missing(bench, shared_data, tmp_path):
    printed = bench("import", shared_data / "dse-sample", "--out", tmp_path / "tasks")
    assert "imported, but files are missing: train.jsonl.gz" in printed.err
    assert len(TaskFolder(tmp_path / "tasks").list_names()) == 1


def test_import_of_a_collection_with_too_few_relevant_documents_leaves_nothing(
    bench, refused, tasks, tmp_path
):
    bench("export", tasks, "--as", "beir", "--out", tmp_path / "beir")
    arguments = ("--seeds", 3, "--pool", 50, "--draws", 1, "--out", tmp_path / "back")
    said = refused("import", tmp_path / "beir", *arguments)
    assert re.search(r"\d+ documents on topic, 26 are needed", said)
    assert not (tmp_path / "back").exists()


def test_import_makes_tasks_of_a_collection_as_asked_for(bench, tmp_path):
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    write(labelled_documents(), tmp_path / "beir" / "corpus.jsonl", format="beir")
    judged = [f"q1\t{document.id}\t1" for document in on("bees")]
    (tmp_path / "beir" / "qrels" / "test.tsv").write_text("\n".join(judged))
    out = tmp_path / "tasks"
    bench("import", tmp_path / "beir", "--seeds", 4, 6, "--pool", 50, "--draws", 1, "--out", out)
    assert TaskFolder(out).list_names() == ["L4/q1/draw-0", "L6/q1/draw-0"]


def test_import_tells_programs_what_it_read(bench, shared_data, tmp_path):
    out = tmp_path / "tasks"
    told = json.loads(bench("import", shared_data / "dse-sample", "--out", out, "--json").out)
    assert told["format"] == "dse"
    assert told["tasks"] == ["L25/D000818.D001921.D051381/draw-0"]
