import time

import pytest

from likewise.expansion.stages import NAMES, Stages


def test_every_stage_begins_with_no_time():
    assert Stages().seconds == dict.fromkeys(NAMES, 0.0)


def test_the_time_of_a_stage_that_comes_again_adds_up():
    stages = Stages()
    for _ in range(2):
        with stages("learning"):
            time.sleep(0.01)
    assert stages.seconds["learning"] >= 0.02
    assert stages.seconds["features"] == 0


def test_a_stage_tells_its_begin_its_steps_and_its_end():
    heard = []
    stages = Stages(lambda stage, share: heard.append((stage, share)))
    with stages("learning"):
        stages.step(1, 4)
    assert heard == [("learning", 0.0), ("learning", 0.25), ("learning", 1.0)]


def test_of_nothing_to_do_all_is_done():
    heard = []
    Stages(lambda _, share: heard.append(share)).step(0, 0)
    assert heard == [1.0]


def test_a_stage_that_fails_is_measured_and_does_not_end():
    heard = []
    stages = Stages(lambda _, share: heard.append(share))
    with pytest.raises(ZeroDivisionError), stages("learning"):
        raise ZeroDivisionError
    assert stages.seconds["learning"] > 0
    assert heard == [0.0]


def test_nobody_need_listen():
    stages = Stages()
    with stages("seeds"):
        stages.step(1, 2)
    assert stages.seconds["seeds"] > 0
