"""likewise bench suggest, make, import, export and stats: find topics, make and exchange tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from likewise.bench.tasks import Scheme, Setting, TaskSettings
from likewise.bench.tasks.bias import parse_biases
from likewise.bench.topics.suggestions import Suggestions, SuggestSettings
from likewise.cli import Several, SeveralCommand
from likewise.cli.options import fields_option, json_option, library_argument, seed_option
from likewise.cli.output import print_json, print_rows, say, show_progress_by
from likewise.expansion.wording import format_count
from likewise.library.more_like import MoreLike
from likewise.progress import make_bar

if TYPE_CHECKING:
    from likewise.bench.tables import TaskStatistics
    from likewise.bench.tasks.making import MakeReport


@click.command("suggest")
@library_argument
@click.option(
    "--terms", default=SuggestSettings.terms, show_default=True, type=click.IntRange(2, 5),
    help="How many MeSH headings a topic has.",
)  # fmt: skip
@click.option(
    "--min", "minimum", default=SuggestSettings.minimum, show_default=True,
    type=click.IntRange(min=1),
    help="The fewest documents that a topic may have.",
)  # fmt: skip
@click.option(
    "--max", "maximum", default=SuggestSettings.maximum, show_default=True,
    type=click.IntRange(min=1),
    help="The most documents that a topic may have.",
)  # fmt: skip
@click.option(
    "--limit", default=SuggestSettings.limit, show_default=True, type=click.IntRange(min=1),
    help="The most topics to suggest.",
)  # fmt: skip
@fields_option
@json_option
def suggest_command(
    library: str, *, terms: int, minimum: int, maximum: int, limit: int, as_json: bool
) -> None:
    """Suggest topics that make good tasks.

    A topic is a conjunction of MeSH headings. The best come first: topics that are spread over
    sources and years like the library ("spread" is 1 if they are like documents drawn at random),
    with few check tags, such as Humans or Male, among their terms, and with about half as many
    documents as their rarest term has ("rarest" is how many it has for each document on topic).
    """
    settings = SuggestSettings(terms=terms, minimum=minimum, maximum=maximum, limit=limit)
    found = _suggest_with_bar(library, settings)
    if as_json:
        print_json(_list_suggestions(found))
        return
    if found.sampled < found.documents:
        say(f"found in a sample of {found.sampled:,} of {found.documents:,} documents, but counted "
            "in all; topics rare in the sample are missed, and spread is that of the sample"
        )  # fmt: skip
    if not found.topics:
        say(f"no {terms} headings share {minimum:,} to {maximum:,} documents more often than by "
            "chance; try other --terms, --min or --max")  # fmt: skip
    rows = [
        (f"{s.documents:,}", f"{s.spread:.2f}", s.check_tags, f"{s.times:.1f}", s.topic)
        for s in found.topics
    ]
    if rows:
        print_rows(("documents", "spread", "check tags", "rarest", "topic"), rows)


def _suggest_with_bar(library: str, settings: SuggestSettings) -> Suggestions:
    import numpy as np

    from likewise.bench.topics.suggestions import suggest_topics
    from likewise.library import open_library

    with open_library(library) as opened, make_bar() as bar:
        task = bar.add_task("looking for topics", total=1.0)
        return suggest_topics(
            opened,
            settings,
            rng=np.random.default_rng(0),
            on_progress=lambda done: bar.update(task, completed=done),
        )


def _list_suggestions(found: Suggestions) -> dict[str, object]:
    topics = [
        asdict(suggestion) | {"topic": str(suggestion.topic), "terms": suggestion.topic.terms}
        for suggestion in found.topics
    ]
    return {"documents": found.documents, "sampled": found.sampled, "topics": topics}


seeds_option = click.option(
    "--seeds", cls=Several, default=TaskSettings.seeds,
    show_default=" ".join(map(str, TaskSettings.seeds)), type=click.IntRange(min=3),
    metavar="N...", help="How many seeds are for training; each number makes a task.",
)  # fmt: skip
pool_option = click.option(
    "--pool", default=TaskSettings.pool, show_default=True, type=click.IntRange(min=1),
    help="|U|: how many unlabeled documents are for training; twice as many are retrieved, and a "
    "quarter of those is for validation, a quarter for testing.",
)  # fmt: skip
draws_option = click.option(
    "--draws", default=TaskSettings.draws, show_default=True, type=click.IntRange(min=1),
    help="How many times to draw seeds; each draw makes a task.",
)  # fmt: skip


@click.command("make", cls=SeveralCommand)
@library_argument
@click.option(
    "--topic", "spelled", multiple=True, metavar="TOPIC",
    help='A topic, such as "Animals + Brain + Rats" or D000818.D001921.D051381. May be repeated.',
)  # fmt: skip
@click.option(
    "--topics", "topics_file", type=click.Path(path_type=Path), metavar="FILE",
    help="A file with one topic on each line.",
)  # fmt: skip
@click.option("--paper", is_flag=True, help="Use the topics of the paper.")
@seeds_option
@pool_option
@draws_option
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="TASKS",
    help="The folder of tasks; tasks are added to one that was made with the same settings.",
)  # fmt: skip
@click.option(
    "--setting", default=TaskSettings.setting, show_default=True,
    type=click.Choice(get_args(Setting)),
    help="Measure methods on a part that they do not learn from, or on the whole pool.",
)  # fmt: skip
@click.option(
    "--scheme", default=TaskSettings.scheme, show_default=True,
    type=click.Choice(get_args(Scheme)),
    help="Let the seeds retrieve the pool, or the whole topic, which is then part of it.",
)  # fmt: skip
@click.option(
    "--query", default="default", show_default=True, type=click.Choice(("default", "paper")),
    help="How to choose the terms that retrieve the pool: like likewise expand, or like the paper.",
)  # fmt: skip
@click.option(
    "--relax", is_flag=True,
    help="With --query paper: halve the share of its terms that a document must have, at first "
    "20 %, until the pool is full.",
)  # fmt: skip
@click.option(
    "--bias", "biases", multiple=True, metavar="WHAT=BIAS",
    help="What seeds are chosen by, such as seeds=length: length, rank, rank-low, year, year-old, "
    "citations or cluster; the same for negatives: negatives=length.",
)  # fmt: skip
@click.option(
    "--negatives", default=TaskSettings.negatives, show_default=True, type=click.IntRange(min=0),
    help="How many documents are known to be off topic, for methods to learn from.",
)  # fmt: skip
@click.option(
    "--negatives-bias", default="", metavar="BIAS", help="What these negatives are chosen by."
)
@click.option(
    "--labels", "labels_file", type=click.Path(path_type=Path), metavar="FILE",
    help="A file of labels, for topics that are not MeSH headings: JSON lines, CSV or qrels.",
)  # fmt: skip
@click.option(
    "--field", default="labels", show_default=True, metavar="NAME",
    help="The field of that file that holds the labels.",
)  # fmt: skip
@click.option(
    "--mesh-tree", "tree_file", type=click.Path(path_type=Path), metavar="FILE",
    help="NLM's file of MeSH; a heading then includes all headings below it.",
)  # fmt: skip
@click.option(
    "--citations", "citations_file", type=click.Path(path_type=Path), metavar="FILE",
    help="How often documents are cited: an id and a count on each line.",
)  # fmt: skip
@click.option(
    "--keep-unindexed", is_flag=True,
    help="Keep documents without MeSH headings or an abstract; they count as off topic.",
)  # fmt: skip
@click.option(
    "--keep-references", is_flag=True,
    help="Keep what documents cite, for methods that follow citations.",
)  # fmt: skip
@click.option(
    "--no-test-seeds", is_flag=True,
    help="Measure only on what was retrieved, without the seeds of the test part.",
)  # fmt: skip
@seed_option
@fields_option
@json_option
def make_command(library: str, *, out: Path, as_json: bool, **chosen: Any) -> None:
    """Make tasks from topics of a library.

    A task is the seeds of a topic and the pool that they retrieve; the truth about them is
    kept in a separate file. Topics with too few documents are left out, and listed.
    """
    from likewise.bench.tables import compute_statistics, read_task_metadata

    made = _make_tasks_with_bar(library, out=out, chosen=chosen)
    for line in made.left_out:
        say(f"left out: {line}")
    rows = compute_statistics(read_task_metadata(out))
    if as_json:
        print_json({"path": str(out), **made._asdict(), "tasks": [asdict(row) for row in rows]})
        return
    print_statistics(rows)
    before = f", {len(made.kept):,} already there" if made.kept else ""
    say(f"{out}: {format_count(len(made.made), 'task')} made{before}")


def _make_tasks_with_bar(library: str, *, out: Path, chosen: dict[str, Any]) -> MakeReport:
    from likewise.bench.tasks.making import TruthFiles, make_topic_tasks
    from likewise.bench.topics import collect_topics
    from likewise.library import open_library

    settings = _make_settings(chosen)
    topics = collect_topics(chosen["spelled"], path=chosen["topics_file"], is_paper=chosen["paper"])
    if not topics:
        raise click.UsageError("no topic is given; give --topic, --topics or --paper")
    files = TruthFiles(
        chosen["labels_file"], chosen["field"], chosen["tree_file"], chosen["citations_file"]
    )
    with open_library(library) as opened, make_bar("{task.fields[note]}") as bar:
        on_progress = show_progress_by(bar, "tasks", "topics")
        return make_topic_tasks(
            opened, topics, settings=settings, out=out, files=files, on_progress=on_progress
        )


def _make_settings(chosen: dict[str, Any]) -> TaskSettings:
    biases = parse_biases(chosen["biases"])
    if chosen["negatives_bias"]:
        biases["negatives_bias"] = chosen["negatives_bias"]
    if chosen["relax"] and chosen["query"] != "paper":
        raise click.UsageError("--relax is for --query paper; the default query has no minimum")
    is_paper = chosen["query"] == "paper"
    same = (
        *("pool", "draws", "scheme", "setting", "number", "negatives"),
        *("keep_unindexed", "keep_references"),
    )
    return TaskSettings(
        **{name: chosen[name] for name in same} | biases,
        test_seeds=not chosen["no_test_seeds"],
        more_like=MoreLike.of_the_paper(relax=chosen["relax"]) if is_paper else MoreLike(),
        seeds=tuple(sorted(set(chosen["seeds"]))),
    )


@click.command("import", cls=SeveralCommand)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="TASKS",
    help="The folder of tasks to write.",
)  # fmt: skip
@seeds_option
@pool_option
@draws_option
@seed_option
@json_option
def import_command(  # one parameter an option
    folder: Path,
    *,
    out: Path,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Make tasks from files in other formats.

    DIR holds tasks as the authors of the paper published them, which are taken as they are, or a
    collection in BEIR's format. The queries of a collection become topics if enough documents are
    relevant to them; the options say how seeds are drawn and pools retrieved for these topics.
    """
    from likewise.bench.tasks.transfer import import_tasks

    settings = TaskSettings(**chosen)
    with make_bar("{task.fields[note]}") as bar:
        on_progress = show_progress_by(bar, "import")
        report = import_tasks(folder, out, settings=settings, on_progress=on_progress)
    for note in report.notes:
        say(note)
    if as_json:
        print_json({"path": str(out), **report._asdict()})
    else:
        say(
            f"{out}: {format_count(len(report.tasks), 'task')} read from {folder} ({report.format})"
        )


EXPORT_FORMATS = ("dse", "beir", "trec")


@click.command("export")
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option(
    "--as", "as_format", required=True, type=click.Choice(EXPORT_FORMATS),
    help="The format to write.",
)  # fmt: skip
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR",
    help="The folder to write to.",
)  # fmt: skip
@json_option
def export_command(tasks: Path, *, as_format: str, out: Path, as_json: bool) -> None:
    """Write tasks in other formats.

    dse is the format of the paper's authors, with a folder for each task; beir is one collection,
    with a query for each task; trec is a file of qrels and the engine's ranking of the pools as a
    run.
    """
    from likewise.bench.tasks.transfer import export_tasks

    names = export_tasks(tasks, out, as_format=as_format)
    if as_json:
        print_json({"path": str(out), "format": as_format, "tasks": names})
    else:
        say(f"{out}: {format_count(len(names), 'task')} written as {as_format}")


@click.command("stats")
@click.argument("tasks", type=click.Path(path_type=Path))
@json_option
def stats_command(tasks: Path, *, as_json: bool) -> None:
    """Show what tasks hold: seeds, pool, precision and recall of the pool, over all draws.

    TASKS is a folder made by "likewise bench make", or one in the format that the authors of the
    paper published.
    """
    from likewise.bench.tables import compute_statistics, read_task_metadata

    rows = compute_statistics(read_task_metadata(tasks))
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        print_statistics(rows)


def print_statistics(rows: Sequence[TaskStatistics]) -> None:
    """Print the columns of the paper's Table 6: precision and recall are in per cent."""
    print_rows(
        ("|LP|", "|U|", "precision", "recall", "on topic", "draws", "topic"),
        [
            (
                row.seeds,
                f"{row.pool:,.0f}",
                f"{100 * row.precision:.2f}",
                f"{100 * row.recall:.2f}",
                f"{row.on_topic:,}",
                row.draws,
                row.topic,
            )
            for row in rows
        ],
    )
