"""From the papers you have to the rest on the same topic."""

from __future__ import annotations

__version__ = "0.1.0"
