"""The documents of the scale benchmark: real PubMed records, repeated with variation, as files."""

from __future__ import annotations

import itertools
from pathlib import Path

from benchmarks.repeated import repeat_documents

from likewise.documents import read, write
from likewise.documents.sample import fetch_sample

A_FILE = 50_000


def make_files(folder: Path, *, documents: int) -> list[Path]:
    """Return the files that hold so many documents; those that are not there yet are made."""
    wanted = [folder / f"part{number:03}.jsonl" for number in range(-(-documents // A_FILE))]
    if not all(path.exists() for path in wanted):
        folder.mkdir(parents=True, exist_ok=True)
        sample = fetch_sample(folder.parent / "pubmed", on_step=print)
        originals = [d for path in sample for d in read(path, on_problem=lambda _: None) if d.text]
        stream = repeat_documents(originals, documents)
        for path in wanted:
            write(itertools.islice(stream, A_FILE), path)
            print(f"  made {path.name}", flush=True)
    return wanted
