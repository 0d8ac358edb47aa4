"""Torch, if it is there: tests that import it from here are skipped where it is not."""

import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")
