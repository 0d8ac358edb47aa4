"""What MkDocs does beside what mkdocs.yml says: pages of the repository's root, and links to files.

ARCHITECTURE.md and its neighbours stay where people look for them in a repository, and are pages of
the site as well. Links that lead out of docs/ are turned to these pages; links to other files of
the repository, such as LICENSE, become plain text, since the site does not hold them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {
    f"{name}.md": f"project/{name.lower()}.md"
    for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY")
} | {"README.md": "index.md"}
"""Where files of the root are on the site; the README's part is played by the start page."""
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the decisions to the navigation, in their order."""
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    config.nav[-1]["Project"].append(
        {"Decisions": [{read_title(path): f"decisions/{path.name}"} for path in decisions]}
    )
    return config


def read_title(path: Path) -> str:
    """Return a page's first heading."""
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository's root."""
    for name, place in ROOT_PAGES.items():
        if place.startswith("project/"):
            text = (ROOT / name).read_text(encoding="utf-8")
            files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn links to where the site has what they lead to."""
    place = page.file.src_uri
    at_root = {to: name for name, to in ROOT_PAGES.items()}
    written_in = at_root.get(place, place) if place.startswith("project/") else f"docs/{place}"

    def turn(link: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(written_in).parent / link["target"])
        if target.startswith("docs/") and (ROOT / target).is_file():
            found = target.removeprefix("docs/")
        elif target in ROOT_PAGES:
            found = ROOT_PAGES[target]
        elif (ROOT / target).exists():
            return link["label"]
        else:
            return link[0]  # MkDocs says what is wrong with it
        relative = os.path.relpath(found, PurePosixPath(place).parent)
        return f"[{link['label']}]({relative}{link['anchor'] or ''})"

    return _LINK.sub(turn, markdown)
