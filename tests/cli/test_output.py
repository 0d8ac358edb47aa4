"""What commands have in common when they print."""

import pytest

from likewise.cli.output import is_same_file, noted_progress, progress_bar


@pytest.fixture
def bar():
    return progress_bar("{task.fields[note]}")


def test_progress_of_an_unknown_number_begins_with_its_note(bar):
    noted_progress(bar, "tasks", "topics")
    (shown,) = bar.tasks
    assert (shown.description, shown.total, shown.fields["note"]) == ("tasks", None, "topics")


def test_progress_moves_to_what_it_is_told(bar):
    noted_progress(bar, "tasks")(2, 6, "L20/bees")
    (shown,) = bar.tasks
    assert (shown.completed, shown.total, shown.fields["note"]) == (2, 6, "L20/bees")


def test_a_link_is_the_same_file_and_what_is_not_there_is_none(tmp_path):
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert is_same_file(str(tmp_path / "a"), str(tmp_path / "link"))
    assert not is_same_file(str(tmp_path / "a"), str(tmp_path / "b"))
    assert not is_same_file(str(tmp_path / "a"), "1," * 5000)
