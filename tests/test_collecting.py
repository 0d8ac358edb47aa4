"""What a run does about modules that can't be imported."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run_tests(tmp_path):
    """Run pytest, set up as it is here, on one test module; return what it says, and its code."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)

    def run(text):
        (tmp_path / "test_it.py").write_text(f"{text}\n\ndef test_it():\n    pass\n")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout, done.returncode

    return run


@pytest.mark.parametrize("text", ["from likewise import no_such_name", "import no_such_package"])
def test_a_test_module_that_cannot_be_imported_fails_the_run(text, run_tests):
    said, code = run_tests(text)
    assert "ERROR test_it.py" in said
    assert code == pytest.ExitCode.INTERRUPTED


def test_a_module_whose_extra_is_missing_is_skipped(run_tests):
    said, code = run_tests("""raise ModuleNotFoundError("No module named 'torch'")""")
    assert "torch is not installed" in said
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_module_that_can_be_imported_is_run(run_tests):
    assert run_tests("import likewise")[1] == pytest.ExitCode.OK
