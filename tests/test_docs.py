"""The docs are complete, and what they show is what happens."""

import csv
import inspect
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from benchmarks.sources.ncbi import ncbi_server

from likewise import errors
from likewise.cli import COMMANDS
from likewise.cli.bench import COMMANDS as BENCH
from likewise.documents import Document
from likewise.documents.formats import BUILT_IN
from likewise.expansion.marks import LABELS, STRATEGIES
from likewise.expansion.settings import ExpandSettings
from likewise.learn.methods import METHODS
from likewise.learn.stopping.rules import RULES as STOPPING
from likewise.learn.thresholds import RULES
from likewise.library.indexing import IndexSettings
from likewise.library.more_like import MoreLike
from likewise.server import ServerSettings
from plugging import install_metadata
from server.serving import served

ROOT = Path(__file__).parents[1]
DOCS = "\n".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MARKS_PAGE = (ROOT / "docs" / "how-to" / "marks.md").read_text()
SESSIONS_PAGE = (ROOT / "docs" / "reference" / "sessions.md").read_text()
METHODS_PAGE = (ROOT / "docs" / "reference" / "methods.md").read_text()
INDEX = ["index", "pubmed/", "--into", "lib/"]
"""The command with which the README and the first tutorial begin."""
PRINTED, UNTRUE = "printed.txt", "untrue.txt"
ERRORS = [n for n, c in inspect.getmembers(errors, inspect.isclass) if n.endswith("Error")]


def test_every_command_is_in_the_docs():
    for name in COMMANDS:
        assert f"likewise {name}" in DOCS, name


def test_every_command_of_the_benchmark_is_in_the_docs():
    for name in BENCH:
        assert f"likewise bench {name}" in DOCS, name


def test_every_format_is_in_the_docs():
    for name in [known.name for known in BUILT_IN]:
        assert f"`{name}`" in DOCS, name


def test_every_error_is_in_the_docs():
    for name in ERRORS:
        assert f"`{name}`" in DOCS, name


def test_every_setting_is_in_the_docs():
    for name in [
        f.name for settings in (MoreLike, IndexSettings, ExpandSettings) for f in fields(settings)
    ]:
        assert f"`{name}`" in DOCS, name


def test_every_method_is_in_the_docs_with_its_parameters():
    for name in METHODS:
        known = METHODS[name].parameters
        assert all(
            f"`{word}`" in METHODS_PAGE for word in (name, *(given.name for given in known))
        ), name


def test_every_default_of_a_method_is_in_the_docs():
    for name in METHODS:
        for known in METHODS[name].parameters:
            told = rf"`{known.name}`(?: \| | \()`?{re.escape(str(known.default))}`?(?: \||\))"
            assert re.search(told, METHODS_PAGE), known


def test_every_method_has_a_section_of_its_own():
    for name in METHODS:
        assert re.search(rf"^## `{name}`", METHODS_PAGE, re.MULTILINE), name


def test_every_rule_of_what_to_keep_is_in_the_docs():
    for name in RULES:
        assert re.search(rf"`{name}(=[0-9.]+)?`", DOCS), name


def test_every_stopping_rule_has_a_row_with_its_parameters_and_defaults():
    for name in STOPPING:
        row = re.search(rf"^\| `{name}` \|.*$", SESSIONS_PAGE, re.MULTILINE)[0]
        known = STOPPING[name].parameters
        assert all(f"`{given.name}` ({given.default})" in row for given in known), name


def test_every_label_is_on_the_page_of_marks():
    for name in LABELS:
        assert f"`{name}`" in MARKS_PAGE, name


def test_every_strategy_has_a_row():
    for name in STRATEGIES:
        assert re.search(rf"^\| `{name}` \|", MARKS_PAGE, re.MULTILINE), name


def test_every_field_of_a_document_is_in_the_docs():
    for name in Document.__struct_fields__:
        assert f"`{name}`" in DOCS, name


def test_the_page_of_commands_is_what_they_say_of_themselves():
    made = runpy.run_path(str(ROOT / "scripts" / "write_cli_docs.py"))["make_cli_docs"]()
    assert (ROOT / "docs" / "reference" / "cli.md").read_text() == made, "run: make docs"


def test_the_page_of_the_python_api_is_what_docstrings_say():
    pytest.importorskip("torch", reason="the extra neural is not installed")
    made = runpy.run_path(str(ROOT / "scripts" / "write_api_docs.py"))["make_api_docs"]()
    assert (ROOT / "docs" / "reference" / "api.md").read_text() == made, "run: make docs"


def links():
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
            if not target.startswith("http"):
                yield path, target


def test_no_table_is_without_rows():
    rule = re.compile(r"^\|[ :|-]*-[ :|-]*\|\n(?!\|)", re.MULTILINE)
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert [path.name for path in pages if rule.search(path.read_text())] == []


def test_links_lead_somewhere():
    assert [link for link in links() if not (link[0].parent / link[1]).exists()] == []


def terminal_sessions(page):
    """Yield the commands of a page's terminal blocks with the lines shown after each."""
    blocks = re.findall(r"```\n(\$ likewise.*?)```", (ROOT / page).read_text(), re.DOTALL)
    for part in [
        one for block in blocks for one in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]:
        command, *shown = part.rstrip().split("\n")
        yield shlex.split(command, comments=True)[1:], shown


def run_likewise(arguments, *, folder, path=""):
    """Run a command in a folder, and return the lines that it prints, spaces aside."""
    environment = {**os.environ, "PYTHONPATH": f"{path}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "likewise", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def untrue(page, *, folder, path=""):
    """Run the commands of a page's terminal blocks, and yield those that print something else.

    Lines are compared as far as they are shown, spaces aside. The command that was run to make the
    folder is not run again.
    """
    for arguments, shown in terminal_sessions(page):
        kept = folder / PRINTED
        printed = (
            kept.read_text().splitlines()
            if arguments == INDEX and kept.exists()
            else run_likewise(arguments, folder=folder, path=path)
        )
        expected = [" ".join(line.removesuffix("...").split()) for line in shown]
        begins = [line.startswith(told) for line, told in zip(printed, expected, strict=False)]
        if len(begins) < len(shown) or not all(begins):
            yield " ".join(arguments), printed


@pytest.fixture(scope="session")
def indexed(pubmed_sample, make_once):
    """A folder with the sample and its library, made once for all processes of a run."""

    def index(folder):
        (folder / "pubmed").mkdir()
        for path in pubmed_sample:
            (folder / "pubmed" / path.name).symlink_to(path)
        (folder / PRINTED).write_text("\n".join(run_likewise(INDEX, folder=folder)))

    return make_once("indexed", index)


@pytest.fixture
def sampled(indexed, make_once, tmp_path):
    """A folder in which the README's terminal session was gone through; a test's own copy."""

    def go_through_readme(folder):
        shutil.copytree(indexed, folder, symlinks=True, dirs_exist_ok=True)
        found = list(untrue("README.md", folder=folder))
        (folder / UNTRUE).write_text("\n".join(f"{command}: {said}" for command, said in found))

    folder = tmp_path / "sampled"
    return shutil.copytree(make_once("sampled", go_through_readme), folder, symlinks=True)


@pytest.mark.network
def test_the_readmes_terminal_session_is_true(sampled):
    assert (sampled / UNTRUE).read_text() == ""
    assert (sampled / "found.ris").is_file()


@pytest.mark.network
def test_the_tutorials_can_be_followed(indexed, tmp_path):
    pytest.importorskip("sklearn", reason="the extra bench is not installed")
    folder = tmp_path / "tutorials"
    shutil.copytree(indexed, folder, symlinks=True)
    page = "docs/tutorials/your-own-method.md"
    blocks = dict(re.findall(r"```(python|toml)\n(.*?)```", (ROOT / page).read_text(), re.DOTALL))
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "my_pu.py").write_text(blocks["python"])
    install_metadata(tmp_path / "package", tomllib.loads(blocks["toml"])["project"])
    for name in ("first-search", "systematic-review", "your-own-method"):
        told = untrue(f"docs/tutorials/{name}.md", folder=folder, path=tmp_path / "package")
        assert list(told) == []
    assert all((folder / name).is_file() for name in ("report.html", "prisma.svg", "screened.xlsx"))


@pytest.mark.network
def test_the_benchmarks_terminal_session_is_true(sampled):
    assert list(untrue("docs/benchmark.md", folder=sampled)) == []
    assert (sampled / "runs" / "figures" / "topics.svg").is_file()


@pytest.mark.network
def test_the_terminal_session_of_marks_is_true(sampled):
    assert list(untrue("docs/how-to/marks.md", folder=sampled)) == []
    assert (sampled / "everything.json").is_file()


@pytest.fixture(scope="module")
def http():
    """What makes the page of the HTTP API."""
    return runpy.run_path(str(ROOT / "scripts" / "write_http_docs.py"))


def test_the_page_of_the_http_api_is_what_its_schema_says(http):
    assert (ROOT / "docs" / "reference" / "http.md").read_text() == http["make_http_docs"](), (
        "run: make docs"
    )


def test_every_kind_of_refusal_is_on_the_page_of_the_http_api():
    written = re.compile(r'(?:ErrorKind\(\d+, |, kind=)"([a-z-]+)"')
    server = (ROOT / "src" / "likewise" / "server").rglob("*.py")
    kinds = {kind for path in server for kind in written.findall(path.read_text())} - {"refused"}
    page = (ROOT / "docs" / "reference" / "http.md").read_text()
    assert {"unknown-session", "seeds", "no-token"} <= kinds
    assert [kind for kind in kinds if f"| `{kind}` |" not in page] == []


def test_every_key_of_the_help_is_in_the_docs():
    chosen = ROOT / "src/likewise/server/page/static/key_choice.js"
    keys = set(re.findall(r'\w+: "(\S)"', chosen.read_text()))
    shown = (ROOT / "docs" / "reference" / "page.md").read_text()
    assert {"j", "/", "?", "e"} <= keys
    assert [key for key in keys if f"`{key}`" not in shown] == []


def test_the_docs_say_how_much_the_server_takes():
    given = ServerSettings(library="lib", sessions=Path("sessions"))
    megabytes = [size // 1_000_000 for size in (given.most_upload, given.most_unpacked)]
    shown = " ".join((ROOT / "docs" / "how-to" / "serve.md").read_text().split())
    assert "files of {} MB, and of {} MB unpacked".format(*megabytes) in shown
    assert f"{given.waiting} more may wait" in shown
    assert f"{given.jobs_per_minute} may be started in a minute" in shown


def test_every_operation_of_the_http_api_has_an_example(http):
    known = {told.content["operationId"] for told in http["list_operations"](http["read_schema"]())}
    assert {example["operation"] for example in http["read_examples"]()} == known


@pytest.fixture
def pubmed(monkeypatch):
    """PubMed on this machine, with the papers that examples name."""
    with ncbi_server() as service:
        service.hold("420283", "404783", "410533")
        monkeypatch.setenv("LIKEWISE_EUTILS", service.url)
        yield service


def ran(command, names, *, folder):
    """Run a command as a shell does, and return the JSON that it prints, if it is some."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


@pytest.mark.network
def test_the_examples_of_the_http_api_run(http, sampled, tmp_path, pubmed):
    refused = {}
    made_here = ("--libraries", str(tmp_path / "libraries"))
    with served(sampled / "lib", tmp_path / "sessions", *made_here) as server:
        names = {"API": f"{server.address}/api"}
        for example in http["read_examples"]():
            answer = ran(example["command"], names, folder=sampled)
            if "error" in answer and "status" in answer["error"]:
                refused[example["operation"]] = answer
            names |= {name: answer[field] for name, field in example.get("keep", {}).items()}
            if example.get("wait"):
                ran("curl -sN $API/jobs/$JOB/events", names, folder=sampled)
    assert refused == {}
    with (sampled / "screened.csv").open(newline="") as file:
        marks = {row["id"]: row["mark"] for row in csv.DictReader(file) if row["mark"]}
    assert marks == {"420283": "relevant", "408142": "irrelevant"}
