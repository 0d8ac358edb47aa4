"""What an expansion found and what it is worth, in sentences that a person can act on."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.expansion.cuts import count_telling
from likewise.expansion.expansion import Expansion
from likewise.expansion.seeds import Seeds
from likewise.expansion.wording import (
    describe_likelihood,
    format_count,
    format_interval,
    format_share,
    list_names,
    round_count,
)
from likewise.learn.estimates import Interval, SeedReading

MUCH_OUTSIDE = 0.2
"""From this share of the topic outside the pool on, the summary says how to get at it."""
LOW = 0.5
"""Below this precision or recall, the summary says how to raise it."""
OPEN = 0.15
"""The summary says that seeds may be a corner if that is at least this likely, and ..."""
FAR = 1.5
"""... if this many times as many would then be left. A likely corner is always mentioned."""
CALIBRATED_BY = 10
"""How many marks to ask for when readings differ; half as many are enough if they tell."""


def summarise_expansion(
    expansion: Expansion, *, with_step: bool = True, session: str | None = None
) -> list[str]:
    """Return what was found, what is estimated, and at most one next step.

    Args:
        expansion: What to summarise.
        with_step: Whether to add the step, which names options and commands.
        session: The file of its session, if it has one.
    """
    if not expansion.pool_size:
        return ["The library holds no candidates: no other document shares a term with the seeds."]
    telling = count_telling(expansion.ranking)
    readings = describe_seed_readings(expansion.readings, telling=telling)
    is_open = are_readings_open(expansion.readings, telling=telling)
    step = (_advise_marks(session) if is_open else _advise_next(expansion)) if with_step else ""
    found = [_describe_found(expansion), describe_linked(expansion)]
    estimated = [_describe_estimates(expansion), describe_recapture(expansion)]
    sentences = [*found, *estimated, _describe_promise(expansion), readings, step]
    return [sentence for sentence in sentences if sentence]


def are_readings_open(readings: Sequence[SeedReading], *, telling: int = 0) -> bool:
    """Return whether marks from further down are needed to tell how to read the seeds."""
    # Marks tell how many there are by either reading, but hardly which of the two is right.
    return telling < CALIBRATED_BY / 2 and bool(describe_seed_readings(readings))


def describe_seed_readings(readings: Sequence[SeedReading], *, telling: int = 0) -> str:
    """Return a sentence if the seeds are, or may be, one corner of a wider topic; else "".

    Args:
        readings: The ways to read the seeds, the likelier first.
        telling: How many marks lie around the line and below (`count_telling`).
    """
    left = {reading.is_corner: max(reading.left, 1.0) for reading in readings}
    is_wider = len(left) > 1 and left[True] >= FAR * left[False]
    is_corner = bool(readings) and readings[0].is_corner
    if not is_corner and not (is_wider and readings[1].weight >= OPEN):
        return ""
    if telling >= CALIBRATED_BY / 2:
        wide = "Your papers look like one corner of a wider topic; your marks tell how wide it is."
        return wide if is_corner else ""
    are = "are" if is_corner else "may be"
    opening = f"Your papers {are} more alike than papers on one topic usually are"
    if not is_wider:
        return f"{opening}: they look like one corner of a wider one."
    topic, corner = (f"{round_count(left[is_corner]):,}" for is_corner in (False, True))
    return (
        f"{opening}. If they are the topic, about {topic} are left; "
        f"if they are one corner of a wider one, about {corner}."
    )


def _advise_marks(session: str | None) -> str:
    command = f"likewise next {session or 'SESSION'} --strategy calibrate --count {CALIBRATED_BY}"
    how = command if session else f"with --session SESSION, then {command}."
    return f"Mark {CALIBRATED_BY} from further down to tell: {how}"


def describe_seeds(seeds: Seeds) -> list[str]:
    """Return how many seeds are in the library, used as text only, and not found, with names."""
    matched, text_only, missing = map(len, (seeds.matched, seeds.text_only, seeds.not_found))
    total = matched + text_only + missing
    if not total:
        return ["There are no seeds."]
    parts = [_describe_matched(matched, total)]
    if text_only:
        parts.append(f"{text_only:,} {'is' if text_only == 1 else 'are'} used as text only")
    if missing:
        verb = "was" if missing == 1 else "were"
        parts.append(f"{missing:,} {verb} not found: {list_names(seeds.not_found)}")
    return ["; ".join(parts) + "."]


def describe_rounds(expansion: Expansion) -> list[str]:
    """Return what each further round added to the pool, and how much of it is likely."""
    return [
        f"Round {number} added {format_count(done.added, 'candidate')}, "
        f"{done.likely:,} of them likely to be on your topic."
        for number, done in enumerate(expansion.rounds[1:], 2)
    ]


def describe_linked(expansion: Expansion) -> str:
    """Return how many of the documents found are linked with the seeds by citations; "" if none."""
    linked = sum(place.id in expansion.links for place in expansion.found)
    return f"Citations link {linked:,} of them with your papers." if linked else ""


def describe_recapture(expansion: Expansion) -> str:
    """Return what citations, as a second search, say about papers not found; "" if nothing."""
    recapture = expansion.estimates.recapture
    if recapture is None:
        return ""
    links, both = round(recapture.links), round(recapture.both)
    missed = format_interval(recapture.missed, most=expansion.library_size)
    return (
        f"Citations alone lead to about {links:,} on topic, {both:,} of which words had found too. "
        "If citations find what words miss as often as what words find, about "
        f"{missed} that cite or are cited were found by neither."
    )


def _describe_matched(matched: int, total: int) -> str:
    if total == 1:
        return "The only seed is " + ("in the library" if matched else "not in the library")
    if matched == total:
        return f"All {total:,} seeds are in the library"
    if not matched:
        return f"None of the {total:,} seeds is in the library"
    return f"{matched:,} of {total:,} seeds {'is' if matched == 1 else 'are'} in the library"


def _describe_found(expansion: Expansion) -> str:
    found = len(expansion.found)
    candidates = format_count(expansion.pool_size, "candidate")
    beyond = expansion.library_size - len(expansion.seeds.matched)
    if expansion.pool_size < beyond:
        candidates += f" of {format_count(beyond, 'document')}"
    if expansion.settings.where:
        candidates += f" limited to {expansion.settings.where}"
    if not found:
        return f"Found no documents likely to be on your topic among {candidates}."
    precision = expansion.estimates.precision or 0.0
    documents = describe_likelihood(format_count(found, "document"), precision)
    return f"Found {documents} among {candidates} (expected precision {precision:.2f})."


def _describe_estimates(expansion: Expansion) -> str:
    inside = _describe_inside(expansion.estimates.relevant, most=expansion.pool_size)
    outside = expansion.estimates.outside
    if outside is not None:
        part = f"about {format_share(outside.value)}".replace("about less", "less")
        return f"{inside}, and {part} of the topic is estimated to lie outside them."
    reason = "" if expansion.seeds.matched else ", since no seed is in the library"
    return f"{inside}; how much of the topic lies outside them can't be estimated{reason}."


def _describe_inside(relevant: Interval, *, most: int) -> str:
    value, high = (round_count(bound, most=most) for bound in (relevant.value, relevant.high))
    if value == 0:
        bound = f" (at most {high:,})" if high else ""
        return f"Hardly any{bound} are estimated in the candidates"
    verb = "is" if value == 1 else "are"
    return f"About {format_interval(relevant, most=most)} {verb} estimated in the candidates"


def _describe_promise(expansion: Expansion) -> str:
    """Return what left-out seeds promise, and on what condition; "" if the rule is another."""
    rule, _, promised = expansion.settings.keep.partition("=")
    if rule != "conformal":
        return ""
    is_corner = bool(expansion.readings) and expansion.readings[0].is_corner
    return (
        f"The list is long enough for a recall of {promised} on average, as shown by "
        f"{format_count(len(expansion.seeds.given), 'left-out seed')}, if they are a fair sample "
        "of the topic's papers in the candidates"
        f"{', which they do not look like' if is_corner else ''}."
    )


def _advise_next(expansion: Expansion) -> str:
    settings, estimates = expansion.settings, expansion.estimates
    if not expansion.found:
        return "To look at the candidates all the same, --all lists every one of them, best first."
    if estimates.outside is not None and estimates.outside.value >= MUCH_OUTSIDE:
        larger = "A larger --pool or more" if expansion.pool_size >= settings.pool else "More"
        return f"{larger} --rounds may bring in what lies outside."
    # Whoever asked for a precision, a recall or a length has what they asked for.
    if settings.keep not in ("f1", "ber"):
        return ""
    precision, recall = estimates.precision or 0.0, estimates.recall or 0.0
    if recall < LOW:
        missed = format_share(1 - recall)
        return f"Expect to miss {missed} of those in the candidates; --keep recall=0.95 lists more."
    if precision < LOW:
        return "Expect most of the list to be off topic; --keep precision=0.8 lists fewer."
    return ""
