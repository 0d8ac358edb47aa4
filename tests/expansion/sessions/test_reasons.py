import pytest

from likewise.errors import SessionError
from likewise.expansion.sessions.reasons import LONGEST, MOST_REASONS, ReasonList

THREE = ReasonList().add("animals").add("no control").add("Editorial")


def test_reasons_stay_in_the_order_in_which_they_were_added():
    assert THREE.names == ("animals", "no control", "Editorial")


def test_a_reason_is_known_by_its_name_whatever_its_case_and_spaces():
    assert THREE.find("  EDITORIAL ").number == 3


def test_a_reason_that_is_there_is_not_added_again():
    with pytest.raises(SessionError, match="the reason 'animals' is in the list already"):
        THREE.add("Animals")


def test_an_unknown_reason_is_said_with_those_there_are():
    with pytest.raises(SessionError, match=r"no reason 'x' .*one of: animals, no control, Edit"):
        THREE.find("x")


def test_a_renamed_reason_keeps_its_number():
    assert THREE.rename("animals", "not in people").get_name(1) == "not in people"


def test_a_reason_can_be_spelled_anew():
    assert THREE.rename("editorial", "editorial").names[2] == "editorial"


def test_no_reason_is_given_the_name_of_another():
    with pytest.raises(SessionError, match="'no control' is in the list already"):
        THREE.rename("animals", "No control")


def test_a_removed_reason_is_still_known_to_marks_of_before():
    removed = THREE.remove("animals")
    assert removed.names == ("no control", "Editorial")
    assert removed.get_name(1) == "animals"


def test_a_reason_that_marks_carry_is_not_removed_without_another_in_its_place():
    with pytest.raises(SessionError, match="2 marks carry the reason 'animals'; say which"):
        THREE.remove("animals", carried=2)


def test_marks_carry_the_replacement_of_a_removed_reason_and_that_of_the_replacement():
    replaced = THREE.remove("animals", carried=2, replacement="no control")
    again = replaced.remove("no control", carried=2, replacement="Editorial")
    assert (replaced.get_name(1), again.get_name(1)) == ("no control", "Editorial")


def test_a_reason_is_not_replaced_by_itself():
    with pytest.raises(SessionError, match="a reason can't replace itself"):
        THREE.remove("animals", carried=1, replacement="animals")


def test_a_reason_that_was_removed_can_be_added_again():
    assert THREE.remove("animals").add("animals").names[-1] == "animals"


def test_reasons_that_are_named_come_first():
    assert THREE.order(["editorial"]).names == ("Editorial", "animals", "no control")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (" ", "a reason without a name"),
        ("a; b", "holds a semicolon"),
        ("a\x1bb", "invisible characters"),
        ("x" * (LONGEST + 1), "201 characters; at most 200 fit"),
    ],
)
def test_a_name_that_can_t_be_written_down_is_refused(name, said):
    with pytest.raises(SessionError, match=said):
        THREE.add(name)


def test_there_are_not_more_reasons_than_anybody_reads():
    listed = ReasonList()
    for number in range(MOST_REASONS):
        listed = listed.add(f"reason {number}")
    with pytest.raises(SessionError, match="at most 100 reasons"):
        listed.add("one more")
