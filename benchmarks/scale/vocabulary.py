"""Whether the vocabulary of made documents grows like that of real ones: Heaps' law.

    python -m benchmarks.scale.vocabulary [--documents 400000]

The two real files, in a random order, say which power of the number of words the vocabulary is;
made documents are counted as they come.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from benchmarks.repeated import HEAPS, repeat_documents
from benchmarks.scale.collection import read_originals

from likewise.documents import Document

WORD = re.compile(r"\w+")


def main() -> None:
    """Print both curves beside the law."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=400_000)
    asked = parser.parse_args()
    originals = read_originals()
    mixed = random.Random(0).sample(originals, len(originals))
    print("| documents | words | different ones | by the law | once |\n|---:|---:|---:|---:|---:|")
    real = count_words(mixed, at=[8_000, 16_000, 32_000, len(mixed)])
    words, different = np.log(np.array(real, dtype=np.float64)).T
    exponent, start = np.polyfit(words, different, 1)
    count_words(repeat_documents(originals, asked.documents), at=[100_000, 200_000, 400_000])
    print(f"\nFitted on the real ones: {np.exp(start):.1f} n ** {exponent:.3f}; used: {HEAPS}")


def count_words(documents: Iterable[Document], *, at: list[int]) -> list[tuple[int, int]]:
    """Print words and vocabulary after these numbers of documents, and return them."""
    seen: Counter[str] = Counter()
    words, curve = 0, []
    factor, exponent = HEAPS
    for number, document in enumerate(documents, start=1):
        found = WORD.findall(document.text.lower())
        words += len(found)
        seen.update(found)
        if number in at:
            curve.append((words, len(seen)))
            once = sum(count == 1 for count in seen.values()) / len(seen)
            law = factor * words**exponent
            print(
                f"| {number:,} | {words:,} | {len(seen):,} | {law:,.0f} | {once:.2f} |", flush=True
            )
    return curve


if __name__ == "__main__":
    main()
