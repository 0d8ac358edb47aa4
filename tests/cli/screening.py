"""A session on the invented corpus, for the tests of the commands that work with one."""

import shutil

from expansion.corpus import corpus, hidden, library_in, seeds_on
from likewise.cli import run

SEEDS = [seed.id for seed in seeds_on("bees")]
ON_TOPIC = sorted(hidden("bees"), key=int)
OFF_TOPIC = [d.id for d in corpus() if "bees" not in d.keywords]


def begin(folder) -> str:
    """Index the corpus into a folder, begin a session beside it, and return where it lies."""
    library = library_in(folder / "lib", *corpus())
    assert run(["expand", library, *SEEDS, "--session", str(folder / "begun.likewise")]) == 0
    return str(folder / "begun.likewise")


def copied(begun, folder) -> str:
    """Copy a session, which is one file, and return where the copy lies."""
    return str(shutil.copy(begun, folder / "review.likewise"))
