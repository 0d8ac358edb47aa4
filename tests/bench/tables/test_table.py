import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.tables.table import (
    FORMATS,
    Number,
    Row,
    Table,
    as_csv,
    as_latex,
    as_markdown,
    count,
    format_number,
    from_percent,
)

texts = st.text(st.characters(blacklist_categories=("C", "Z")), min_size=1, max_size=8)


def table(*rows, columns=("topic", "F1"), notes=()):
    return Table(title="F1 by topic", columns=columns, rows=tuple(map(Row, rows)), notes=notes)


def test_markdown_lines_up_and_sets_numbers_to_the_right():
    written = as_markdown([table(("Rats", Number(0.5)), ("Animals", Number(0.0625)))])
    assert written.splitlines() == [
        "**F1 by topic**",
        "",
        "| topic   |   F1 |",
        "| ------- | ---: |",
        "| Rats    | 50.0 |",
        "| Animals |  6.3 |",
    ]


def test_the_best_is_bold():
    best = [table(("Rats", Number(0.5, is_best=True)))]
    assert "| **50.0** |" in as_markdown(best)
    assert r"Rats & \textbf{50.0} \\" in as_latex(best)


def test_what_is_missing_is_a_dash():
    missing = [table(("Rats", None), ("Mice", Number(0.5)))]
    assert "| Rats  |    \u2013 |" in as_markdown(missing)
    assert r"Rats & -- \\" in as_latex(missing)
    assert "Rats,\n" in as_csv(missing)


def test_names_cannot_break_out_of_markdown():
    assert r"| \<b>\|\*x\* |" in as_markdown([table(("<b>|*x*", Number(0.5)))])


def test_names_cannot_break_out_of_latex():
    written = as_latex([table((r"50% & $x_1 {\a} #~^", Number(0.5)))])
    escaped = r"50\% \& \$x\_1 \{\textbackslash{}a\} \#\textasciitilde{}\textasciicircum{} & 50.0"
    assert escaped in written


def test_latex_has_the_lines_of_booktabs():
    rows = (
        Row(("a", Number(0.1)), is_apart=True),
        Row(("b", Number(0.2)), is_apart=True),
    )
    written = as_latex([Table(title="T", columns=("|LP|", "F1"), rows=rows)])
    assert written.splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{T.}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"\textbar{}LP\textbar{} & F1 \\",
        r"\midrule",
        r"a & 10.0 \\",
        r"\midrule",
        r"b & 20.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_csv_has_all_digits_and_parts_in_columns_of_their_own():
    first, second = Number(1 / 3, deviation=0.25), Number(0.5, low=0.1, high=0.9)
    written = as_csv([table((first, second), (None, None), columns=("BM25", "F1"))])
    assert written.splitlines() == [
        "BM25,BM25 deviation,F1,F1 low,F1 high",
        "0.3333333333333333,0.25,0.5,0.1,0.9",
        ",,,,",
    ]


def test_counts_are_whole_numbers_in_csv_unless_they_are_means():
    written = as_csv([table((count(20), Number(2.5, "count")), columns=("|LP|", "decided"))])
    assert written.splitlines()[1] == "20,2.5"


def test_notes_stand_below():
    written = as_markdown([table(("Rats", Number(0.5)), notes=("naive has 1 of 2 tasks.",))])
    assert written.endswith("|\n\nnaive has 1 of 2 tasks.\n")


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_has_its_columns(form):
    assert "topic" in FORMATS[form]([table()])


@given(st.lists(st.tuples(texts, st.floats(0, 1)), min_size=1, max_size=5))
def test_csv_is_read_back_as_it_was(pairs):
    written = as_csv([table(*((name, Number(value)) for name, value in pairs))])
    _, *lines = csv.reader(io.StringIO(written))
    assert [(name, float(value)) for name, value in lines] == pairs


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_every_line_of_markdown_has_the_same_number_of_columns(pairs):
    lines = as_markdown([table(*pairs)]).splitlines()[2:-1]
    bars = {line.replace("\\\\", "").replace("\\|", "").count("|") for line in lines}
    assert bars == {3}


def test_numbers_say_their_deviation_or_their_interval():
    assert str(Number(0.26, deviation=0.07)) == "26.0 \u00b1 7.0"
    assert str(Number(0.26, low=0.2, high=0.3)) == "26.0 [20.0, 30.0]"


def test_halves_are_rounded_up_as_by_hand():
    assert [format_number(value, "share") for value in (0.3225, 0.0895, 0.0555)] == [
        "32.3",
        "9.0",
        "5.6",
    ]
    assert format_number(-0.0005, "difference") == "-0.1"


def test_published_figures_keep_their_digits():
    assert from_percent(48.97).value == 0.4897
    assert from_percent(32.25, deviation=11.6).deviation == 0.116


def test_a_table_is_one_line_and_in_notebooks_html_that_names_cannot_break_out_of():
    shown = table(("<b>", Number(0.5, is_best=True)), ("Mice", None), notes=("A note.",))
    assert repr(shown) == "<Table 'F1 by topic': 2 rows of topic, F1>"
    html = shown._repr_html_()
    assert '<td>&lt;b&gt;</td><td class="number"><strong>50.0</strong></td>' in html
    assert "<p>A note.</p>" in html
