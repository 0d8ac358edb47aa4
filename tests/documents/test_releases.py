from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.documents.releases import Release, release_of, sort_by_release, version_of


@pytest.mark.parametrize(
    "source",
    [
        "pubmed26n0007.xml.gz",
        "pubmed26n0007.xml",
        "pubmed:pubmed26n0007.xml.gz",
        "pubmed:medline26n0007.xml.gz",
        "pubmed26n000007.xml",
    ],
)
def test_a_numbered_file_of_pubmed_is_a_release(source):
    assert release_of(source) == Release(year=26, number=7)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "pubmed:efetch",
        "refs.ris",
        "pubmed01.xml",
        "pubmed26n0007.xml.gz.md5",
        "pubmed26n0007.csv",
        "ris:pubmed26n0007.xml.gz",
        "old-pubmed26n0007.xml.gz",
        "pubmed26n\u0660\u0660\u0660\u0667.xml",
    ],
)
def test_any_other_name_is_no_release(source):
    assert release_of(source) is None


def test_a_years_files_come_after_all_those_of_the_year_before():
    assert release_of("pubmed26n0001.xml.gz") > release_of("pubmed25n1700.xml.gz")


def test_updates_come_after_the_baseline_wherever_they_lie():
    given = ["updates/pubmed26n1335.xml.gz", "baseline/pubmed26n0001.xml.gz"]
    ordered = sort_by_release(map(Path, given))
    assert [path.name[:12] for path in ordered] == ["pubmed26n000", "pubmed26n133"]


def test_a_number_of_more_digits_comes_after_one_of_fewer():
    given = [Path("pubmed26n10000.xml"), Path("pubmed26n9999.xml")]
    assert sort_by_release(given) == given[::-1]


@given(st.permutations(["a.ris", "z.csv", "pubmed26n0001.xml", "pubmed26n0002.xml", "b.xml"]))
def test_other_files_stay_where_they_were(names):
    ordered = [path.name for path in sort_by_release(map(Path, names))]
    assert sorted(ordered) == sorted(names)
    places = [(place, name) for place, name in enumerate(names) if "pubmed" not in name]
    assert [(place, ordered[place]) for place, _ in places] == places
    assert [name for name in ordered if "pubmed" in name] == [
        "pubmed26n0001.xml",
        "pubmed26n0002.xml",
    ]


@pytest.mark.parametrize(
    ("others", "version"),
    [((), 1), (("pmid-version:2",), 2), (("pmid-version:3", "pmid-version:2"), 3),
     (("pii:S0140", "pmid-version:", "pmid-version:x"), 1)],
)  # fmt: skip
def test_the_highest_version_that_is_told_counts(others, version):
    assert version_of(Document(other_ids=others)) == version


@pytest.mark.parametrize("version", ["", "x", "-2", "9" * 5000])
def test_what_is_no_number_is_no_version(version):
    assert version_of(Document(other_ids=(f"pmid-version:{version}",))) == 1


def test_another_id_that_has_the_words_in_it_is_no_version():
    assert version_of(Document(other_ids=("x:pmid-version:3", "pii:pmid-version:"))) == 1
