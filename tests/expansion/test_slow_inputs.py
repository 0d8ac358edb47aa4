"""Notes and lines made to be searched again and again take a time that grows with their length."""

from contextlib import suppress

import pytest

from documents.slowness import HOSTILE, assert_linear
from likewise.expansion.mark_files import NotALabelError, parse_label, parse_labels, parse_notes
from likewise.expansion.seed_sources import parse_line

BEGINNINGS = ["RAYYAN-INCLUSION:", "ASReview_", "mark:", "=>", "- ", '"']
FILLINGS = [" ", "\n", "RAYYAN-INCLUSION: {", "=>", '"', "mark:", "\n ", ";", "_", "\t", "(1) "]
TEXTS = [*HOSTILE, *((beginning, filling) for beginning in BEGINNINGS for filling in FILLINGS)]


def answer(parse, text):
    with suppress(NotALabelError):
        parse(text)


@pytest.mark.parametrize("parse", [parse_label, parse_labels, parse_notes, parse_line])
def test_a_text_takes_a_time_that_grows_with_its_length(parse):
    for beginning, filling in TEXTS:
        assert_linear(lambda text: answer(parse, text), beginning, filling)
