import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.expansion.settings import ExpandSettings
from likewise.server.jobs.messages import (
    Asked,
    Begun,
    Done,
    Failed,
    Moved,
    Warned,
    asked_of,
    line_of,
    message_of,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MESSAGES = st.one_of(
    st.builds(Begun, st.integers(0, 9)),
    st.builds(Warned, st.lists(TEXTS).map(tuple)),
    st.builds(Moved, TEXTS, st.floats(0, 1), TEXTS),
    st.builds(Done, st.integers(1, 9)),
    st.builds(Failed, TEXTS, st.booleans()),
)


@given(MESSAGES)
def test_what_is_said_is_one_line_and_heard_as_it_was(message):
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert message_of(line) == message


def test_what_is_asked_for_is_heard_with_its_settings():
    asked = Asked("a.likewise", "lib", ExpandSettings(method="naive", pool=50))
    assert asked_of(line_of(asked)) == asked


@pytest.mark.parametrize("line", [b"hello\n", b'{"type":"Other"}\n', b'{"type":"Done"}\n', b"\xff"])
def test_what_is_no_message_is_refused(line):
    with pytest.raises(ValueError, match="no message"):
        message_of(line)
