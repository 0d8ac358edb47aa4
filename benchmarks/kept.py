"""Libraries that take minutes to make: made once, and kept for the next time."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from likewise.documents import Document
from likewise.library.embedded import EmbeddedLibrary

BLOCK = 100_000


def keep_library(folder: Path, documents: Callable[[], Iterator[Document]]) -> Path:
    """Return a library; it is made from documents if it is not there yet."""
    if folder.is_dir():
        return folder
    # If making it was interrupted, it is begun again.
    making = folder.with_name(f"{folder.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.parent.mkdir(parents=True, exist_ok=True)
    with EmbeddedLibrary(making, write=True) as library:
        stream = documents()
        while block := list(itertools.islice(stream, BLOCK)):
            library.add(block)
            library.commit()
            print(f"  making {folder.name}: {library.count():,} documents", flush=True)
    return making.rename(folder)
