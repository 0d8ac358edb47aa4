import pytest

from likewise.documents.formats.cells import read_people, read_person


@pytest.mark.parametrize(
    "cell",
    [
        "Okafor N, Lind P.",
        "Okafor N; Lind P",
        "Okafor N|Lind P",
        "Okafor N\nLind P",
        "['Okafor N', 'Lind P']",
        ["Okafor N", "Lind P"],
        [{"family": "Okafor", "given": "N"}, {"lastName": "Lind", "firstName": "P"}],
        [{"name": "Okafor N"}, {"name": "Lind P"}],
        "Okafor, N and Lind, P",
        "Okafor, N, Lind, P",
    ],
)
def test_authors_are_parted_by_what_is_there(cell):
    assert read_people(cell) == ["Okafor, N", "Lind, P"]


@pytest.mark.parametrize(
    "name",
    [
        "Okafor, Ngozi",
        "Department of Health, Education, and Welfare",
        "Cochrane Sleep Study Group",
        "Plato",
    ],
)
def test_a_single_author_stays_whole(name):
    assert read_people(name) == [name]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Okafor,N.A.", "Okafor, N.A."),
        ("van der Berg JM", "van der Berg, JM"),
        ("Lind P.-O.", "Lind, P.-O."),
        ("King ML Jr", "King, ML Jr"),
        ("Östlund Å", "Östlund, Å"),
        ("Lind, Per (57190000002)", "Lind, Per"),
        ("Trial Group UK", "Trial Group UK"),
    ],
)
def test_initials_go_behind_the_family_name(short, full):
    assert read_person(short) == full


def test_et_al_is_no_author():
    assert read_people("Okafor N, Lind P, et al.") == ["Okafor, N", "Lind, P"]


def test_full_names_are_parted_by_commas_when_there_are_three_or_more():
    assert read_people("Ngozi Okafor, Per Lind, Li Na") == ["Ngozi Okafor", "Per Lind", "Li Na"]


def test_groups_may_come_first_or_last():
    found = read_people("WHO Study Group, Okafor N, Lind P.")
    assert found == ["WHO Study Group", "Okafor, N", "Lind, P"]
