"""NCBI's E-utilities: which records of PubMed a query finds, and the records themselves.

Everything is sent as a form, never in an address, so that no key is in any line that is shown.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from likewise.documents.remote.eutils_answers import AnswerError, Found, found_in, records_in
from likewise.documents.remote.web import Web
from likewise.documents.remote.web_troubles import RefusedError
from likewise.errors import DownloadError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

T = TypeVar("T")

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
MOST_LISTED = 9999
"""PubMed lists no more PMIDs than this for one query."""
MOST_FETCHED = 200
"""Records to ask for at a time; what NCBI recommends."""
TRIALS = 4
"""How often a question is asked whose answers bring something else."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, and where: NCBI wants to know an address to write to before it locks anyone out."""

    address: str = NCBI
    email: str = ""
    key: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls) -> Caller:
        """Return who asks by LIKEWISE_EUTILS, NCBI_EMAIL and NCBI_API_KEY."""
        told = {name: os.environ.get(name, "").strip() for name in _ENVIRONMENT}
        address = (told["LIKEWISE_EUTILS"] or NCBI).rstrip("/") + "/"
        return cls(address=address, email=told["NCBI_EMAIL"], key=told["NCBI_API_KEY"])

    @property
    def per_second(self) -> float:
        """How many requests a second NCBI allows."""
        return 10.0 if self.key else 3.0

    @property
    def fields(self) -> dict[str, str]:
        """What is sent along with every request."""
        known = {"tool": "likewise", "email": self.email, "api_key": self.key}
        return {name: value for name, value in known.items() if value}


_ENVIRONMENT = ("LIKEWISE_EUTILS", "NCBI_EMAIL", "NCBI_API_KEY")


class Days(NamedTuple):
    """From one day to another, both included."""

    first: dt.date
    last: dt.date


class Eutils:
    """The E-utilities, asked no more often than they allow.

    Args:
        caller: Who asks, and where; by default what the environment says.
        web: The way there; by default one that keeps to the caller's rate.
    """

    def __init__(self, caller: Caller | None = None, *, web: Web | None = None) -> None:
        self._caller = caller or Caller.from_environment()
        self._web = web or Web(per_second=self._caller.per_second, connections=1)

    def search(self, query: str, *, days: Days | None = None) -> Found:
        """Return what a query finds; of more than `MOST_LISTED`, not all are listed.

        Args:
            query: In PubMed's own language.
            days: Only records that came into PubMed on these (their Entrez date).
        """
        fields = {"term": query, "retmode": "json", "retmax": str(MOST_LISTED)}
        if days:
            first, last = (day.isoformat().replace("-", "/") for day in days)
            fields |= {"datetype": "edat", "mindate": first, "maxdate": last}
        return self._ask("esearch.fcgi", fields, read=found_in)

    def fetch(self, pmids: Sequence[str]) -> bytes:
        """Return the records of some PMIDs, as PubMed XML; those that are unknown are not in it."""
        fields = {"id": ",".join(pmids), "retmode": "xml"}
        return self._ask("efetch.fcgi", fields, read=records_in)

    def close(self) -> None:
        """Close the connections."""
        self._web.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, utility: str, fields: Mapping[str, str], *, read: Callable[[bytes], T]) -> T:
        trial = 1
        while True:
            try:
                return read(self._answer(utility, fields))
            except AnswerError as error:
                if trial == TRIALS or not error.passes:
                    raise self._given_up(utility, error) from error
            self._web.back_off(trial)
            trial += 1

    def _answer(self, utility: str, fields: Mapping[str, str]) -> bytes:
        sent = {"db": "pubmed", **fields, **self._caller.fields}
        try:
            return self._web.get(self._caller.address + utility, fields=sent, post=True)
        except RefusedError as error:
            # What is wrong with a request, or behind NCBI's own doors, is told in the answer.
            if not error.answer.strip():
                raise
            return error.answer

    def _given_up(self, utility: str, error: AnswerError) -> DownloadError:
        said = error.told(secret=self._caller.key)
        advice = "try again later" if error.passes else "check NCBI_API_KEY"
        return DownloadError(f"{utility}: NCBI answers with {said}; {advice}")
