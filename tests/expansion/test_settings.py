from dataclasses import FrozenInstanceError

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.errors import SettingsError
from likewise.expansion.settings import SETTINGS, ExpandSettings, list_defaults
from likewise.learn.methods import METHODS
from likewise.learn.thresholds import parse_keep
from likewise.library.more_like import MoreLike

ANY_SETTINGS = st.builds(
    ExpandSettings,
    method=st.sampled_from(list(METHODS)),
    keep=st.sampled_from(["f1", "recall=0.95", "top=500"]),
    pool=st.integers(1, 10**9),
    rounds=st.integers(1, 9),
    encoder=st.sampled_from(["", "minilm-l6-v2"]),
    seed=st.integers(0, 2**63),
    where=st.sampled_from(["", "year>=2010", "type=Review, language=en"]),
    more_like=st.sampled_from([MoreLike(), MoreLike.of_the_paper()]),
)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"pool": 0}, "pool is 0; it must be at least 1"),
        ({"rounds": 0}, "rounds is 0; it must be at least 1"),
        ({"seed": -1}, "seed is -1; it must be at least 0"),
        (
            {"where": "year=now"},
            "'now' is not a year; write, for example, year>=2010 and language=eng and type=review",
        ),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(chosen, said):
    with pytest.raises(SettingsError) as caught:
        ExpandSettings(**chosen)
    assert str(caught.value) == said


@given(ANY_SETTINGS)
def test_settings_become_plain_values_and_settings_again(settings):
    assert msgspec.convert(msgspec.to_builtins(settings), ExpandSettings) == settings


def test_a_limit_is_kept_in_its_one_spelling():
    assert ExpandSettings(where="type=Review,year>2009").where == "year>=2010 and type=review"


def test_settings_do_not_change():
    with pytest.raises(FrozenInstanceError):
        ExpandSettings().pool = 5


def test_the_defaults_are_a_method_and_a_rule_that_there_are():
    assert ExpandSettings().method == next(iter(METHODS))
    assert str(parse_keep(ExpandSettings().keep)) == "f1"


def test_a_method_may_say_what_decides():
    assert ExpandSettings().keep == "f1"
    assert ExpandSettings(method="jacovi2021").keep == "zero"
    assert ExpandSettings(method="copkmeans(restarts=2)").keep == "zero"
    assert ExpandSettings(method="jacovi2021", keep="ber").keep == "ber"
    assert ExpandSettings(method="jacovi2021 + linear").keep == "f1"


def test_what_a_method_decides_by_goes_with_it():
    paper = ExpandSettings(method="jacovi2021")
    assert paper.with_chosen(method="linear").keep == "f1"
    assert paper.with_chosen(pool=9).keep == "zero"
    assert paper.with_chosen(method="linear", keep="ber").keep == "ber"
    asked = ExpandSettings(keep="recall=0.95")
    assert asked.with_chosen(method="jacovi2021").keep == "recall=0.95"


def test_people_are_told_the_defaults_of_the_class():
    told, made = list_defaults(), ExpandSettings()
    assert told | {"keep": "f1"} == {name: getattr(made, name) for name in SETTINGS}
    assert all(setting.help.endswith(".") for setting in SETTINGS.values())
