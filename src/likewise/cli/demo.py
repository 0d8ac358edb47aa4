"""likewise demo: the whole way, on real records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.index import indexed, summary
from likewise.cli.output import json_option, print_json, print_rows, say
from likewise.cli.sample import fetched

if TYPE_CHECKING:
    from likewise.documents import Document

# Ten of the sample's 119 records that have an abstract and both of the headings, drawn at random.
HEADINGS = {"Blood Glucose", "Insulin"}
SEEDS = [
    "399850",
    "402276",
    "404888",
    "405568",
    "405832",
    "410692",
    "411281",
    "421128",
    "426056",
    "428690",
]
POOL = 100
SHOWN = 15


@click.command("demo")
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default="demo", metavar="[DIR]"
)
@json_option
def command(folder: Path, *, as_json: bool) -> None:
    """Fetch the sample, index it, and look for more like a few papers.

    Everything goes into DIR ("demo" if not given): the sample, the library, the seeds and what was
    found. Running it again is quick, and changes nothing.
    """
    from likewise.documents import write
    from likewise.library import open_library
    from likewise.library.more_like import more_like_these

    say("1. Two files of real PubMed records")
    fetched(folder / "pubmed")
    say("2. Into a library")
    report = indexed([str(folder / "pubmed")], str(folder / "library"))
    say(summary(report, str(folder / "library")))
    say(f"3. More like these {len(SEEDS)} papers on blood glucose and insulin")
    with open_library(folder / "library") as library:
        seeds = library.get(SEEDS)
        pool = more_like_these(library, seeds, limit=POOL, exclude=SEEDS)
        found = library.get(pool.hits.ids)
    write(seeds, folder / "seeds.ris")
    write(found, folder / "found.ris")
    on_topic = [_on_topic(document) for document in found]
    if as_json:
        print_json({"library": report.documents, "found": len(found), "on_topic": sum(on_topic)})
        return
    rows = list(zip(found, on_topic, strict=True))[:SHOWN]
    names = ("rank", "id", "year", "MeSH", "title")
    print_rows(
        names, [(n, d.id, d.year, "+" if on else "", d.title) for n, (d, on) in enumerate(rows, 1)]
    )
    click.echo(
        f"\nOf the {POOL} documents most like the seeds, {sum(on_topic)} carry both of the MeSH "
        f"headings that the seeds share (marked +).\n"
        f"The search did not see the headings, only titles and abstracts. "
        f"All {POOL} are in {folder / 'found.ris'}."
    )


def _on_topic(document: Document) -> bool:
    return {heading.name for heading in document.mesh} >= HEADINGS
