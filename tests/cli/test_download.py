"""likewise download, from a server on this machine."""

import json
import signal
import subprocess
import sys
import time

import pytest

from likewise.cli import run
from web.file_server import FileServer

ONE, UPDATE = "baseline/pubmed26n0001.xml.gz", "updatefiles/pubmed26n1400.xml.gz"
CONTENT = bytes(range(256)) * 2000


@pytest.fixture
def server():
    server = FileServer()
    server.put(ONE, CONTENT)
    server.put(UPDATE, b"update", listed="2026-02-01 09:00")
    yield server
    server.close()


@pytest.fixture
def ran(server, tmp_path, capsys):
    """Run the command, and return its exit code and what it printed."""

    def ran(*options):
        code = run(["download", "pubmed", str(tmp_path / "pm"), "--from", server.base, *options])
        return code, *capsys.readouterr()

    return ran


def test_it_says_what_it_did_and_what_is_next(ran, tmp_path):
    folder = tmp_path / "pm"
    assert ran() == (
        0,
        f"{folder}: 2 files fetched (512.0 kB)\n  next  likewise index {folder} --into LIB\n",
        "",
    )


def test_a_second_run_finds_everything_there(ran, tmp_path):
    ran()
    assert ran()[1].startswith(f"{tmp_path / 'pm'}: 2 files already there\n")


def test_the_report_as_json(ran, tmp_path):
    report = json.loads(ran("--json", "--updates")[1])
    assert report == {
        "folder": str(tmp_path / "pm"), "fetched": 1, "there": 0, "failed": 0, "left": 0,
        "bytes": 6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "fetched"),
    [
        (["--baseline"], 1),
        (["--updates"], 1),
        (["--baseline", "--updates"], 2),
        (["--since", "2026-01-11"], 1),
        (["--since", "2026-03-01"], 0),
    ],
)
def test_options_choose_the_files(ran, options, fetched):
    assert json.loads(ran("--json", *options)[1])["fetched"] == fetched


def test_nothing_that_new_is_said_so(ran, tmp_path):
    said = f"{tmp_path / 'pm'}: nothing to fetch\n"
    assert ran("--since", "2026-03-01") == (0, said, "")


def test_a_file_that_fails_makes_the_exit_code_1(ran, server):
    server.put_plain(f"{ONE}.md5", b"0" * 32)
    code, out, err = ran()
    assert code == 1
    assert "1 file fetched (1.0 MB), 1 file failed\n  next  run it again" in out
    assert err.startswith(f"{server.base}{ONE}: came twice with the wrong sum")


def test_the_address_comes_from_the_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_PUBMED", server.base)
    assert run(["download", "pubmed", str(tmp_path)]) == 0


def test_without_a_network_it_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("likewise.web.client.TRIALS_OF_STRANGERS", 0)
    code = run(["download", "pubmed", str(tmp_path), "--from", "http://127.0.0.1:1/pubmed"])
    said = "the server can't be reached; check the network and the address"
    line = f"likewise: http://127.0.0.1:1/pubmed/baseline/: {said}\n"
    assert (code, *capsys.readouterr()) == (1, "", line)


@pytest.mark.parametrize(
    "options", [["--since", "yesterday"], ["--connections", "0"], ["--connections", "99"]]
)
def test_options_that_make_no_sense_are_refused(ran, options):
    assert ran(*options)[0] == 2


def test_only_pubmed_is_known(tmp_path):
    assert run(["download", "arxiv", str(tmp_path)]) == 2


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_has_come_stays_and_the_next_run_goes_on(server, ran, tmp_path, way):
    served = server.put(ONE, CONTENT, stalls_at=400_000)
    command = ["download", "pubmed", str(tmp_path / "pm"), "--baseline", "--from", server.base]
    download = subprocess.Popen([sys.executable, "-m", "likewise", *command], stderr=-1)
    part = tmp_path / "pm" / f"{ONE}.part"
    until = time.monotonic() + 20
    while not (part.exists() and part.stat().st_size >= 300_000) and time.monotonic() < until:
        time.sleep(0.02)
    download.send_signal(way)
    _, said = download.communicate(timeout=20)
    assert (download.returncode, b"Traceback" in said) in {(130, False), (-9, False)}
    served.stalls_at = None
    server.asked.clear()
    assert json.loads(ran("--baseline", "--json")[1])["bytes"] < 250_000
    assert (tmp_path / "pm" / ONE).read_bytes() == CONTENT
