"""Attack every reader with broken files, and with files that are made to be slow.

`python -m benchmarks.attacks.files TRIES` breaks invented records of every format in TRIES ways and
reads what comes out, in two processes. A try fails if a reader raises anything but an error of ours
(even if the last net, which catches whatever readers raise, turns it into one), if a message has
more than one line, or if it takes more than two seconds.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.attacks.samples import SLOW, make_samples
from benchmarks.attacks.tries import Tries, report_tries

from likewise.documents import read_records
from likewise.documents.sources import CAUGHT, Complaint, Source
from likewise.errors import LikewiseError

PROCESSES = 2
LONGEST = 2.0
"""The seconds of processor time that a try may take."""
_CHUNK = 500
_HOPELESS = 30
_MOST_BYTES = 1 << 16
# Pieces that some format gives a meaning to, and some that libraries have tripped over.
_PIECES = (
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\r", b"\n\n", b" " * 300, b"\t" * 50),
    *(b"&#" + b"9" * 5000 + b";", b"9" * 50_000, b"-1e999", b"NaN", b"\\ud800", b"\xed\xa0\x80"),
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!ENTITY a 'b'>", b"&a;", b"<a>" * 200, b"</a>"),
    *(b'encoding="ut\x00f"', b'encoding="punycode"', b"<?xml version='1.0' encoding='utf-16'?>"),
    *(b"{" * 200, b"}" * 20, b"[" * 200, b'"', b"'", b'"' * 99, b"\\", b"$" * 99, b"@a{", b"\\'{"),
    *(b"TY  - ", b"ER  - ", b"PMID- ", b"%0 ", b"PT J", b"10.1234/", b"PMC1", b"PMID: ", b"sep=;"),
    *(b"," * 500, b";" * 500, b" and " * 100, b"=" * 100, b"#" * 50, b"1900-99-99", b"0000/13"),
)


def attack(tries: int) -> list[Tries]:
    """Read `tries` broken files, and all that are made to be slow; count what fell over."""
    return [*attack_with_broken_files(tries), *attack_with_slow_files()]


def attack_with_broken_files(tries: int, *, seed: int = 0) -> list[Tries]:
    """Read `tries` broken files in two processes, and count failures by format."""
    starts = range(0, tries, _CHUNK)
    chunks = [(seed + start, min(_CHUNK, tries - start)) for start in starts]
    counts: dict[str, Tries] = {}
    with multiprocessing.Pool(PROCESSES) as pool:
        for number, rows in enumerate(pool.imap_unordered(_try_chunk, chunks), 1):
            _add(counts, rows)
            failures = sum(row.failures for row in counts.values())
            done = min(number * _CHUNK, tries)
            print(f"\r{done:,} of {tries:,} broken files, {failures:,} failures", end="",
                  file=sys.stderr)  # fmt: skip
    print(file=sys.stderr)
    return [counts[name] for name in sorted(counts)]


def attack_with_slow_files(times: int = 5000, *, names: Sequence[str] = ()) -> list[Tries]:
    """Read pieces repeated `times` times and four times as often; count what is not linear."""
    counts: dict[str, Tries] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names or SLOW:
            for before, piece, after in SLOW[name]:
                short, long = (
                    read_broken(BrokenFile(name, name, before + piece * many + after), Path(folder))
                    for many in (times, 4 * times)
                )
                # If reading takes no time at all, a ratio says nothing.
                is_linear = long.seconds < 0.5 or long.seconds < 12 * short.seconds
                failure = long.failure or ("" if is_linear else f"{piece[:40]!r} is not linear")
                row = Tries("slow files", name, 1, bool(failure), long.seconds, failure)
                _add(counts, [row])
    return [counts[name] for name in sorted(counts)]


class BrokenFile(NamedTuple):
    """What is read, what it was made from, and the format to read it as; "" to detect that."""

    kind: str
    format: str
    content: bytes


class Outcome(NamedTuple):
    """How a try went."""

    seconds: float
    failure: str


def break_files(count: int, *, rng: Random) -> Iterator[BrokenFile]:
    """Yield invented files, each broken in one to three ways."""
    samples = make_samples()
    names = sorted(samples)
    for _ in range(count):
        name = rng.choice(names)
        content = rng.choice(samples[name])
        for _ in range(rng.randint(1, 3)):
            content = _break(content, rng.choice(samples[rng.choice(names)]), rng=rng)
        chosen = rng.choice(("", name))
        yield BrokenFile(name, chosen, content[:_MOST_BYTES])


def _break(content: bytes, other: bytes, *, rng: Random) -> bytes:
    """Flip, cut, insert, repeat or splice in some bytes."""
    start = rng.randrange(len(content) + 1)
    end = min(len(content), start + int(rng.expovariate(1 / 40)))
    way = rng.randrange(6)
    if way == 0 and start < len(content):
        flipped = content[start] ^ (1 << rng.randrange(8))
        return content[:start] + bytes([flipped]) + content[start + 1 :]
    if way == 1:
        return content[:start] + (b"" if rng.random() < 0.3 else content[end:])
    if way == 2:
        return content[:start] + rng.choice(_PIECES) + content[start:]
    if way == 3:
        return content[:start] + content[start:end] * rng.choice((2, 9, 99)) + content[end:]
    if way == 4:
        return content[:start] + bytes(rng.randrange(256) for _ in range(8)) + content[end:]
    return content[:start] + other[rng.randrange(len(other) + 1) :]


def _try_chunk(chunk: tuple[int, int]) -> list[Tries]:
    seed, count = chunk
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for broken in break_files(count, rng=Random(seed)):
            outcome = read_broken(broken, Path(folder))
            first = f"{outcome.failure} in {broken.content[:2000]!r}" if outcome.failure else ""
            rows.append(Tries("broken files", broken.kind, 1, bool(first), outcome.seconds, first))
    counts: dict[str, Tries] = {}
    _add(counts, rows)
    return list(counts.values())


def read_broken(broken: BrokenFile, folder: Path) -> Outcome:
    """Write a broken file to a folder, read it, and return how that went."""
    path = folder / f"file.{broken.kind}"
    path.write_bytes(broken.content)
    begin = time.process_time()
    failure = ""
    try:
        with _give_up_in_time():
            failure = _read_all(Source(path), broken.format)
    except LikewiseError as error:
        failure = _check_message(str(error))
    except Exception as error:  # noqa: BLE001  # this is what is looked for
        failure = f"{type(error).__name__}: {error}"[:300]
    seconds = time.process_time() - begin
    return Outcome(seconds, failure or (f"{seconds:.1f} s" if seconds > LONGEST else ""))


def _read_all(source: Source, name: str) -> str:
    for item in read_records(source, format=name or None):
        if isinstance(item, Complaint) and (wrong := _check_message(str(source.problem(item)))):
            return wrong
    return ""


def _check_message(message: str) -> str:
    """Return what is wrong with a message: its lines, or that only the last net caught it."""
    if "\n" in message or "\r" in message:
        return f"several lines: {message[:300]!r}"
    return message[-300:] if CAUGHT in message else ""


@contextmanager
def _give_up_in_time() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise TimeoutError(f"more than {_HOPELESS} s")

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, _HOPELESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _add(counts: dict[str, Tries], rows: Sequence[Tries]) -> None:
    """Add rows to those of the same kind."""
    for row in rows:
        so_far = counts.get(row.kind)
        counts[row.kind] = row if so_far is None else so_far._replace(
            tries=so_far.tries + row.tries,
            failures=so_far.failures + row.failures,
            slowest=max(so_far.slowest, row.slowest),
            first_failure=so_far.first_failure or row.first_failure,
        )  # fmt: skip


def main() -> None:
    """Attack with as many broken files as the command says, and print what fell over."""
    report_tries(attack(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000))


if __name__ == "__main__":
    main()
