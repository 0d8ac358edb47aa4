"""How fast PubMed XML is read, compared with pubmed_parser, which many people use."""

from __future__ import annotations

import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from likewise.documents import read
from likewise.documents.remote import fetch_package

# What pubmed_parser imports and does not use while it parses MEDLINE.
_UNUSED: dict[str, dict[str, object]] = {
    "requests": {},
    "six": {"string_types": (str,)},
    "unidecode": {"unidecode": str},
}


class Counts(NamedTuple):
    """What was found in a file."""

    records: int
    with_mesh: int
    with_abstract: int


class Comparison(NamedTuple):
    """The seconds that each reader took, run by run, and what it found."""

    file: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    our_counts: Counts
    their_counts: Counts

    @property
    def ratio(self) -> float:
        """How many times as fast ours is, by the medians."""
        return statistics.median(self.theirs) / statistics.median(self.ours)


def compare_parsing(
    sample: Path, *, package: Path | None = None, repetitions: int = 3
) -> Comparison:
    """Time both readers on a file, in turns, in this process.

    Args:
        sample: A PubMed file, gzipped or not.
        package: The wheel or the unpacked folder of pubmed_parser; fetched if not given.
        repetitions: How often each reads the file.
    """
    ours, theirs = [], []
    our_counts = their_counts = Counts(0, 0, 0)
    with _import_their_reader(package) as parse_medline:
        for _ in range(repetitions):
            seconds, our_counts = _time_count(lambda: _count_ours(sample))
            ours.append(seconds)
            seconds, their_counts = _time_count(lambda: _count_theirs(sample, parse_medline))
            theirs.append(seconds)
    return Comparison(sample.name, tuple(ours), tuple(theirs), our_counts, their_counts)


def _time_count(count: Callable[[], Counts]) -> tuple[float, Counts]:
    start = time.perf_counter()
    counts = count()
    return time.perf_counter() - start, counts


def _count_ours(sample: Path) -> Counts:
    found = [(bool(document.mesh), bool(document.abstract)) for document in read(sample)]
    return _add_up(found)


def _count_theirs(sample: Path, parse_medline: Callable[..., Iterator[dict[str, str]]]) -> Counts:
    records = parse_medline(str(sample))
    # It also yields a record for each notice of deletion, which we don't count as one.
    kept = (record for record in records if not record["delete"])
    return _add_up([(bool(record["mesh_terms"]), bool(record["abstract"])) for record in kept])


def _add_up(found: list[tuple[bool, bool]]) -> Counts:
    mesh, abstracts = zip(*found, strict=True)
    return Counts(len(found), sum(mesh), sum(abstracts))


@contextmanager
def _import_their_reader(package: Path | None) -> Iterator[Callable[..., Iterator[dict[str, str]]]]:
    """Import pubmed_parser without installing it; Python reads wheels as they are."""
    before, modules = list(sys.path), set(sys.modules)
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, str(package or fetch_package(Path(folder))))
        try:
            for name, attributes in _UNUSED.items():
                _stand_in(name, attributes)
            yield importlib.import_module("pubmed_parser").parse_medline_xml
        finally:
            sys.path[:] = before
            for name in set(sys.modules) - modules:
                if name.partition(".")[0] in {"pubmed_parser", *_UNUSED}:
                    del sys.modules[name]


def _stand_in(name: str, attributes: dict[str, object]) -> None:
    """Put an empty module in place of one that is not installed."""
    try:
        importlib.import_module(name)
    except ImportError:
        module = ModuleType(name)
        vars(module).update(attributes)
        sys.modules[name] = module
