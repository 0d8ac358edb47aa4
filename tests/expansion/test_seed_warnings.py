import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.expansion.seed_groups import SeedGroups, compute_limit, spell_terms, split_seeds
from likewise.expansion.seed_warnings import warn_of_corners, warn_of_scattering, warn_of_seeds
from likewise.expansion.seeds import Seeds
from likewise.library.memory import MemoryLibrary

ENGLISH = (
    "We studied the effect of insulin on the blood glucose of twenty patients, and after four "
    "weeks it was lower than before."
)
GERMAN = (
    "Die Wirkung von Insulin auf den Blutzucker wurde bei zwanzig Patienten untersucht, und nach "
    "vier Wochen war der Blutzucker niedriger als zuvor."
)
CATS = ["cat", "purr", "whisker", "kitten", "feline", "paw"]
STARS = ["star", "galaxy", "nebula", "comet", "orbit", "telescope"]


def library_of(*documents):
    library = MemoryLibrary()
    library.add(documents)
    library.commit()
    return library


def padded(text, number):
    """Make a text long enough to be compared, by a word that no other has."""
    return f"{text} {f'own{number} ' * 30}"


LIBRARY = library_of(*(Document(id=f"{n}", abstract=f"the word {n} of these") for n in range(50)))


def about(words, *, start, number=10):
    """Invent documents that each say most of the words, and one of their own."""
    return [
        Document(
            id=f"{n}",
            title=f"{words[n % 6].title()} {n}",
            abstract=padded(" and the ".join(words[: n % 6] + words[n % 6 + 1 :]), n),
        )
        for n in range(start, start + number)
    ]


def warnings_of(documents, library=LIBRARY):
    return warn_of_seeds(Seeds(tuple(documents), (), ()), library=library)


def corners_of(seeds, found):
    return warn_of_corners(Seeds((), tuple(seeds), ()), found, analyze_all=LIBRARY.analyze_all)


def test_ten_seeds_of_one_topic_are_fine():
    assert warnings_of(about(CATS, start=0)) == []


def test_fewer_than_ten_seeds_are_few():
    (warning,) = warnings_of(about(CATS, start=0, number=9))
    assert warning.startswith("there are only 9 seeds, and with fewer than 10 the decision is")


def bare(documents, number):
    return [Document(id=d.id, title=d.title) for d in documents[:number]] + documents[number:]


def test_a_third_of_the_seeds_without_abstract_is_told():
    (warning,) = warnings_of(bare(about(CATS, start=0, number=12), 4))
    assert warning.startswith("4 of 12 seeds have no abstract (0, 1, 2, 3), so only their titles")


def test_few_seeds_without_abstract_are_not():
    assert warnings_of(bare(about(CATS, start=0, number=12), 3)) == []


@pytest.mark.parametrize(
    ("document", "is_told"),
    [
        (Document(abstract=ENGLISH, language="ger"), False),
        (Document(abstract=GERMAN), True),
        (Document(abstract=GERMAN, language="eng"), True),
        (Document(abstract="인슐린이 혈당에 미치는 영향"), True),
        (Document(abstract="胰岛素对血糖的影响"), True),
        (Document(abstract="Sjögren's sicca in Ångström"), False),
        (Document(abstract="Wirkung des Insulins", language="ger"), True),
        (Document(abstract="Effect of insulin", language="English"), False),
        (Document(title="[Effect of insulin]", language="ger"), False),
        (Document(abstract="Insulin 1.2 (P < 0.05)"), False),
        (Document(abstract=""), False),
    ],
    ids=lambda value: value.text[:20] if isinstance(value, Document) else "",
)
def test_another_language_is_told_by_the_text(document, is_told):
    seeds = [Document(id=f"{n}", title=document.title, abstract=f"{document.abstract} {n}",
                      language=document.language) for n in range(10)]  # fmt: skip
    told = [warning for warning in warnings_of(seeds) if "not to be in English" in warning]
    assert bool(told) == is_told


# Two topics


def test_seeds_of_two_topics_are_told_with_their_words_and_the_smaller_groups_ids():
    (warning,) = warnings_of([*about(STARS, start=100, number=4), *about(CATS, start=0)])
    assert warning == (
        "the seeds look like two topics that have little in common: "
        "10 with 'cat', 'feline', 'kitten', and 4 with 'comet', 'galaxy', 'nebula' "
        "(100, 101, 102, 103); if you do not want both, expand each alone"
    )


def test_groups_are_found_whatever_the_order():
    mixed = [
        d for pair in zip(about(CATS, start=0), about(STARS, start=10), strict=True) for d in pair
    ]
    groups = split_seeds(mixed, library=LIBRARY)
    ids = {frozenset(d.id for d in group.documents) for group in groups[:2]}
    assert ids == {frozenset(map(str, range(10))), frozenset(map(str, range(10, 20)))}


def texts(*said):
    return [Document(id=f"{n}", abstract=padded(text, n)) for n, text in enumerate(said)]


def test_groups_without_a_word_in_common_have_nothing_in_common():
    documents = texts(*["cat purr"] * 5, *["star orbit"] * 5)
    assert split_seeds(documents, library=LIBRARY).in_common == pytest.approx(0)


def test_what_groups_have_in_common_is_between_by_within():
    # Three words of equal weight: within a group the cosine is 1, between the groups 1/3.
    documents = texts(*["cat purr paw"] * 3, *["cat star orbit"] * 3)
    assert split_seeds(documents, library=LIBRARY).in_common == pytest.approx(1 / 3)


def test_a_word_that_all_the_library_has_makes_no_seeds_alike():
    everywhere = library_of(*(Document(id=f"{n}", title="patient") for n in range(50)))
    documents = texts(*["patient cat purr"] * 3, *["patient star orbit"] * 3)
    assert split_seeds(documents, library=everywhere).in_common < 0.01


def test_more_is_allowed_in_common_the_more_seeds_there_are():
    assert compute_limit(10) < compute_limit(20) < compute_limit(500) < 0.48


def test_short_seeds_may_have_less_in_common():
    assert compute_limit(20, 40) < compute_limit(20, 70) < compute_limit(20, 100)
    assert compute_limit(20, 200) == compute_limit(20)
    assert compute_limit(20, 3) == compute_limit(20, 30)


@pytest.mark.parametrize("number", [0, 3, 5])
def test_a_handful_of_seeds_has_no_groups(number):
    assert split_seeds(about(CATS, start=0, number=number), library=LIBRARY) is None


def test_seeds_that_share_no_word_are_not_two_topics():
    groups = split_seeds(texts(*map(str, range(12))), library=LIBRARY)
    assert groups is None or groups.in_common == 1.0


def test_titles_say_too_little_to_tell_topics_by():
    titles = [Document(id=f"{n}", title="Cat" if n < 9 else "Star") for n in range(18)]
    assert split_seeds(titles, library=LIBRARY) is None


def test_a_seed_without_abstract_belongs_to_no_group():
    groups = split_seeds([*about(CATS, start=0), Document(id="x", title="Cat")], library=LIBRARY)
    assert "x" not in {d.id for group in groups[:2] for d in group.documents}


def test_nine_seeds_with_abstracts_are_too_few_to_be_two_topics():
    groups = split_seeds([*about(CATS, start=0, number=5), *about(STARS, start=9, number=4)],
                        library=LIBRARY)  # fmt: skip
    assert (groups.in_common, groups.are_two_topics) == (pytest.approx(0), False)


@given(st.lists(st.lists(st.sampled_from([*CATS, *STARS]), max_size=6).map(" ".join), max_size=20))
def test_every_seed_with_an_abstract_is_in_one_group(said):
    documents = texts(*said)
    groups = split_seeds(documents, library=LIBRARY)
    if groups:
        ids = [d.id for group in groups[:2] for d in group.documents]
        assert sorted(ids) == sorted(d.id for d in documents)
        assert len(groups.larger.documents) >= len(groups.smaller.documents) >= 3
        assert groups.in_common >= 0


def test_groups_come_out_the_same_each_time():
    documents = [*about(CATS, start=0), *about(STARS, start=20, number=7)]
    first, second = (split_seeds(documents, library=LIBRARY) for _ in range(2))
    assert isinstance(first, SeedGroups)
    assert first == second


# Corners


def dated(years, **fields):
    return [
        Document(id=f"{n}", title="Cats", abstract="They purr.", year=year, **fields)
        for n, year in enumerate(years)
    ]


def test_seeds_of_few_years_are_a_corner():
    found = dated([1977] * 40 + [1990] * 60)
    (warning,) = corners_of(dated([1976, 1979] * 10), found)
    assert warning == (
        "all 20 seeds date from 1976-1979, compared with 40 % of the 100 documents found; "
        "if your topic is wider than that, add seeds from outside this corner"
    )


def test_what_was_marked_relevant_is_not_called_a_seed():
    seeds, found = Seeds((), tuple(dated([1977] * 20)), ()), dated([1977, 1990, 2020] * 30)
    (warning,) = warn_of_corners(
        seeds, found, analyze_all=LIBRARY.analyze_all, among="seeds and relevant papers"
    )
    assert warning.startswith("all 20 seeds and relevant papers date from 1977")


def test_one_seed_of_another_time_does_not_hide_the_corner():
    (warning,) = corners_of(dated([1977] * 19 + [2020]), dated([1977, 1990, 2020] * 30))
    assert warning.startswith("19 of 20 seeds date from 1977, compared with 33 % of the 90")


@pytest.mark.parametrize(
    ("seeds", "found"),
    [
        (dated([1976, 1979] * 10), dated([1977] * 80 + [1990] * 20)),
        (dated([1977] * 9), dated([1990] * 100)),
        (dated([1977] * 20), dated([1990] * 19)),
        (dated([None] * 20), dated([1990] * 100)),
        (dated([1977] * 20), []),
    ],
    ids=["found are too", "few seeds", "few found", "years unknown", "nothing found"],
)
def test_years_are_no_corner_where_there_is_no_evidence(seeds, found):
    assert corners_of(seeds, found) == []


def test_seeds_from_one_journal_are_a_corner():
    (warning,) = corners_of(dated([None] * 12, journal="Gut."), dated([None] * 50, journal="Cell"))
    assert warning.startswith("all 12 seeds are from Gut, compared with less than 1 % of the 50")


def test_seeds_by_one_author_are_a_corner_however_the_name_is_written():
    seeds = [*dated([None] * 6, authors=("Li, Ann",)), *dated([None] * 6, authors=("Li, A.", "Wu"))]
    (warning,) = corners_of(seeds, dated([None] * 50, authors=("Wu, B",)))
    assert warning.startswith("all 12 seeds are by Li, A, compared with less than 1 %")


def test_words_of_the_seeds_that_few_of_the_found_have_are_a_corner():
    seeds = texts(*["liver and hepatocytes"] * 16, *["liver"] * 4)
    found = texts(*["liver"] * 88, *["liver and a hepatocyte"] * 12)
    (warning,) = corners_of(seeds, found)
    assert warning.startswith("16 of 20 seeds say 'hepatocytes', compared with 12 % of the 100")


def test_several_words_are_told_in_one_sentence_but_no_numbers():
    seeds = texts(*["kitten paw 7 liver"] * 20)
    (warning,) = corners_of(seeds, texts(*["liver"] * 90, *["liver paw"] * 10))
    assert "100 documents found, and 20 'paw', compared with 10 %; if" in warning


def test_documents_found_without_abstract_do_not_make_a_corner_of_words():
    seeds, found = texts(*["kitten"] * 20), texts(*["kitten"] * 30)
    assert corners_of(seeds, [*found, *(Document(id="x", title="Cats") for _ in range(90))]) == []


def test_words_that_half_of_the_seeds_have_are_no_corner():
    seeds = texts(*["kitten liver"] * 10, *["liver"] * 10)
    assert corners_of(seeds, texts(*["liver"] * 100)) == []


def test_of_very_many_documents_found_some_of_every_rank_are_looked_at():
    found = texts(*["kitten"] * 1500, *["liver"] * 1500)
    (warning,) = corners_of(texts(*["kitten"] * 20), found)
    assert "compared with 50 % of the 3,000 documents found" in warning


# Spelling


def test_a_term_is_spelled_as_it_is_written_most():
    documents = texts("Ulcers, ulcer", "ulcer and ECG", "ECG; Glucose")
    terms = ["ulcer", "ecg", "glucos", "gone"]
    spelling = spell_terms(terms, documents, analyze_all=LIBRARY.analyze_all)
    assert spelling == ["ulcer", "ECG", "glucose", "gone"]


def test_five_hundred_seeds_take_half_a_second():
    seeds = [*about(CATS, start=0, number=300), *about(STARS, start=300, number=200)]
    start = time.perf_counter()
    assert len(warnings_of(seeds)) == 1
    corners_of(seeds, seeds)
    # Twice what it may take, since other tests may run beside it.
    assert time.perf_counter() - start < 1


def test_seeds_that_do_not_find_one_another_are_told():
    (told,) = warn_of_scattering([0.1, 0.5, 0.9], pool=1000)
    assert "rank below 50 % of the pool" in told


def test_seeds_that_find_one_another_are_not():
    assert warn_of_scattering([0.01, 0.02, 0.9], pool=1000) == []


def test_of_a_small_pool_much_may_be_on_topic():
    assert warn_of_scattering([0.5, 0.5, 0.5], pool=40) == []
