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
    """An expansion that was asked for, or what comes into a library."""

    id: str
    kind: JobKind = Field(
        "expansion",
        description="What is done: an expansion, an intake of files, a gathering, or a watch.",
    )
    session: str = Field("", description="The session that is expanded.")
    library: str = Field("", description='The library that it uses, or "" for the one given.')
    state: JobState
    ahead: int = Field(0, description="How many jobs are done before this one is begun.")
    stage: str = Field("", description="The stage that runs, such as learning.")
    stages: list[str] = Field([], description="The stages begun so far, in their order.")
    share: float = Field(0.0, description="How much of the stage is done, from 0 to 1.")
    note: str = Field("", description="A few words on how the stage goes.")
    warnings: list[str] = Field([], description="What may be wrong with the seeds.")
    expansion: int | None = Field(None, description="The number of the expansion that it made.")
    error: str = Field("", description="Why it failed, in one line.")
    created: str
    ended: str = Field("", description='When it ended, or "".')


class JobsAnswer(Shape):
    """The jobs of this server, the latest first."""

    jobs: list[JobAnswer]


def _add_request(model: type[T]) -> type[T]:
    """Return a shape with a field for every setting that may be asked for over HTTP."""
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
    """Return a shape with a field for every setting that may be asked for over HTTP."""
    told: dict[str, Any] = {
        name: (_get_type(name), ...) for name, setting in SETTINGS.items() if setting.served
    }
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **told)


def _get_type(name: str) -> type[Any]:
    return type(list_defaults()[name])


@_add_request
class SettingsRequest(RequestShape):
    """How to expand; what is not given is as it was, or the default."""


@_add_answer
class SettingsAnswer(Shape):
    """How a session expands."""


class NewSessionRequest(RequestShape):
    """A session to begin."""

    name: Name = Field("", description="Without one, the first seed's title.")
    seeds: Papers
    irrelevant: Papers = Field([], description="Papers that are known to be off the topic.")
    settings: SettingsRequest = SettingsRequest()


class SessionChangeRequest(RequestShape):
    """What to change of a session."""

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
        description="Documents marked so, seeds among them, as far as one may see."
    )
    irrelevant: int = Field(description="Counted alike.")
    maybe: int = Field(description="Counted alike; what reviewers disagree on is among them.")
    job: JobAnswer | None = Field(description="The latest job on it, as long as that is known.")


class SessionsAnswer(Shape):
    """The sessions, the one changed last first."""

    sessions: list[SessionHeadAnswer]
    unreadable: list[str] = Field(
        description="Files that are not sessions, and why; one line each."
    )


def _keep_finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


Finite = Annotated[float | None, BeforeValidator(_keep_finite)]
"""A number; None in place of what JSON can't hold."""


class IntervalAnswer(Shape):
    """An estimate, and between which values it lies with 80 % confidence."""

    value: Finite
    low: Finite
    high: Finite


class RoundAnswer(Shape):
    """What one round brought."""

    added: int
    likely: int
    decided: int


class ExpansionAnswer(Shape):
    """An expansion without its ranking."""

    number: int
    time: str
    mark: int = Field(description="The number of the last mark that it knew; 0 if none.")
    pool: int = Field(description="How many candidates there are, without the seeds.")
    decided: int = Field(description="The rank below which the line lies by now.")
    learned: int = Field(description="The rank below which the learner drew it.")
    precision: float | None = Field(description="Expected, of what lies above the line.")
    recall: float | None = Field(description="Expected, within the pool.")
    relevant: IntervalAnswer = Field(
        description="How many candidates are on topic, those found among them, without the seeds; "
        "less what is found it is what status calls left."
    )
    outside: IntervalAnswer | None = Field(description="The share of the topic that lies outside.")
    rounds: list[RoundAnswer]
    warnings: list[str]


class ExpansionHeadAnswer(Shape):
    """An expansion in a list."""

    number: int
    time: str
    mark: int = Field(description="The number of the last mark that it knew; 0 if none.")
    pool: int = Field(description="How many candidates there are, without the seeds.")
    decided: int = Field(description="How many of them lie above the line, marked or not.")


class ExpansionsAnswer(Shape):
    """The expansions of a session, the first one first."""

    expansions: list[ExpansionHeadAnswer]


class SessionAnswer(SessionHeadAnswer):
    """A session."""

    settings: SettingsAnswer
    matched: list[DocumentAnswer]
    text_only: list[DocumentAnswer]
    not_found: list[str]
    expansion: ExpansionAnswer | None = Field(description="The latest.")


class LookFindAnswer(Shape):
    """A document that a look found."""

    id: str
    rank: int
    probability: float | None
    is_revised: bool = Field(description="Whether it is likely only since it was revised.")


class LookAnswer(Shape):
    """A look for what is new."""

    number: int
    time: str
    added: int | None = Field(
        description="How many documents came; null where the library keeps no order."
    )
    changed: int = Field(description="How many records were revised.")
    finds: list[LookFindAnswer] = Field(description="What came and is likely, best first.")
    revised: list[str] = Field(description="Revised seeds, and documents of the list.")
    warnings: dict[str, str] = Field(description="Retractions told since then, by document.")


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

    since: str = Field(description='When it was last looked for what is new, or "".')
    new: int = Field(description="How many documents are new: found, and not marked yet.")
    looks: list[LookAnswer] = Field(description="Those that found or told something.")


class MoveAnswer(Shape):
    """A document, and its rank before and after."""

    document: str
    title: str
    before: int | None
    after: int | None


class ChangesAnswer(Shape):
    """What the latest expansion says otherwise than the one before it."""

    decided: list[MoveAnswer] = Field(description="Newly above the line, best first.")
    dropped: list[MoveAnswer] = Field(description="No longer above it.")
    risen: list[MoveAnswer]
    fallen: list[MoveAnswer]
    came: int = Field(description="How many came above the line.")
    left: int = Field(description="How many left it.")


class RemovedAnswer(Shape):
    """A session that was deleted."""

    id: str
    state: Literal["deleted"]
