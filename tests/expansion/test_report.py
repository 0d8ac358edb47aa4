import base64
import hashlib
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest
from lxml import html

from expansion.samples import POOL, Explaining, place, small_expansion
from likewise.documents import Document
from likewise.expansion.display import find_links
from likewise.expansion.outputs import MOST_ROWS, render_report
from likewise.expansion.records import Estimates, Explanation
from likewise.expansion.seeds import Seeds
from likewise.learn.intervals import Interval

ROOT = Path(__file__).parents[2]


def lower(word):
    return [word.lower()]


def page(expansion=None, **options):
    return html.document_fromstring(render_report(expansion or small_expansion(), **options))


def text_of(tree, selector):
    return [" ".join(node.text_content().split()) for node in tree.xpath(selector)]


def titled(title, **changes):
    """An expansion whose first found document has another title."""
    expansion = small_expansion()
    changed = Document(id="201", title=title, **changes)
    return replace(expansion, documents={**expansion.documents, "201": changed})


def test_the_report_opens_with_what_was_found():
    tree = page()
    (summary,) = text_of(tree, "//p[@class='summary']")
    assert summary.startswith("Found 3 documents very likely on your topic among 5 candidates")
    assert text_of(tree, "//h1 | //head/title") == ["3 documents like your 4 seeds"] * 2


def test_documents_found_are_listed_without_the_seeds():
    assert text_of(page(), "//tbody//td[@class='rank']") == ["2", "4", "6"]
    assert text_of(page(), "//tbody//td[@class='probability']") == ["0.93", "0.80", "0.70"]


def test_everything_lists_the_seeds_and_what_lies_below_the_threshold():
    tree = page(everything=True)
    assert text_of(tree, "//table[@id='documents']/tbody/tr/td[1]") == list("123456789")
    assert text_of(tree, "//tr[@class='undecided']/td[1]") == ["7", "9"]
    assert len(tree.xpath("//td[@class='document']//span[.='seed']")) == 4


def test_a_row_shows_what_its_reader_needs():
    (row,) = page().xpath("//tr[td[1]='2']")
    assert text_of(row, ".//summary") == ["Glucagon raises blood glucose in dogs"]
    assert text_of(row, ".//p[@class='abstract']")[0].startswith("We gave glucagon to 12 dogs.")
    assert text_of(row, ".//td[@class='year']") == ["1977"]
    assert text_of(row, ".//p[@class='about']/span") == ["Müller, Dog Study Group"]
    assert text_of(row, ".//cite") == ["The Journal of Dogs"]
    assert text_of(row, ".//p[@class='nearest']") == ["Nearest seed: Blood glucose after insulin"]


def test_words_that_spoke_for_a_document_are_marked_in_title_and_abstract():
    (row,) = page().xpath("//tr[td[1]='2']")
    assert text_of(row, ".//summary//mark") == ["Glucagon raises blood glucose", "dogs"]
    assert "Blood glucose rose" in text_of(row, ".//p[@class='abstract']//mark")


def test_the_analysis_can_be_another_one():
    (row,) = page(analyze=lower).xpath("//tr[td[1]='6']")
    assert text_of(row, ".//mark") == ["Insulin"]


def test_terms_are_shown_as_the_document_spells_them():
    (row,) = page().xpath("//tr[td[1]='2']")
    assert text_of(row, ".//li[@class='up']") == ["blood", "glucose", "glucagon", "dogs", "raises"]
    assert text_of(row, ".//li[@class='down']") == ["p"]


def test_links_lead_to_the_paper_and_tell_nobody_where_they_were_followed():
    found = page().xpath("//tr[td[1]='2']//a")
    assert [link.get("href") for link in found] == [
        "https://pubmed.ncbi.nlm.nih.gov/201/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC2010/",
        "https://doi.org/10.1000/201",
    ]
    assert {link.get("rel") for link in found} == {"noreferrer noopener"}


def test_a_document_without_a_known_address_shows_its_id():
    (row,) = page().xpath("//tr[td[1]='4']")
    assert "10.1000/a b" in text_of(row, ".//p[@class='about']")[0]


@pytest.mark.parametrize("field", ["pmid", "pmcid", "doi"])
@pytest.mark.parametrize(
    "value", ["javascript:alert(1)", '"><script>', "10.1 /x", "//evil.example"]
)
def test_identifiers_that_are_none_make_no_link(field, value):
    assert find_links(Document(title="x", **{field: value})) == ()


def test_what_a_doi_may_hold_is_escaped_in_its_link():
    (link,) = find_links(Document(doi='10.1002/(sici)1097<1::aid>3.0.co;2-#"'))
    assert link.address == "https://doi.org/10.1002/(sici)1097%3C1::aid%3E3.0.co;2-%23%22"


HOSTILE = "<img src=x onerror=alert(1)>"


def test_markup_in_a_title_shows_as_text():
    tree = page(titled(HOSTILE, abstract=HOSTILE, journal=HOSTILE, authors=(HOSTILE,)))
    assert not tree.xpath("//img")
    assert text_of(tree, "//tr[td[1]='2']//summary") == [HOSTILE]


def test_markup_anywhere_else_shows_as_text():
    seeds = Seeds((Document(id="102", title=HOSTILE),), (), (HOSTILE,))
    expansion = small_expansion(
        seeds=seeds,
        warnings=(HOSTILE,),
        library=HOSTILE,
        explain=Explaining({}, Explanation((HOSTILE,), (HOSTILE,), HOSTILE)),
    )
    assert not page(expansion, everything=True).xpath("//img")


def test_a_title_can_not_end_the_script_or_the_style():
    tree = page(titled("</script></style><script>alert(1)</script>"))
    assert len(tree.xpath("//script")) == len(tree.xpath("//style")) == 1


def test_the_page_loads_nothing():
    tree = page()
    assert not tree.xpath("//link | //img | //iframe | //object | //embed | //@src | //@srcset")
    assert not re.search(r"@import|url\(", tree.xpath("//style")[0].text)


def test_the_policy_of_the_page_allows_its_own_script_and_no_other():
    tree = page()
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    digest = hashlib.sha256(tree.xpath("//script")[0].text.encode()).digest()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}';" in policy


def test_no_attribute_runs_a_script():
    assert not [name for node in page().iter("*") for name in node.attrib if name.startswith("on")]


def test_both_figures_are_drawn():
    titles = text_of(page(), "//figure//*[local-name()='svg']/*[local-name()='title']")
    assert titles == ["Scores of seeds and pool", "Expected precision and recall along the list"]


def test_warnings_are_shown_and_without_any_there_is_no_such_heading():
    assert text_of(page(), "//section[@class='warnings']//li") == [
        "4 seeds are few; 10 or more give a better list"
    ]
    assert not page(small_expansion(warnings=())).xpath("//section[@class='warnings']")


def test_seeds_are_listed_with_what_became_of_them():
    listed = text_of(page(), "//ol[@class='seeds']/li")
    assert listed[2:] == [
        "Insulin resistance & obesity 2001 scores below the threshold",
        "A thesis on insulin text only",
        "999 not found",
    ]


def test_settings_and_rounds_say_how_it_was_made():
    tree = page()
    assert text_of(tree, "//dl[@class='settings']/div[dt='pool']/dd") == ["20000"]
    assert text_of(tree, "//dl[@class='settings']/div[dt='more like: max terms']/dd") == ["200"]
    assert text_of(tree, "//table[@class='numbers']/tbody/tr/*") == ["1", "5", "3", "3"]


def test_a_page_lists_no_more_than_it_can_carry_and_says_so():
    document = POOL[0]
    ranking = tuple(
        place("201", rank, 2.0, 0.9, decision=True) for rank in range(1, MOST_ROWS + 101)
    )
    tree = page(small_expansion(ranking=ranking, documents={"201": document}), analyze=lower)
    assert len(tree.xpath("//table[@id='documents']/tbody/tr")) == 2_000
    assert "The first 2,000 of 2,100 are listed here" in text_of(tree, "//p[@class='note']")[0]


def test_a_report_of_nothing_found_is_a_page_too():
    ranking = tuple(
        msgspec.structs.replace(place, decision=False)
        for place in small_expansion().ranking
        if not place.seed
    )
    estimates = Estimates(Interval(0, 0, 2), float("nan"), float("nan"), None)
    expansion = small_expansion(ranking=ranking, estimates=estimates, threshold=float("inf"))
    tree = page(expansion)
    assert text_of(tree, "//h1") == ["No documents like your 4 seeds"]
    assert "nan" not in tree.xpath("//main")[0].text_content()


def test_a_report_of_an_empty_pool_is_a_page_too():
    tree = page(small_expansion(ranking=(), documents={}, rounds=()))
    assert text_of(tree, "//p[@class='note']") == ["There is nothing to list."]
    assert not tree.xpath("//figure")


def test_a_document_without_a_title_or_an_abstract_has_a_row():
    (row,) = page(titled("")).xpath("//tr[td[1]='2']")
    assert text_of(row, ".//*[@class='title']") == ["(no title)"]
    assert not row.xpath(".//details")


def test_the_same_expansion_gives_the_same_page_however_long_it_took():
    assert render_report(small_expansion()) == render_report(
        small_expansion(seconds={"pool": 99.0})
    )


def test_the_page_is_shipped_whole(tmp_path):
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
    ]
    subprocess.run([*command, str(ROOT)], capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    needed = {f"likewise/expansion/report.{end}" for end in ("html.jinja", "css", "js")}
    assert needed <= set(ZipFile(wheel).namelist())
