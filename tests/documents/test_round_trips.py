"""Whole citations from format to format: what both can hold is kept.

`docs/reference/formats.md` has a table of what each format holds. It is compared here with what
comes back when a document with everything is written and read, so that it says neither more nor
less. A format that is added gets its column there; the message of the test that fails is the table
to put there.
"""

from itertools import product
from pathlib import Path

import pytest

from documents.citations import CITED
from likewise.documents import read, write
from likewise.documents.formats import BUILT_IN

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"
BEGIN, END = "<!-- what each format holds: begin -->\n", "<!-- what each format holds: end -->"
WRITABLE = [known.name for known in BUILT_IN if known.writes]
# The source is the file that a document is read from; further tags are each format's own.
FIELDS = [name for name in CITED.__struct_fields__ if name not in ("source", "extra")]
# More of these than were given does no harm: one format tells a number in two ways.
SETS = ("other_ids", "issn", "isbn", "urls")


def pass_through(document, name, folder):
    path = folder / f"{name}.{name}"
    write([document], path, format=name)
    (found,) = read(path, format=name)
    return found


def is_kept(field, found):
    here, there = getattr(CITED, field), getattr(found, field)
    return set(here) <= set(there) if field in SETS else here == there


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """The document as each format gives it back."""
    folder = tmp_path_factory.mktemp("once")
    return {name: pass_through(CITED, name, folder) for name in WRITABLE}


@pytest.fixture(scope="module")
def held(passed):
    """The fields that each format holds."""
    return {name: {f for f in FIELDS if is_kept(f, found)} for name, found in passed.items()}


def make_table(held):
    lines = [f"| field | {' | '.join(WRITABLE)} |", f"|---|{':-:|' * len(WRITABLE)}"]
    for field in FIELDS:
        cells = ("✓" if field in held[name] else "" for name in WRITABLE)
        lines.append(f"| `{field}` | {' | '.join(cells)} |")
    return "".join(f"{line}\n" for line in lines).replace("|  |", "| |").replace("|  |", "| |")


def test_the_document_says_something_in_every_field():
    assert [name for name in FIELDS if not getattr(CITED, name)] == []


def test_the_docs_say_what_each_format_holds(held):
    text, table = DOCS.read_text(encoding="utf-8"), make_table(held)
    assert text.partition(BEGIN)[2].partition(END)[0] == table, f"put this there:\n{table}"


def test_json_lines_hold_everything(held):
    assert held["jsonl"] == set(FIELDS)


@pytest.mark.parametrize(
    "name", [name for name in WRITABLE if name in ("ris", "enw", "wos", "nbib", "jsonl")]
)
def test_a_citation_can_be_cited_from(name, held):
    assert held[name] >= {
        *("title", "authors", "year", "date", "journal", "volume", "issue", "pages", "issn"),
        *("isbn", "series", "edition", "editors", "publisher", "place", "doi", "urls", "remarks"),
    }


@pytest.mark.parametrize(("first", "second"), [*product(WRITABLE, WRITABLE)])
def test_what_both_hold_is_kept(first, second, held, passed, tmp_path):
    found = pass_through(passed[first], second, tmp_path)
    lost = [name for name in held[first] & held[second] if not is_kept(name, found)]
    assert lost == []
