"""The time, as sessions write it."""

from __future__ import annotations

import datetime as dt


def now() -> str:
    """Return the time in UTC, as 2026-01-31T09:30:00.123Z."""
    time = dt.datetime.now(dt.UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"
