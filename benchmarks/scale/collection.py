"""The documents of the scale benchmark: real PubMed records, repeated with variation, as files."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from benchmarks.load.run import SEEDS
from benchmarks.repeated import repeat_documents

from likewise.documents import Document, read, write
from likewise.documents.remote import fetch_sample

A_FILE = 50_000
PUBMED = Path(__file__).parent / "work" / "pubmed"


@cache
def read_originals() -> list[Document]:
    """Return the records of the sample that have a text, shuffled: any part is like the whole.

    The seeds of `benchmarks.load` come first, so that every library has them.
    """
    sample = fetch_sample(PUBMED, on_step=print)
    found = [d for path in sample for d in read(path, on_problem=lambda _: None) if d.text]
    random.Random(0).shuffle(found)
    return sorted(found, key=lambda document: document.pmid not in SEEDS)


def make_files(folder: Path, *, documents: int, start: int = 0) -> list[Path]:
    """Return the files of the documents from `start` on; those that are not there are made."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        folder / f"part{first:09}.jsonl": (first, min(first + A_FILE, documents))
        for first in range(start, documents, A_FILE)
    }
    missing = [path for path in paths if not path.exists()]
    read_originals()
    with ProcessPoolExecutor() as crew:
        for path in crew.map(_make_file, missing, [paths[path] for path in missing]):
            print(f"  made {path.name}", flush=True)
    return list(paths)


def _make_file(path: Path, numbers: tuple[int, int]) -> Path:
    first, last = numbers
    write(repeat_documents(read_originals(), last, start=first), path)
    return path
