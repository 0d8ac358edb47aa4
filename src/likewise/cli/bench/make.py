"""likewise bench make: tasks of the topics of a library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from likewise.bench.tasks.settings import TaskSettings
from likewise.bench.tasks.task import Scheme, Setting
from likewise.cli.bench.tasks import draws_option, pool_option, print_statistics, seeds_option
from likewise.cli.commands import SeveralCommand
from likewise.cli.options import fields_option, json_option, library_argument, seed_option
from likewise.cli.output import (
    format_count,
    make_bar,
    print_above,
    print_json,
    say,
    show_progress_by,
)
from likewise.errors import SettingsError
from likewise.library.more_like import MoreLike

if TYPE_CHECKING:
    from likewise.bench.tasks.making import MakeReport
    from likewise.bench.topics.topics import Topic

TARGETS = ("seeds", "negatives")
"""What a bias can be of."""


@click.command("make", cls=SeveralCommand)
@library_argument
@click.option(
    "--topic", "spelled", multiple=True, metavar="TOPIC",
    help='A topic, as "Animals + Brain + Rats" or D000818.D001921.D051381. May be repeated.',
)  # fmt: skip
@click.option(
    "--topics", "topics_file", type=click.Path(path_type=Path), metavar="FILE",
    help="A file with a topic a line.",
)  # fmt: skip
@click.option("--paper", is_flag=True, help="The topics of the paper.")
@seeds_option
@pool_option
@draws_option
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="TASKS",
    help="The folder of tasks; one that was made alike is added to.",
)  # fmt: skip
@click.option(
    "--setting", default=TaskSettings.setting, show_default=True,
    type=click.Choice(get_args(Setting)),
    help="Whether methods are measured on a part that they do not learn from, or on all.",
)  # fmt: skip
@click.option(
    "--scheme", default=TaskSettings.scheme, show_default=True,
    type=click.Choice(get_args(Scheme)),
    help="Whether the seeds retrieve the pool, or the whole topic does and is in it.",
)  # fmt: skip
@click.option(
    "--query", default="default", show_default=True, type=click.Choice(("default", "paper")),
    help="How terms are chosen to retrieve the pool: as likewise expand does, or as the paper did.",
)  # fmt: skip
@click.option(
    "--relax", is_flag=True,
    help="With --query paper: halve the 20 % of its terms that a document must have until the "
    "pool is full.",
)  # fmt: skip
@click.option(
    "--bias", "biases", multiple=True, metavar="WHAT=BIAS",
    help="What seeds are chosen by, as seeds=length: length, rank, rank-low, year, year-old, "
    "citations or cluster; also negatives=BIAS.",
)  # fmt: skip
@click.option(
    "--negatives", default=TaskSettings.negatives, show_default=True, type=click.IntRange(min=0),
    help="How many documents off topic are known for training.",
)  # fmt: skip
@click.option("--negatives-bias", default="", metavar="BIAS", help="What these are chosen by.")
@click.option(
    "--labels", "labels_file", type=click.Path(path_type=Path), metavar="FILE",
    help="Labels of documents, where topics are not of MeSH headings: JSON lines, CSV or qrels.",
)  # fmt: skip
@click.option(
    "--field", default="labels", show_default=True, metavar="NAME",
    help="The field of the file of labels that has them.",
)  # fmt: skip
@click.option(
    "--mesh-tree", "tree_file", type=click.Path(path_type=Path), metavar="FILE",
    help="NLM's file of MeSH: headings then stand for all below them too.",
)  # fmt: skip
@click.option(
    "--citations", "citations_file", type=click.Path(path_type=Path), metavar="FILE",
    help="How often documents are cited: an id and a count a line.",
)  # fmt: skip
@click.option(
    "--keep-unindexed", is_flag=True,
    help="Take in documents without MeSH headings or abstract, which count as off topic.",
)  # fmt: skip
@click.option(
    "--no-test-seeds", is_flag=True,
    help="Measure on what was retrieved alone, without the seeds of the test part.",
)  # fmt: skip
@seed_option
@fields_option
@json_option
def command(library: str, *, out: Path, as_json: bool, **chosen: Any) -> None:
    """Make tasks from topics of a library.

    A task is a topic's seeds and the pool that they retrieve, with the truth about it apart. Topics
    with too few documents are left out, and named.
    """
    from likewise.bench.tables.statistics import compute_statistics, read_task_metadata

    settings = _make_settings(chosen)
    made = _make_tasks(library, _read_topics(chosen), settings=settings, out=out, chosen=chosen)
    rows = compute_statistics(read_task_metadata(out))
    if as_json:
        print_json({"path": str(out), **made._asdict(), "tasks": [row._asdict() for row in rows]})
        return
    print_statistics(rows)
    before = f", {len(made.kept):,} were there" if made.kept else ""
    say(f"{out}: {format_count(len(made.made), 'task')} made{before}")


def _read_topics(chosen: dict[str, Any]) -> list[Topic]:
    from likewise.bench.topics.topics import PAPER, parse_topic, read_topics

    topics = [parse_topic(text) for text in chosen["spelled"]]
    if chosen["topics_file"]:
        topics += read_topics(chosen["topics_file"])
    if chosen["paper"]:
        topics += read_topics(PAPER)
    if not topics:
        raise click.UsageError("no topic is given; give --topic, --topics or --paper")
    return list(dict.fromkeys(topics))


def _make_settings(chosen: dict[str, Any]) -> TaskSettings:
    biases = _parse_biases(chosen["biases"])
    if chosen["negatives_bias"]:
        biases["negatives"] = chosen["negatives_bias"]
    plain = {name: chosen[name] for name in ("pool", "draws", "scheme", "setting", "number")}
    return TaskSettings(
        **plain,
        keep_unindexed=chosen["keep_unindexed"],
        test_seeds=not chosen["no_test_seeds"],
        more_like=_choose_more_like(chosen["query"], relax=chosen["relax"]),
        seeds=tuple(sorted(set(chosen["seeds"]))),
        negatives=chosen["negatives"],
        seeds_bias=biases.get("seeds", ""),
        negatives_bias=biases.get("negatives", ""),
    )


def _choose_more_like(query: str, *, relax: bool) -> MoreLike:
    from likewise.library.more_like import MoreLike

    if query == "paper":
        return MoreLike.of_the_paper(relax=relax)
    if relax:
        raise click.UsageError("--relax is for --query paper; the default one has no minimum")
    return MoreLike()


def _parse_biases(given: tuple[str, ...]) -> dict[str, str]:
    biases = {}
    for text in given:
        of, _, bias = text.partition("=")
        if of not in TARGETS or not bias:
            raise SettingsError(f"--bias {text}: write it as seeds=length or negatives=rank")
        biases[of] = bias
    return biases


def _make_tasks(
    library: str,
    topics: list[Topic],
    *,
    settings: TaskSettings,
    out: Path,
    chosen: dict[str, Any],
) -> MakeReport:
    from likewise.bench.tasks.bias import read_citations
    from likewise.bench.tasks.making import find_topic_members, make_tasks
    from likewise.bench.topics.labels import read_labels
    from likewise.bench.topics.mesh import read_mesh_tree
    from likewise.library import open_library

    files = {name: chosen[name] for name in ("labels_file", "tree_file", "citations_file")}
    labels = read_labels(files["labels_file"], chosen["field"]) if files["labels_file"] else None
    tree = read_mesh_tree(files["tree_file"]) if files["tree_file"] else None
    cited = read_citations(files["citations_file"]) if files["citations_file"] else None
    with open_library(library) as opened, make_bar("{task.fields[note]}") as bar:
        on_progress = show_progress_by(bar, "tasks", "topics")
        found, left_out = find_topic_members(opened, topics, labels=labels, tree=tree)
        made = make_tasks(
            opened,
            found,
            settings=settings,
            out=out,
            truth_from=_name_truth(files["labels_file"], files["tree_file"]),
            citations=cited,
            on_progress=on_progress,
        )
        left_out = [*left_out, *made.left_out]
        for line in left_out:
            print_above(bar)(f"left out: {line}")
    return made._replace(left_out=tuple(left_out))


def _name_truth(labels: Path | None, tree: Path | None) -> str:
    read = labels.name if labels else "MeSH"
    return f"{read}, with all headings below" if tree else read
