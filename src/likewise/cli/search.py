"""likewise search: documents with these words."""

from __future__ import annotations

import click

from likewise.cli.options import fields_option, library_argument, open_with_bar
from likewise.cli.output import format_count, json_option, print_json, print_rows, say


@click.command("search")
@library_argument
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many documents at most.",
)
@click.option(
    "--where",
    default="",
    metavar="LIMITS",
    help='Only documents within these limits, as in "year>=2010 and language=eng and '
    'type=review"; commas join too, and | means or.',
)
@click.option("-o", "--output", metavar="FILE", help="Write the documents; the suffix says how.")
@fields_option
@json_option
def command(  # one parameter an option
    library: str,
    words: tuple[str, ...],
    *,
    limit: int,
    where: str,
    output: str | None,
    as_json: bool,
) -> None:
    """Search a library for words.

    A document scores higher the more of the words it has, the rarer they are, and if they are in
    its title.
    """
    from likewise.documents import write
    from likewise.library.protocol import make_words_query
    from likewise.library.where import Where

    limits = Where.parse(where)
    with open_with_bar(library) as opened:
        query = make_words_query(" ".join(words), library=opened, where=limits)
        hits = opened.search(query, limit=limit)
        documents = opened.get(hits.ids)
    if output:
        write(documents, output)
        if as_json:
            print_json({"path": output, "documents": len(documents)})
        else:
            say(f"{output}: {format_count(len(documents), 'document')} written")
    elif as_json:
        found = zip(documents, hits.scores, strict=True)
        print_json([{"score": round(score, 4), "document": d} for d, score in found])
    elif documents:
        rows = [
            (rank, d.id, f"{score:.2f}", d.year or "", d.title or d.abstract)
            for rank, (d, score) in enumerate(zip(documents, hits.scores, strict=True), 1)
        ]
        print_rows(("rank", "id", "score", "year", "title"), rows)
    else:
        say(f"nothing found; try fewer or other words{', or wider limits' if limits else ''}")
