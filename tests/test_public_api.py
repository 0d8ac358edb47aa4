import subprocess
import sys
from pathlib import Path

import pytest

import likewise

PUBLIC = {
    "Document",
    "ExpandSettings",
    "Expansion",
    "LikewiseError",
    "MoreLike",
    "Session",
    "__version__",
    "expand",
    "index_files",
    "more_like_these",
    "open_library",
    "read",
    "write",
}

HEAVY = [
    "torch",
    "fastapi",
    "starlette",
    "lxml",
    "tantivy",
    "openpyxl",
    "numpy",
    "scipy",
    "jinja2",
    "rich",
    "msgspec",
]


def test_the_public_names_change_only_on_purpose():
    assert set(likewise.__all__) == PUBLIC


def test_every_public_name_is_there():
    assert [name for name in PUBLIC if getattr(likewise, name) is None] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = likewise.nothing


@pytest.mark.parametrize("statement", ["import likewise", "import likewise.cli"])
def test_importing_loads_nothing_heavy(statement):
    code = f"{statement}\nimport sys\nprint([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_citation_is_of_this_version():
    citation = Path(__file__).parents[1] / "CITATION.cff"
    assert f"\nversion: {likewise.__version__}\n" in citation.read_text()


@pytest.mark.parametrize("name", sorted(PUBLIC - {"__version__"}))
def test_every_public_name_has_an_example(name):
    assert ">>>" in getattr(likewise, name).__doc__
