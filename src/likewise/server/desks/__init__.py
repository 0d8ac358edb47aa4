"""Desks: sessions that lie open, each with a thread that writes and one that reads."""

from likewise.server.desks.desks import Desks

__all__ = ["Desks"]
