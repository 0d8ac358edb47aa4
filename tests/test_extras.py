"""Extras: modules that come with an optional install."""

import pytest

from likewise.errors import MissingExtraError
from likewise.extras import require


def test_a_module_that_is_there_is_returned():
    assert require("math", for_="The test", extra="maths").sqrt(4) == 2


def test_a_module_that_is_not_there_is_one_line_with_the_command():
    with pytest.raises(MissingExtraError) as raised:
        require("no_such_module", for_="The CNN model", extra="neural")
    assert str(raised.value) == (
        "The CNN model needs an optional dependency. "
        "Install it with: pip install 'likewise[neural]'"
    )
