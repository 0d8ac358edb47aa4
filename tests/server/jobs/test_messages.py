import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.expansion.settings import ExpandSettings
from likewise.server.jobs import (
    FailureMessage,
    ProgressMessage,
    ResultMessage,
    StartMessage,
    WarningsMessage,
    WorkRequest,
    decode_message,
    decode_request,
    encode_line,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MESSAGES = st.one_of(
    st.builds(StartMessage, st.integers(0, 9)),
    st.builds(WarningsMessage, st.lists(TEXTS).map(tuple)),
    st.builds(ProgressMessage, TEXTS, st.floats(0, 1), TEXTS),
    st.builds(ResultMessage, st.integers(1, 9)),
    st.builds(FailureMessage, TEXTS, st.booleans()),
)


@given(MESSAGES)
def test_what_is_said_is_one_line_and_heard_as_it_was(message):
    line = encode_line(message)
    assert line.count(b"\n") == 1
    assert decode_message(line) == message


def test_what_is_asked_for_is_heard_with_its_settings():
    asked = WorkRequest("a.likewise", "lib", ExpandSettings(method="naive", pool=50))
    assert decode_request(encode_line(asked)) == asked


@pytest.mark.parametrize(
    "line", [b"hello\n", b'{"type":"Other"}\n', b'{"type":"result"}\n', b"\xff"]
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(ValueError, match="not a message"):
        decode_message(line)
