"""The files that an expansion is written to: any format of documents, a run file, or a report.

A report is one HTML page that opens offline. It carries its own style and script and loads nothing:
its content security policy forbids it, and allows this script only. It states no time of day and no
duration, so that the same expansion gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from likewise.arguments import require_path
from likewise.documents import replace_file, write_annotated
from likewise.documents.document import AnnotatedDocument, Note, describe_warning, format_note
from likewise.documents.formats import format_for_writing, list_written_suffixes, suffix_of
from likewise.errors import SettingsError, UnknownFormatError, WriteError
from likewise.expansion.cuts import estimate_curve, split_pool
from likewise.expansion.display import list_seed_lines, make_map, make_rows, spell_terms_in
from likewise.expansion.expansion import Expansion
from likewise.expansion.figures import ReportFigure, draw_curve, draw_scores
from likewise.expansion.records import Place, note_place
from likewise.expansion.saved import make_saved_path
from likewise.expansion.summary import describe_seeds, summarise_expansion
from likewise.expansion.wording import format_count, format_interval, format_share
from likewise.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

REPORT = ".html"
RUN = ".trec"
WORDS = 8
"""How many of the words that spoke for a document are noted on it, at most."""

MOST_ROWS = 2_000
"""How many documents a page lists at most: browsers slow down over longer tables."""


def write_expansion(
    expansion: Expansion,
    path: str | Path,
    *,
    everything: bool = False,
    topic: str = "topic",
    format: str | None = None,  # noqa: A002  # the word that users know
) -> None:
    """Write an expansion in the format that the path's suffix asks for.

    Args:
        expansion: What to write.
        path: The file, which appears whole or not at all.
        everything: Whether to write the whole ranking with the seeds, not only what was found.
        topic: What a run file calls the topic.
        format: The name of a format of documents, whatever the suffix is.
    """
    path = require_path(path)
    if not format:
        _check_suffix(path)
    chosen = expansion.ranking if everything else expansion.found
    if not format and suffix_of(path) == REPORT:
        _write_text(render_report(expansion, everything=everything), path)
    elif not format and suffix_of(path) == RUN:
        _write_text("".join(format_run(chosen, topic=topic)), path)
    else:
        write_annotated(_annotate(expansion, chosen), path, format=format)


def check_output(path: str | Path) -> None:
    """Raise WriteError if an expansion can't be written there; call it before the long work."""
    path = Path(path)
    _check_suffix(path)
    try:
        fault = _find_fault(path)
    except OSError as error:
        fault = error.strerror or str(error)
    if fault:
        raise WriteError(f"{path}: can't be written: {fault}; choose another place")


def format_run(ranking: Sequence[Place], *, topic: str) -> Iterator[str]:
    r"""Yield the lines of a run file for trec_eval and similar tools, ranked from 1.

    White space in an id or in the topic would break a line, so it is written as in web addresses.

    >>> found = Place(id="10.1/a b", score=0.5, probability=0.9, decision=True, seed=False)
    >>> list(format_run([found], topic="sleep"))
    ['sleep Q0 10.1/a%20b 1 0.5 likewise\n']
    """
    if not topic:
        raise SettingsError("the topic of a run file has no name; give it one")
    for number, place in enumerate(sorted(ranking, key=lambda place: -place.height), 1):
        score = format_note(note_place(place)["score"])
        yield f"{_escape_spaces(topic)} Q0 {_escape_spaces(place.id)} {number} {score} likewise\n"


def make_notes(expansion: Expansion, place: Place) -> dict[str, Note]:
    """Return the notes to write on a document of the ranking."""
    explanation, document = expansion.explain(place.id), expansion.documents[place.id]
    return {
        **note_place(place),
        "decision": place.decision,
        "seed": place.seed,
        "words": " ".join(spell_terms_in(document.text, explanation.up[:WORDS])),
        "nearest_seed": explanation.nearest_seed,
        **({"citations": explanation.links} if expansion.links else {}),
        "notice": describe_warning(document),
        "mark": place.mark or "",
    }


def _annotate(expansion: Expansion, chosen: Sequence[Place]) -> Iterator[AnnotatedDocument]:
    for place in chosen:
        yield AnnotatedDocument(expansion.documents[place.id], make_notes(expansion, place))


def _write_text(text: str, path: Path) -> None:
    with replace_file(path) as stream:
        stream.write(text.encode())


def _check_suffix(path: Path) -> None:
    suffix = suffix_of(path)
    if suffix in (REPORT, RUN):
        return
    try:
        format_for_writing(path)
    except UnknownFormatError as error:
        offered = sorted([*list_written_suffixes(), REPORT, RUN])
        raise UnknownFormatError(
            f"{path}: an expansion can't be written as {suffix or 'a file without a suffix'!r}; "
            f"use one of: {' '.join(offered)} (and .gz after it)"
        ) from error


def _find_fault(path: Path) -> str:
    """Return why a file, or the saved expansion beside it, can't be written; "" if both can."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"you may not write to the folder {folder}"
    taken = [file for file in (path, make_saved_path(path)) if file.is_dir()]
    return f"{taken[0]} is a folder" if taken else ""


def _escape_spaces(text: str) -> str:
    return re.sub(r"\s", lambda space: quote(space[0]), text)


class Fact(NamedTuple):
    """A number and what it counts."""

    name: str
    value: str
    range: str = ""


@dataclass(frozen=True)
class ReportedReview:
    """What a report says about a review, in place of what was known when its list was learned."""

    title: str
    sentences: Sequence[str]
    facts: Sequence[Fact]
    criteria: str
    reasons: Sequence[Fact]
    """Why documents were excluded, and how many for each reason."""


def render_report(
    expansion: Expansion, *, everything: bool = False, review: ReportedReview | None = None
) -> str:
    """Return an expansion as an HTML page.

    Args:
        expansion: What the page is about.
        everything: Whether to list the whole ranking, not only what was found.
        review: The state of the review that the expansion belongs to, if any.
    """
    listed = expansion.ranking if everything else expansion.found
    style, script = (read_resource(name) for name in ("report.css", "report.js"))
    return load_template("report.html.jinja").render(
        title=review.title if review else _make_title(expansion),
        sentences=review.sentences if review else summarise_expansion(expansion),
        facts=review.facts if review else _list_facts(expansion),
        review=review,
        warnings=expansion.warnings,
        figures=_draw_figures(expansion),
        rows=make_rows(expansion, listed[:MOST_ROWS]),
        map=make_map(expansion, listed[:MOST_ROWS]),
        listed=len(listed),
        everything=everything,
        seeds_sentences=describe_seeds(expansion.seeds),
        seeds=list_seed_lines(expansion),
        not_found=expansion.seeds.not_found,
        settings=list(_list_settings(expansion.settings)),
        rounds=expansion.rounds,
        library=expansion.library,
        version=__version__,
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def read_resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("likewise.expansion").joinpath(name).read_text(encoding="utf-8")


def load_template(name: str) -> Template:
    """Return a template of this package; it escapes whatever it is filled with."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(read_resource(name))


def _make_title(expansion: Expansion) -> str:
    found = format_count(len(expansion.found), "document") if expansion.found else "No documents"
    seeds = len(expansion.seeds.given)
    return f"{found} like your {format_count(seeds, 'seed') if seeds > 1 else 'seed'}"


def _list_facts(expansion: Expansion) -> list[Fact]:
    estimates, size = expansion.estimates, expansion.pool_size
    count, _, bounds = format_interval(estimates.relevant, most=size).partition(" ")
    facts = [Fact("documents found", f"{len(expansion.found):,}", f"of {size:,} candidates")]
    if expansion.found:
        facts += [
            Fact("expected precision", f"{estimates.precision:.2f}", "share of these on topic"),
            Fact("expected recall", f"{estimates.recall:.2f}", "within the candidates"),
        ]
    facts.append(Fact("on topic in the candidates", count, bounds.strip("()")))
    if estimates.outside is not None:
        value, low, high = estimates.outside
        bounds = f"{100 * low:.0f}-{100 * high:.0f} %"
        facts.append(
            Fact("of the topic outside", format_share(value).replace("less than", "<"), bounds)
        )
    return facts


def _draw_figures(expansion: Expansion) -> list[ReportFigure]:
    # Marks are certain here, as in the numbers above.
    found, rest = split_pool(expansion.ranking)
    likely = [*([1.0] * found), *(place.chance for place in rest)]
    curve = estimate_curve(likely, decided=len(expansion.found))
    scores = draw_scores(expansion.ranking, threshold=expansion.threshold)
    return [figure for figure in (scores, draw_curve(curve)) if figure]


def _list_settings(settings: Any, *, under: str = "") -> Iterator[tuple[str, str]]:
    for field in fields(settings):
        value = getattr(settings, field.name)
        name = under + field.name.replace("_", " ")
        if is_dataclass(value):
            yield from _list_settings(value, under=f"{name}: ")
        else:
            yield name, str(value)
