from dataclasses import replace

import msgspec
import pytest

from expansion.samples import MATCHED, TEXT_ONLY, place, small_expansion
from likewise.documents import Document
from likewise.expansion.records import Estimates
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.summary import (
    are_readings_open,
    describe_seed_readings,
    describe_seeds,
    summarise_expansion,
)
from likewise.expansion.wording import format_interval, format_share, list_names, round_count
from likewise.learn.estimates import Interval, SeedReading


def expansion_of(
    *, found=312, pool=20_000, keep="f1", limit=20_000, held=None, readings=(), **estimated
):
    estimates = Estimates(
        relevant=Interval(391.2, 298.7, 514.0),
        precision=0.714,
        recall=0.6,
        outside=Interval(0.119, 0.05, 0.3),
    )
    return small_expansion(
        ranking=tuple(
            place(str(rank), rank, -rank, decision=rank <= found) for rank in range(1, pool + 1)
        ),
        settings=ExpandSettings(keep=keep, pool=limit),
        library_size=pool + 3 if held is None else held,
        readings=readings,
        estimates=msgspec.structs.replace(estimates, **estimated),
    )


def seeds(matched=0, text_only=0, not_found=()):
    return Seeds((Document(id="1"),) * matched, (Document(id="2"),) * text_only, tuple(not_found))


def test_the_summary_says_what_was_found_and_what_is_estimated():
    assert " ".join(summarise_expansion(expansion_of())) == (
        "Found 312 documents likely on your topic among 20,000 candidates "
        "(expected precision 0.71). "
        "About 390 (300-510) are estimated in the candidates, and about 12 % of the topic is "
        "estimated to lie outside them."
    )


def test_one_of_a_thing_is_singular():
    first, second = summarise_expansion(
        expansion_of(found=1, pool=1, limit=1, relevant=Interval(0.9, 0.2, 1.0))
    )
    assert first.startswith("Found 1 document likely on your topic among 1 candidate (")
    assert second.startswith("About 1 (0-1) is estimated in the candidates, and")


def test_when_nothing_is_found_no_precision_is_claimed_and_the_ranking_is_pointed_to():
    first, _, step = summarise_expansion(expansion_of(found=0, pool=30))
    assert first == "Found no documents likely to be on your topic among 30 candidates."
    assert "--all" in step


@pytest.mark.parametrize(
    ("precision", "said"), [(0.9, "very likely"), (0.8, "very likely"), (0.5, "likely"),
                            (0.49, "possibly"), (0.13, "possibly")],
)  # fmt: skip
def test_words_fit_the_number(precision, said):
    first = summarise_expansion(expansion_of(precision=precision))[0]
    assert first.startswith(f"Found 312 documents {said} on your topic among ")


def test_a_long_list_of_little_chance_is_not_called_possible():
    first = summarise_expansion(expansion_of(precision=0.03))[0]
    assert first.startswith("Found 312 documents, few of them on your topic, among ")


def test_of_how_many_documents_the_candidates_are_is_said_where_they_are_not_all():
    # Three of the seeds are in the library.
    whole, part = (summarise_expansion(expansion_of(pool=500, held=n))[0] for n in (503, 504))
    assert " among 500 candidates (" in whole
    assert " among 500 candidates of 501 documents (" in part


def test_what_the_search_was_limited_to_is_said():
    limited = replace(expansion_of(), settings=ExpandSettings(where="year>=2010"))
    assert " among 20,000 candidates limited to year>=2010 (" in summarise_expansion(limited)[0]


FAIR, CORNER = SeedReading(False, 0.7, 31.2), SeedReading(True, 0.3, 304.0)
TWO = "If they are the topic, about 31 are left; if they are one corner of a wider one, about 300."


def test_two_readings_are_told_with_their_numbers_and_how_to_tell_them_apart():
    *_, readings, step = summarise_expansion(expansion_of(readings=(FAIR, CORNER), recall=0.2))
    assert readings == f"Your papers may be more alike than papers on one topic usually are. {TWO}"
    assert step == (
        "Mark 10 from further down to tell: with --session SESSION, then "
        "likewise next SESSION --strategy calibrate --count 10."
    )


def test_how_to_tell_them_apart_names_the_session_if_there_is_one():
    alike = expansion_of(readings=(FAIR, CORNER))
    assert summarise_expansion(alike, session="mine.likewise")[-1] == (
        "Mark 10 from further down to tell: "
        "likewise next mine.likewise --strategy calibrate --count 10"
    )


LIKELY_CORNER = (
    msgspec.structs.replace(CORNER, weight=0.9),
    msgspec.structs.replace(FAIR, weight=0.1),
)
SETTLED = "Your papers look like one corner of a wider topic; your marks tell how wide it is."


@pytest.mark.parametrize(
    ("readings", "telling", "is_open"),
    [(LIKELY_CORNER, 0, True), (LIKELY_CORNER, 4, True), (LIKELY_CORNER, 5, False),
     ((FAIR, CORNER), 4, True), ((FAIR, CORNER), 5, False), ((), 0, False)],
)  # fmt: skip
def test_marks_are_asked_for_until_they_have_told(readings, telling, is_open):
    assert are_readings_open(readings, telling=telling) == is_open


@pytest.mark.parametrize(("readings", "said"), [(LIKELY_CORNER, SETTLED), ((FAIR, CORNER), "")])
def test_once_marks_have_told_only_the_likelier_reading_is_named(readings, said):
    assert describe_seed_readings(readings, telling=5) == said


def test_once_marks_have_told_another_step_is_advised():
    # The line is below rank 312, so ranks from 62.4 on tell.
    expansion = expansion_of(readings=LIKELY_CORNER, recall=0.2)
    marked = {62, 63, 200, 312, 400, 500}
    ranking = tuple(
        msgspec.structs.replace(one, mark="irrelevant") if one.rank in marked else one
        for one in expansion.ranking
    )
    *_, readings, step = summarise_expansion(replace(expansion, ranking=ranking))
    assert readings == SETTLED
    assert "calibrate" not in step


def test_where_the_corner_is_likelier_the_seeds_are_said_to_be_alike():
    told = describe_seed_readings(
        (msgspec.structs.replace(CORNER, weight=0.6), msgspec.structs.replace(FAIR, weight=0.4))
    )
    assert told == f"Your papers are more alike than papers on one topic usually are. {TWO}"


@pytest.mark.parametrize("others", [(), (msgspec.structs.replace(FAIR, weight=0.1, left=280.0),)])
def test_seeds_that_look_like_a_corner_are_said_to_whatever_it_comes_to(others):
    told = describe_seed_readings((msgspec.structs.replace(CORNER, weight=0.9), *others))
    assert told == (
        "Your papers are more alike than papers on one topic usually are: they look like one "
        "corner of a wider one."
    )


def test_what_is_unlikely_is_told_where_the_corner_is_the_likelier():
    told = describe_seed_readings(
        (msgspec.structs.replace(CORNER, weight=0.95), msgspec.structs.replace(FAIR, weight=0.05))
    )
    assert told.endswith(TWO)


def test_a_promise_is_told_with_what_it_rests_on():
    # Four seeds were given that can be learned from.
    *_, promise = summarise_expansion(expansion_of(keep="conformal=0.7", recall=0.2))
    assert promise == (
        "The list is long enough for a recall of 0.7 on average, as shown by 4 left-out seeds, if "
        "they are a fair sample of the topic's papers in the candidates."
    )


def test_what_a_promise_rests_on_is_said_to_be_wanting_where_seeds_look_like_a_corner():
    expansion = expansion_of(keep="conformal=0.7", readings=LIKELY_CORNER)
    *_, promise, readings, _ = summarise_expansion(expansion)
    assert promise.endswith(" papers in the candidates, which they do not look like.")
    assert readings.startswith("Your papers are more alike")


@pytest.mark.parametrize(
    "readings",
    [
        (),
        (FAIR,),
        (msgspec.structs.replace(FAIR, weight=0.86), msgspec.structs.replace(CORNER, weight=0.14)),
        (FAIR, msgspec.structs.replace(CORNER, left=45.0)),
        (msgspec.structs.replace(FAIR, left=0.1), msgspec.structs.replace(CORNER, left=0.9)),
    ],
    ids=["none", "one", "unlikely", "about the same", "hardly any by both"],
)
def test_one_clear_reading_needs_no_words(readings):
    assert describe_seed_readings(readings) == ""
    assert len(summarise_expansion(expansion_of(readings=readings))) == 2


def test_an_empty_pool_is_told_as_such():
    (sentence,) = summarise_expansion(expansion_of(found=0, pool=0))
    assert "no candidates" in sentence


@pytest.mark.parametrize(
    ("relevant", "said"),
    [
        (Interval(0.3, 0, 2.2), "Hardly any (at most 2) are estimated in the candidates"),
        (Interval(0.1, 0, 0.4), "Hardly any are estimated in the candidates"),
        (Interval(40, 40, 40), "About 40 are estimated in the candidates"),
    ],
)
def test_small_and_certain_estimates_are_put_plainly(relevant, said):
    assert summarise_expansion(expansion_of(relevant=relevant))[1].startswith(said)


def test_a_share_outside_that_nobody_knows_is_not_made_up():
    sentence = summarise_expansion(expansion_of(outside=None))[1]
    assert sentence.endswith("; how much of the topic lies outside them can't be estimated.")


def test_the_reason_is_given_where_no_seed_is_in_the_library():
    expansion = replace(expansion_of(outside=None), seeds=Seeds((), TEXT_ONLY, ()))
    assert "since no seed is in the library" in summarise_expansion(expansion)[1]


def test_a_share_outside_of_next_to_nothing_is_less_than_1_percent():
    sentence = summarise_expansion(expansion_of(outside=Interval(0.001, 0, 0.1)))[1]
    assert "and less than 1 % of the topic" in sentence


def test_a_large_share_outside_leads_to_a_larger_pool_and_to_nothing_else():
    *_, step = sentences = summarise_expansion(
        expansion_of(outside=Interval(0.4, 0.2, 0.6), recall=0.2, precision=0.3)
    )
    assert len(sentences) == 3
    assert step == "A larger --pool or more --rounds may bring in what lies outside."


def test_a_larger_pool_is_not_suggested_where_the_library_had_no_more_to_give():
    expansion = expansion_of(pool=900, outside=Interval(0.4, 0.2, 0.6))
    assert summarise_expansion(expansion)[2] == "More --rounds may bring in what lies outside."


@pytest.mark.parametrize(
    ("estimated", "step"),
    [({"recall": 0.42}, "miss 58 % of those"), ({"precision": 0.3}, "--keep precision=0.8")],
)
def test_a_low_estimate_leads_to_another_way_to_keep(estimated, step):
    assert step in summarise_expansion(expansion_of(**estimated))[2]


def test_who_asked_for_a_precision_is_not_told_about_recall():
    assert len(summarise_expansion(expansion_of(keep="precision=0.8", recall=0.2))) == 2


def test_seeds_are_counted_by_what_became_of_them():
    assert describe_seeds(seeds(18, 1, ["12345"])) == [
        "18 of 20 seeds are in the library; 1 is used as text only; 1 was not found: 12345."
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (seeds(20), "All 20 seeds are in the library."),
        (seeds(1, 2), "1 of 3 seeds is in the library; 2 are used as text only."),
        (seeds(0, 3), "None of the 3 seeds is in the library; 3 are used as text only."),
        (seeds(1), "The only seed is in the library."),
        (seeds(), "There are no seeds."),
        (
            Seeds(MATCHED, (), ("7", "8")),
            "3 of 5 seeds are in the library; 2 were not found: 7, 8.",
        ),
    ],
)
def test_seeds_are_told_of_in_good_english(given, said):
    assert describe_seeds(given) == [said]


def test_of_many_seeds_that_were_not_found_five_are_named():
    (sentence,) = describe_seeds(seeds(10, 0, map(str, range(1, 1008))))
    assert sentence.endswith("1,007 were not found: 1, 2, 3, 4, 5 and 1,002 more.")


def test_long_names_are_shortened():
    assert list_names(["x" * 500]) == "x" * 59 + "…"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, 0),
        (0.5, 1),
        (9.4, 9),
        (99.6, 100),
        (104, 100),
        (105, 110),
        (996, 1000),
        (15_499, 15_000),
    ],
)
def test_counts_keep_the_digits_they_can_be_trusted_for(value, written):
    assert round_count(value) == written


def test_no_more_are_estimated_than_there_are():
    assert format_interval(Interval(196, 150, 199), most=198) == "198 (150-198)"


def test_shares_are_whole_percents():
    assert [format_share(value) for value in (0, 0.004, 0.006, 0.125, 1)] == [
        "less than 1 %",
        "less than 1 %",
        "1 %",
        "12 %",
        "100 %",
    ]
