"""Write hashes.txt and hashes-base.txt: the sums of the wheels that constraints.txt allows.

    python scripts/write_hashes.py INDEX

INDEX is the address of a package index, up to and with /simple. Of every version in constraints.txt
the sums of its wheels for Linux and macOS are taken from there. Not of torch: it comes in several
builds under one version, and which of them is installed is up to who installs.

`pip install --require-hashes` can't install a checkout, and wants a sum for all that it installs.
So what a checkout needs is installed by these files first, and the checkout after it:

    pip install --require-hashes --only-binary=:all: --requirement hashes-base.txt
    pip install --constraint constraints.txt --no-build-isolation --editable .
"""

from __future__ import annotations

import re
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from urllib.parse import unquote, urldefrag

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
BASE, REST = ROOT / "hashes-base.txt", ROOT / "hashes.txt"
LEFT_OUT = frozenset({"torch"})
BUILDING = ("hatchling", "editables")
"""What installs a checkout."""

_HEAD = "# Written by scripts/write_hashes.py from constraints.txt.\n"
_PYTHON = re.compile(r"(cp31[1-4]|py3(?:1[1-4])?|cp3[0-9]+-abi3)\b")
_SYSTEM = re.compile(r"any$|manylinux.*(x86_64|aarch64)$|macosx.*(x86_64|arm64|universal2)$")


class _Links(HTMLParser):
    """Collects where a page leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the address of a link."""
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]


def read_constraints() -> dict[str, str]:
    """Return the versions in constraints.txt by the names of their packages."""
    pairs = (line.split("==") for line in CONSTRAINTS.read_text().splitlines() if "==" in line)
    return {canonicalize_name(name): version.strip() for name, version in pairs}


def list_base() -> set[str]:
    """Return the packages that the base install needs, and all that these need, here and now."""
    found: set[str] = set()
    waiting = ["likewise", *BUILDING]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        try:
            needed = map(Requirement, requires(name) or ())
        except PackageNotFoundError:
            continue
        waiting += [
            one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})
        ]
    return found - {"likewise"}


def find_sums(index: str, name: str, version: str) -> list[str]:
    """Return the sums of a version's wheels for the systems that we know of."""
    with urllib.request.urlopen(f"{index.rstrip('/')}/{name}/", timeout=60) as page:  # noqa: S310  # the user's own index
        links = _Links()
        links.feed(page.read().decode())
    sums = set()
    for link in links.found:
        address, fragment = urldefrag(link)
        file = unquote(address.rpartition("/")[2])
        if file.endswith(".whl") and _is_fit(file, version) and fragment.startswith("sha256="):
            sums.add(fragment.removeprefix("sha256="))
    return sorted(sums)


def _is_fit(file: str, version: str) -> bool:
    try:
        _, found, _, tags = parse_wheel_filename(file)
    except InvalidWheelFilename:  # as some of long ago have
        return False
    fits = (
        _PYTHON.match(f"{tag.interpreter}-{tag.abi}")
        and not tag.abi.endswith("t")
        and _SYSTEM.search(tag.platform)
        for tag in tags
    )
    return found == Version(version) and any(fits)


def format_entries(versions: dict[str, str], sums: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of pip's format."""
    for name, version in sorted(versions.items()):
        if not sums[name]:
            raise SystemExit(f"{name}=={version}: the index has no wheel of it")
        hashes = " \\\n    ".join(f"--hash=sha256:{one}" for one in sums[name])
        yield f"{name}=={version} \\\n    {hashes}\n"


def main(index: str) -> None:
    """Write both files."""
    versions = {name: at for name, at in read_constraints().items() if name not in LEFT_OUT}
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda pair: find_sums(index, *pair), versions.items())
        sums = dict(zip(versions, found, strict=True))
    base = {name: versions[name] for name in list_base() & versions.keys()}
    rest = {name: at for name, at in versions.items() if name not in base}
    BASE.write_text(_HEAD + "".join(format_entries(base, sums)))
    REST.write_text(_HEAD + f"-r {BASE.name}\n" + "".join(format_entries(rest, sums)))


if __name__ == "__main__":
    main(sys.argv[1])
