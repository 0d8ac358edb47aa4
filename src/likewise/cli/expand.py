"""likewise expand: from the papers you have to the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.output import (
    bar_safe,
    counted,
    harmless,
    json_option,
    limited,
    print_json,
    print_rows,
    progress_bar,
    say,
    seed_option,
)
from likewise.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.progress import Progress as Bar

    from likewise.expansion.expansion import Expansion
    from likewise.expansion.seeds import Seeds
    from likewise.expansion.settings import ExpandSettings
    from likewise.expansion.stages import Progress


@click.command("expand")
@click.argument("library", metavar="LIB")
@click.argument("seeds", nargs=-1, required=True, metavar="SEEDS...")
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Write what was found; the suffix says how. May be given several times.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Write the whole ranked pool, and seeds.")
@click.option(
    "--keep", default="f1", show_default=True, metavar="RULE",
    help="What decides: f1, recall=0.95, precision=0.8, top=500, ber, expected-f1 or ratio.",
)  # fmt: skip
@click.option(
    "--method", default="linear", show_default=True, metavar="NAME",
    help="What scores the pool: linear, naive, bm25, copkmeans, nnpu-cnn, jacovi2021, "
    'nnpu-transformer or fused; with parameters: "linear(strength=0.3)"; several: '
    '"linear + nnpu-cnn". "likewise methods" tells what each is.',
)  # fmt: skip
@click.option(
    "--pool", default=20_000, show_default=True, type=click.IntRange(min=1),
    help="How many documents a query retrieves at most.",
)  # fmt: skip
@click.option(
    "--rounds", default=2, show_default=True, type=click.IntRange(min=1),
    help="How often to retrieve and learn, at most.",
)  # fmt: skip
@click.option(
    "--encoder", default="", metavar="NAME",
    help="Learn from an encoder's vectors too: minilm-l6-v2, or a model of Hugging Face, by its "
    "name or its folder.",
)  # fmt: skip
@seed_option
@click.option(
    "--show", "shown", default=15, show_default=True, type=click.IntRange(min=0),
    help="How many of the best to print.",
)  # fmt: skip
@click.option("--all-problems", is_flag=True, help="Show every problem, not ten a file.")
@json_option
def command(  # noqa: PLR0913  # one parameter an option
    library: str,
    seeds: tuple[str, ...],
    *,
    outputs: tuple[str, ...],
    everything: bool,
    shown: int,
    all_problems: bool,
    as_json: bool,
    number: int,
    **chosen: Any,
) -> None:
    """Find the documents of a library that are on the topic of your papers.

    SEEDS are files of any format that likewise reads, lists of PMIDs or DOIs, or single ids, PMIDs,
    DOIs or PMCIDs; "-" reads them from standard input. FILE's suffix is one of .csv .tsv .xlsx
    .jsonl .ris .nbib .bib .enw .html (a report that opens offline) and .trec (a run file); beside
    it a .session.json says what it was made from.
    """
    from likewise.expansion.outputs import check_output, write_expansion
    from likewise.expansion.session import session_of, session_path
    from likewise.expansion.settings import ExpandSettings

    for output in outputs:
        check_output(output)
        _spare(seeds, output)
    settings = ExpandSettings(seed=number, **chosen)
    expansion = expanded(
        library, seeds, settings=settings, most_problems=None if all_problems else 10
    )
    for output in outputs:
        write_expansion(expansion, output, everything=everything)
    session = session_path(Path(outputs[0])) if outputs else None
    if session:
        session_of(expansion).save(session)
    if as_json:
        print_json({**as_values(expansion, best=shown), "outputs": [*outputs, *_path(session)]})
        return
    print_best(expansion, shown)
    click.echo("\n" + harmless("\n".join(told(expansion))))
    if session:
        written = len(expansion.ranking) if everything else len(expansion.found)
        say(f"{', '.join(outputs)}: {counted(written, 'document')}; how it was made: {session}")


def expanded(
    library: str,
    seeds: Sequence[str],
    *,
    settings: ExpandSettings,
    most_problems: int | None = 10,
) -> Expansion:
    """Expand with a progress bar, and with what is known of the seeds told before the long work."""
    from likewise.expansion.flow import expand
    from likewise.expansion.seed_arguments import read_seeds

    with progress_bar("{task.fields[note]}") as bar:
        say_above = bar_safe(bar)
        tell = limited(say_above, most=most_problems)
        early: list[str] = []

        def on_seeds(seeds: Seeds, warnings: list[str]) -> None:
            early.extend(warnings)
            _tell_seeds(seeds, warnings, say_above=say_above)

        expansion = expand(
            library,
            read_seeds(seeds, on_problem=lambda problem: tell(problem.path, str(problem))),
            settings=settings,
            on_seeds=on_seeds,
            on_progress=_progress_shown_by(bar),
        )
    # Of some things only what was found can warn.
    _tell_warnings(expansion.warnings[len(early) :], say_above=say)
    return expansion


def told(expansion: Expansion) -> list[str]:
    """Return the summary, and before it what the rounds added."""
    from likewise.expansion.summary import rounds_sentences, summary_sentences

    return [*rounds_sentences(expansion), *summary_sentences(expansion)]


def print_best(expansion: Expansion, shown: int) -> None:
    """Print the best of what was found as a table."""
    best = expansion.found[:shown]
    documents = [expansion.documents[ranked.id] for ranked in best]
    rows = [
        (r.rank, f"{r.probability:.2f}", d.id, d.year or "", d.title or d.abstract)
        for r, d in zip(best, documents, strict=True)
    ]
    if rows:
        print_rows(("rank", "probability", "id", "year", "title"), rows)


def as_values(expansion: Expansion, *, best: int) -> dict[str, Any]:
    """Return what programs may want to know of an expansion."""
    from likewise.expansion.session import session_of

    session = session_of(expansion)
    return {
        "found": len(expansion.found),
        "pool": expansion.pool_size,
        "threshold": session.threshold,
        "estimates": session.estimates,
        "seeds": {
            "matched": session.seeds.matched,
            "text_only": [seed.id for seed in session.seeds.text_only],
            "not_found": session.seeds.not_found,
        },
        "rounds": session.rounds,
        "warnings": session.warnings,
        "settings": session.settings,
        "seconds": {name: round(spent, 2) for name, spent in expansion.seconds.items() if spent},
        "best": [
            {
                **ranked._asdict(),
                "title": expansion.documents[ranked.id].title,
                "year": expansion.documents[ranked.id].year,
            }
            for ranked in expansion.found[:best]
        ],
    }


def _tell_seeds(seeds: Seeds, warnings: Sequence[str], *, say_above: Callable[[str], None]) -> None:
    from likewise.expansion.summary import seeds_sentences

    for sentence in seeds_sentences(seeds):
        say_above(sentence)
    _tell_warnings(warnings, say_above=say_above)


def _tell_warnings(warnings: Sequence[str], *, say_above: Callable[[str], None]) -> None:
    for warning in warnings:
        say_above(f"warning: {warning}")


def _progress_shown_by(bar: Bar) -> Callable[[Progress], None]:
    task = bar.add_task("seeds", total=1.0, note="")
    # What does not fit behind stage, bar and share would squeeze them.
    room = max(0, bar.console.width - 48)

    def show(progress: Progress) -> None:
        bar.update(
            task,
            description=f"{progress.stage:9}",
            completed=progress.share,
            note=progress.note[:room],
        )

    return show


def _spare(seeds: Sequence[str], output: str) -> None:
    for seed in seeds:
        if _is_same_file(output, seed):
            raise WriteError(f"{output}: these are your seeds; choose another file to write to")


def _is_same_file(output: str, seed: str) -> bool:
    try:
        return Path(output).samefile(seed)
    except OSError:  # One of them is not there, or it is ids, too many for the name of a file.
        return False


def _path(session: Path | None) -> list[str]:
    return [str(session)] if session else []
