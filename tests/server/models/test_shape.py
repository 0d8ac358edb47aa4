"""Bodies that are wrong a million times are refused for the first of it."""

import pytest
from pydantic import ValidationError

from likewise.server.models.marks import MarksRequest, UndoRequest
from likewise.server.models.rankings import SeedsRequest


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (SeedsRequest, {"papers": [{"authors": [7] * 1000, "year": "x"}] * 1000}),
        (SeedsRequest, {str(number): 7 for number in range(10_000)}),
        (SeedsRequest, {"papers": [{str(number): 7 for number in range(10_000)}]}),
        (MarksRequest, {"labels": {str(number): "odd" for number in range(10_000)}}),
        (UndoRequest, {"ids": [7] * 5000}),
    ],
)
def test_of_what_is_wrong_many_times_little_is_told(shape, body):
    with pytest.raises(ValidationError) as caught:
        shape.model_validate(body)
    assert caught.value.error_count() <= 2


def test_how_many_entries_there_are_is_told():
    with pytest.raises(ValidationError, match="at most 5000 entries, not 5001"):
        MarksRequest.model_validate({"labels": dict.fromkeys(map(str, range(5001)))})


def test_a_field_that_there_is_not_is_named():
    with pytest.raises(ValidationError, match=r"txt\n  Extra inputs are not permitted"):
        SeedsRequest.model_validate({"txt": "7"})
