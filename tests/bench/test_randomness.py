"""All randomness comes from one number and a purpose."""

from likewise.bench import make_generator


def numbers(*told):
    return make_generator(*told).integers(2**60, size=3).tolist()


def test_the_same_number_and_purpose_give_the_same():
    assert numbers(7, "Cats", 0) == numbers(7, "Cats", 0)


def test_another_number_gives_other_ones():
    assert numbers(7, "Cats", 0) != numbers(8, "Cats", 0)


def test_another_purpose_gives_other_ones():
    assert numbers(7, "Cats", 0) != numbers(7, "Cats", 1)


def test_purposes_are_not_run_together():
    assert numbers(7, "a", "bc") != numbers(7, "ab", "c")
