"""Every error that a user can meet, in one line: what is wrong, where, and the way out.

LikewiseError
├── ReadError            a file, or a record in it, that can't be read
├── WriteError           a file that can't be written
├── UnknownFormatError   a file or suffix that no format claims
├── UnknownDocumentError an identifier that the library does not hold
├── DownloadError        something that could not be fetched
├── ArgumentTypeError    an argument of a type that a function does not take
├── SettingsError        a setting that makes no sense
│   └── PlugInError      a plug-in that can't be loaded, or does not do what it must
├── ScoresError          scores that no risk can be computed from
│   └── NotFiniteError   scores that are not finite, such as when training diverges
├── SeedsError           seeds that nothing can be learned from
├── TopicError           a topic that no task can be made of
├── TaskError            a task, or a folder of tasks, that can't be used
├── RunError             a folder of results that can't be used
├── SessionError         a session, or a saved expansion, that can't be used
├── MissingExtraError    an optional dependency that is not installed
└── LibraryError         a library that can't be used as asked
    ├── NotALibraryError a path that holds no library
    ├── LibraryBusyError another process is writing to it
    ├── UnknownLibraryError no library has this name
    ├── LibraryNameError a name that a new library can't have
    ├── RecordError      a document that a library can't keep
    └── ClusterError     a cluster that refuses something, or can't be reached
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Something wrong in a file, and what to do about it."""

    path: str
    found: str
    line: int | None = None
    advice: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.found}; {self.advice}" if self.advice else f"{place}: {self.found}"


class LikewiseError(Exception):
    """The base of everything that likewise raises on purpose.

    >>> import likewise
    >>> try:
    ...     likewise.open_library("nowhere")
    ... except likewise.LikewiseError as error:
    ...     str(error)
    'nowhere: no library here; make one with: likewise index FILES --into nowhere'
    """


class ReadError(LikewiseError):
    """A file, or a record in it, that can't be read.

    >>> str(ReadError(Problem("refs.ris", "record has no title", line=41)))
    'refs.ris:41: record has no title'
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return str(self.problem)


class WriteError(LikewiseError):
    """A file that can't be written."""


class UnknownFormatError(LikewiseError):
    """A file or a suffix that no format claims."""


class UnknownDocumentError(LikewiseError, LookupError):
    """An identifier that the library does not hold."""


class DownloadError(LikewiseError):
    """Something that could not be fetched, or came with the wrong checksum."""


class ArgumentTypeError(LikewiseError, TypeError):
    """An argument of a type that a function does not take."""


class SettingsError(LikewiseError, ValueError):
    """A setting that makes no sense."""


class PlugInError(SettingsError):
    """A plug-in that can't be loaded, or does not do what it must."""


class ScoresError(LikewiseError, ValueError):
    """Scores that no risk can be computed from."""


class NotFiniteError(ScoresError):
    """Scores that are not finite, such as when training diverges."""


class SeedsError(LikewiseError):
    """Seeds that nothing can be learned from."""


class TopicError(LikewiseError):
    """A topic that no task can be made of."""


class TaskError(LikewiseError):
    """A task, or a folder of tasks, that can't be used."""


class RunError(LikewiseError):
    """A folder of results that can't be used."""


class SessionError(LikewiseError):
    """A session, or a saved expansion, that can't be used."""


class MissingExtraError(LikewiseError, ImportError):
    """An optional dependency that is not installed."""


class LibraryError(LikewiseError):
    """A library that can't be used as asked."""


class NotALibraryError(LibraryError):
    """A path that holds no library."""


class LibraryBusyError(LibraryError):
    """Another process is writing to the library."""


class UnknownLibraryError(LibraryError):
    """A folder holds no library of this name."""


class LibraryNameError(LibraryError):
    """A name that a library can't have, such as one that another library has."""


class RecordError(LibraryError):
    """A document that a library can't keep, such as one with half a character in it."""


class ClusterError(LibraryError):
    """Something that a cluster refused, or the reason why it could not be reached."""

    def __init__(
        self, message: str, *, status: int = 0, kinds: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(message)
        self.status = status
        """The status of the server's answer, or 0 if there was none."""
        self.kinds = kinds
        """The server's names for it, from all layers: "search_context_missing_exception", ..."""
