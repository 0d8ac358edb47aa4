"""A whole review by two people, with keys alone: from three exports to the PRISMA diagram."""

import csv
import json
from itertools import islice
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from expansion.corpus import TOPICS, _document
from likewise.documents import Document, read, write
from server.browser.test_looks import grave, grave_by_day_and_night
from server.browser.visiting import NARROW, PATIENCE, Visits, current, see_list, shot
from server.serving import served

RECORDS = 3_000
SHARED = 150
"""How many papers two neighbouring databases have in common."""
SEEDS = 10
HEADINGS = {"Blood Glucose", "Insulin", "Diabetes Mellitus", "Glucose"}
LONG = 6 * PATIENCE
STARTS = {
    "svg": b"<svg",
    "png": b"\x89PNG",
    "html": b"<!doctype html>",
    "csv": b"\xef\xbb\xbfstage",
    "json": b"{",
}
"""What the files of a diagram begin with."""
COLUMNS = [
    *("Authors", "Title", "Year", "Source title", "DOI", "Abstract"),
    *("PubMed ID", "Document Type", "Publication Stage", "Source", "EID"),
]


class Records(NamedTuple):
    """What the databases hold, and which of it is on topic."""

    papers: list[Document]
    on_topic: set[str]

    @property
    def seeds(self):
        return [paper.pmid for paper in self.papers if paper.id in self.on_topic][:SEEDS]


@pytest.fixture(scope="module")
def records(request):
    """Real papers of PubMed, or where these can't be had, invented ones."""
    try:
        path = request.getfixturevalue("pubmed_sample")[0]
    except pytest.skip.Exception:
        import random

        rng = random.Random(3)
        topics = [rng.choice([*TOPICS, "", "", "", ""]) for _ in range(RECORDS)]
        papers = [_document(number, topic, rng) for number, topic in enumerate(topics, 100_000)]
        return Records(papers, {one.id for one in papers if "sugar" in one.keywords})
    told = (one for one in read(path, on_problem=lambda _: None) if one.title and one.abstract)
    papers = list(islice(told, RECORDS))
    names = {one.id: {heading.name for heading in one.mesh} for one in papers}
    return Records(papers, {name for name, of in names.items() if of & HEADINGS})


@pytest.fixture(scope="module")
def exports(records, tmp_path_factory):
    """The papers as three databases export them; two neighbours share some."""
    folder = tmp_path_factory.mktemp("exports")
    third = RECORDS // 3
    parts = {
        "embase.ris": records.papers[: third + SHARED],
        "pubmed.nbib": records.papers[third : 2 * third + SHARED],
    }
    for name, part in parts.items():
        write(part, folder / name)
    write_table(records.papers[2 * third :], folder / "scopus.csv")
    return [folder / name for name in (*parts, "scopus.csv")]


def write_table(papers, path):
    """Write papers as Scopus does, with its columns."""
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for paper in papers:
            authors = "; ".join(name.replace(",", "") for name in paper.authors)
            about = (authors, paper.title, paper.year, paper.journal, paper.doi, paper.abstract)
            table.writerow(
                [*about, paper.pmid, "Article", "Final", "Scopus", f"2-s2.0-{paper.pmid}"]
            )


@pytest.fixture
def team(tmp_path):
    """A server without a library that knows Ann and Bo by their tokens."""
    options = ["--libraries", str(tmp_path / "libraries"), "--reviewer", "Ann", "--reviewer", "Bo"]
    with served(None, tmp_path / "sessions", *options) as running:
        yield running


def enter(visits, token, **options):
    """Come in by one's own address, in a browser of one's own."""
    page = visits.page(**options)
    page.goto(f"/enter?token={token}")
    expect(page.locator(".who")).to_be_visible()
    return page


def drop_all(page, paths):
    """Drop files on the page, all at once."""
    transfer = page.evaluate_handle(
        """(files) => {
            const transfer = new DataTransfer();
            for (const [text, name] of files) transfer.items.add(new File([text], name));
            return transfer;
        }""",
        [[path.read_text(), path.name] for path in paths],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("#bring", event, {"dataTransfer": transfer})


def tab_to(page, selector):
    """Press Tab until something has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement?.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def begin_search(page, seeds):
    """Paste the seeds and start, by keys."""
    tab_to(page, "#paste")
    page.keyboard.insert_text("\n".join(seeds))
    tab_to(page, "#paste-add")
    page.keyboard.press("Enter")
    expect(page.locator("#draft-counts")).to_contain_text(f"{len(seeds)} in the library")
    tab_to(page, "#name")
    page.keyboard.insert_text("Sugar in the blood")
    page.keyboard.press("Enter")
    see_list(page)


def write_reasons(page):
    """Write the reasons for exclusion down, by keys."""
    tab_to(page, "#write-reasons")
    page.keyboard.press("Enter")
    expect(page.locator("#reasons-dialog")).to_be_visible()
    tab_until(page, "#new-reason")
    page.keyboard.insert_text("wrong population\nno abstract worth it")
    tab_to(page, "#reasons-add button")
    page.keyboard.press("Enter")
    expect(page.locator("#reasons-rows > li")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("#reasons-dialog")).to_be_hidden()


def screen(page, records, *, count, errs=()):
    """Mark so many documents by keys, by what is known of them; return what was marked how."""
    marked = {}
    for number in range(count):
        document = current(page)
        is_on = (document in records.on_topic) != (number in errs)
        # The first reason of the list excludes it.
        page.keyboard.press("r" if is_on else "1")
        marked[document] = "relevant" if is_on else "irrelevant"
        expect(page.locator(f'.entry[data-id="{document}"]')).to_have_attribute(
            "data-mark", marked[document]
        )
        expect(page.locator(".entry.current")).not_to_have_attribute("data-id", document)
    return marked


def test_two_people_review_three_exports_to_the_flow_diagram(
    browser, team, records, exports, artefacts
):
    tokens = team.tokens()
    with Visits(browser, team.address) as visits:
        ann = enter(visits, tokens["Ann"])
        drop_all(ann, exports)
        expect(ann.locator("table.sources")).to_be_visible(timeout=LONG)
        expect(ann.locator("table.sources tfoot")).to_contain_text(f"{RECORDS + 2 * SHARED:,}")
        shot(ann, artefacts / "review-brought.png")
        begin_search(ann, records.seeds)
        write_reasons(ann)
        first = screen(ann, records, count=6)

        # Reopened in the middle, it goes on with the first that is not marked.
        address = ann.url
        ann.close()
        ann = ann.context.new_page()
        ann.goto(address)
        see_list(ann)
        expect(ann.locator(".who")).to_have_text("You are Ann")
        assert current(ann) not in first
        by_ann = first | screen(ann, records, count=6)

        bo = enter(visits, tokens["Bo"])
        bo.goto(address)
        see_list(bo)
        # Blind: nothing of what Ann said is told, in no number either.
        expect(bo.locator('[data-fact="found"] dd')).to_have_text("0")
        expect(bo.locator("#team-work tr")).to_have_count(1)
        assert bo.locator("[data-mark=relevant], [data-mark=irrelevant]").count() == 0
        bo.keyboard.press("g")
        by_bo = screen(bo, records, count=12, errs=(1, 4))
        both = by_ann.keys() & by_bo.keys()
        conflicts = [name for name in both if by_ann[name] != by_bo[name]]
        assert conflicts
        expect(bo.locator("#open-conflicts")).to_have_text(
            f"Settle {len(conflicts)} conflict{'s' * (len(conflicts) > 1)}", timeout=PATIENCE
        )
        expect(bo.locator("#team-agree")).to_contain_text(f"of {len(both)} documents")
        assert grave_by_day_and_night(bo, artefacts / "review-two") == []

        # Together, at Ann's, by keys.
        ann.reload()
        see_list(ann)
        expect(ann.locator("#open-conflicts")).to_contain_text("Settle")
        ann.keyboard.press("s")
        expect(ann.locator("#conflicts")).to_be_visible()
        expect(ann.locator(".conflict")).to_have_count(len(conflicts))
        expect(ann.locator(".conflict").first).to_contain_text("Bo: ")
        assert grave_by_day_and_night(ann, artefacts / "review-conflicts") == []
        ann.emulate_media(color_scheme="light")
        for at in range(len(conflicts)):
            ann.keyboard.press("r")
            expect(ann.locator(".conflict .settled").nth(at)).to_have_text("Settled: relevant")
        ann.keyboard.press("Escape")
        expect(ann.locator("#open-conflicts")).to_have_text("No conflict to settle")

        see_the_diagram(ann, visits, address, artefacts, tokens=tokens, by_ann=by_ann)


def see_the_diagram(ann, visits, address, artefacts, *, tokens, by_ann):
    ann.keyboard.press("p")
    expect(ann.locator("#prisma-dialog")).to_be_visible()
    wait_for_picture(ann)
    tab_to(ann, "#flow-sought")
    for name, number in (("sought", "9"), ("not_retrieved", "1"), ("assessed", "8")):
        tab_until(ann, f"#flow-{name}")
        ann.keyboard.type(number)
    tab_until(ann, "#flow-included")
    ann.keyboard.type("5")
    tab_until(ann, "#flow-excluded")
    ann.keyboard.type("wrong outcome = 3")
    tab_until(ann, "#flow-form button")
    ann.keyboard.press("Enter")
    expect(ann.locator("#flow-picture[alt*='studies included: 5']")).to_have_count(1)
    wait_for_picture(ann)
    assert f"{len(by_ann)} screened" in ann.locator("#flow-picture").get_attribute("alt")
    assert grave_by_day_and_night(ann, artefacts / "review-prisma") == []
    for name, start in STARTS.items():
        content = download(ann, ann.get_by_role("link", name=name.upper(), exact=True))
        assert content.startswith(start)
        if name == "json":
            numbers = json.loads(content)
            assert (numbers["identified"], numbers["duplicates"]) == (
                RECORDS + 2 * SHARED,
                2 * SHARED,
            )
            counts = {one["name"]: one["number"] for one in numbers["sources"]}
            assert counts == {"embase.ris": 1150, "pubmed.nbib": 1150, "scopus.csv": 1000}
            assert (numbers["screened"], numbers["sought"]) == (len(by_ann), 9)
            assert numbers["reasons"] == [
                {"name": "wrong population", "number": numbers["excluded"]}
            ]
            assert numbers["unscreened"] == RECORDS - len(by_ann) - SEEDS
    ann.keyboard.press("Escape")
    assert b"Sugar in the blood" in download(ann, ann.locator("#report-link"))
    # On a telephone, by Bo: the numbers that Ann gave are kept.
    phone = enter(visits, tokens["Bo"], viewport=NARROW, has_touch=True, is_mobile=True)
    phone.goto(address)
    see_list(phone)
    shot(phone, artefacts / "review-phone.png")
    phone.tap("#open-side")
    phone.tap("#open-prisma")
    expect(phone.locator("#flow-included")).to_have_value("5")
    wait_for_picture(phone)
    shot(phone, artefacts / "review-phone-prisma.png")
    assert grave(phone) == []


def download(page, link):
    """Click a link, and return the content of the file that it gives."""
    with page.expect_download() as coming:
        link.click()
    return coming.value.path().read_bytes()


def tab_until(page, selector):
    """Press Tab until something has the focus, unless it has it."""
    if not page.evaluate("(selector) => document.activeElement?.matches(selector)", selector):
        tab_to(page, selector)


def wait_for_picture(page):
    page.wait_for_function(
        "() => { const one = document.getElementById('flow-picture');"
        " return one.complete && one.naturalWidth > 0; }"
    )
