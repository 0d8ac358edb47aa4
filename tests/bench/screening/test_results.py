"""Results of replays as files."""

import pytest

from bench.screening.screened import bees, result, round_at
from likewise.bench.screening.results import ReplayJob, ScreenFolder, ScreenSettings
from likewise.bench.screening.reviews import draw_start
from likewise.errors import RunError, SettingsError

SCORED = round_at(4, 2, usual=(1.0, 0.0, 2.0), scored=(2.0, 0.5, 0.1, 0.2), reached=1)


def job(*, draw=1, method="linear", fingerprint="f", **chosen):
    settings = ScreenSettings(**chosen)
    return ReplayJob(draw_start(bees(), draw), fingerprint, method, settings)


def test_a_result_is_read_as_it_was_written(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    made = result(1, 4, kind="animals", rounds=(round_at(0, 0, usual=(2.5, 1.0, 4.0)), SCORED))
    folder.write(job(), made)
    assert ScreenFolder(tmp_path / "screen").result(job()) == made


@pytest.mark.parametrize(
    "other",
    [{"draw": 2}, {"method": "naive"}, {"batch": 10}, {"until": 0.5}, {"number": 1}],
)
def test_whatever_differs_is_another_result(tmp_path, other):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result(1))
    assert folder.result(job(**other)) is None


def test_a_review_that_changed_is_refused(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result(1))
    with pytest.raises(RunError, match="another review of the same name; name another folder"):
        folder.result(job(fingerprint="g"))


def test_a_damaged_result_is_named(tmp_path):
    folder = ScreenFolder(tmp_path / "screen")
    folder.write(job(), result(1))
    (path,) = (tmp_path / "screen" / "results").rglob("*.json")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(RunError, match=rf"{path.name}: damaged or half written; delete it"):
        folder.result(job())


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="no folder of replays, and not empty"):
        ScreenFolder(tmp_path)


def test_a_folder_of_a_later_version_is_refused(tmp_path):
    (tmp_path / "screen.json").write_text('{"kind": "likewise screening", "version": 3}')
    with pytest.raises(RunError, match="of version 3, and this likewise reads"):
        ScreenFolder(tmp_path)


def test_a_folder_of_replays_that_kept_less_is_refused(tmp_path):
    (tmp_path / "screen.json").write_text('{"kind": "likewise screening", "version": 1}')
    with pytest.raises(RunError, match=r"of version 1, .* run again into a new folder"):
        ScreenFolder(tmp_path)


def test_labels_are_those_of_all_records_in_order():
    assert result(1, 4, records=6).labels.tolist() == [True, False, False, True, False, False]


def test_the_order_of_a_result_is_what_is_measured():
    assert result(1, 4, records=20).order.recall(3) == 0.5


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"until": 0.0}, "until is 0.0; it is above 0 and at most 1"),
        ({"until": 1.1}, "until is 1.1"),
        ({"seeds": 1}, "seeds are at least 2"),
        ({"batch": 0}, "a batch at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(chosen, message):
    with pytest.raises(SettingsError, match=message):
        ScreenSettings(**chosen)
