"""What tests of commands share: a session begun once, and a command run on a copy of it."""

import pytest

from cli.screening import begin, copied
from likewise.cli import run


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return begin(tmp_path_factory.mktemp("begun"))


@pytest.fixture
def session(begun, tmp_path):
    return copied(begun, tmp_path)


@pytest.fixture
def run_on_session(session, capsys):
    """Run a command on the session, and return its exit code, and what it printed."""

    def ran(command, *arguments):
        capsys.readouterr()
        code = run([command, session, *map(str, arguments)])
        return code, *capsys.readouterr()

    return ran
