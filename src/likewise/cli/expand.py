"""likewise expand: find the rest of the papers on a topic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from likewise.cli import FormatsCommand
from likewise.cli.expanding import (
    SessionStep,
    Watch,
    begin_with_bar,
    budget_options,
    continue_with_bar,
    format_gathering,
    gather_with_bar,
    list_session_values,
    names_source,
    print_changes,
    run_with_bar,
)
from likewise.cli.options import (
    fields_option,
    json_option,
    optional_library_argument,
    settings_options,
)
from likewise.cli.output import clean_text, is_terminal, print_json, print_rows, say, spare_file
from likewise.expansion.expansion import Expansion
from likewise.expansion.gathering import choose_folder
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count


@click.command("expand", cls=FormatsCommand)
@optional_library_argument
@click.argument("seeds", nargs=-1, metavar="SEEDS...")
@click.option(
    "--session", metavar="SESSION",
    help="A file for marks. If it exists, learn from its seeds and marks; if not, make it.",
)  # fmt: skip
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Write what was found; the suffix chooses the format. May be repeated.",
)  # fmt: skip
@click.option(
    "--all", "everything", is_flag=True, help="Write the whole ranked pool and the seeds."
)
@settings_options("keep")
@click.option(
    "--keep-in", metavar="FOLDER",
    help="For a source on the network: the library to keep its records in, if not the one in the "
    "cache.",
)  # fmt: skip
@budget_options
@click.option(
    "--show", "shown", default=15, show_default=True, type=click.IntRange(min=0),
    help="How many of the best documents to print.",
)  # fmt: skip
@fields_option
@click.option("--all-problems", is_flag=True, help="Show every problem, not only ten of each file.")
@json_option
@click.pass_context
def command(  # noqa: PLR0913  # one parameter per option
    context: click.Context,
    /,
    library: str | None,
    seeds: tuple[str, ...],
    *,
    session: str | None,
    outputs: tuple[str, ...],
    everything: bool,
    shown: int,
    all_problems: bool,
    as_json: bool,
    keep_in: str | None,
    records: int | None,
    requests: int | None,
    minutes: float | None,
    **chosen: Any,
) -> None:
    """Find the documents of a library that are on the topic of your papers.

    LIB is a library, or a source on the network: pubmed or europepmc. What may be on topic is
    gathered from it first, and kept in a folder.

    SEEDS are files of any format that likewise reads, lists of PMIDs or DOIs, or single ids, PMIDs,
    DOIs or PMCIDs; "-" reads them from standard input. The suffix of FILE is one of {suffixes},
    .html (a report that opens offline) or .trec (a run file); an .expansion.json beside it says
    what it was made from.

    A SESSION remembers its library, its seeds and its settings: give only the options that change,
    and LIB if the library has moved.
    """
    from likewise.expansion.outputs import check_output

    for output in outputs:
        check_output(output)
        for seed in seeds:
            spare_file(output, seed, "these are your seeds")
        if session:
            spare_file(output, session, "this is the session")
    budget = {"records": records, "requests": requests, "minutes": minutes}
    if library and names_source(library):
        library = _gather_first(library, seeds, folder=keep_in, budget=budget, chosen=chosen)
    elif keep_in or any(budget.values()):
        raise click.UsageError(
            "--keep-in, --at-most, --requests and --minutes are for a source, as in: "
            "likewise expand pubmed SEEDS..."
        )
    done = _expand_step(
        library,
        seeds,
        session=session,
        chosen=chosen,
        given={name: chosen[name] for name in chosen if _is_given(context, name)},
        most_problems=None if all_problems else 10,
    )
    written = _write_outputs(done.expansion, outputs, everything=everything)
    if as_json:
        values = list_values(done.expansion, best=shown)
        print_json({**values, **list_session_values(done, session), "outputs": written})
        return
    if done.changes:
        print_changes(done.changes, done.expansion)
    print_best(done.expansion, shown)
    click.echo("\n" + clean_text("\n".join(list_sentences(done.expansion, session=session))))
    if written:
        count = len(done.expansion.ranking) if everything else len(done.expansion.found)
        *files, how = written
        say(f"{', '.join(files)}: {format_count(count, 'document')}; how it was made: {how}")


def _gather_first(
    source: str,
    seeds: tuple[str, ...],
    *,
    folder: str | None,
    budget: dict[str, float | None],
    chosen: dict[str, Any],
) -> str:
    """Gather from a source, and return the library to expand from."""
    if not seeds:
        raise click.UsageError(
            f"{source} is a source, and gathers for SEEDS: give some; a session that exists has "
            f"its library already: leave {source} out"
        )
    address, settings = folder or str(choose_folder(source)), ExpandSettings(**chosen)
    say(format_gathering(gather_with_bar(source, seeds, address, budget=budget, settings=settings)))
    return address


def _expand_step(
    library: str | None,
    seeds: tuple[str, ...],
    *,
    session: str | None,
    chosen: dict[str, Any],
    given: dict[str, Any],
    most_problems: int | None,
) -> SessionStep:
    """Expand without a session, or start a session, or continue one."""
    # A process that was killed while it made a session may have left an empty file.
    if session and Path(session).exists() and Path(session).stat().st_size:
        from likewise.expansion.sessions.expanding import is_only_begun

        if seeds and not is_only_begun(session, seeds):
            raise click.UsageError(
                f"{session} has its seeds already: leave SEEDS out, and add papers with: "
                f"likewise mark {session} --relevant ID..."
            )
        return continue_with_bar(session, library, given=given)
    if library and library.endswith(".likewise") and not seeds:
        raise click.UsageError(
            f"{library} is a session, not a library; expand it again with: "
            f"likewise expand --session {library}"
        )
    if not library or not seeds:
        missing = "SEEDS..." if library else "LIB' and 'SEEDS..."
        why = f"{session} does not exist yet, and starting it takes both: " if session else ""
        raise click.UsageError(f"{why}Missing argument '{missing}'.")
    settings = ExpandSettings(**chosen)
    if session:
        return begin_with_bar(
            session, library, seeds, settings=settings, most_problems=most_problems
        )
    return SessionStep(
        expand_with_bar(library, seeds, settings=settings, most_problems=most_problems)
    )


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _write_outputs(expansion: Expansion, outputs: Sequence[str], *, everything: bool) -> list[str]:
    """Write the output files, and beside the first one a file that says how they were made."""
    from likewise.expansion.outputs import write_expansion
    from likewise.expansion.saved import make_saved_path

    for output in outputs:
        write_expansion(expansion, output, everything=everything)
    if not outputs:
        return []
    saved = make_saved_path(Path(outputs[0]))
    expansion.saved.save(saved)
    return [*outputs, str(saved)]


def expand_with_bar(
    library: str,
    seeds: Sequence[str],
    *,
    settings: ExpandSettings,
    most_problems: int | None = 10,
) -> Expansion:
    """Expand with a progress bar, and report on the seeds before the long part starts."""
    from likewise.expansion.flow import expand

    def expanding(watch: Watch) -> Expansion:
        return expand(
            library,
            watch.sort_seeds(seeds),
            settings=settings,
            on_seeds=watch.on_seeds,
            on_progress=watch.on_progress,
        )

    return run_with_bar(expanding, most_problems=most_problems)


def list_sentences(expansion: Expansion, *, session: str | None = None) -> list[str]:
    """Return the sentences to print: what the rounds added, then the summary."""
    from likewise.expansion.summary import describe_rounds, summarise_expansion

    return [*describe_rounds(expansion), *summarise_expansion(expansion, session=session)]


def print_best(expansion: Expansion, shown: int) -> None:
    """Print a table of the best documents found that are not marked yet.

    A person at a terminal also sees how citations link them with the seeds.
    """
    best = [ranked for ranked in expansion.found if not ranked.mark][:shown]
    documents = [expansion.documents[ranked.id] for ranked in best]
    links = expansion.links if is_terminal() else {}
    told = [f" ({links[ranked.id]})" if ranked.id in links else "" for ranked in best]
    rows = [
        (r.rank, f"{r.probability:.2f}", d.id, d.year or "", (d.title or d.abstract) + why)
        for r, d, why in zip(best, documents, told, strict=True)
    ]
    if rows:
        print_rows(("rank", "probability", "id", "year", "title"), rows)


def list_values(expansion: Expansion, *, best: int) -> dict[str, Any]:
    """Return what the JSON output says about an expansion."""
    saved, links = expansion.saved, expansion.links
    return {
        "found": len(expansion.found),
        "pool": expansion.pool_size,
        "threshold": saved.threshold,
        "estimates": saved.estimates,
        "seeds": {
            "matched": saved.seeds.matched,
            "text_only": [seed.id for seed in saved.seeds.text_only],
            "not_found": saved.seeds.not_found,
        },
        "rounds": saved.rounds,
        "warnings": saved.warnings,
        "settings": saved.settings,
        "seconds": {name: round(spent, 2) for name, spent in expansion.seconds.items() if spent},
        "best": [
            {
                **msgspec.structs.asdict(ranked),
                "title": expansion.documents[ranked.id].title,
                "year": expansion.documents[ranked.id].year,
                **({"citations": links[ranked.id]} if ranked.id in links else {}),
            }
            for ranked in expansion.found[:best]
        ],
    }
