"""Ask the real PubMed and Europe PMC what likewise asks them, and say whether it holds.

    NCBI_EMAIL=you@example.org python scripts/try_pubmed.py [pubmed] [europepmc]

It sends about 20 requests, no faster than allowed, and prints for each what was expected and what
came. The exit code is 1 if anything was not as expected.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable, Iterable

from likewise.documents import Document
from likewise.errors import LikewiseError
from likewise.library.sources import RemoteSource, SearchTerm, open_source

# Watson and Crick, 1953: cited a thousand times, and in no danger of going away.
OLD, OLD_DOI = "13054692", "10.1038/171737a0"
# Biopython, 2009: open access, so that its references are known.
CITING = "19304878"
MISSING = "99999999"
TERMS = [SearchTerm("gluconeogenesis"), SearchTerm("Liver", is_heading=True)]
KEYS: dict[str, Callable[[str], str]] = {"pubmed": str, "europepmc": "MED/{}".format}


class Trial:
    """Asks one source, and counts what was not as expected."""

    def __init__(self, name: str) -> None:
        self.source: RemoteSource = open_source(name)
        self.key = KEYS[name]
        self.failures = 0

    def ask(self, what: str, expected: str, asking: Callable[[], tuple[bool, str]]) -> None:
        """Ask one thing, and print what was expected and what came."""
        before, started = self.source.requests, time.monotonic()
        try:
            holds, came = asking()
        except LikewiseError as error:
            holds, came = False, str(error)
        spent = time.monotonic() - started
        self.failures += not holds
        sys.stdout.write(
            f"{'ok  ' if holds else 'FAIL'} {self.source.label}: {what}\n"
            f"       expected  {expected}\n"
            f"       came      {came}\n"
            f"       {self.source.requests - before} requests, {spent:.1f} s\n"
        )

    def run(self) -> int:
        """Ask everything, and return how much was not as expected."""
        key, source = self.key, self.source
        self.ask("a record", "a title with 'nucleic acids'", self.fetch_known)
        self.ask("a record that is not there", f"{MISSING} is missing", self.fetch_missing)
        self.ask("a paper by its DOI", key(OLD), self.find_by_doi)
        for kind in source.links:
            self.ask(f"{kind} papers", "at least one", lambda kind=kind: self.find_links(kind))  # type: ignore[misc]
        self.ask("links of a paper that is not there", "none", self.find_no_links)
        self.ask("a search", "100 keys, none twice", self.search)
        self.ask("a search since last month", "fewer than without a date, or none", self.search_new)
        self.ask("six requests in a row", "no more than allowed, none refused", self.hurry)
        source.close()
        return self.failures

    def fetch_known(self) -> tuple[bool, str]:
        """Fetch one record."""
        papers = [paper for came in self.source.fetch([self.key(OLD)]) for paper in came.documents]
        titles = [paper.title for paper in papers]
        return len(titles) == 1 and "nucleic acids" in titles[0].lower(), shorten(titles)

    def fetch_missing(self) -> tuple[bool, str]:
        """Fetch a record that does not exist."""
        missing = [key for came in self.source.fetch([self.key(MISSING)]) for key in came.missing]
        return missing == [self.key(MISSING)], f"{shorten(missing)} missing"

    def find_by_doi(self) -> tuple[bool, str]:
        """Find a paper by its DOI."""
        found = [k for some in self.source.find_papers([Document(doi=OLD_DOI)]) for k in some]
        return self.key(OLD) in found, shorten(found)

    def find_links(self, kind: str) -> tuple[bool, str]:
        """Find what is linked with a paper that has such links."""
        origin = self.key(OLD if kind != "cited" else CITING)
        linked = [
            other
            for found in self.source.find_linked([origin], kind)  # type: ignore[arg-type]
            for other in found[origin]
        ]
        return bool(linked), f"{len(linked)}: {shorten(linked)}"

    def find_no_links(self) -> tuple[bool, str]:
        """Find what is linked with nothing."""
        origin = self.key(MISSING)
        linked = [k for f in self.source.find_linked([origin], "citing") for k in f[origin]]
        return not linked, shorten(linked)

    def search(self) -> tuple[bool, str]:
        """Search for a word and a heading."""
        found = self.source.search(TERMS, limit=100)
        return len(found) == len(set(found)) == 100, f"{len(found)}: {shorten(found)}"

    def search_new(self) -> tuple[bool, str]:
        """Search for what came within a month."""
        month = dt.datetime.now(tz=dt.UTC).date() - dt.timedelta(31)
        found = self.source.search(TERMS[:1], limit=9999, since=month)
        return len(found) < 9999, f"{len(found)} since {month}: {shorten(found)}"

    def hurry(self) -> tuple[bool, str]:
        """Ask as fast as we allow ourselves to."""
        before, started = self.source.requests, time.monotonic()
        for number in range(6):
            self.source.search([SearchTerm(f"gluconeogenesis{number}")], limit=1)
        sent = self.source.requests - before
        return sent == 6, f"{sent} requests in {time.monotonic() - started:.1f} s"


def shorten(things: Iterable[str]) -> str:
    """Return a few of many things in one line."""
    text = ", ".join(things) or "none"
    return text if len(text) <= 100 else f"{text[:100]}..."


def main(names: list[str]) -> int:
    """Try sources."""
    failures = sum(Trial(name).run() for name in names or list(KEYS))
    sys.stdout.write(f"{failures} not as expected\n" if failures else "all as expected\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
