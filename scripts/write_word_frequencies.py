"""Write how many of PubMed's records have each word and each heading, from the sample's records.

    python scripts/write_word_frequencies.py [SAMPLE]

Searches of sources are made of the seeds' words, weighed by how rare they are elsewhere. SAMPLE is
the folder of `likewise sample`; what is not there is fetched.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from pathlib import Path

from likewise.documents import read
from likewise.documents.remote import fetch_sample
from likewise.library.sources.terms import TABLE, list_words

LEAST = 3
"""What fewer records have is as rare as a word can be."""


def main(folder: Path) -> None:
    """Count words and headings, and write them."""
    titles: Counter[str] = Counter()
    abstracts: Counter[str] = Counter()
    headings: Counter[str] = Counter()
    texts = indexed = 0
    for path in fetch_sample(folder):
        for paper in read(path, on_problem=lambda _: None):
            if paper.abstract:
                texts += 1
                titles.update(set(list_words(paper.title)))
                abstracts.update(set(list_words(paper.abstract)))
            if paper.mesh:
                indexed += 1
                headings.update({heading.name for heading in paper.mesh})
    lines = [f"{texts}\t{indexed}"]
    lines += [
        f"w\t{word}\t{titles[word]}\t{abstracts[word]}"
        for word in sorted(titles.keys() | abstracts.keys())
        if max(titles[word], abstracts[word]) >= LEAST
    ]
    lines += [f"h\t{name}\t{n}" for name, n in sorted(headings.items()) if n >= LEAST]
    path = Path(__file__).parents[1] / "src" / "likewise" / "library" / "sources" / TABLE
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as stream:
        stream.write("\n".join(lines).encode() + b"\n")
    told = f"{path}: {len(lines) - 1:,} words and headings, {path.stat().st_size:,} bytes"
    sys.stdout.write(f"{told}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "sample"))
