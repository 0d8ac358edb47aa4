"""BibTeX's syntax: the entries of a file, one at a time, and LaTeX in their values.

An entry that is never closed would take the rest of the file with it. So a line that begins like an
entry always begins one, and the entry before it is reported as not closed.

Only what looks like a LaTeX command is handed to pylatexenc, piece by piece: it takes milliseconds
for an abstract, and the rest of a value is often not LaTeX at all ("50% of patients" would end at
the percent sign). Dashes and quotes that TeX writes with several marks are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from likewise.documents.identity import cache_short
from likewise.documents.sources import Complaint, RecordSize, Source

# None of these backtracks: nobody can make a file that takes hours.
_START = re.compile(r"@\s*+([A-Za-z]++)\s*+([{(])")
_START_OF_LINE = re.compile(r"\s*+@\s*+[A-Za-z]++\s*+[{(]\s*+[^\s{}(),=]*+\s*+(?:,|=|\Z)")
_MARK = re.compile(r'\\"|[{}()"]')
_KEY = re.compile(r'([^,={}"]*+)(?:,|\Z)')
_NOT_IN_NAMES = frozenset('=,{}"#()')
_SPACES = re.compile(r"\s*+")
_BARE = re.compile(r'[^,#{}"\n]*+')
_CONCATENATION = re.compile(r"\s*+#\s*+")

MAX_MACRO = 10_000
MAX_VALUE = 1 << 20
_LONGEST_COMMAND = 60


@dataclass(frozen=True)
class BibtexEntry:
    """An entry, with its values as in the file, except that macros are expanded."""

    line: int
    kind: str
    key: str
    fields: dict[str, str]


def read_entries(source: Source) -> Iterator[BibtexEntry | Complaint]:
    """Yield the entries; macros, comments and preambles are handled on the way."""
    macros: dict[str, str] = {}
    for block in _read_blocks(source):
        if isinstance(block, Complaint):
            yield block
        elif block.kind == "string":
            # Macros made of macros can double without end; no journal's name is this long.
            named = _FieldParser(block.body(), macros).parse(0)
            macros.update({name: text[:MAX_MACRO] for name, text in named.items()})
        elif block.is_kept:
            yield _parse_entry(block, macros)


class _EntryBlock:
    """The text between the delimiters of an entry, as far as it was read."""

    def __init__(self, kind: str, opening: str, *, line: int, source: Source) -> None:
        self.line = line
        self.kind = kind
        self.is_kept = kind not in ("comment", "preamble")
        self._closing = "}" if opening == "{" else ")"
        self._depth = 0
        self._is_quoted = False
        self._parts: list[str] = []
        self._size = RecordSize(line, source)

    def body(self) -> str:
        return "\n".join(self._parts)

    def take(self, text: str, position: int) -> int | None:
        """Take text until the block ends; return where it does, or None if it continues."""
        end = self._find_end(text, position)
        if self.is_kept:
            part = text[position:end]
            self._parts.append(part)
            self._size.grow(part)
        return end

    def _find_end(self, text: str, position: int) -> int | None:
        # Only once for each line: in a line with many entries, the rest would be counted for each.
        if position == 0 and self._closing == "}" and (closed := text.count("}")) <= self._depth:
            self._depth += text.count("{") - closed
            return None
        for found in _MARK.finditer(text, position):
            mark = found[0]
            if mark == self._closing and self._depth == 0 and not self._is_quoted:
                return found.start()
            if mark == "{":
                self._depth += 1
            elif mark == "}":
                self._depth = max(0, self._depth - 1)
            elif mark == '"' and self._depth == 0 and self._closing == ")":
                self._is_quoted = not self._is_quoted
        return None


def _read_blocks(source: Source) -> Iterator[_EntryBlock | Complaint]:
    block: _EntryBlock | None = None
    for number, text in source.lines():
        if block and block.is_kept and _START_OF_LINE.match(text):
            yield Complaint(f"this @{block.kind} is not closed", block.line, "balance its braces")
            block = None
        # Between entries everything is a comment, but only "%" turns an entry into one.
        if block is None and text.lstrip().startswith("%"):
            continue
        position = 0
        while True:
            if block is None:
                start = _START.search(text, position)
                if not start:
                    break
                block = _EntryBlock(start[1].lower(), start[2], line=number, source=source)
                position = start.end()
            end = block.take(text, position)
            if end is None:
                break
            yield block
            block, position = None, end + 1
    if block:
        raise source.fail(
            f"this @{block.kind} is not closed up to the end of the file",
            line=block.line,
            advice="balance its braces, or export the file again if it is cut off",
        )


def _parse_entry(block: _EntryBlock, macros: dict[str, str]) -> BibtexEntry:
    body = block.body()
    key = _KEY.match(body)
    fields = _FieldParser(body, macros).parse(key.end() if key else 0)
    return BibtexEntry(block.line, block.kind, key[1].strip() if key else "", fields)


class _FieldParser:
    """Parses the fields of an entry."""

    def __init__(self, body: str, macros: dict[str, str]) -> None:
        self._body = body
        self._macros = macros
        # A macro of a few letters may stand for thousands, and be used any number of times.
        self._room = MAX_VALUE

    def parse(self, position: int) -> dict[str, str]:
        """Return the fields by name in lower case; if a name comes again, the first counts."""
        fields: dict[str, str] = {}
        while (sign := self._body.find("=", position)) >= 0:
            name = self._find_name(position, sign)
            position = sign + 1
            if name:
                value, position = self._parse_value(self._skip(_SPACES, position))
                fields.setdefault(name.lower(), value)
        return fields

    def _find_name(self, begin: int, end: int) -> str:
        """Return the name right before an equals sign."""
        body = self._body
        while end > begin and body[end - 1].isspace():
            end -= 1
        start = end
        while start > begin and not (body[start - 1].isspace() or body[start - 1] in _NOT_IN_NAMES):
            start -= 1
        return body[start:end]

    def _parse_value(self, position: int) -> tuple[str, int]:
        """Return the value that begins here, its parts put together, and where it ends."""
        body, parts = self._body, []
        while True:
            if body[position : position + 1] in ("{", '"'):
                end = _find_closing(body, position)
                parts.append(body[position + 1 : end])
                position = end + 1
            else:
                end = self._skip(_BARE, position)
                word = body[position:end].strip()
                parts.append(self._macros.get(word.lower(), word)[: self._room])
                self._room -= len(parts[-1])
                position = end
            concatenation = _CONCATENATION.match(body, position)
            if not concatenation:
                return "".join(parts), position
            position = concatenation.end()

    def _skip(self, pattern: re.Pattern[str], position: int) -> int:
        found = pattern.match(self._body, position)
        return found.end() if found else position


def _find_closing(body: str, position: int) -> int:
    """Return where the brace or quote that opens at `position` is closed."""
    closing = "}" if body[position] == "{" else '"'
    depth = 0
    for found in _MARK.finditer(body, position + 1):
        mark = found[0]
        if mark == closing and depth == 0:
            return found.start()
        depth += (mark == "{") - (mark == "}")
    return len(body)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "%&$#_"},
}
_ESCAPED = re.compile(f"[{re.escape(''.join(_SPECIAL))}]")
# pylatexenc has other signs for some of these, or none at all.
_NAMED = {
    **{text[1:-2]: mark for mark, text in _SPECIAL.items() if text.endswith("{}")},
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textquotedbl": '"',
    "textquotesingle": "'",
    "textasciigrave": "`",
}
_TOKEN = re.compile(
    r"""
      \\(?P<mark>[%&$#_{}])                                    # \% is a percent sign
    | (?P<accent>\\(?:["'`^~=.]\s*+|[uvHtcdbrk](?:\s++|(?=\{))) # \"o, \v{S}, \c c, \'{\i}, \'\i
        (?:\{\\?[^{}\\]{0,60}\}|\\[ij](?![A-Za-z])|[^\W\d_]))
    | \\(?P<word>[A-Za-z]++)\*?(?:\{\}|\s++)?                  # \alpha, \textit, \textless{}
    | \\(?P<space>.|\Z)                                        # \, and the like
    | (?P<math>\$(?=[^$]*[\\^_{}<>=]|[^$]{1,2}\$)[^$]{1,400}\$)
    | (?P<gone>[{}])                                           # braces that only protect
    | (?P<tie>~)
    """,
    re.VERBOSE | re.DOTALL,
)


def to_unicode(text: str) -> str:
    r"""Return a value of a bibliography as plain text.

    >>> to_unicode(r"{\'E}tude of $\beta$-blockers in {DNA}, 50\% {\textless} 1")
    'Étude of β-blockers in DNA, 50% < 1'
    """
    if not any(mark in text for mark in "\\{}$"):
        return text
    return _TOKEN.sub(_replace_token, text)


def to_latex(text: str) -> str:
    r"""Return a text with the marks that mean something to TeX escaped.

    >>> to_latex("50% of {A}")
    '50\\% of \\textbraceleft{}A\\textbraceright{}'
    """
    return _ESCAPED.sub(lambda found: _SPECIAL[found[0]], text)


def _replace_token(found: re.Match[str]) -> str:
    kind, text = found.lastgroup, found[found.lastgroup or 0]
    if kind == "mark":
        return text
    if kind == "word":
        is_known = text in _NAMED or len(text) > _LONGEST_COMMAND
        return _NAMED.get(text, text) if is_known else _convert_latex(f"\\{text}")
    if kind in ("accent", "math"):
        return _convert_latex(text)
    if kind == "space":
        return "" if text in "-/" else " "
    return " " if kind == "tie" else ""


@cache_short(1 << 12)
def _convert_latex(latex: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text  # type: ignore[import-untyped]

    try:
        return str(LatexNodes2Text(math_mode="text").latex_to_text(latex))
    except RecursionError:
        return latex
