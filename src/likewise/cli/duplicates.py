"""likewise duplicates: which records were merged, which may have to be, and what a person says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import fields_option, json_option, library_argument, open_with_bar
from likewise.cli.output import format_count, make_bar, print_json, print_rows, say
from likewise.library.protocol import Library


@click.command("duplicates", cls=SeveralCommand)
@library_argument
@click.option("--near", is_flag=True, help="List papers that may be the same, and are not merged.")
@click.option("--split", cls=Several, metavar="ID...", help="Take papers apart into their records.")
@click.option(
    "--join", nargs=2, multiple=True, metavar="ID ID",
    help="Make one paper of two; it keeps the id of the first.",
)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write the list as a table (CSV).")
@fields_option
@json_option
def command(  # one parameter an option
    library: str,
    *,
    near: bool,
    split: Sequence[str],
    join: Sequence[tuple[str, str]],
    output: str | None,
    as_json: bool,
) -> None:
    """List records that were merged, and take them apart or join others.

    Each line shows a paper, a record that was merged into it, and what both have in common. With
    --near, papers are listed whose titles are nearly the same, with the same year and first author;
    they stay apart unless you join them. ID is a document's id in the library, or its PMID, DOI or
    PMCID. What you split or join stays so when files are read again.
    """
    if bool(split or join) and (near or output):
        raise click.UsageError(
            "--split and --join change a library; list its duplicates after that"
        )
    if split or join:
        _correct(library, split, join, as_json=as_json)
    else:
        _list(library, near=near, output=output, as_json=as_json)


def _correct(
    library: str, split: Sequence[str], join: Sequence[tuple[str, str]], *, as_json: bool
) -> None:
    from likewise.library import open_library
    from likewise.library.duplicates import join_papers, split_papers

    # A writer makes a library where there is none.
    open_library(library).close()
    with open_library(library, write=True) as opened:
        parted = split_papers(opened, split) if split else []
        joined = [join_papers(opened, *pair) for pair in join]
    if as_json:
        papers = [
            {"kept": paper.id, "joined": pair} for paper, pair in zip(joined, join, strict=True)
        ]
        print_json({"split": [each._asdict() for each in parted], "joined": papers})
        return
    for each in parted:
        click.echo(f"{each.paper}: split into {', '.join(each.into)}")
    for paper, (_, other) in zip(joined, join, strict=True):
        click.echo(f"{paper.id}: joined with {other}")


def _list(library: str, *, near: bool, output: str | None, as_json: bool) -> None:
    from likewise.library.duplicates import DuplicatePair, list_duplicates, write_pairs
    from likewise.library.near_duplicates import NearPair

    with open_with_bar(library) as opened:
        pairs: Sequence[Any] = _find_near(opened) if near else list_duplicates(opened)
    if output:
        write_pairs(pairs, output, names=(NearPair if near else DuplicatePair)._fields)
        say(f"{output}: {format_count(len(pairs), 'pair')} written")
    elif as_json:
        print_json([pair._asdict() for pair in pairs])
    elif not pairs:
        what = "no two papers look like the same" if near else "no record was merged with another"
        say(f"{library}: {what}")
    elif near:
        rows = [(p.one_id, p.other_id, f"{p.likeness:.2f}", p.year, p.one_title) for p in pairs]
        print_rows(("id", "other", "likeness", "year", "title"), rows)
    else:
        rows = [
            (p.kept_id, p.other_id, p.matched_by, p.other_place or p.other_source, p.other_title)
            for p in pairs
        ]
        print_rows(("id", "other", "matched by", "file", "title"), rows)


def _find_near(library: Library) -> Sequence[Any]:
    from likewise.library.near_duplicates import find_near_duplicates

    with make_bar() as bar:
        task = bar.add_task("reading titles", total=None)
        show: Callable[[int, int], None] = lambda done, total: bar.update(  # noqa: E731
            task, completed=done, total=total
        )
        return find_near_duplicates(library, on_progress=show)
