"""What the page is made of, looked at as text: what its policy forbids does not stand there."""

import re
from functools import wraps
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import likewise.server.page

FOLDER = Path(likewise.server.page.__file__).parent
TEMPLATES = sorted((FOLDER / "templates").glob("*.jinja"))
SCRIPTS = sorted((FOLDER / "static").glob("*.js"))
STYLES = sorted((FOLDER / "static").glob("*.css"))
FILES = sorted((FOLDER / "static").iterdir())
NAMESPACE = "http://www.w3.org/2000/svg"

IMPORT = re.compile(r'^(?:import|export)\s[^;]*?from\s+"([^"]+)"', re.MULTILINE)
NAMES = re.compile(r'^(?:import|export)\s*\{([^}]*)\}\s*from\s*"([^"]+)"', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const|let)\*? (\w+)", re.MULTILINE)
AS_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|setHTMLUnsafe|srcdoc|\beval\(|new Function|setTimeout\(\s*[\"'`]"
)


def each(paths):
    """Let a test look at files one after the other; the one that fails is named."""

    def loop_over(test):
        @wraps(test)
        def look_at_all():
            for path in paths:
                try:
                    test(path)
                except AssertionError as error:
                    error.add_note(path.name)
                    raise

        # What pytest takes for the test's own arguments.
        del look_at_all.__wrapped__
        return look_at_all

    return loop_over


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str]
    is_in_label: bool


class Elements(HTMLParser):
    """The elements of a template, without the statements of its language."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.labels = 0
        self.feed(re.sub(r"\{%.*?%\}", "", text, flags=re.DOTALL))

    def handle_starttag(self, tag, attributes):
        self.labels += tag == "label"
        self.found.append(Element(tag, dict(attributes), self.labels > 0))

    def handle_endtag(self, tag):
        self.labels -= tag == "label"


def elements(path):
    return Elements(path.read_text(encoding="utf-8")).found


def exported(path):
    source = path.read_text(encoding="utf-8")
    passed_on = {
        name.strip()
        for names in re.findall(r"^export \{([^}]*)\}", source, re.MULTILINE)
        for name in names.split(",")
    }
    return passed_on | set(EXPORT.findall(source))


@each(TEMPLATES)
def test_no_template_has_a_script_of_its_own(path):
    sources = [one.attributes.get("src", "") for one in elements(path) if one.tag == "script"]
    assert all(source.startswith("/static/") for source in sources)


@each(TEMPLATES)
def test_no_template_has_a_style_or_a_listener_of_its_own(path):
    names = {name for one in elements(path) for name in (one.tag, *one.attributes)}
    assert not [name for name in names if name == "style" or name.startswith("on")]


@each(TEMPLATES)
def test_no_template_leaves_anything_unescaped(path):
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", path.read_text(encoding="utf-8"))


@each(TEMPLATES)
def test_no_template_makes_an_order_of_its_own_for_the_keyboard(path):
    orders = {one.attributes.get("tabindex", "0") for one in elements(path)}
    assert orders <= {"0", "-1"}


@each(TEMPLATES)
def test_every_id_stands_once_in_a_template(path):
    ids = [one.attributes["id"] for one in elements(path) if "id" in one.attributes]
    assert len(ids) == len(set(ids))


@each(TEMPLATES)
def test_every_input_of_a_template_has_a_label(path):
    found = elements(path)
    labelled = {one.attributes.get("for") for one in found if one.tag == "label"}
    bare = [
        one
        for one in found
        if one.tag in ("input", "select", "textarea")
        and not one.is_in_label
        and one.attributes.get("id") not in labelled
        and "aria-label" not in one.attributes
    ]
    assert bare == []


@each(TEMPLATES)
def test_what_a_template_loads_is_there(path):
    loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', path.read_text(encoding="utf-8"))
    assert [name for name in loaded if not (FOLDER / name.lstrip("/")).is_file()] == []


@each([*FILES, *TEMPLATES])
def test_nothing_comes_from_elsewhere(path):
    text = path.read_text(encoding="utf-8").replace(NAMESPACE, "")
    # A pattern that tells safe addresses apart names schemes, but no place.
    assert not re.search(r"https?://\w|[\"'(]//\w|@import|\bimportScripts\b", text)


@each(SCRIPTS)
def test_no_script_makes_markup_or_code_of_texts(path):
    assert not AS_MARKUP.search(path.read_text(encoding="utf-8"))


@each(SCRIPTS)
def test_what_a_script_imports_is_there(path):
    names = IMPORT.findall(path.read_text(encoding="utf-8"))
    assert [name for name in names if not (path.parent / name).is_file()] == []


@each(SCRIPTS)
def test_what_a_script_imports_is_exported(path):
    missing = [
        (module, name)
        for names, module in NAMES.findall(path.read_text(encoding="utf-8"))
        for name in (one.split(" as ")[0].strip() for one in names.split(","))
        if name and name not in exported(path.parent / module)
    ]
    assert missing == []


@each(SCRIPTS)
def test_what_a_script_exports_is_imported(path):
    sources = [other.read_text(encoding="utf-8") for other in SCRIPTS if other != path]
    imported = {
        name.split(" as ")[0].strip()
        for source in sources
        for names, module in NAMES.findall(source)
        if module == f"./{path.name}"
        for name in names.split(",")
    }
    assert exported(path) - imported == set()


@each(STYLES)
def test_what_a_style_is_for_occurs(path):
    texts = "".join(one.read_text(encoding="utf-8") for one in [*TEMPLATES, *SCRIPTS])
    # Some classes are put together, as `shows-${name}` is.
    begun = tuple(re.findall(r"([\w-]+-)\$\{", texts))
    style = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = re.sub(r"\{[^{}]*\}", " ", style)
    named = set(re.findall(r"[.#]([a-z][\w-]*)", selectors))
    unused = {name for name in named if not re.search(rf"(?<![\w-]){name}(?![\w-])", texts)}
    assert [name for name in unused if not name.startswith(begun)] == []


@each(SCRIPTS)
def test_a_script_says_first_what_it_is_for(path):
    assert re.match(r"// [A-Z].*", path.read_text(encoding="utf-8"))


@each(SCRIPTS)
def test_scripts_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_every_script_and_style_is_used():
    texts = [path.read_text(encoding="utf-8") for path in [*TEMPLATES, *SCRIPTS]]
    unused = [
        path.name
        for path in [*SCRIPTS, *STYLES]
        if not any(f"/{path.name}" in text for text in texts)
    ]
    assert unused == []


def test_the_colours_are_those_of_the_report():
    report = FOLDER.parents[1] / "expansion" / "report.css"
    colours = re.compile(r"--(?:paper|raised|ink|soft|line|accent|tint|idle): #\w+(?=;\n)")
    ours = colours.findall((FOLDER / "static" / "base.css").read_text(encoding="utf-8"))
    assert ours == colours.findall(report.read_text(encoding="utf-8"))
    assert len(ours) == 16
