"""Draw docs/images/page-light.png and page-dark.png: the page as it is, on real records.

    python scripts/draw_page.py LIBRARY

LIBRARY is the one of `make demo` (demo/library), or of `likewise sample` and `likewise index`. A
session is made in a temporary folder, marked a little, served, and looked at in Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SEEDS = [
    "399850",
    "402276",
    "404888",
    "405568",
    "405832",
    "410692",
    "411281",
    "421128",
    "426056",
    "428690",
]
RELEVANT, IRRELEVANT = ["414664", "420283", "400722"], ["403115"]
SCREEN = {"width": 1180, "height": 720}
LIKEWISE = (sys.executable, "-m", "likewise")


def main(library: str) -> None:
    """Make the session, and draw both pictures of it."""
    with TemporaryDirectory() as folder:
        session = Path(folder) / "insulin.likewise"
        run("expand", library, *SEEDS, "--session", str(session), "--show", "0")
        run("mark", str(session), "--relevant", *RELEVANT, "--irrelevant", *IRRELEVANT)
        run(
            "criteria",
            str(session),
            "Insulin secretion measured in people. No animals, no reviews.",
        )
        run("reasons", str(session), "--add", "animals", "--add", "a review", "--add", "no insulin")
        with serve(library, Path(folder)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport=SCREEN, color_scheme=scheme)
                draw(page, f"{address}/sessions/insulin", IMAGES / f"page-{scheme}.png")
            browser.close()


def run(*arguments: str) -> None:
    """Run a command of ours, and end with what it says if it fails."""
    subprocess.run((*LIKEWISE, *arguments), check=True, stdout=subprocess.DEVNULL)  # noqa: S603


@contextmanager
def serve(library: str, sessions: Path) -> Iterator[str]:
    """Serve a folder of sessions, and give its address."""
    options = ("--no-browser", "--open", "--port", "0", "--sessions", str(sessions))
    with subprocess.Popen(  # noqa: S603
        (*LIKEWISE, "serve", library, *options), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield next(
                word for line in server.stdout or () for word in line.split() if "://" in word
            ).rstrip("/")
        finally:
            server.terminate()


def draw(page: Page, address: str, target: Path) -> None:
    """Open a session, wait until its list and its figures are there, and take a picture."""
    page.goto(address)
    page.get_by_text("estimated to be left", exact=True).wait_for()
    page.wait_for_timeout(2000)  # lists fade in, and the chart is drawn
    target.parent.mkdir(exist_ok=True)
    page.screenshot(path=target)


if __name__ == "__main__":
    main(sys.argv[1])
