"""What a source was asked and answered, kept beside the records, so as to ask only once.

The file `asked.jsonl` in a library's folder has a line for each answer, in the order in which they
came, and one for each gathering that was finished. A line that a killed process left half written
is passed over, and what it was about is asked again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from likewise.documents import Document
from likewise.errors import SettingsError, WriteError
from likewise.library.folder import MARKER
from likewise.library.sources import LABELS, LinkKind, RemoteSource, SearchTerm

ASKED = "asked.jsonl"
_FETCHED = "fetched"


class KeptAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer, by its question; or the outcome of a gathering, by its digest."""

    question: str
    keys: tuple[str, ...] = ()
    """What was found, the best first."""
    reach: dict[str, bool] | None = None
    """For a gathering: whether the other seeds would have brought in each seed, by document id."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much may be gathered: records, requests and minutes, whichever is spent first."""

    records: int = 10_000
    requests: int | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        for name in ("records", "requests", "minutes"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise SettingsError(f"a budget of {value} {name} allows nothing")


class KeptAnswers:
    """The answers in the folder of a library; without a folder, they are kept only in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._unsaved: list[KeptAnswer] = []
        self._answers: dict[str, KeptAnswer] = {}
        self.fetched: set[str] = set()
        """The keys whose records were asked for, whether there are such records or not."""
        for each in _read_lines(folder):
            self._take(each)

    def get(self, question: str) -> KeptAnswer | None:
        """Return the last answer to a question."""
        return self._answers.get(question)

    def keep(self, answer: KeptAnswer) -> None:
        """Keep an answer, durably once there is a library to keep it in."""
        self._take(answer)
        self._unsaved.append(answer)
        self.save()

    def note_fetched(self, keys: Iterable[str]) -> None:
        """Keep which records were asked for."""
        if new := tuple(key for key in keys if key not in self.fetched):
            self.keep(KeptAnswer(_FETCHED, new))

    def _take(self, answer: KeptAnswer) -> None:
        if answer.question == _FETCHED:
            self.fetched.update(answer.keys)
        else:
            self._answers[answer.question] = answer

    def save(self) -> None:
        """Write what is not written yet."""
        if not (self._folder and self._unsaved and (self._folder / MARKER).is_file()):
            return
        path = self._folder / ASKED
        lines = b"".join(msgspec.json.encode(each) + b"\n" for each in self._unsaved)
        try:
            with path.open("ab+") as stream:
                if stream.tell():
                    stream.seek(-1, os.SEEK_END)
                    # End a line that a killed process left half written.
                    if stream.read() != b"\n":
                        stream.write(b"\n")
                stream.write(lines)
        except OSError as error:
            raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error
        self._unsaved.clear()


def read_reach(folder: Path) -> dict[str, bool]:
    """Return, for every seed gathered for, whether the others would have brought it in."""
    reach: dict[str, bool] = {}
    for each in _read_lines(folder):
        reach |= each.reach or {}
    return reach


def find_origin(address: str) -> str:
    """Return the name of the source that a library was gathered from, such as pubmed; "" if none.

    Sources that other packages add are not recognised here.
    """
    for each in _read_lines(Path(address)):
        for name, label in LABELS.items():
            if each.question.startswith(f"{label} "):
                return name
    return ""


def _read_lines(folder: Path | None) -> Iterator[KeptAnswer]:
    path = folder and folder / ASKED
    if not path or not path.is_file():
        return
    decode = msgspec.json.Decoder(KeptAnswer).decode
    with path.open("rb") as lines:
        for line in lines:
            try:
                yield decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue


class Asker:
    """Asks a source what it was not asked before, as long as the budget lasts."""

    def __init__(
        self,
        source: RemoteSource,
        kept: KeptAnswers,
        *,
        budget: Budget,
        on_answer: Callable[[str], None] | None = None,
    ) -> None:
        self.source = source
        self.kept = kept
        self.spent = ""
        """The part of the budget that is used up, such as "500 requests"; "" if none is."""
        self._budget = budget
        self._on_answer = on_answer or (lambda _: None)
        self._requests = source.requests
        self._started = time.monotonic()

    @property
    def requests(self) -> int:
        """How many requests this asker has sent."""
        return self.source.requests - self._requests

    def may_ask(self) -> bool:
        """Return whether the budget allows a further request."""
        budget, minutes = self._budget, (time.monotonic() - self._started) / 60
        if budget.requests is not None and self.requests >= budget.requests:
            self.spent = f"{budget.requests:,} requests"
        elif budget.minutes is not None and minutes >= budget.minutes:
            self.spent = f"{budget.minutes:g} minutes"
        return not self.spent

    def find_papers(self, papers: Sequence[Document]) -> tuple[str, ...]:
        """Return the keys of papers whose records have none, from a kept or a new answer."""
        named = sorted(f"{paper.doi or paper.pmcid or paper.title}" for paper in papers)
        question = f"{self.source.label} papers {' | '.join(named)}"
        answer = self.kept.get(question)
        if answer is None and papers:
            asking = self.source.find_papers(papers)
            found: dict[str, None] = {}
            while self.may_ask() and (keys := next(asking, None)) is not None:
                found |= dict.fromkeys(keys)
                self._on_answer("looking for the seeds")
            answer = KeptAnswer(question, tuple(found))
            if not self.spent:
                self.kept.keep(answer)
        return answer.keys if answer else ()

    def find_linked(self, keys: Sequence[str], kind: LinkKind) -> dict[str, tuple[str, ...]]:
        """Return what is linked with each key, from kept or new answers."""
        questions = {key: f"{self.source.label} {kind} {key}" for key in keys}
        wanted = [key for key, question in questions.items() if not self.kept.get(question)]
        asking = self.source.find_linked(wanted, kind)
        while wanted and self.may_ask() and (found := next(asking, None)) is not None:
            for key in found.keys() & questions.keys():
                self.kept.keep(KeptAnswer(questions[key], tuple(found[key])))
            self._on_answer(f"{kind} papers")
        answers = {key: self.kept.get(question) for key, question in questions.items()}
        return {key: answer.keys for key, answer in answers.items() if answer}

    def search(self, terms: Sequence[SearchTerm], *, limit: int) -> tuple[str, ...]:
        """Return what a search finds, from a kept or a new answer."""
        spelled = " | ".join(f"[{term.text}]" if term.is_heading else term.text for term in terms)
        question = f"{self.source.label} search {limit} {spelled}"
        answer = self.kept.get(question)
        if answer is None and terms and self.may_ask():
            answer = KeptAnswer(question, tuple(self.source.search(terms, limit=limit)))
            self.kept.keep(answer)
            self._on_answer("searching")
        return answer.keys if answer else ()
