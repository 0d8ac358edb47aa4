"""CONTRIBUTING.md is complete: toys are added by touching only what its checklists name.

Each toy is added to a copy of the package, which then has to work as a user would see it.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

import likewise

SRC = Path(likewise.__file__).parent
GUIDE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()


@dataclass(frozen=True)
class Toy:
    """Something added: new modules, insertions into others, and a program that uses it."""

    checklist: str
    program: str
    prints: str
    made: dict[str, str] = field(default_factory=dict)
    inserted: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By file: what stands before the insertion, and what is inserted."""

    @property
    def touched(self):
        return {*self.made, *self.inserted}


TOYS = [
    Toy(
        "Adding a format",
        made={
            "documents/formats/toy.py": '''
                """Toys: a title a line, after a first line that says so."""

                from likewise.documents.document import Document
                from likewise.documents.sources import Record


                def read(source):
                    for line in source.lines():
                        if line.number > 1:
                            yield Record(Document(title=line.text.strip()), line=line.number)


                def write(annotated, stream):
                    stream.write(b"toys\\n")
                    for document, _ in annotated:
                        stream.write(document.title.encode() + b"\\n")
                '''
        },
        inserted={
            "documents/formats/__init__.py": (
                "BUILT_IN = (\n",
                'Format("toy", "toys", f"{_HERE}.toy", (".toy",), r"\\Atoys\\n", notes=False),\n',
            )
        },
        program="""
            import likewise
            likewise.write([likewise.Document(title="A title")], "some.toy")
            print([document.title for document in likewise.read("some.toy")])
            """,
        prints="['A title']",
    ),
    Toy(
        "Adding an engine",
        made={
            "library/toy.py": '''
                """Toys: libraries that are kept in memory under a name."""

                from likewise.library import Engine
                from likewise.library.memory import MemoryLibrary

                LIBRARIES = {}


                def open_toy(address, *, write=False):
                    return LIBRARIES.setdefault(address, MemoryLibrary())


                ENGINE = Engine(open=open_toy, name=lambda address: "toy")
                '''
        },
        inserted={
            "library/__init__.py": (
                "BUILT_IN = (\n",
                'EntryPoint("toy", "likewise.library.toy:ENGINE", GROUP),\n',
            )
        },
        program="""
            import likewise
            with likewise.open_library("toy://one", write=True) as library:
                library.add([likewise.Document(id="1", title="A title")])
                library.commit()
            print(likewise.open_library("toy://one").count())
            """,
        prints="1",
    ),
    Toy(
        "Adding a source",
        made={
            "library/sources/toy.py": '''
                """Toys: a source that knows a few papers by heart."""

                from likewise.documents import Document
                from likewise.library.sources import Arrivals


                class ToySource:
                    label, links, requests = "Toys", (), 0

                    def key_of(self, paper):
                        return paper.pmid

                    def identity_of(self, key):
                        return f"pmid:{key}"

                    def find_papers(self, papers):
                        yield []

                    def find_linked(self, keys, kind):
                        yield {}

                    def search(self, terms, *, limit, since=None):
                        return [str(number) for number in range(1, 41)][:limit]

                    def fetch(self, keys):
                        yield Arrivals([
                            Document(id=key, pmid=key, title=f"Insulin in rats of group{key}")
                            for key in keys
                        ])

                    def close(self):
                        pass
                '''
        },
        inserted={
            "library/sources/__init__.py": (
                "BUILT_IN = (\n",
                'EntryPoint("toy", "likewise.library.sources.toy:ToySource", GROUP),\n',
            )
        },
        program="""
            from likewise.library.fetching import fetch_records
            from likewise.library.sources import SearchTerm, open_source
            source = open_source("toy")
            found = source.search([SearchTerm("insulin")], limit=30)
            print(fetch_records(found, "lib", source=source).documents)
            """,
        prints="30",
    ),
    Toy(
        "Adding a method",
        inserted={
            "learn/scorers.py": (
                "",
                (
                    "\n\ndef score_toy(material, *, rng, on_step=None):\n"
                    '    """Score as the engine does, the other way round."""\n'
                    "    found = material.retrieval\n"
                    "    turned = Scores(-found.seeds, -found.pool, -found.negatives)\n"
                    "    return Scored(turned, None)\n"
                ),
            ),
            "learn/methods.py": (
                "_BUILT_IN = (\n",
                (
                    'MethodInfo(name="toy", description="a toy", '
                    'scorer="likewise.learn.scorers:score_toy"),\n'
                ),
            ),
        },
        program="""
            from likewise.cli import likewise
            likewise(["methods"])
            """,
        prints="toy",
    ),
    Toy(
        "Adding a view",
        made={
            "learn/toy.py": '''
                """Toys: how near a document's year is to those of the seeds."""

                from dataclasses import dataclass

                import numpy as np

                from likewise.learn.folds import Scores
                from likewise.learn.material import ScoredPart, View


                @dataclass(frozen=True, eq=False)
                class YearView(View):
                    name = "years"
                    evidence: np.ndarray

                    def list_scored(self, plan):
                        seeds, known = plan.material.seeds, plan.material.known
                        near = -np.abs(self.evidence - self.evidence[:seeds].mean())
                        scores = Scores(near[:seeds], near[known:], near[seeds:known])
                        return [ScoredPart(scores, 1000.0, [])]


                def make_year_view(sources):
                    return YearView(np.array([float(each.year or 0) for each in sources.documents]))
                '''
        },
        inserted={
            "learn/views.py": (
                "VIEWS: tuple[Callable[[ViewSources], View | None], ...] = (\n",
                '    __import__("likewise.learn.toy").learn.toy.make_year_view,\n',
            )
        },
        program="""
            import likewise
            from likewise.library.memory import MemoryLibrary
            library = MemoryLibrary()
            for year in (1950, 2000):
                for n in range(20):
                    title = f"Insulin in rats of group{year}{n}"
                    library.add([likewise.Document(id=f"{year}-{n}", title=title, year=year)])
                    library.add([likewise.Document(title=f"Sleep of group{year}{n}", year=year)])
            library.commit()
            found = likewise.expand(library, [f"2000-{n}" for n in range(5)])
            ranked = [place.id[:4] for place in found.ranking if not place.seed]
            print(ranked[:15].count("2000"))
            """,
        prints="15",
    ),
    Toy(
        "Adding a setting",
        inserted={
            "expansion/settings.py": (
                "    more_like: MoreLike = field(default_factory=MoreLike)\n",
                (
                    '    toys: int = _setting(7, help="How many toys there are.", least=1, '
                    'served=Served(most=9), label="Toys")\n'
                ),
            ),
        },
        program="""
            from likewise.cli.expand import command
            from likewise.server.models.sessions import SettingsRequest
            options = {name for option in command.params for name in option.opts}
            shape = SettingsRequest.model_json_schema()["properties"]["toys"]
            print("--toys" in options, shape["anyOf"][0]["maximum"])
            """,
        prints="True 9",
    ),
    Toy(
        "Adding a stopping rule",
        inserted={
            "learn/stopping/rules.py": (
                "RULES: dict[str, RuleInfo] = {\n    info.name: info\n    for info in (\n",
                'RuleInfo("toy", "stops after three", "", lambda looked: looked.count >= 3),\n',
            ),
        },
        program="""
            import numpy as np
            from likewise.learn.stopping import Screening
            from likewise.learn.stopping.rules import parse_rule
            for count in (2, 3):
                labels = np.zeros(count, dtype=bool)
                print(parse_rule("toy").stops(Screening(labels=labels, size=9)))
            """,
        prints="False\nTrue",
    ),
]


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE)[1]


def add(toy, package):
    for path, text in toy.made.items():
        (package / path).write_text(dedent(text).lstrip())
    for path, (before, text) in toy.inserted.items():
        content = (package / path).read_text()
        assert before in content, f"{path} holds no {before!r}"
        head, tail = content.split(before, 1) if before else (content, "")
        (package / path).write_text(head + before + text + tail)


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.checklist)
def test_a_checklist_names_every_file_that_a_toy_touches(toy):
    named = {
        path.replace("NAME", "toy")
        for path in re.findall(r"`([\w/]+\.py)`", section(toy.checklist))
    }
    assert toy.touched <= named


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.checklist)
def test_a_toy_that_is_added_by_its_checklist_works(toy, tmp_path):
    package = tmp_path / "src" / "likewise"
    shutil.copytree(SRC, package, ignore=shutil.ignore_patterns("__pycache__"))
    add(toy, package)
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", dedent(toy.program)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert toy.prints in done.stdout, done.stderr


def test_every_file_that_the_guides_name_is_there():
    root = Path(__file__).parents[1]
    guides = GUIDE + (root / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`([\w./-]+(?:\.(?:py|md|toml|js|json)|/))`", guides))
    here = {path.name for path in [*SRC.rglob("*"), *root.glob("*")]}
    is_there = lambda path: (root / path).exists() or (SRC / path).exists()  # noqa: E731
    plain = {path for path in named if "NAME" not in path}
    # Names without a folder stand beside one that was just named.
    missing = [path for path in plain if not is_there(path) and path.strip("/") not in here]
    assert missing == []


def test_the_map_of_what_to_change_has_at_most_40_rows():
    text = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text()
    table = text.partition("## To change")[2]
    assert sum(line.startswith("| ") for line in table.splitlines()[1:]) - 1 <= 40
