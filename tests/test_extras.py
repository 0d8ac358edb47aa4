"""Extras: modules that come with an optional install."""

from importlib.metadata import EntryPoint

import pytest

from likewise.errors import MissingExtraError, SettingsError
from likewise.extras import load_plug_in, require


def test_a_module_that_is_there_is_returned():
    assert require("math", for_="The test", extra="maths").sqrt(4) == 2


def test_a_module_that_is_not_there_is_one_line_with_the_command():
    with pytest.raises(MissingExtraError) as raised:
        require("no_such_module", for_="The CNN model", extra="neural")
    assert str(raised.value) == (
        "The CNN model needs an optional dependency. "
        "Install it with: pip install 'likewise[neural]'"
    )


def test_what_a_plug_in_offers_is_returned():
    assert load_plug_in(EntryPoint("root", "math:sqrt", "group"), kind="format")(4) == 2


@pytest.mark.parametrize("value", ["no_such_module:Reader", "math:no_such_name"])
def test_a_plug_in_that_is_broken_is_one_line_with_the_way_out(value):
    with pytest.raises(SettingsError, match=f"the format 'mine' can't be loaded from {value}: "):
        load_plug_in(EntryPoint("mine", value, "group"), kind="format")
