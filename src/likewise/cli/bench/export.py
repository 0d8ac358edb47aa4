"""likewise bench export: tasks in formats of others."""

from __future__ import annotations

from pathlib import Path

import click

from likewise.cli.output import format_count, json_option, print_json, say

FORMATS = ("dse", "beir", "trec")


@click.command("export")
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option(
    "--as", "as_format", required=True, type=click.Choice(FORMATS), help="Which format to write."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where to."
)
@json_option
def command(tasks: Path, *, as_format: str, out: Path, as_json: bool) -> None:
    """Write tasks in formats of others.

    dse is the format of the paper's authors, a folder a task; beir one collection of all tasks, a
    query each; trec the qrels, and the engine's ranking of the pool as a run.
    """
    from likewise.bench.exchange.transfer import export_tasks

    names = export_tasks(tasks, out, as_format=as_format)
    if as_json:
        print_json({"path": str(out), "format": as_format, "tasks": names})
    else:
        say(f"{out}: {format_count(len(names), 'task')} written as {as_format}")
