"""Fill the blocks of docs/benchmark.md and some other pages from benchmarks/results/.

A block stands between two lines. The first says what is shown, in the words of the command that
makes it; the files that it names are those of benchmarks/results:

    <!-- table wide.json --like table1 -->       as "likewise bench table" prints it
    <!-- figure growing.json --only topics -->   as "likewise bench figures" draws it, and its words
    <!-- file table6.md -->                      a file as it is
    <!-- end -->                                 ends each

A block whose files are not there is left as it is, and said.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from likewise.cli import run

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "docs" / name
    for name in (
        "benchmark.md",
        "explanation/findings.md",
        "explanation/reliability.md",
        "explanation/scale.md",
        "how-to/pubmed.md",
    )
]
RESULTS = ROOT / "benchmarks" / "results"
FIGURES = ROOT / "docs" / "figures"
BLOCK = re.compile(
    r"^<!-- (?P<kind>table|figure|file) (?P<asked>.+) -->\n(?P<body>(?:.*\n)*?)<!-- end -->$",
    re.MULTILINE,
)


class Block(NamedTuple):
    """What a block shows."""

    kind: str
    files: tuple[Path, ...]
    options: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """The files that are not there, with what makes each."""
        return [
            f"{file.name} is not there; make it with: {_name_maker(file)}"
            for file in self.files
            if not file.is_file()
        ]


def main() -> None:
    """Fill the pages; end with what is missing, if something is."""
    missing: list[str] = []
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        missing += [line for found in BLOCK.finditer(page) for line in parse_block(found).missing]
        path.write_text(fill_page(page), encoding="utf-8")
    if missing:
        sys.exit("\n".join(dict.fromkeys(missing)))


def fill_page(page: str, *, results: Path = RESULTS, figures: Path = FIGURES) -> str:
    """Return a page with every block filled whose files are there.

    Args:
        page: In Markdown.
        results: Where the files are that blocks name.
        figures: Where to draw.
    """
    return BLOCK.sub(lambda found: _fill_block(found, results=results, figures=figures), page)


def parse_block(found: re.Match[str], *, results: Path = RESULTS) -> Block:
    """Return what a block of a page asks for: files, and from the first option on the rest."""
    words = shlex.split(found["asked"])
    first = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    files = tuple(results / word for word in words[:first])
    return Block(found["kind"], files, tuple(words[first:]))


def make_content(block: Block, *, figures: Path = FIGURES) -> str:
    """Return what a block shows."""
    if block.kind == "table":
        return run_bench("table", *block.files, *block.options)
    if block.kind == "file":
        return block.files[0].read_text(encoding="utf-8")
    made = run_bench(
        "figures", *block.files, *block.options, "--format", "svg", "--out", figures, "--json"
    )
    return "\n".join(
        f"![{drawn['alternative']}](figures/{Path(drawn['files'][0]).name})\n\n*{drawn['caption']}*"
        for drawn in json.loads(made)["figures"]
    )


def run_bench(*words: object) -> str:
    """Return what a command of the benchmark prints."""
    stream = io.StringIO()
    with redirect_stdout(stream):
        code = run(["bench", *map(str, words)])
    if code:
        sys.exit(f"likewise bench {shlex.join(map(str, words))}: failed, as said above")
    return stream.getvalue()


def _name_maker(file: Path) -> str:
    """Return the command that makes a file; those of tasks come with the quick runs."""
    if file.suffix == ".json":
        return f"python -m benchmarks.tables.run {file.stem}"
    if file.stem in {"scale", "agreement", "more-like-this"}:
        return "make bench-scale"
    if file.name.startswith("sources"):
        return "make bench-sources"
    if file.stem == "attacks":
        return "make bench-attacks"
    return "make bench-screen" if file.name.startswith("screen") else "make bench-tables"


def _fill_block(found: re.Match[str], *, results: Path, figures: Path) -> str:
    block = parse_block(found, results=results)
    if block.missing:
        return found[0]
    head = found[0].partition("\n")[0]
    return f"{head}\n\n{make_content(block, figures=figures).strip()}\n\n<!-- end -->"


if __name__ == "__main__":
    main()
