import base64
import csv
import gzip
import hashlib
import json
import os
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
from likewise.documents import Document, read, write
from likewise.documents.document import NOTE_NAMES
from likewise.documents.notebook import find_links
from likewise.errors import SettingsError, UnknownFormatError, WriteError
from likewise.expansion.outputs import (
    MOST_ROWS,
    check_output,
    format_run,
    make_notes,
    render_report,
    write_expansion,
)
from likewise.expansion.records import Estimates, Explanation
from likewise.expansion.seeds import Seeds
from likewise.learn.estimates import Interval

FOUND = [document for document in POOL if document.id in ("201", "10.1000/a b", "203")]
REFERENCES = ["found.ris", "found.nbib", "found.bib", "found.enw", "found.endnote.xml"]
TABLES = ["found.csv", "found.tsv", "found.xlsx", "found.jsonl", "found.beir.jsonl"]


def rows(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def ranked(identifier, score):
    return place(identifier, score=score, decision=True)


def explains_nothing(identifier):
    raise RuntimeError("stop")


def test_each_found_document_carries_its_notes(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.csv")
    first = rows(tmp_path / "found.csv")[0]
    assert {name: first[name] for name in ("id", *NOTE_NAMES)} == {
        "id": "201",
        "rank": "2",
        "score": "2.5",
        "probability": "0.9312",
        "decision": "true",
        "seed": "false",
        "words": "blood glucose glucagon dogs raises rose gave we",
        "nearest_seed": "102",
        "notice": "",
        "mark": "",
    }


def test_what_was_said_of_a_document_is_the_last_of_its_notes(tmp_path):
    marked = tuple(
        msgspec.structs.replace(place, mark="relevant") if place.id == "201" else place
        for place in small_expansion().ranking
    )
    write_expansion(small_expansion(ranking=marked), tmp_path / "found.csv")
    assert [row["mark"] for row in rows(tmp_path / "found.csv")] == ["relevant", "", ""]
    assert NOTE_NAMES[-1] == "mark"


def test_only_the_found_documents_are_written_best_first(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.csv")
    assert [row["id"] for row in rows(tmp_path / "found.csv")] == ["201", "10.1000/a b", "203"]


def test_everything_is_the_whole_ranking_with_the_seeds(tmp_path):
    write_expansion(small_expansion(), tmp_path / "all.csv", everything=True)
    found = rows(tmp_path / "all.csv")
    assert [row["rank"] for row in found] == list("123456789")
    assert [row["id"] for row in found if row["seed"] == "true"] == ["102", "101", "mine", "103"]
    assert [row["id"] for row in found if row["decision"] == "false"] == ["204", "205"]


def test_json_lines_have_the_types_of_json(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.jsonl")
    second = json.loads((tmp_path / "found.jsonl").read_text().splitlines()[1])
    assert [second[name] for name in ("id", *NOTE_NAMES)] == [
        *("10.1000/a b", 4, 1.5, 0.8, True, False, "insulin pumps", "101", "", "")
    ]


def test_ris_has_a_note_a_line_to_filter_by(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.ris")
    assert (tmp_path / "found.ris").read_text().count("\nN1  - probability: 0.7\n") == 1


@pytest.mark.parametrize("name", [*TABLES, *REFERENCES])
def test_what_was_found_is_read_back_as_if_it_had_no_notes(tmp_path, name):
    (tmp_path / "plain").mkdir()
    write_expansion(small_expansion(), tmp_path / name)
    write(FOUND, tmp_path / "plain" / name)
    found = list(read(tmp_path / name))
    assert found == list(read(tmp_path / "plain" / name))
    assert [document.id for document in found] == ["201", "10.1000/a b", "203"]


def test_no_note_is_missing_or_unknown_to_the_readers():
    expansion = small_expansion()
    assert tuple(make_notes(expansion, expansion.ranking[0])) == NOTE_NAMES


def test_a_run_file_has_six_words_a_line(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.trec", topic="insulin in dogs")
    assert (tmp_path / "found.trec").read_text().splitlines() == [
        "insulin%20in%20dogs Q0 201 1 2.5 likewise",
        "insulin%20in%20dogs Q0 10.1000/a%20b 2 1.5 likewise",
        "insulin%20in%20dogs Q0 203 3 1.0 likewise",
    ]


def test_a_run_file_may_have_everything(tmp_path):
    write_expansion(small_expansion(), tmp_path / "all.trec", everything=True)
    lines = (tmp_path / "all.trec").read_text().splitlines()
    assert [line.split()[3] for line in lines] == list("123456789")
    assert lines[2] == "topic Q0 101 3 2.0 likewise"


def test_scores_of_a_run_file_never_rise():
    ranking = [ranked("a", 1e-7), ranked("b", -1e-8), ranked("c", 2.0), ranked("d", 1e-6)]
    assert [line.split()[2:5] for line in format_run(ranking, topic="t")] == [
        *(["c", "1", "2.0"], ["d", "2", "0.000001"], ["a", "3", "0.0"], ["b", "4", "0.0"])
    ]


@pytest.mark.parametrize("identifier", ["a\tb", "a\u00a0b", "a\u2028b", " a", "a\nb"])
def test_no_white_space_breaks_a_line_of_a_run_file(identifier):
    (line,) = format_run([ranked(identifier, 1.0)], topic="t")
    assert len(line.split()) == 6


def test_a_topic_without_a_name_is_refused():
    with pytest.raises(SettingsError, match="the topic of a run file has no name"):
        list(format_run([ranked("a", 1.0)], topic=""))


def test_a_report_is_one_page(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.html")
    assert (tmp_path / "found.html").read_text().lower().startswith("<!doctype html>")


def test_gz_packs_any_of_them(tmp_path):
    write_expansion(small_expansion(), tmp_path / "found.trec.gz")
    assert gzip.decompress((tmp_path / "found.trec.gz").read_bytes()).startswith(b"topic Q0 201 1")


@pytest.mark.parametrize("name", [*TABLES, *REFERENCES, "found.html", "found.trec"])
def test_the_same_expansion_gives_the_same_bytes(tmp_path, name):
    contents = []
    for _ in range(2):
        write_expansion(small_expansion(), tmp_path / name, everything=True)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]


def test_digits_that_differ_between_machines_do_not_show():
    expansion = small_expansion()
    place = msgspec.structs.replace(expansion.ranking[2], score=0.1 + 0.2, probability=0.12345678)
    notes = make_notes(expansion, place)
    assert (notes["score"], notes["probability"]) == (0.3, 0.1235)


def test_nothing_found_is_a_file_without_documents(tmp_path):
    write_expansion(small_expansion(ranking=()), tmp_path / "found.csv")
    assert rows(tmp_path / "found.csv") == []


@pytest.mark.parametrize("name", ["found.ris", "found.csv", "found.xlsx", "found.jsonl"])
def test_no_half_file_is_left_when_writing_stops_midway(tmp_path, name):
    with pytest.raises(RuntimeError, match="stop"):
        write_expansion(small_expansion(explain=explains_nothing), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", [check_output, lambda path: write_expansion(None, path)])
def test_an_unknown_suffix_names_those_that_work(tmp_path, call):
    with pytest.raises(UnknownFormatError) as error:
        call(tmp_path / "found.docx")
    offered = str(error.value).partition("use one of: ")[2].split()
    assert "found.docx: an expansion can't be written as '.docx'" in str(error.value)
    assert {".csv", ".tsv", ".xlsx", ".jsonl", ".ris", ".nbib", ".bib", ".html", ".trec"} <= set(
        offered
    )


def test_no_suffix_is_unknown_too(tmp_path):
    with pytest.raises(UnknownFormatError, match="can't be written as 'a file without a suffix'"):
        check_output(tmp_path / "found")


@pytest.mark.parametrize("name", ["found.ris", "FOUND.HTML", "found.csv.gz", "a.b.trec"])
def test_an_output_that_can_be_written_is_no_error(tmp_path, name):
    check_output(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_output_in_the_working_folder_is_no_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_output("found.ris")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        WriteError, match=r"found.ris: can't be written: there is no folder .*none;"
    ):
        check_output(tmp_path / "none" / "found.ris")


@pytest.mark.parametrize("taken", ["found.ris", "found.expansion.json"])
def test_a_folder_in_the_place_of_a_file_is_named(tmp_path, taken):
    (tmp_path / taken).mkdir()
    with pytest.raises(WriteError, match=rf"can't be written: .*{taken} is a folder"):
        check_output(tmp_path / "found.ris")


def test_a_folder_that_may_not_be_written_to_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WriteError, match="can't be written: you may not write to the folder"):
        check_output(tmp_path / "found.ris")


def test_a_name_that_no_system_takes_is_one_line(tmp_path):
    with pytest.raises(WriteError, match="can't be written: File name too long"):
        check_output(tmp_path / f"{'x' * 300}.ris")


ROOT = Path(__file__).parents[2]


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


def test_terms_are_shown_as_the_document_spells_them():
    (row,) = page().xpath("//tr[td[1]='2']")
    assert text_of(row, ".//li[@class='up']") == ["blood", "glucose", "glucagon", "dogs", "raises"]
    assert text_of(page().xpath("//tr[td[1]='4']")[0], ".//li[@class='down']") == ["SUM"]


def test_words_against_that_say_nothing_are_not_shown():
    (row,) = page().xpath("//tr[td[1]='2']")  # only "p" speaks against it
    assert text_of(row, ".//li[@class='down']") == []


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
    tree = page(small_expansion(ranking=ranking, documents={"201": document}))
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
