import time

import pytest

from likewise.expansion.expansion import STAGES, StageProgress, Stages


def test_every_stage_begins_with_no_time():
    assert Stages().seconds == dict.fromkeys(STAGES, 0.0)


def test_the_time_of_a_stage_that_comes_again_adds_up():
    stages = Stages()
    for _ in range(2):
        with stages("learning"):
            time.sleep(0.01)
    assert stages.seconds["learning"] >= 0.02
    assert stages.seconds["features"] == 0


def test_a_stage_tells_its_begin_its_steps_and_its_end():
    heard = []
    stages = Stages(heard.append)
    with stages("learning"):
        stages.step(1, 4)
        stages.step(2, 4, "half way")
    assert heard == [
        StageProgress("learning", 0.0),
        StageProgress("learning", 0.25),
        StageProgress("learning", 0.5, "half way"),
        StageProgress("learning", 1.0),
    ]


def test_of_nothing_to_do_all_is_done():
    heard = []
    Stages(lambda progress: heard.append(progress.share)).step(0, 0)
    assert heard == [1.0]


def test_a_stage_that_fails_is_measured_and_does_not_end():
    heard = []
    stages = Stages(lambda progress: heard.append(progress.share))
    with pytest.raises(ZeroDivisionError), stages("learning"):
        raise ZeroDivisionError
    assert stages.seconds["learning"] > 0
    assert heard == [0.0]


def test_nobody_need_listen():
    stages = Stages()
    with stages("seeds"):
        stages.step(1, 2)
    assert stages.seconds["seeds"] > 0
