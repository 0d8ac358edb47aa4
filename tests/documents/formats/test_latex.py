"""LaTeX to Unicode and back."""

import pytest
from hypothesis import given

from documents.strategies import texts
from likewise.documents.formats.bibtex_syntax import to_latex, to_unicode


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"M{\"u}ller", "Müller"),
        (r"Garc{\'\i}a, Garc\'{\i}a", "García, García"),
        (r"\v{S}koda, \c{c}a, \c c", "Škoda, ça, ç"),
        (r"{\O}re \o re \aa\ {\ss}", "Øre øre å ß"),
        (r"\beta-blocker $\beta$ $<$", "β-blocker β <"),
        (r"{\textless} 5 \textgreater{} 3", "< 5 > 3"),
        (r"\textit{E. coli} and \emph{more \textbf{still}}", "E. coli and more still"),
        (r"5\% of 7% \& others & more", "5% of 7% & others & more"),
        (r"costs \$5", "costs $5"),
        ("costs $5 and $6", "costs $5 and $6"),
        ("{DNA} and {{RNA}}", "DNA and RNA"),
        (r"hy\-phen and\/or", "hyphen andor"),
        (r"\unknown{word}", "word"),
        (r"\{a\}", "{a}"),
        ("~50 patients", "~50 patients"),
        ("plain -- text", "plain -- text"),
        ("ends with \\", "ends with "),
        ("", ""),
    ],
)
def test_to_unicode(latex, text):
    assert to_unicode(latex) == text


def test_formulas_nested_beyond_measure_do_no_harm():
    assert to_unicode("$" + "{" * 150 + "x^2" + "}" * 150 + "$")


@given(text=texts())
def test_escaped_text_comes_back(text):
    assert to_unicode(to_latex(text)) == text


@given(text=texts())
def test_any_text_can_be_converted(text):
    assert isinstance(to_unicode(text), str)
