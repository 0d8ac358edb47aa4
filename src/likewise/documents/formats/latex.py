r"""LaTeX in a bibliography's values: to Unicode, and back so far as BibTeX needs it.

Only what looks like a command is handed to pylatexenc, piece by piece: it takes milliseconds for
an abstract, and the rest of a value is often not LaTeX at all ("50% of patients" would end at the
percent sign). Dashes and quotes that TeX writes as "--" and "``" are left as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

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
    | (?P<accent>\\(?:["'`^~=.]\s*|[uvHtcdbrk](?:\s+|(?=\{)))  # \"o, \v{S}, \c c, \'{\i}, \'\i
        (?:\{\\?[^{}\\]*\}|\\[ij](?![A-Za-z])|[^\W\d_]))
    | \\(?P<word>[A-Za-z]+)\*?(?:\{\}|\s+)?                    # \alpha, \textit, \textless{}
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
    return _TOKEN.sub(_replacement, text)


def to_latex(text: str) -> str:
    r"""Return a text with the marks that mean something to TeX escaped.

    >>> to_latex("50% of {A}")
    '50\\% of \\textbraceleft{}A\\textbraceright{}'
    """
    return _ESCAPED.sub(lambda found: _SPECIAL[found[0]], text)


def _replacement(found: re.Match[str]) -> str:
    kind, text = found.lastgroup, found[found.lastgroup or 0]
    if kind == "mark":
        return text
    if kind == "word":
        return _NAMED[text] if text in _NAMED else _plain(f"\\{text}")
    if kind in ("accent", "math"):
        return _plain(text)
    if kind == "space":
        return "" if text in "-/" else " "
    return " " if kind == "tie" else ""


@lru_cache(maxsize=4096)
def _plain(latex: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text  # type: ignore[import-untyped]

    try:
        return str(LatexNodes2Text(math_mode="text").latex_to_text(latex))
    except RecursionError:
        return latex
