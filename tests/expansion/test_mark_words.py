import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.expansion.mark_files import NotALabelError, parse_label, parse_labels, parse_notes
from likewise.expansion.marks import LABELS


@pytest.mark.parametrize(
    ("label", "values"),
    [
        ("relevant", ["relevant", "Included", "include", "YES", "y", "TRUE", True, 1, "1", "1.0"]),
        ("irrelevant", ["not relevant", "Excluded", "No", "n", False, 0, 0.0, "0", "irrelevant"]),
        ("maybe", ["Maybe", "?", " unsure ", "unclear"]),
    ],
)
def test_what_people_write_is_understood(label, values):
    assert {parse_label(value) for value in values} == {label}


@pytest.mark.parametrize("value", ["", " ", None, "NA", "nan", float("nan"), -1, "-1.0", "-", {}])
def test_an_empty_cell_says_nothing(value):
    assert parse_label(value) is None


@pytest.mark.parametrize(
    ("value", "shown"), [("perhaps", "'perhaps'"), (2, "'2'"), ({"a": 1}, "'an object'")]
)
def test_what_is_not_understood_is_not_guessed(value, shown):
    with pytest.raises(NotALabelError, match=shown):
        parse_label(value)


@given(st.sampled_from(LABELS), st.sampled_from(["{}", " {} ", "mark: {}", "mark:{}"]))
def test_our_own_labels_are_read_in_cells_and_notes(label, form):
    text = form.format(label)
    assert (parse_notes(text) if "mark" in text else parse_labels(text)) == [label]


@pytest.mark.parametrize(
    ("notes", "labels"),
    [
        ('RAYYAN-INCLUSION: {"Ann"=>"Included"}', ["relevant"]),
        ('RAYYAN-INCLUSION: {""Ann""=>""Excluded""} | RAYYAN-LABELS: a,b', ["irrelevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Maybe", "Bob: B"=>"Maybe"}', ["maybe"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Excluded"}', ["relevant", "irrelevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Undecided"}', ["relevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>true, "Bob"=>true}', ["relevant"]),
        ("RAYYAN-INCLUSION: {}", []),
        ('USER-NOTES: {"Ann"=>["Included"]}', None),
    ],
)
def test_rayyan_notes_say_what_the_reviewers_said(notes, labels):
    assert parse_notes(notes) == labels


@pytest.mark.parametrize(
    ("notes", "labels"),
    [
        ("ASReview_relevant\nasreview_time: 17", ["relevant"]),
        ("<p>ASReview_irrelevant</p>", ["irrelevant"]),
        ("ASReview_not_seen", []),
        ("ASReview_validate_relevant\nASReview_prior", None),
    ],
)
def test_asreview_notes_are_understood(notes, labels):
    assert parse_notes(notes) == labels


def test_ours_may_stand_among_other_notes_on_one_line():
    assert parse_notes("rank: 3; mark: maybe; seed: false") == ["maybe"]


def test_what_a_later_program_noted_counts():
    rayyan = 'RAYYAN-INCLUSION: {"Ann"=>"Excluded"}'
    assert parse_notes(f"mark: relevant\n{rayyan}\nASReview_relevant") == ["irrelevant"]
    assert parse_notes("mark: relevant\nASReview_irrelevant") == ["irrelevant"]


def test_notes_of_people_are_no_labels():
    assert parse_notes("Mark said it is relevant; benchmark: yes") is None
