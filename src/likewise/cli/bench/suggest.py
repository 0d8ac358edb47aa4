"""likewise bench suggest: suggest topics that make good tasks."""

from __future__ import annotations

import click

from likewise.bench.topics.suggestions import Suggestions, SuggestSettings
from likewise.cli.options import fields_option, json_option, library_argument
from likewise.cli.output import make_bar, print_json, print_rows, say


@click.command("suggest")
@library_argument
@click.option(
    "--terms", default=SuggestSettings.terms, show_default=True, type=click.IntRange(2, 5),
    help="How many MeSH headings a topic has.",
)  # fmt: skip
@click.option(
    "--min", "minimum", default=SuggestSettings.minimum, show_default=True,
    type=click.IntRange(min=1),
    help="How many documents at least.",
)  # fmt: skip
@click.option(
    "--max", "maximum", default=SuggestSettings.maximum, show_default=True,
    type=click.IntRange(min=1),
    help="How many documents at most.",
)  # fmt: skip
@click.option(
    "--limit", default=SuggestSettings.limit, show_default=True, type=click.IntRange(min=1),
    help="How many topics at most.",
)  # fmt: skip
@fields_option
@json_option
def command(
    library: str, *, terms: int, minimum: int, maximum: int, limit: int, as_json: bool
) -> None:
    """Suggest topics that make good tasks.

    A topic is a conjunction of MeSH headings. The best come first: topics that are spread over
    sources and years as the library is ("spread" is 1 if they are like documents drawn at random),
    with few check tags, such as Humans or Male, among their terms, and with about half as many
    documents as their rarest term has ("rarest" is how many times as many that has).
    """
    settings = SuggestSettings(terms=terms, minimum=minimum, maximum=maximum, limit=limit)
    found = _suggest_with_bar(library, settings)
    if as_json:
        print_json(_list_values(found))
        return
    if found.sampled < found.documents:
        say(f"found in a sample of {found.sampled:,} of {found.documents:,} documents, and counted "
            "in all; topics rare in the sample are missed, and spread is that of the sample"
        )  # fmt: skip
    if not found.topics:
        say(f"no {terms} headings share {minimum:,} to {maximum:,} documents, more than by chance; "
            "try others with --terms, --min and --max")  # fmt: skip
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


def _list_values(found: Suggestions) -> dict[str, object]:
    topics = [
        suggestion._asdict() | {"topic": str(suggestion.topic), "terms": suggestion.topic.terms}
        for suggestion in found.topics
    ]
    return {"documents": found.documents, "sampled": found.sampled, "topics": topics}
