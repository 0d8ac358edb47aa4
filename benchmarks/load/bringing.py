"""Bring exports into an empty server, and print how long people wait: for it, and for learning.

    python -m benchmarks.load.bringing [--records 3000] [--sample DIR]

Records of the sample are written as three databases would export them (RIS, NBIB and CSV), a tenth
of them twice. The clock runs from the first byte sent to the answer with the first record of the
ranking: files are sent and read, a session is begun with ten seeds, and it is expanded once. It
exits with 1 if a record is lost or counted twice, or if it takes longer than the bar. The processor
time of the server and its jobs is printed too, since it is the same on a busy machine.

Then thirty records, a hundredth of them, are marked one by one and learned from, as the page does
while people read; how long that takes is printed too. The processor time of a worker that was
started ahead is included. If Chromium is installed, thirty more are marked in the page by a key
each, while it learns by itself: the clock runs from the key to the frame that shows the next
record.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from itertools import islice
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

import psutil
from benchmarks.load.client import find_port
from benchmarks.load.run import WORK

from likewise.documents import Document, read, write
from likewise.documents.remote import fetch_sample

BAR = 20.0
LEARN_BAR = 2.0
PAINT_BAR = 0.1
MARKS = 30
SECONDS_TO_MARK = 0.1
"""Nobody marks quicker; meanwhile the server gets ready to learn."""
SEEDS = 10
PATIENCE = 600.0
HEADINGS = {"Blood Glucose", "Insulin"}
"""Seeds have one of these headings, so that there is a topic to find."""


PRESS = """(key) => new Promise((resolve) => {
    const before = document.querySelector(".entry.current");
    const begun = performance.now();
    const seen = () => requestAnimationFrame(() => resolve(performance.now() - begun));
    const look = () => document.querySelector(".entry.current") === before
        ? requestAnimationFrame(look) : seen();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    requestAnimationFrame(look);
})"""
"""Presses a key, and waits for the frame after the one in which the next record is current."""


class Exports(NamedTuple):
    """The files to bring in, and what must come of them."""

    paths: list[Path]
    papers: int
    duplicates: int
    seeds: list[str]


def main() -> None:
    """Start an empty server, bring the exports in, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=3_000)
    parser.add_argument("--sample", type=Path, default=WORK / "pubmed")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        exports = write_exports(chosen.sample, Path(folder), records=chosen.records)
        port = find_port()
        command = [sys.executable, "-m", "likewise", "serve", "--no-browser", "--open"]
        command += ["--port", str(port), "--libraries", str(Path(folder) / "libraries")]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            assert server.stdout
            server.stdout.readline()
            address = f"http://127.0.0.1:{port}"
            seconds, mistakes, session = bring(f"{address}/api", exports)
            before = _count_computed(server.pid)
            seconds["learned again"] = learn(f"{address}/api", session)
            seconds["  computed for that"] = _count_computed(server.pid) - before
            painted = paint(f"{address}/sessions/{session}")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds["computed in all"] = used.ru_utime + used.ru_stime
    for step, spent in seconds.items():
        print(f"{step:20} {spent:6.1f} s")
    if painted:
        middle, late = quantiles(painted, n=100)[49], quantiles(painted, n=100)[94]
        print(f"{'next record painted':20} {1e3 * middle:6.0f} ms, 95 % within {1e3 * late:.0f} ms")
    print("\n".join(mistakes))
    is_late = seconds["first ranked"] > BAR or seconds["learned again"] > LEARN_BAR
    sys.exit(bool(mistakes) or is_late or (bool(painted) and late > PAINT_BAR))


def _count_computed(server: int) -> float:
    """Return how many seconds the jobs of a server have computed."""
    times = psutil.Process(server).cpu_times()
    return float(times.children_user + times.children_system)


def write_exports(sample: Path, folder: Path, *, records: int) -> Exports:
    """Write records of the sample as three databases would export them."""
    wanted = {"pubmed20n0014.xml.gz": records // 2, "pubmed21n1298.xml.gz": records}
    papers: dict[str, Document] = {}
    for path in fetch_sample(sample):
        told = (d for d in read(path, on_problem=lambda _: None) if d.title and d.abstract)
        room = min(wanted[path.name], records - len(papers))
        papers |= {document.id: document for document in islice(told, room)}
    given = list(papers.values())
    third, shared = len(given) // 3, len(given) // 20
    parts = {
        "scopus.ris": given[: third + shared],
        "pubmed.nbib": given[third : 2 * third + shared],
        "embase.csv": given[2 * third :],
    }
    for name, part in parts.items():
        write(part, folder / name)
    on_topic = [d.id for d in given if HEADINGS & {heading.name for heading in d.mesh}]
    seeds = [*on_topic, *papers][:SEEDS]
    return Exports([folder / name for name in parts], len(given), 2 * shared, seeds)


def bring(api: str, exports: Exports) -> tuple[dict[str, float], list[str], str]:
    """Bring exports in, and expand; return when steps ended, what went wrong, and the session."""
    begun = time.monotonic()
    seconds: dict[str, float] = {}
    library = ask(f"{api}/libraries", {"name": "Exports"})["id"]
    for path in exports.paths:
        ask(f"{api}/libraries/{library}/files?name={path.name}", path.read_bytes())
    seconds["files sent"] = time.monotonic() - begun
    finish(api, ask(f"{api}/libraries/{library}/intakes", {}))
    seconds["files read"] = time.monotonic() - begun
    seeds = [{"id": seed} for seed in exports.seeds]
    session = ask(f"{api}/sessions", {"seeds": seeds, "name": "First"})["id"]
    finish(api, ask(f"{api}/sessions/{session}/expansions", {}))
    first = ask(f"{api}/sessions/{session}/ranking?limit=1")["entries"]
    seconds["first ranked"] = time.monotonic() - begun
    held = ask(f"{api}/libraries/{library}")
    found = sum(source["merged"] + source["unchanged"] for source in held["sources"])
    mistakes = [] if first else ["the ranking is empty"]
    if held["documents"] != exports.papers:
        mistakes.append(f"{held['documents']} papers, but {exports.papers} were brought")
    if found != exports.duplicates:
        mistakes.append(f"{found} duplicates, but there are {exports.duplicates}")
    return seconds, mistakes, session


def learn(api: str, session: str) -> float:
    """Mark the first records, and return how long it takes to learn from that."""
    page = ask(f"{api}/sessions/{session}/ranking?limit={MARKS}")
    ids = [entry["document"]["id"] for entry in page["entries"]]
    for at, name in enumerate(ids):
        labels = {name: "relevant" if at % 3 else "irrelevant"}
        ask(f"{api}/sessions/{session}/marks", {"labels": labels})
        time.sleep(SECONDS_TO_MARK)
    begun = time.monotonic()
    finish(api, ask(f"{api}/sessions/{session}/expansions", {}))
    return time.monotonic() - begun


def paint(address: str) -> list[float]:
    """Mark in the page by keys; return the seconds until each next record, if Chromium is there."""
    chromium = shutil.which("chromium")
    if not chromium:
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.goto(address)
        page.wait_for_selector(".entry.current")
        page.wait_for_selector("#facts > div")
        seconds = []
        for at in range(MARKS):
            seconds.append(page.evaluate(PRESS, "r" if at % 3 else "i") / 1e3)
            page.wait_for_timeout(300)
        browser.close()
    return seconds


def finish(api: str, job: dict[str, Any]) -> None:
    """Wait for a job."""
    until = time.monotonic() + PATIENCE
    while job["state"] in {"waiting", "running"} and time.monotonic() < until:
        time.sleep(0.05)
        job = ask(f"{api}/jobs/{job['id']}")
    if job["state"] != "done":
        sys.exit(f"a job is {job['state']}: {job['error']}")


def ask(address: str, body: dict[str, Any] | bytes | None = None) -> Any:
    """Ask the server, and return its answer."""
    content = json.dumps(body).encode() if isinstance(body, dict) else body
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    request = urllib.request.Request(address, data=content, headers={"Content-Type": kind})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
