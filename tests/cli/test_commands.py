import json
import subprocess
import sys

import pytest

from library.releases import write_release
from likewise.cli import COMMANDS, run
from likewise.cli.bench import COMMANDS as BENCH
from likewise.documents import Document, formats, read, write
from likewise.library import open_library

PAPERS = [
    Document(id="1", pmid="1", title="Insulin resistance in rats", abstract="It rose.", year=1999),
    Document(
        id="2", pmid="2", doi="10.1000/abc", title="Insulin", abstract="[bold] in [/bold] text"
    ),
    Document(id="3", pmid="3", title="Sleep", abstract="At night."),
]


@pytest.fixture
def papers(tmp_path):
    write(PAPERS, tmp_path / "papers.jsonl")
    return str(tmp_path / "papers.jsonl")


@pytest.fixture
def library(papers, tmp_path, capsys):
    assert run(["index", papers, "--into", str(tmp_path / "lib")]) == 0
    capsys.readouterr()
    return str(tmp_path / "lib")


def test_index_says_what_it_did(papers, tmp_path, capsys):
    run(["index", papers, "--into", str(tmp_path / "lib")])
    expected = [f"{tmp_path / 'lib'}: 3 documents", "  files    1 file read", "  records  3 added"]
    assert capsys.readouterr().out.splitlines() == expected


def test_index_says_which_files_it_read_again_for_their_deletions(tmp_path, capsys):
    first = write_release(tmp_path, 1, records=[1, 2])
    second = write_release(tmp_path, 2, records=[1], deletions=[2])
    into = ["--into", str(tmp_path / "lib")]
    run(["index", str(second), *into])
    capsys.readouterr()
    run(["index", str(first), str(second), *into])
    _, files, records = capsys.readouterr().out.splitlines()
    assert files == "  files    1 file read, 1 file read again for deletions"
    assert records == "  records  1 added, 1 already there, 1 deleted"


def test_index_ends_with_1_if_a_file_could_not_be_read(papers, tmp_path, capsys):
    assert run(["index", papers, "nowhere.ris", "--into", str(tmp_path / "lib")]) == 1
    assert "nowhere.ris: no such file or folder; check the path" in capsys.readouterr().err


def test_index_as_json(papers, tmp_path, capsys):
    run(["index", papers, "--into", str(tmp_path / "lib"), "--json"])
    assert json.loads(capsys.readouterr().out)["counts"]["added"] == 3


@pytest.mark.parametrize(("options", "shown"), [([], 11), (["--all-problems"], 16)])
def test_index_shows_ten_problems_a_file_unless_asked_for_all(tmp_path, capsys, options, shown):
    (tmp_path / "a.csv").write_text("pmid,title\n" + "".join(f"{n},\n" for n in range(1, 16)))
    run(["index", str(tmp_path / "a.csv"), "--into", str(tmp_path / "lib"), *options])
    assert len([line for line in capsys.readouterr().err.splitlines() if line]) == shown


def test_search_prints_a_line_a_document_for_a_pipe(library, capsys):
    run(["search", library, "insulin resistance", "--limit", "1"])
    rank, identifier, _, year, title = capsys.readouterr().out.rstrip("\n").split("\t")
    assert (rank, identifier, year, title) == ("1", "1", "1999", "Insulin resistance in rats")


def test_search_as_json(library, capsys):
    run(["search", library, "sleep", "--json"])
    assert [hit["document"]["id"] for hit in json.loads(capsys.readouterr().out)] == ["3"]


def test_search_writes_what_it_found(library, tmp_path):
    run(["search", library, "insulin", "-o", str(tmp_path / "found.ris")])
    assert sorted(paper.pmid for paper in read(tmp_path / "found.ris")) == ["1", "2"]


def test_search_is_limited(tmp_path, capsys):
    papers = [
        Document(id="1", title="Sleep", year=1999),
        Document(id="2", title="Sleep", year=2015),
    ]
    with open_library(tmp_path / "dated", write=True) as library:
        library.add(papers)
        library.commit()
    run(["search", str(tmp_path / "dated"), "sleep", "--where", "year>=2010", "--json"])
    assert [each["document"]["id"] for each in json.loads(capsys.readouterr().out)] == ["2"]
    assert run(["search", str(tmp_path / "dated"), "sleep", "--where", "year>=now"]) == 1
    assert "'now' is not a year" in capsys.readouterr().err


def test_search_says_so_if_nothing_is_found(library, capsys):
    assert run(["search", library, "zebra"]) == 0
    assert capsys.readouterr().err == "nothing found; try fewer or other words\n"


@pytest.mark.parametrize("identifier", ["2", "PMID: 2", "https://doi.org/10.1000/ABC"])
def test_show_takes_any_identifier(library, identifier, capsys):
    run(["show", library, identifier])
    assert capsys.readouterr().out.startswith("Insulin\n")


def test_show_shows_markup_as_text(library, capsys):
    run(["show", library, "2"])
    assert "[bold] in [/bold] text" in capsys.readouterr().out


def test_show_as_json_gives_whole_documents(library, capsys):
    run(["show", library, "2", "1", "--json"])
    assert [paper["id"] for paper in json.loads(capsys.readouterr().out)] == ["2", "1"]


def test_show_names_the_documents_that_are_not_there(library, capsys):
    assert run(["show", library, "1", "99"]) == 1
    assert capsys.readouterr().err.startswith("likewise: the library holds no document 99;")


def test_info_counts_documents_fields_and_sources(library, capsys):
    run(["info", library])
    out = capsys.readouterr().out
    assert "3 documents" in out
    assert "jsonl:papers.jsonl" in out


def test_info_as_json(library, capsys):
    run(["info", library, "--json"])
    info = json.loads(capsys.readouterr().out)
    assert (info["documents"], info["fields"]["abstract"], info["fields"]["year"]) == (3, 3, 1)


@pytest.mark.parametrize("command", [["search", "LIB", "x"], ["show", "LIB", "1"], ["info", "LIB"]])
def test_a_folder_that_is_no_library_ends_in_one_line(command, tmp_path, capsys):
    arguments = [str(tmp_path) if word == "LIB" else word for word in command]
    assert run(arguments) == 1
    assert capsys.readouterr().err.startswith(
        f"likewise: {tmp_path}: no library here; make one with"
    )


def test_another_engines_address_is_refused_in_one_line(capsys):
    assert run(["info", "solr://host/papers"]) == 1
    assert "solr://...: no engine knows this scheme" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["OPENSEARCH://me:secret@host/x", "opensearch:/host/x"])
def test_what_looks_like_an_address_is_taken_for_no_folder(address, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["index", __file__, "--into", address]) == 1
    said = capsys.readouterr().err
    assert "opensearch://localhost:9200/papers" in said
    assert "secret" not in said
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_for_the_output_lists_the_known_ones(library, capsys):
    assert run(["search", library, "insulin", "-o", "found.docx"]) == 1
    assert ".ris" in capsys.readouterr().err


def test_wrong_usage_ends_with_2(capsys):
    assert run(["search"]) == 2
    assert "Missing argument" in capsys.readouterr().err


def test_a_session_in_the_place_of_a_library_is_told_how_to_expand_it(capsys):
    assert run(["expand", "review.likewise"]) == 2
    told = "likewise expand --session review.likewise"
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "command",
    [[name] for name in COMMANDS if name != "bench"] + [["bench", name] for name in BENCH],
    ids=" ".join,
)
def test_every_command_has_help_and_json(command, capsys):
    assert run([*command, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "told"),
    [("index", "csv, toy; gzip"), ("expand", ".csv .toy,"), ("export", ".toy)")],
)
def test_the_help_lists_the_formats_of_the_registry(command, told, capsys, monkeypatch):
    toy = formats.Format("toy", "a toy", "toys", (".toy",), "")
    monkeypatch.setattr(formats, "formats", lambda: (*formats.BUILT_IN, toy))
    run([command, "--help"])
    assert told in " ".join(capsys.readouterr().out.split())


def test_a_reader_that_has_had_enough_is_no_error(library):
    command = f"{sys.executable} -m likewise search {library} insulin | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_terminal_is_shown_a_table(library):
    command = [
        "script",
        "-qec",
        f"{sys.executable} -m likewise search {library} insulin",
        "/dev/null",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Insulin resistance in rats" in done.stdout
    assert "rank" in done.stdout


def test_search_says_in_json_what_it_wrote(library, tmp_path, capsys):
    run(["search", library, "sleep", "-o", str(tmp_path / "x.ris"), "--json"])
    assert json.loads(capsys.readouterr().out) == {"path": str(tmp_path / "x.ris"), "documents": 1}


@pytest.mark.parametrize("command", [["search", "LIB", "cats"], ["show", "LIB", "x"]])
def test_titles_do_not_steer_the_terminal(command, tmp_path, capsys):
    write([Document(id="x", title="cats \x1b[31m\u202e")], tmp_path / "a.jsonl")
    library = str(tmp_path / "lib")
    run(["index", str(tmp_path / "a.jsonl"), "--into", library])
    capsys.readouterr()
    run([library if word == "LIB" else word for word in command])
    assert "cats \ufffd[31m\ufffd" in capsys.readouterr().out


def test_the_name_of_a_library_is_no_markup(papers, tmp_path, capsys):
    library = str(tmp_path / "lib[red]")
    run(["index", papers, "--into", library])
    run(["info", library])
    assert f"{library}: 3 documents" in capsys.readouterr().out


def test_a_mistake_of_ours_is_one_line(library, capsys, monkeypatch):
    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr("likewise.library.embedded.EmbeddedLibrary.info", broken)
    assert run(["info", library]) == 1
    assert "likewise: KeyError: 'oops'; this is a bug in likewise" in capsys.readouterr().err


def test_a_want_of_memory_is_no_mistake_of_ours(library, capsys, monkeypatch):
    def starve(*_, **__):
        raise MemoryError

    monkeypatch.setattr("likewise.library.embedded.EmbeddedLibrary.info", starve)
    assert run(["info", library]) == 1
    assert capsys.readouterr().err == (
        "likewise: not enough memory; what was saved before is safe: end other programs, "
        "or rank fewer candidates (--pool 10000)\n"
    )


def test_without_an_output_there_is_no_error(library):
    command = ["bash", "-c", f"{sys.executable} -m likewise search {library} insulin >&-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_a_full_output_is_named(library):
    command = ["bash", "-c", f"{sys.executable} -m likewise search {library} insulin > /dev/full"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("likewise: the output can't be written: no space left")
