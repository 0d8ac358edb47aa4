import zlib
from pathlib import Path

import pytest

from likewise.errors import SessionError
from likewise.expansion.sessions.store import reword_errors
from likewise.expansion.sessions.tables import pack, unpack


def unpack_in_session(content, kind):
    """Unpack as in a transaction of a session."""
    with reword_errors(Path("a.likewise")):
        return unpack(content, kind)


def test_what_is_packed_is_unpacked():
    assert unpack(pack(("1", "é")), tuple[str, ...]) == ("1", "é")


def test_ids_take_little_room():
    ids = [str(30_000_000 + number) for number in range(10_000)]
    assert len(pack(ids)) < 40_000


@pytest.mark.parametrize(
    "content", [b"", b"no zlib", zlib.compress(b"[1"), zlib.compress(b'{"a": 1}')]
)
def test_what_can_t_be_unpacked_is_a_damaged_session(content):
    with pytest.raises(SessionError, match=r"a.likewise: a damaged session \(.*use a copy of it"):
        unpack_in_session(content, tuple[str, ...])


def test_what_was_made_to_fill_the_memory_is_not_unpacked():
    bomb = zlib.compress(b'["' + b"a" * (9 << 20) + b'"]')
    with pytest.raises(SessionError, match=r"a damaged session \(it unpacks to too much\)"):
        unpack_in_session(bomb, tuple[str, ...])


def test_what_is_nested_without_end_is_a_damaged_session():
    deep = zlib.compress(b"[" * 100_000)
    with pytest.raises(SessionError, match=r"a damaged session \(.*recursion"):
        unpack_in_session(deep, object)
