import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.expansion.searching import FIELDS, FilteredText, FilterField, parse_filter

CAT = Document(
    id="cat",
    title="On CATS and their sleep",
    abstract="They purr at night.",
    year=1999,
    authors=("Müller, Änne",),
    publication_types=("Journal Article", "Review"),
    source="ris:embase export.ris",
)
DOG = Document(id="dog", title="On dogs", journal="The Journal of Dogs", year=2011)
BIRD = Document(id="bird", title="Cats: birds at their sleep", abstract="Night song.")


def kept(line):
    """Return the ids of those of the three that a filter keeps."""
    chosen = parse_filter(line)
    return [one.id for one in (CAT, DOG, BIRD) if chosen.keeps(FilteredText.of(one))]


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("", ["cat", "dog", "bird"]),
        ("on", ["cat", "dog", "bird"]),
        ("CATS", ["cat", "bird"]),
        ("cat purr", ["cat"]),
        ("cat AND purr", ["cat"]),
        ("cats dogs", []),
        ("MÜLLER 1999", ["cat"]),
        ("200", []),
    ],
)
def test_all_words_must_occur_anywhere_whatever_their_case(line, ids):
    assert kept(line) == ids


def test_words_do_not_reach_from_one_field_into_the_next():
    assert kept("sleepthey") == []


@pytest.mark.parametrize("line", ['"their sleep"', "“their  sleep”", "«THEIR sleep»"])
def test_a_phrase_in_quotes_stands_as_it_is(line):
    assert kept(line) == ["cat", "bird"]
    assert kept('"sleep their"') == []


def test_not_leaves_out_what_has_it():
    assert kept("cats NOT purr") == ["bird"]
    assert kept('NOT "their sleep"') == ["dog"]
    assert kept("NOT NOT purr") == ["cat"]


def test_or_takes_either_and_binds_less_than_standing_side_by_side():
    assert kept("purr OR dogs") == ["cat", "dog"]
    assert kept("cats purr OR dogs") == ["cat", "dog"]
    assert kept("cats (purr OR dogs)") == ["cat"]
    assert kept("NOT (purr OR dogs)") == ["bird"]


def test_small_letters_are_words_and_no_signs():
    assert kept("and") == ["cat"]
    assert kept("or dogs") == []


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("year:1999", ["cat"]),
        ("year:2000..", ["dog"]),
        ("year:..2000", ["cat"]),
        ("year:1999..2011", ["cat", "dog"]),
        ("year:1999-2011", ["cat", "dog"]),
        ("YEAR:2011", ["dog"]),
        ("NOT year:2000..", ["cat", "bird"]),
    ],
)
def test_years_are_one_or_from_to(line, ids):
    assert kept(line) == ids


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("journal:dogs", ["dog"]),
        ('journal:"journal of dogs"', ["dog"]),
        ("type:review", ["cat"]),
        ("NOT type:review", ["dog", "bird"]),
        ("title:purr", []),
        ("author:müller", ["cat"]),
        ("source:embase", ["cat"]),
    ],
)
def test_a_field_is_looked_into_alone(line, ids):
    assert kept(line) == ids


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "colour:red",
            "“colour:” is not a field, so its words were searched for; the fields are: "
            + ", ".join(f"{name}:" for name in FIELDS),
        ),
        ("cats year:soon", "“year:soon” was left out; write for example year:2010..2015"),
        ("year:2015..2010", "“year:2015..2010” was left out; write for example year:2010..2015"),
        ("journal: cats", "“journal:” was left out; write for example journal:lancet"),
        ('"their sleep', "a quotation mark is missing: the phrase reaches to the end"),
        ("(cats", "a bracket is not closed: it reaches to the end"),
        ("cats) purr", "a closing bracket has no opening one, and was left out"),
        ("cats OR", "OR has nothing on one side, and was left out"),
        ("cats NOT", "NOT has nothing after it, and was left out"),
    ],
)
def test_what_is_not_understood_is_said_in_a_line(line, said):
    assert parse_filter(line).complaint == said


def test_the_rest_holds_where_something_is_not_understood():
    assert kept("purr year:soon") == ["cat"]
    assert kept("cats) purr") == ["cat"]
    assert kept("purr OR") == ["cat"]


def test_a_ratio_or_a_time_is_a_word():
    assert parse_filter("1:2 12:30").complaint == ""
    assert parse_filter("1:2").words == ("1:2",)


def test_words_that_are_asked_for_are_those_to_show():
    read = parse_filter('Cats OR "guinea  pigs" NOT dogs NOT (mice NOT voles) year:2010 cats')
    assert read.words == ("cats", "guinea pigs", "voles")


def kept_of_reviewed(line):
    """Return which of two a filter keeps, of which one has tags and the other a reason."""
    tagged = FilteredText.of(CAT).add_remarks(["RCT", "To  discuss"], "")
    excluded = FilteredText.of(DOG).add_remarks([], "Wrong Population")
    return [one.title[3:7] for one in (tagged, excluded) if parse_filter(line).keeps(one)]


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("tag:rct", ["cats"]),
        ('tag:"to discuss" tag:RCT', ["cats"]),
        ("tag:rc", []),
        ("NOT tag:rct", ["dogs"]),
        ('reason:"wrong population"', ["dogs"]),
        ("reason:wrong", []),
        ('tag:RCT OR reason:"wrong  population"', ["cats", "dogs"]),
    ],
)
def test_tags_and_reasons_are_fields_that_whole_names_are_asked_of(line, titles):
    assert kept_of_reviewed(line) == titles


def test_a_tag_without_a_name_is_left_out_and_said():
    assert kept("tag: purr") == ["cat"]
    assert parse_filter('reason:""').complaint == (
        '“reason:” was left out; write for example reason:"wrong population"'
    )


def test_a_field_is_added_by_a_line_of_the_table():
    def make(value):
        return lambda one: one.title.startswith(value)

    fields = {**FIELDS, "begins": FilterField(make, "begins:on")}
    read = parse_filter("begins:on", fields=fields)
    assert [read.keeps(FilteredText.of(one)) for one in (CAT, BIRD)] == [True, False]


@pytest.mark.parametrize("line", ["(" * 1_000, "NOT " * 250 + "cats", "(NOT " * 200 + "cats"])
def test_a_line_that_is_nested_without_end_is_read_all_the_same(line):
    assert isinstance(kept(line), list)


@given(st.text(alphabet='ab :"()ORNTAD1.-', max_size=30))
def test_whatever_is_typed_is_a_filter(line):
    read = parse_filter(line)
    assert read.keeps(FilteredText.of(CAT)) in (True, False)
    assert "\n" not in read.complaint


def test_what_reviewers_wrote_is_found_by_its_field_and_a_star_stands_for_any():
    plain = FilteredText("on cats")
    noted = plain.add_remarks(["RCT"], "wrong population", "Dose unclear;\nask Ann")
    for words in ("note:dose", 'note:"unclear; ask"', "tag:rct", "note:*", "tag:*", "reason:*"):
        assert parse_filter(words).keeps(noted), words
        assert not parse_filter(words).keeps(plain), words
    assert parse_filter("NOT reason:*").keeps(plain)


@pytest.mark.parametrize(
    ("line", "kept"),
    [("is:new", ["a"]), ("is:retracted", ["b"]), ("NOT is:new", ["b", "c"]), ("IS:NEW", ["a"])],
)
def test_what_is_new_or_retracted_is_found(line, kept):
    new = FilteredText.of(Document(title="a")).add_state("new")
    retracted = FilteredText.of(Document(title="b", publication_types=("Retracted Publication",)))
    other = FilteredText.of(Document(title="c"))
    wanted = parse_filter(line)
    assert [one.title for one in (new, retracted, other) if wanted.keeps(one)] == kept


def test_what_is_no_state_is_left_out_and_said():
    assert parse_filter("is:old").complaint == (
        "“is:old” was left out; write for example is:new or is:retracted"
    )
