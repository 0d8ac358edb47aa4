"""The entries of a BibTeX file."""

import pytest
from hypothesis import given

from documents.strategies import texts
from likewise.documents import sources
from likewise.documents.formats.bibtex_syntax import read_entries, to_latex, to_unicode
from likewise.documents.sources import Complaint, Source
from likewise.errors import ReadError


def entries_in(tmp_path, text):
    path = tmp_path / "file.bib"
    path.write_text(text)
    items = read_entries(Source(path))
    return [item for item in items if not isinstance(item, Complaint)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("{a {b} c}", "a {b} c"),
        ('"a {"} b"', 'a {"} b'),
        (r'"M\"uller"', r"M\"uller"),
        ("2001", "2001"),
        ("mac # { and } # 5", "macro and 5"),
        ("unknown", "unknown"),
        ("{}", ""),
    ],
)
def test_values(tmp_path, value, text):
    (entry,) = entries_in(tmp_path, f'@string{{mac = "macro"}}\n@misc{{k, f = {value}, g = 1}}')
    assert entry.fields == {"f": text, "g": "1"}


def test_several_entries_may_stand_on_a_line(tmp_path):
    found = entries_in(tmp_path, "@a{one, x=1}@b(two, x=2) text @c{three}")
    assert [(entry.kind, entry.key) for entry in found] == [
        ("a", "one"),
        ("b", "two"),
        ("c", "three"),
    ]


def test_a_parenthesis_in_quotes_or_braces_does_not_close(tmp_path):
    (entry,) = entries_in(tmp_path, '@a(k, x = "1)", y = {2)}\n, z = 3)')
    assert entry.fields == {"x": "1)", "y": "2)", "z": "3"}


def test_an_unclosed_comment_takes_the_rest_of_the_file_and_is_an_error(tmp_path):
    with pytest.raises(ReadError, match=r"bib:1: this @comment is not closed up to the end"):
        entries_in(tmp_path, "@comment{ never\n@a{k, x=1}\n")


def test_an_entry_that_fills_the_memory_is_an_error_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 1 << 20)
    with pytest.raises(ReadError, match=r"bib:2: a record of more than 1 MB"):
        entries_in(tmp_path, "@a{k, x=1}\n@a{l, x = {" + "word\n" * 20_000)


def test_a_long_comment_is_not_kept_and_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 1 << 20)
    (entry,) = entries_in(tmp_path, "@comment{" + "word\n" * 20_000 + "}\n@a{k, x=1}")
    assert entry.key == "k"


def test_an_at_sign_inside_a_value_begins_nothing(tmp_path):
    (entry,) = entries_in(tmp_path, "@a{k, x = {mail\n@home (or not)\n}}")
    assert entry.fields == {"x": "mail\n@home (or not)\n"}


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
