"""Sessions, their settings, their expansions, and the jobs that expand them."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, create_model

from likewise.expansion.settings import SETTINGS, list_defaults
from likewise.server.jobs.records import JobKind, JobState
from likewise.server.models import RequestShape, Shape
from likewise.server.models.rankings import DocumentAnswer, Papers

T = TypeVar("T", bound=Shape)

Name = Annotated[str, Field(max_length=200)]


class JobAnswer(Shape):
    """A job for a session or a library, and how far it has come."""

    id: str
    kind: JobKind = Field(
        "expansion",
        description="What is done: an expansion, an intake of files, a gathering, or a watch.",
    )
    session: str = Field("", description="The session that is expanded.")
    library: str = Field("", description='The library that it uses, or "" for the one given.')
    state: JobState
    ahead: int = Field(0, description="How many jobs come before this one.")
    stage: str = Field("", description="The stage that runs, such as learning.")
    stages: list[str] = Field([], description="The stages that have begun, in order.")
    share: float = Field(0.0, description="How much of the stage is done, from 0 to 1.")
    note: str = Field("", description="A few words about how the stage goes.")
    warnings: list[str] = Field([], description="What may be wrong with the seeds.")
    expansion: int | None = Field(None, description="The number of the expansion that it made.")
    error: str = Field("", description="Why it failed, in one line.")
    created: str
    ended: str = Field("", description='When it ended, or "".')


class JobsAnswer(Shape):
    """The jobs of this server, the latest first."""

    jobs: list[JobAnswer]


def _add_request(model: type[T]) -> type[T]:
    """Return a request shape with a field for every setting that HTTP offers."""
    wanted: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        if served := setting.served:
            field = Field(
                None,
                ge=setting.least,
                le=served.most,
                max_length=served.longest,
                description=served.description or None,
            )
            wanted[name] = (_get_type(name) | None, field)
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **wanted)


def _add_answer(model: type[T]) -> type[T]:
    """Return an answer shape with a field for every setting that HTTP offers."""
    fields: dict[str, Any] = {
        name: (_get_type(name), ...) for name, setting in SETTINGS.items() if setting.served
    }
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **fields)


def _get_type(name: str) -> type[Any]:
    return type(list_defaults()[name])


@_add_request
class SettingsRequest(RequestShape):
    """How to expand; a setting that is not given stays as it was, or is the default."""


@_add_answer
class SettingsAnswer(Shape):
    """How a session expands."""


class NewSessionRequest(RequestShape):
    """A session to begin."""

    name: Name = Field("", description="If it is empty, the first seed's title.")
    seeds: Papers
    irrelevant: Papers = Field([], description="Papers that are known to be off the topic.")
    settings: SettingsRequest = SettingsRequest()


class SessionChangeRequest(RequestShape):
    """What to change in a session."""

    name: Name


class SessionHeadAnswer(Shape):
    """A session in a list."""

    id: str
    name: str
    library: str = Field("", description='The id of its library, or "" for the one given.')
    created: str
    changed: str = Field(description="When something was last added to it.")
    seeds: int
    expansions: int
    relevant: int = Field(
        description="Documents marked relevant, including seeds, as far as the reviewer may see."
    )
    irrelevant: int = Field(description="Counted in the same way.")
    maybe: int = Field(description="Counted in the same way, with what reviewers disagree on.")
    job: JobAnswer | None = Field(description="Its latest job, as long as the server remembers it.")


class SessionsAnswer(Shape):
    """The sessions; the one that changed last comes first."""

    sessions: list[SessionHeadAnswer]
    unreadable: list[str] = Field(
        description="Files that are not sessions, and why; one line each."
    )


def _keep_finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


Finite = Annotated[float | None, BeforeValidator(_keep_finite)]
"""A number; None if JSON can't hold it."""


class IntervalAnswer(Shape):
    """An estimate, and the range that it lies in with 80 % confidence."""

    value: Finite
    low: Finite
    high: Finite


class RoundAnswer(Shape):
    """What one round added to the pool."""

    added: int
    likely: int
    decided: int


class ExpansionHeadAnswer(Shape):
    """An expansion in a list."""

    number: int
    time: str
    mark: int = Field(description="The number of the last mark that it knew; 0 if none.")
    pool: int = Field(description="How many candidates there are, without the seeds.")
    decided: int = Field(description="How many of them lie above the line, marked or not.")


class ExpansionAnswer(ExpansionHeadAnswer):
    """An expansion without its ranking."""

    decided: int = Field(description="The rank below which the line lies now.")
    learned: int = Field(description="The rank below which the learner drew the line.")
    precision: float | None = Field(description="Expected precision above the line.")
    recall: float | None = Field(description="Expected recall within the pool.")
    relevant: IntervalAnswer = Field(
        description="How many candidates are on topic, including those found, but not the seeds; "
        "minus those found, it is what status calls left."
    )
    outside: IntervalAnswer | None = Field(description="The share of the topic outside the pool.")
    rounds: list[RoundAnswer]
    warnings: list[str]


class ExpansionsAnswer(Shape):
    """The expansions of a session, the oldest first."""

    expansions: list[ExpansionHeadAnswer]


class SessionAnswer(SessionHeadAnswer):
    """A session."""

    settings: SettingsAnswer
    matched: list[DocumentAnswer]
    text_only: list[DocumentAnswer]
    not_found: list[str]
    expansion: ExpansionAnswer | None = Field(description="The latest expansion.")


class LookFindAnswer(Shape):
    """A document that a look found."""

    id: str
    rank: int
    probability: float | None
    is_revised: bool = Field(description="Whether it became likely only when it was revised.")


class LookAnswer(Shape):
    """A look for what is new."""

    number: int
    time: str
    added: int | None = Field(
        description="How many documents came; null if the library keeps no order."
    )
    changed: int = Field(description="How many records were revised.")
    finds: list[LookFindAnswer] = Field(description="New documents likely on topic, best first.")
    revised: list[str] = Field(description="Revised seeds, and revised documents of the list.")
    warnings: dict[str, str] = Field(description="New notices, such as retractions, by document.")


class LookRequest(RequestShape):
    """Where to look for what is new."""

    source: str = Field(
        "",
        max_length=40,
        description="The source to ask first: the one that the library was gathered from, or none.",
    )


class LooksAnswer(Shape):
    """The looks of a session, the latest first."""

    source: str = Field(description='What the library was gathered from, such as pubmed, or "".')
    source_label: str = Field(description='What people call that, such as PubMed, or "".')

    since: str = Field(description='When the last look was, or "".')
    new: int = Field(description="How many documents are new: found, and not marked yet.")
    looks: list[LookAnswer] = Field(description="The looks that brought finds or notices.")


class MoveAnswer(Shape):
    """A document, and its rank before and after."""

    document: str
    title: str
    before: int | None
    after: int | None


class ChangesAnswer(Shape):
    """How the latest expansion differs from the one before it."""

    decided: list[MoveAnswer] = Field(description="Newly above the line, best first.")
    dropped: list[MoveAnswer] = Field(description="No longer above it.")
    risen: list[MoveAnswer]
    fallen: list[MoveAnswer]
    came: int = Field(description="How many came above the line.")
    left: int = Field(description="How many are no longer above it.")


class RemovedAnswer(Shape):
    """A session that was deleted."""

    id: str
    state: Literal["deleted"]
