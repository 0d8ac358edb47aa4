"""How the time that a text takes grows with its length.

Each is read at a length and at four times that. What is linear takes four times as long, what is
quadratic sixteen times; the bound lies between, with room for a busy machine.
"""

import time

LENGTH = 5_000
MOST_TIMES = 9
# What takes less than this is quick enough, however it grows.
QUICK = 0.1

# What the patterns look for, followed by what they could go back over.
BEGINNINGS = ("", "PMC1", "PMCID", "PMID", "PubMed", "10.1000/", "doi:", "1", "#", "&#", "comment",
              "https://europepmc.org/", "mark:", "<", "L1", "PM:", "2021")  # fmt: skip
FILLINGS = (" ", "\n", "0", "1", ".", ",", ";", "(", "[", "PMC1 ", "PMID ", "10.1", "doi:", "&#1",
            "a:", "-", "/", "1-", "comment ", "=>")  # fmt: skip
HOSTILE = [(beginning, filling) for beginning in BEGINNINGS for filling in FILLINGS]


def measure(do, text):
    started = time.process_time()
    do(text)
    return time.process_time() - started


def grow(beginning, filling, length):
    return beginning + filling * (length // len(filling)) + "x"


def assert_linear(do, beginning, filling, length=LENGTH):
    long = grow(beginning, filling, 4 * length)
    if measure(do, long) > QUICK:
        short = max(measure(do, grow(beginning, filling, length)) for _ in range(3))
        assert min(measure(do, long) for _ in range(3)) < MOST_TIMES * short, (beginning, filling)
