import csv
import json
import re

import pytest
from lxml import etree

from expansion.samples import MATCHED, POOL
from expansion.sessions.samples import new_session, small_saved
from likewise.documents import Document
from likewise.errors import SettingsError, UnknownFormatError
from likewise.expansion.sessions.prisma import count_sources, read_prisma
from likewise.expansion.sessions.prisma_diagram import WIDTH, draw_prisma, measure_text
from likewise.expansion.sessions.reasons import GivenNumbers, PrismaCount, parse_count
from likewise.expansion.sessions.reporting import write_prisma
from likewise.library.memory import MemoryLibrary
from likewise.library.paper_notes import PaperNote, TakenRecord

FAR = Document(id="900", title="Far from everything", source="ris:far.ris")
SVG = "{http://www.w3.org/2000/svg}"


def fill(library):
    near = [Document(id=d.id, title=d.title, source="ris:near.ris") for d in (*MATCHED, *POOL)]
    library.add([*near, FAR])
    library.commit()
    return library


@pytest.fixture
def library():
    """A library of three seeds, five candidates and one more, of two files."""
    with fill(MemoryLibrary()) as library:
        yield library


@pytest.fixture
def session(tmp_path):
    """A session: 201 and 203 are excluded, one for a reason, 204 is relevant, 205 maybe."""
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        session.review.add_reason("editorial")
        session.mark({"201": "irrelevant"}, reason="editorial")
        session.mark({"203": "irrelevant", "204": "relevant", "205": "maybe"})
        yield session


def test_numbers_add_up_to_the_records_that_could_be_screened(session, library):
    found = read_prisma(session, library)
    # Nine in the library, and a seed that it does not hold.
    assert (found.records, found.others) == (10, 1)
    assert found.records == found.screened + found.unscreened + found.seeds
    assert (found.screened, found.unscreened, found.seeds) == (4, 2, 4)
    assert found.screened == found.excluded + found.undecided + found.relevant
    assert (found.excluded, found.undecided, found.relevant) == (2, 1, 1)


def test_what_nobody_read_is_told_by_where_likewise_ranked_it(session, library):
    found = read_prisma(session, library)
    # "10.1000/a b" lies above the line and is unread; 900 was no candidate.
    assert (found.above, found.below, found.beyond) == (1, 0, 1)


def test_exclusions_are_told_by_reason_and_those_without_one_are_too(session, library):
    assert read_prisma(session, library).reasons == (("editorial", 1), ("no reason given", 1))


def test_without_any_reason_none_is_listed(tmp_path, library):
    with new_session(tmp_path) as session:
        session.mark({"201": "irrelevant"})
        found = read_prisma(session, library)
    assert (found.excluded, found.reasons) == (1, ())


class Forgetful:
    """A library that keeps nothing of what it merged, as an index of others."""

    def __init__(self, library):
        self.info, self.count, self.get = library.info, library.count, library.get


def test_a_library_that_keeps_no_merged_records_does_not_tell_how_many_there_were(session, library):
    found = read_prisma(session, Forgetful(library))
    assert found.sources == (("far.ris", None), ("near.ris", None))
    assert (found.identified, found.duplicates) == (None, None)
    assert "give them as --identified NAME=NUMBER" in found.remarks[0]


def test_merged_records_are_counted_where_they_were_read(session):
    records = [Document(id=POOL[0].id, source=name) for name in ("ris:near.ris", "csv:other.csv")]
    with fill(MemoryLibrary()) as library:
        library.note_papers({"201": PaperNote(tuple(TakenRecord(one) for one in records))})
        assert count_sources(library) == (("far.ris", 1), ("near.ris", 8), ("other.csv", 1))
        found = read_prisma(session, library)
    assert (found.identified, found.duplicates) == (10, 1)


def test_given_sources_take_the_place_of_what_the_library_says(session, library):
    given = GivenNumbers(identified=(PrismaCount("Embase", 12),), duplicates=3)
    found = read_prisma(session, library, given=given)
    assert (found.sources, found.identified, found.duplicates) == ((("Embase", 12),), 12, 3)
    assert not any("Embase" in remark or "identified" in remark for remark in found.remarks)


def test_given_sources_that_do_not_fit_the_library_are_remarked_on(session, library):
    given = GivenNumbers(identified=(PrismaCount("Embase", 20),), duplicates=3)
    remarks = read_prisma(session, library, given=given).remarks
    assert "20 records identified without 3 duplicates are 17, and the library holds 9." in remarks


def test_a_conflict_is_undecided_and_remarked_on(session, library):
    session.mark({"204": "irrelevant"}, reviewer="Bob")
    found = read_prisma(session, library)
    assert (found.relevant, found.undecided, found.conflicts) == (0, 2, 1)
    assert "1 conflict between reviewers was not settled." in found.remarks


def test_an_unfinished_screening_is_remarked_on(session, library):
    assert any(
        r.startswith("Screening was not complete") for r in read_prisma(session, library).remarks
    )


def test_a_marked_seed_is_screened(session, library):
    session.mark({MATCHED[0].id: "relevant"})
    found = read_prisma(session, library)
    assert (found.seeds, found.screened, found.relevant) == (3, 5, 2)


def test_a_marked_record_that_the_library_lost_is_counted_and_remarked_on(session, library):
    library.delete(["204"])
    library.commit()
    found = read_prisma(session, library)
    assert (found.records, found.screened) == (10, 4)
    assert any("no longer in the library" in remark for remark in found.remarks)


def test_before_any_expansion_there_is_a_diagram_too(tmp_path, library):
    with new_session(tmp_path) as session:
        found = read_prisma(session, library)
    assert (found.screened, found.records, found.beyond) == (0, 10, found.unscreened)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sought": 5, "not_retrieved": 6}, "6 reports not retrieved and 0 assessed are more than"),
        ({"sought": 5, "not_retrieved": 3, "assessed": 3}, "are more than the 5 sought"),
        ({"assessed": 2, "excluded": (PrismaCount("a", 3),)}, "3 reports excluded are more than"),
    ],
)
def test_numbers_that_can_t_all_be_right_are_refused(session, library, given, said):
    with pytest.raises(SettingsError, match=said):
        read_prisma(session, library, given=GivenNumbers(**given))


@pytest.mark.parametrize(
    "text", ["Embase", "=3", "Embase=", "Embase=-3", "Embase=1.5", "a=9999999999"]
)
def test_what_is_no_name_and_number_is_refused(text):
    with pytest.raises(SettingsError, match="is not NAME=NUMBER; write, for example, Embase=1200"):
        parse_count(text)


def read_texts(numbers):
    tree = etree.fromstring(str(draw_prisma(numbers)))
    return [text.text.replace("\xa0", " ") for text in tree.iter(f"{SVG}text")]


def test_missing_numbers_are_shown_as_such(session, library):
    texts = read_texts(read_prisma(session, Forgetful(library)))
    assert "Studies included in review (n = not given)" in texts
    assert "Reports sought for retrieval (n = not given)" in texts
    assert "Duplicate records (n = not given)" in texts


def test_the_diagram_says_what_automation_did(session, library):
    texts = read_texts(read_prisma(session, library))
    assert "Not screened by a person (n = 2)" in texts
    assert "ranked above the line, and not read (n = 1)" in texts
    assert "Records screened by a person (n = 4)" in texts


def test_no_text_leaves_its_box(session, library):
    long = GivenNumbers(
        identified=(PrismaCount("W" * 150, 7), PrismaCount("a quite long name " * 9, None)),
        excluded=tuple(PrismaCount(f"reason number {n} of many", n) for n in range(20)),
    )
    tree = etree.fromstring(str(draw_prisma(read_prisma(session, library, given=long))))
    boxes = [
        {name: float(box.get(name)) for name in ("x", "y", "width", "height")}
        for box in tree.iter(f"{SVG}rect")
        if box.get("class") == "box"
    ]
    for text in tree.iter(f"{SVG}text"):
        if text.get("transform"):
            continue
        x, y = float(text.get("x")), float(text.get("y"))
        (box,) = [
            b
            for b in boxes
            if b["x"] <= x <= b["x"] + b["width"] and b["y"] <= y <= b["y"] + b["height"]
        ]
        end = x + measure_text(text.text, is_strong=text.get("font-weight") == "bold")
        assert end <= box["x"] + box["width"]
        assert box["x"] + box["width"] <= WIDTH


def test_more_reasons_than_fit_are_added_up(session, library):
    many = GivenNumbers(excluded=tuple(PrismaCount(f"r{n}", n) for n in range(1, 15)))
    texts = read_texts(read_prisma(session, library, given=many))
    assert "2 more (n = 27)" in texts


def test_names_are_no_markup(session, library):
    given = GivenNumbers(identified=(PrismaCount("<script>&", 7),))
    assert "<script>" not in str(draw_prisma(read_prisma(session, library, given=given)))


def test_a_diagram_is_for_light_dark_and_paper(session, library):
    drawn = str(draw_prisma(read_prisma(session, library)))
    assert "@media screen and (prefers-color-scheme: dark)" in drawn
    assert 'class="ground" width="860"' in drawn


def test_numbers_are_written_as_json_and_csv(session, library, tmp_path):
    numbers = read_prisma(session, library, given=GivenNumbers(included=1))
    for suffix in ("json", "csv"):
        write_prisma(numbers, tmp_path / f"prisma.{suffix}")
    found = json.loads((tmp_path / "prisma.json").read_bytes())
    assert (found["screened"], found["sought"], found["included"]) == (4, None, 1)
    assert found["reasons"][0] == {"name": "editorial", "number": 1}
    with (tmp_path / "prisma.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["item"]: row["number"] for row in csv.DictReader(file)}
    assert (rows["records screened by a person"], rows["reports sought for retrieval"]) == ("4", "")


def test_a_page_has_the_diagram_its_numbers_and_remarks(session, library, tmp_path):
    write_prisma(read_prisma(session, library), tmp_path / "prisma.html")
    page = (tmp_path / "prisma.html").read_text()
    assert page.startswith("<!doctype html>")
    assert re.search(r"<svg .*</svg>", page, re.DOTALL)
    assert "Screening was not complete" in page
    assert "<script" not in page


def test_a_picture_is_written_if_the_extra_is_there(session, library, tmp_path):
    pytest.importorskip("vl_convert")
    write_prisma(read_prisma(session, library), tmp_path / "prisma.png")
    assert (tmp_path / "prisma.png").read_bytes().startswith(b"\x89PNG")


def test_another_suffix_is_refused_with_those_there_are(session, library, tmp_path):
    with pytest.raises(UnknownFormatError, match=r"be written as \.pdf; use one of: \.svg \.png"):
        write_prisma(read_prisma(session, library), tmp_path / "prisma.pdf")


def test_numbers_that_are_kept_are_there_the_next_time(tmp_path, library):
    with new_session(tmp_path) as session:
        session.review.give_numbers(GivenNumbers(sought=80, included=24), reviewer="Ann")
        numbers = read_prisma(session, library, given=GivenNumbers(included=25))
        assert (numbers.sought, numbers.included) == (80, 25)
        assert session.review.read_numbers() == GivenNumbers(sought=80, included=24)


def test_numbers_that_can_not_all_be_right_are_not_kept(tmp_path):
    with new_session(tmp_path) as session:
        with pytest.raises(SettingsError, match="more than the 3 sought"):
            session.review.give_numbers(GivenNumbers(sought=3, assessed=4))
        assert session.review.read_numbers() == GivenNumbers()
