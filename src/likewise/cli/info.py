"""likewise info: what a library holds."""

from __future__ import annotations

import click

from likewise.cli.options import fields_option, library_argument, open_with_bar
from likewise.cli.output import (
    clean_text,
    format_count,
    format_size,
    json_option,
    make_console,
    print_json,
)

MOST_SOURCES = 15


@click.command("info")
@library_argument
@fields_option
@json_option
def command(library: str, *, as_json: bool) -> None:
    """Tell what a library holds: documents, fields, sources, size, last change."""
    from rich.markup import escape

    with open_with_bar(library) as opened:
        info = opened.info()
    if as_json:
        print_json(info._asdict())
        return
    screen = make_console()
    size = f"{format_count(info.documents, 'document')}, {format_size(info.bytes)}"
    # When an index of others has changed is not known.
    known = info.changed or not info.documents
    changed = f", last changed {info.changed or 'never'}" if known else ""
    screen.print(f"[bold]{escape(clean_text(library))}[/bold]: {size}{changed}")
    screen.print("\n[dim]documents that have[/dim]")
    for name, number in info.fields.items():
        screen.print(f"  {name.replace('_', ' '):18}{number:>12,}  {number / info.documents:6.1%}")
    screen.print("\n[dim]documents from[/dim]")
    for source, number in list(info.sources.items())[:MOST_SOURCES]:
        screen.print(f"  {number:>12,}  {clean_text(source) or '(unknown)'}", markup=False)
    if len(info.sources) > MOST_SOURCES:
        screen.print(f"  and {len(info.sources) - MOST_SOURCES:,} more; --json lists them all")
