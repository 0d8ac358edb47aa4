"""The PRISMA 2020 flow diagram of a session, drawn as SVG.

Boxes grow with their text, which is broken into lines by how wide its letters are, with room to
spare, since nobody knows which font a reader has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from likewise.expansion.figures import make_element
from likewise.expansion.sessions.prisma import PrismaNumbers
from likewise.expansion.sessions.reasons import PrismaCount, add_up

WIDTH = 860
STAGE = 34
"""The width of the bars that name the stages."""
GAP = 26
"""The space between boxes, where arrows go; twice as much from left to right."""
PADDING = 12
LETTER = 13.0
LINE = 18.0
INDENT = 14.0
SPARE = 1.12
"""How much wider than ours the letters of a reader's font may be."""
MOST_LISTED = 12
"""How many sources, or reasons, are listed; the rest are added up."""

NO_BREAK = "\xa0"

_WIDE, _NARROW, _THIN = "mwMW%@&", "()-rtfsJ/*\"'", f"ijlI.,:;|! {NO_BREAK}"
"""Letters that are wider or narrower than most."""
LINE_COLOUR = "#3c4653"
# It holds no characters that XML escapes.
_STYLE = """
@media screen and (prefers-color-scheme: dark) {
  .ground { fill: #15181c } .box { fill: #1f242b; stroke: #8a94a3 }
  .stage { fill: #2b3b52 } .arrow { stroke: #8a94a3 } .head { fill: #8a94a3 }
  text { fill: #e8eaed } .quiet { fill: #b4bcc8 }
}
"""


class _TextLine(NamedTuple):
    """A line of a box before it is broken."""

    text: str
    depth: int = 0
    """How far it is indented."""
    is_strong: bool = False


class _FlowStep(NamedTuple):
    """A box of the flow, and what leaves it to the right."""

    stage: str
    main: Sequence[_TextLine]
    side: Sequence[_TextLine] = ()


def draw_prisma(numbers: PrismaNumbers) -> Markup:
    """Return the flow diagram as SVG, for light and dark screens and for paper."""
    left, width = STAGE + 14.0, (WIDTH - STAGE - 14.0 - 2 * GAP - 4.0) / 2
    parts: list[Markup] = []
    stages: dict[str, tuple[float, float]] = {}
    y = 8.0
    for number, step in enumerate(_list_steps(numbers)):
        main, side = (_break_lines(lines, width) for lines in (step.main, step.side))
        height = max(_measure_box(main), _measure_box(side), _measure_stage(step, stages))
        if number:
            parts += _draw_arrow(left + width / 2, y - GAP, down=GAP)
        parts += _draw_box(main, x=left, y=y, width=width, height=height)
        if side:
            parts += _draw_box(side, x=left + width + 2 * GAP, y=y, width=width, height=height)
            parts += _draw_arrow(left + width, y + height / 2, right=2 * GAP)
        stages[step.stage] = stages.get(step.stage, (y, y))[0], y + height
        y += height + GAP
    for name, (top, end) in stages.items():
        parts += _draw_stage(name, top, end)
    return _frame_picture(parts, height=y - GAP + 8, numbers=numbers)


def _frame_picture(parts: Sequence[Markup], *, height: float, numbers: PrismaNumbers) -> Markup:
    rows = list_rows(numbers)
    return make_element(
        "svg",
        make_element("title", "PRISMA 2020 flow diagram"),
        make_element("desc", "; ".join(f"{row.item}: {format_number(row.number)}" for row in rows)),
        make_element("style", _STYLE),
        make_element("rect", class_="ground", width=WIDTH, height=height, fill="#ffffff"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:.1f}",
        width=WIDTH,
        height=height,
        role="img",
        font_family="Helvetica, Arial, Liberation Sans, sans-serif",
        font_size=LETTER,
        fill="#14181d",
    )


def _list_steps(numbers: PrismaNumbers) -> list[_FlowStep]:
    passed = [_TextLine(_count("judged relevant in screening", numbers.relevant), 1)]
    if numbers.seeds:
        passed.append(_TextLine(_count("seeds, known to be relevant before", numbers.seeds), 1))
    screened = [_head("Records screened by a person", numbers.screened)]
    if numbers.undecided:
        screened.append(_TextLine(_count("of these left undecided", numbers.undecided), 1))
    return [
        _FlowStep("Identification", _list_identified(numbers), _list_removed(numbers)),
        _FlowStep(
            "Screening",
            screened,
            [_head("Records excluded by a person", numbers.excluded), *_list(numbers.reasons)],
        ),
        _FlowStep(
            "Screening",
            [_head("Reports sought for retrieval", numbers.sought), *passed],
            [_head("Reports not retrieved", numbers.not_retrieved)],
        ),
        _FlowStep(
            "Screening",
            [_head("Reports assessed for eligibility", numbers.assessed)],
            [
                _head("Reports excluded", add_up(numbers.reports_excluded)),
                *_list(numbers.reports_excluded),
            ],
        ),
        _FlowStep("Included", [_head("Studies included in review", numbers.included)]),
    ]


def _list_identified(numbers: PrismaNumbers) -> list[_TextLine]:
    lines = [_head("Records identified", numbers.identified), *_list(numbers.sources)]
    if numbers.others:
        # These are not among the records above them, which add up to their heading.
        lines.append(_head("Further papers that the reviewers brought", numbers.others))
    return lines


def _list_removed(numbers: PrismaNumbers) -> list[_TextLine]:
    parts = {
        "ranked below the line by likewise": numbers.below,
        "ranked above the line, and not read": numbers.above,
        "not retrieved as candidates by likewise": numbers.beyond,
    }
    return [
        _TextLine("Records removed before screening:", is_strong=True),
        _TextLine(_count("Duplicate records", numbers.duplicates), 1),
        _TextLine(_count("Not screened by a person", numbers.unscreened), 1),
        *(_TextLine(_count(name, number), 2) for name, number in parts.items() if number),
    ]


def _head(name: str, number: int | None) -> _TextLine:
    return _TextLine(_count(name, number), is_strong=True)


def _count(name: str, number: int | None) -> str:
    # A number stays on one line with its "n =".
    return f"{name} (n{NO_BREAK}={NO_BREAK}{format_number(number).replace(' ', NO_BREAK)})"


def _list(counts: Sequence[PrismaCount]) -> list[_TextLine]:
    lines = [_TextLine(_count(*one), 1) for one in counts[:MOST_LISTED]]
    if rest := counts[MOST_LISTED:]:
        lines.append(_TextLine(_count(f"{len(rest):,} more", add_up(rest)), 1))
    return lines


def measure_text(text: str, *, is_strong: bool = False) -> float:
    """Return how wide a text is at most, in most fonts without serifs.

    >>> measure_text("ill") < measure_text("www")
    True
    """
    width = sum(_measure_letter(letter) for letter in text)
    return LETTER * SPARE * width * (1.07 if is_strong else 1.0)


def _measure_letter(letter: str) -> float:
    if ord(letter) > 0x2E7F:
        return 1.0
    if letter in _WIDE:
        return 0.87
    if letter in _THIN:
        return 0.28
    if letter in _NARROW:
        return 0.45
    return 0.72 if letter.isupper() else 0.56


def _break_lines(lines: Sequence[_TextLine], width: float) -> list[_TextLine]:
    """Return lines that fit into a box; the rest of a broken line is indented a little more."""
    broken = []
    for text, depth, is_strong in lines:
        room = width - 2 * PADDING - INDENT * (depth + 1)
        for number, part in enumerate(_wrap(text, room, is_strong=is_strong)):
            broken.append(_TextLine(part, depth + (number > 0), is_strong))
    return broken


def _wrap(text: str, room: float, *, is_strong: bool) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and measure_text(f"{line} {word}", is_strong=is_strong) > room:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        while measure_text(line, is_strong=is_strong) > room and len(line) > 1:
            # A word may be longer than a line, such as the name of a file.
            fits = max(
                1,
                sum(
                    measure_text(line[: end + 1], is_strong=is_strong) <= room
                    for end in range(len(line))
                ),
            )
            yield line[:fits]
            line = line[fits:]
    if line:
        yield line


def _measure_box(lines: Sequence[_TextLine]) -> float:
    return 2 * PADDING + LINE * len(lines) if lines else 0.0


def _measure_stage(step: _FlowStep, stages: Mapping[str, object]) -> float:
    """Return how high the first box of a stage is at least, so that the stage's name fits."""
    return 0.0 if step.stage in stages else measure_text(step.stage, is_strong=True) + PADDING


def _draw_box(
    lines: Sequence[_TextLine], *, x: float, y: float, width: float, height: float
) -> Iterator[Markup]:
    place = {"x": x, "y": y, "width": width, "height": height}
    yield make_element("rect", class_="box", rx=3, fill="#ffffff", stroke=LINE_COLOUR, **place)
    first = y + (height - LINE * len(lines)) / 2 + LINE * 0.75
    for number, (text, depth, is_strong) in enumerate(lines):
        weight = {"font_weight": "bold"} if is_strong else {}
        left = x + PADDING + INDENT * depth
        yield make_element("text", text, x=left, y=first + LINE * number, **weight)


def _draw_arrow(x: float, y: float, *, right: float = 0.0, down: float = 0.0) -> list[Markup]:
    """Draw an arrow that goes so far to the right, or down."""
    x2, y2 = (x + right - 7, y) if right else (x, y + down - 7)
    sides = [(x2, y - 4), (x2, y + 4)] if right else [(x - 4, y2), (x + 4, y2)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*sides, (x + right, y + down)))
    look = {"class_": "arrow", "stroke": LINE_COLOUR, "stroke_width": "1.4"}
    return [
        make_element("line", x1=x, y1=y, x2=x2, y2=y2, **look),
        make_element("polygon", class_="head", points=points, fill=LINE_COLOUR),
    ]


def _draw_stage(name: str, top: float, end: float) -> list[Markup]:
    middle = (top + end) / 2
    place = f"translate({4 + STAGE / 2 + 5:.1f} {middle:.1f}) rotate(-90)"
    look: dict[str, str] = {"text_anchor": "middle", "font_weight": "bold", "transform": place}
    bar = {"x": 4.0, "y": top, "width": float(STAGE), "height": end - top}
    return [
        make_element("rect", class_="stage", rx=3, fill="#d6e2f3", **bar),
        make_element("text", name, **look),
    ]


class PrismaRow(NamedTuple):
    """A number of the diagram, as tables have it."""

    stage: str
    item: str
    number: int | None


def list_rows(numbers: PrismaNumbers) -> list[PrismaRow]:
    """Return every number of a diagram, in the order of its boxes."""

    def list_parts(stage: str, name: str, counts: Sequence[PrismaCount]) -> list[PrismaRow]:
        return [PrismaRow(stage, f"{name}: {one.name}", one.number) for one in counts]

    first, second, last = "identification", "screening", "included"
    return [
        PrismaRow(first, "records identified", numbers.identified),
        *list_parts(first, "records identified", numbers.sources),
        PrismaRow(first, "papers that the reviewers brought", numbers.others),
        PrismaRow(first, "duplicate records removed", numbers.duplicates),
        PrismaRow(first, "records without duplicates", numbers.records),
        PrismaRow(first, "seeds, known to be relevant before", numbers.seeds),
        PrismaRow(first, "not screened by a person", numbers.unscreened),
        PrismaRow(first, "not screened: ranked below the line", numbers.below),
        PrismaRow(first, "not screened: ranked above the line, and not read", numbers.above),
        PrismaRow(first, "not screened: not retrieved as candidates", numbers.beyond),
        PrismaRow(second, "records screened by a person", numbers.screened),
        PrismaRow(second, "records excluded by a person", numbers.excluded),
        *list_parts(second, "records excluded", numbers.reasons),
        PrismaRow(second, "records left undecided", numbers.undecided),
        PrismaRow(second, "conflicts not settled", numbers.conflicts),
        PrismaRow(second, "records judged relevant", numbers.relevant),
        PrismaRow(second, "reports sought for retrieval", numbers.sought),
        PrismaRow(second, "reports not retrieved", numbers.not_retrieved),
        PrismaRow(second, "reports assessed for eligibility", numbers.assessed),
        PrismaRow(second, "reports excluded", add_up(numbers.reports_excluded)),
        *list_parts(second, "reports excluded", numbers.reports_excluded),
        PrismaRow(last, "studies included in review", numbers.included),
    ]


def format_number(number: int | None) -> str:
    """Return a number of a diagram, or that it is not known.

    >>> format_number(1200), format_number(None)
    ('1,200', 'not given')
    """
    return "not given" if number is None else f"{number:,}"
