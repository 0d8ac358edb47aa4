"""What jobs are refused for."""

from __future__ import annotations

from likewise.server.failures import ServerError


class JobsError(ServerError):
    """Something that can't be done with jobs."""


class TooManyJobs(JobsError):  # noqa: N818  # nothing is wrong; it is to be asked for later
    """More jobs than the server takes; Retry-After says when to ask again."""

    status = 429
    kind = "too-many-jobs"


class JobRunning(JobsError):  # noqa: N818  # as above
    """A session that is being expanded already."""

    status = 409
    kind = "job-running"


class UnknownJob(JobsError):  # noqa: N818  # as above
    """A job that the server does not know, or no longer."""

    status = 404
    kind = "unknown-job"


class Stopping(JobsError):  # noqa: N818  # as above
    """A server that is being stopped begins nothing new."""

    status = 503
    kind = "stopping"
