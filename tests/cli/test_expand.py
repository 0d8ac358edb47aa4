import json
import os
import subprocess
import sys
from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress as Bar

from expansion.corpus import corpus, hidden, library_in, seeds_on
from likewise.cli import run
from likewise.cli.expanding import show_stages_by
from likewise.documents import Document, read, write
from likewise.expansion.expansion import StageProgress
from likewise.expansion.saved import SavedExpansion
from likewise.learn.methods import METHODS

SEEDS = seeds_on("bees")
IDS = [seed.id for seed in SEEDS]
SUFFIXES = ["csv", "tsv", "xlsx", "jsonl", "ris", "nbib", "bib", "enw", "html", "trec"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_in(tmp_path_factory.mktemp("library") / "lib", *corpus())


@pytest.fixture
def seeds(tmp_path):
    write(SEEDS, tmp_path / "seeds.ris")
    return str(tmp_path / "seeds.ris")


@pytest.fixture
def expanded(library, seeds, capsys):
    """Run the command on the seeds with further arguments, and return what it printed."""

    def expand(*arguments):
        assert run(["expand", library, seeds, *map(str, arguments)]) == 0
        return capsys.readouterr()

    return expand


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# What it prints


def test_the_best_are_a_table_and_the_summary_comes_after_it(expanded):
    lines = expanded("--show", 3).out.splitlines()
    ranks = [line.split("\t")[0] for line in lines[:3]]
    assert ranks == ["1", "2", "3"]
    assert lines[3] == ""
    assert lines[4].startswith("Found ")
    assert lines[4].endswith(").")
    assert "estimated in the candidates" in lines[5]


def test_a_row_of_the_table_is_rank_probability_id_year_and_title(expanded):
    row = expanded("--show", 1, "--keep", "top=1").out.splitlines()[0].split("\t")
    document = next(document for document in corpus() if document.id == row[2])
    assert row[0] == "1"
    assert 0 <= float(row[1]) <= 1
    assert row[3:] == [str(document.year), document.title]


def test_the_rounds_are_told_before_the_summary(expanded, monkeypatch):
    told = ["Round 2 added 5 candidates."]
    monkeypatch.setattr("likewise.expansion.summary.describe_rounds", lambda _: told)
    lines = expanded("--show", 0).out.splitlines()
    assert lines[1] == told[0]
    assert lines[2].startswith("Found ")


def test_no_table_is_printed_if_none_of_it_is_asked_for(expanded):
    assert "\t" not in expanded("--show", 0).out


def test_seeds_and_warnings_are_told_on_stderr(library, capsys):
    run(["expand", library, *IDS[:4], "99999"])
    out, err = capsys.readouterr()
    first, second, *_ = err.splitlines()
    assert first == "4 of 5 seeds are in the library; 1 was not found: 99999."
    assert second.startswith("warning: there are only 4 seeds")
    assert "warning" not in out


def test_what_a_file_of_seeds_says_was_excluded_is_learned_from_and_said(library, tmp_path, capsys):
    off = [paper for paper in corpus() if not paper.keywords][:5]
    rows = [f"{paper.pmid},yes" for paper in SEEDS] + [f"{paper.pmid},no" for paper in off]
    (tmp_path / "screened.csv").write_text("\n".join(["pmid,included", *rows]))
    found = tmp_path / "found.csv"
    asked = ["expand", library, str(tmp_path / "screened.csv"), "--rounds", "1"]
    assert run([*asked, "-o", str(found)]) == 0
    said = "screened.csv: 'included' says what was decided; 12 relevant are seeds, and 5 irrelevant"
    assert said in capsys.readouterr().err
    saved = SavedExpansion.load(tmp_path / "found.expansion.json")
    assert len(saved.seeds.matched) == 12
    marked = {place.id for place in saved.ranking if place.mark == "irrelevant"}
    assert marked == {paper.id for paper in off}


def test_each_warning_is_told_once_also_those_that_only_what_was_found_can_give(
    expanded, monkeypatch
):
    monkeypatch.setattr("likewise.expansion.flow.warn_of_seeds", lambda *_, **__: ["early"])
    monkeypatch.setattr("likewise.expansion.flow.warn_of_corners", lambda *_, **__: ["late"])
    lines = expanded().err.splitlines()
    warnings = [line for line in lines if line.startswith("warning: ")]
    assert warnings == ["warning: early", "warning: late"]


def test_seeds_in_another_language_get_a_warning(library, tmp_path, capsys):
    foreign = [
        Document(id=f"x{n}", title=f"Pollen und nectar, Teil {n}", language="ger") for n in range(4)
    ]
    write(foreign, tmp_path / "seeds.jsonl")
    assert run(["expand", library, str(tmp_path / "seeds.jsonl")]) == 0
    assert "4 of 4 seeds seem not to be in English" in capsys.readouterr().err


def test_a_terminal_is_shown_a_table_with_a_head(library):
    command = f"{sys.executable} -m likewise expand {library} {' '.join(IDS)} --show 2"
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], capture_output=True, text=True, check=True
    )
    assert "probability" in done.stdout
    assert "All 12 seeds are in the library." in done.stdout


def test_as_json_it_is_what_programs_may_want_to_know(expanded):
    told = json.loads(expanded("--json", "--show", 2, "--keep", "top=7").out)
    assert set(told) == {
        "found",
        "pool",
        "threshold",
        "estimates",
        "seeds",
        "rounds",
        "warnings",
        "settings",
        "seconds",
        "best",
        "outputs",
    }
    assert (told["found"], told["pool"], told["outputs"]) == (7, 308, [])
    assert set(told["estimates"]) == {"relevant", "precision", "recall", "outside"}
    assert told["seeds"] == {"matched": IDS, "text_only": [], "not_found": []}
    assert told["settings"]["keep"] == "top=7"
    assert [best["rank"] for best in told["best"]] == [1, 2]
    assert set(told["best"][0]) == {
        "id",
        "rank",
        "score",
        "probability",
        "decision",
        "seed",
        "mark",
        "title",
        "year",
    }


def test_as_json_the_files_written_are_named(expanded, tmp_path):
    told = json.loads(expanded("--json", "-o", tmp_path / "found.ris").out)
    assert told["outputs"] == [str(tmp_path / "found.ris"), str(tmp_path / "found.expansion.json")]


def test_titles_do_not_steer_the_terminal(tmp_path, seeds, capsys):
    evil = Document(id="evil", title="Pollen nectar hive queen drone honey \x1b[31m")
    library = library_in(tmp_path / "lib", *corpus(), evil)
    run(["expand", library, seeds, "--show", "400", "--keep", "recall=1"])
    assert "honey \ufffd[31m" in capsys.readouterr().out


def test_ten_problems_of_a_file_are_told_or_all(library, tmp_path, capsys):
    write(SEEDS, tmp_path / "seeds.jsonl")
    with (tmp_path / "seeds.jsonl").open("a") as stream:
        stream.write("{broken\n" * 15)
    shown = []
    for options in ([], ["--all-problems"]):
        run(["expand", library, str(tmp_path / "seeds.jsonl"), *options])
        lines = capsys.readouterr().err.splitlines()
        shown.append(sum(line.startswith(str(tmp_path)) for line in lines))
    assert shown == [11, 15]


def test_help_names_every_method_and_where_more_is_told(capsys):
    run(["expand", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert all(f"{name}" in told for name in METHODS)
    assert '"likewise methods" describes each' in told


@pytest.mark.parametrize("method", ["linear", "naive + bm25"])
def test_the_method_is_kept_as_it_was_spelled(method, expanded):
    assert json.loads(expanded("--json", "--method", method).out)["settings"]["method"] == method


def test_fused_trains_a_network_too(tmp_path, capsys):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    few = [*SEEDS, *(document for document in corpus() if document not in SEEDS)][:40]
    library = library_in(tmp_path / "lib", *few)
    assert run(["expand", library, *IDS, "--method", "fused", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["settings"]["method"] == "fused"
    assert told["pool"] == 28
    assert told["found"] > 0


@pytest.mark.parametrize(("width", "shown"), [(80, 32), (50, 2), (20, 0)])
def test_a_note_is_shown_as_far_as_it_fits_behind_the_bar(width, shown):
    note = "risk 0.2345 = 0.1234 + 0.1111, best 0.2222"
    with Bar(console=Console(width=width, file=StringIO())) as bar:
        show = show_stages_by(bar)
        show(StageProgress("learning", 0.25, note))
        (task,) = bar.tasks
        assert task.fields["note"] == note[:shown]
        assert (task.description, task.completed) == ("learning ", 0.25)
        show(StageProgress("judgement", 0.5))
        assert task.fields["note"] == ""


# What it writes


def test_what_was_found_is_written_in_every_format_asked_for(expanded, tmp_path):
    outputs = [tmp_path / f"found.{suffix}" for suffix in SUFFIXES]
    said = expanded("--keep", "top=20", *(word for path in outputs for word in ("-o", path))).err
    assert all(path.stat().st_size for path in outputs)
    assert said.splitlines()[-1].endswith(
        f"found.trec: 20 documents; how it was made: {tmp_path / 'found.expansion.json'}"
    )
    found = {document.id for document in read(tmp_path / "found.jsonl")}
    assert len(found) == 20
    assert len(found & hidden("bees")) >= 18


def test_with_all_the_whole_pool_and_the_seeds_are_written(expanded, tmp_path):
    expanded("--all", "-o", tmp_path / "all.csv")
    ids = [document.id for document in read(tmp_path / "all.csv")]
    assert sorted(ids, key=int) == [document.id for document in corpus()]


def test_the_saved_expansion_lies_beside_the_first_output(expanded, tmp_path):
    (tmp_path / "other").mkdir()
    expanded("-o", tmp_path / "one.ris", "-o", tmp_path / "other" / "two.csv", "--seed", 5)
    saved = SavedExpansion.load(tmp_path / "one.expansion.json")
    assert saved.settings["seed"] == 5
    assert saved.seeds.matched == tuple(IDS)
    assert not (tmp_path / "other" / "two.expansion.json").exists()


def test_without_an_output_nothing_is_written(expanded, tmp_path):
    before = content(tmp_path)
    expanded()
    assert content(tmp_path) == before


def test_the_same_inputs_give_the_same_bytes_in_another_process(library, tmp_path):
    outputs = [word for suffix in SUFFIXES for word in ("-o", f"found.{suffix}")]
    made = []
    for number in ("1", "2"):
        folder = tmp_path / number
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-m", "likewise", "expand", library, *IDS, *outputs],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
        )
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert sorted(made[0]) == sorted([*(f"found.{s}" for s in SUFFIXES), "found.expansion.json"])
    assert made[0] == made[1]


# Seeds as they come


def test_seeds_may_be_a_list_of_numbers_too_long_for_a_files_name(library, tmp_path, capsys):
    many = ",".join([*IDS, *(str(number) for number in range(50_000, 50_100))])
    assert run(["expand", library, many, "-o", str(tmp_path / "found.ris")]) == 0
    assert capsys.readouterr().err.startswith("12 of 112 seeds are in the library; 100 were not")


def test_seeds_may_be_files_and_ids_together(library, tmp_path, capsys):
    write(SEEDS[:6], tmp_path / "some.nbib")
    run(["expand", library, str(tmp_path / "some.nbib"), *IDS[6:]])
    assert capsys.readouterr().err.startswith("All 12 seeds are in the library.")


# What can go wrong


def refused(arguments, capsys):
    """Run the command; return its exit code and the only line of its complaint."""
    code = run(["expand", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return code, err.splitlines()[-1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["99998", "99999"], "likewise: none of the seeds is usable; not in the library: 99998"),
        (["1", "2"], "likewise: 2 usable seeds (2 in the library"),
        (["SAME"], "likewise: all 4 seeds have the same text; give at least 3 different papers"),
        (["missing.ris"], "likewise: missing.ris: no such file; give a file of papers, or PMIDs"),
        (["FOLDER"], "this is a folder, not a file; give a file of papers"),
        (["GARBAGE"], "garbage.ris"),
    ],
)
def test_seeds_that_can_not_be_used_end_in_one_line(given, said, library, tmp_path, capsys):
    same = [Document(id=f"x{n}", doi=f"10.1000/{n}", title="The honey bee") for n in range(4)]
    write(same, tmp_path / "same.jsonl")
    (tmp_path / "garbage.ris").write_bytes(bytes(range(256)) * 50)
    places = {
        "SAME": tmp_path / "same.jsonl",
        "FOLDER": tmp_path,
        "GARBAGE": tmp_path / "garbage.ris",
    }
    before = content(tmp_path)
    output = tmp_path / "found.ris"
    arguments = [library, *(places.get(word, word) for word in given), "-o", output]
    code, line = refused(arguments, capsys)
    assert code == 1
    assert said in line
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "oracle"], "there is no method 'oracle'; choose one of: linear, naive, bm25"),
        (["--method", "linear(x=1)"], "the method 'linear' has no parameter 'x'"),
        (["--keep", "best"], "--keep 'best' is not known; use f1, recall=0.95"),
        (["--keep", "recall=2"], "a share is more than 0 and at most 1"),
        (["--encoder", "oracle"], "no encoder is called 'oracle'; the encoders are: minilm-l6-v2"),
        (["-o", "found.docx"], "found.docx: an expansion can't be written as '.docx'; use one of:"),
        (["-o", "nowhere/found.ris"], "nowhere/found.ris: can't be written: there is no folder"),
    ],
)
def test_options_that_can_not_be_used_end_in_one_line(
    options, said, library, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, line = refused([library, *IDS, "-o", "a.csv", *options], capsys)
    assert code == 1
    assert said in line
    assert content(tmp_path) == {}


@pytest.mark.parametrize(
    "options", [["--pool", "0"], ["--rounds", "0"], ["--seed", "-1"], ["--no-such-option"]]
)
def test_wrong_usage_ends_with_2(options, library, capsys):
    assert refused([library, *IDS, *options], capsys)[0] == 2


def test_seeds_are_asked_for(library, capsys):
    code, line = refused([library], capsys)
    assert (code, "SEEDS" in line) == (2, True)


def test_a_folder_that_is_no_library_ends_in_one_line(tmp_path, capsys):
    code, line = refused([tmp_path, *IDS, "-o", tmp_path / "a.csv"], capsys)
    assert code == 1
    assert line.startswith(f"likewise: {tmp_path}: no library here; make one with")
    assert content(tmp_path) == {}


def test_an_empty_library_is_told_with_the_way_out(tmp_path, capsys):
    code, line = refused([library_in(tmp_path / "lib"), *IDS], capsys)
    assert code == 1
    assert line.startswith("likewise: the library is empty; put documents into it with: likewise")


@pytest.mark.parametrize("name", ["seeds.ris", "link.ris"])
def test_the_seeds_are_not_written_over(name, library, seeds, tmp_path, capsys):
    (tmp_path / "link.ris").symlink_to(seeds)
    before = content(tmp_path)
    code, line = refused([library, seeds, "-o", tmp_path / name], capsys)
    assert code == 1
    assert line.endswith(f"{name}: these are your seeds; choose another file to write to")
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    "place",
    [
        "likewise.expansion.flow.PoolSearch.find_pool",
        "likewise.expansion.flow.PoolSearch.place_seeds",
        "likewise.expansion.ranking.Explainer.__call__",
    ],
)
def test_ctrl_c_leaves_nothing_half_written(place, library, seeds, tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupted)
    before = content(tmp_path)
    code, line = refused([library, seeds, "-o", tmp_path / "found.csv"], capsys)
    assert code == 130
    assert line.startswith("likewise: stopped")
    assert content(tmp_path) == before
