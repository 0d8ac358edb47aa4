"""Which modules may be left out of a run: those whose extra is not installed, and no others."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator

import pytest

OPTIONAL = {
    "altair",
    "axe_playwright_python",
    "botocore",
    "certifi",
    "huggingface_hub",
    "ir_measures",
    "mkdocs",
    "pandas",
    "playwright",
    "safetensors",
    "sklearn",
    "threadpoolctl",
    "tokenizers",
    "torch",
    "transformers",
    "vl_convert",
}
"""The packages that come with extras."""
MISSING = re.compile(r"(?:No module named '|import of )(\w+)")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that needs an extra which is not installed.

    Pytest's own --doctest-ignore-import-errors skips every module that can't be imported, even a
    test module that imports a name which is gone.
    """
    report = yield
    missing = MISSING.search(str(report.longrepr)) if report.failed else None
    if missing and missing[1] in OPTIONAL:
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {missing[1]} is not installed")
    if not report.passed:
        _forget_module(str(collector.path))
    return report


def _forget_module(path: str) -> None:
    """Drop a module that was imported by half, or whoever imports it next gets that half."""
    for name, module in tuple(sys.modules.items()):
        if getattr(module, "__file__", None) == path:
            del sys.modules[name]
