import numpy as np

from bench.topical import labelled_library, relevant
from expansion.corpus import library_of, on
from likewise.bench.tasks.pools import NarrowedLibrary, retrieve_case_control, retrieve_censoring
from likewise.documents import Document
from likewise.library.more_like import MoreLike
from likewise.library.protocol import make_words_query

SEEDS = on("bees")[:10]
IDS = {seed.id for seed in SEEDS}


def rng():
    return np.random.default_rng(0)


def by_seeds(size=100):
    return retrieve_case_control(
        labelled_library(), SEEDS, size=size, more_like=MoreLike(), rng=rng()
    )


def by_topic(size=60, members=None, library=None):
    return retrieve_censoring(
        library or labelled_library(),
        members or on("bees"),
        seeds=SEEDS,
        size=size,
        more_like=MoreLike(),
        rng=rng(),
    )


# Case-control


def test_the_pool_of_seeds_has_the_size_asked_for_and_none_of_them():
    pool = by_seeds()
    assert len(pool.hits) == 100
    assert IDS.isdisjoint(pool.hits.ids)


def test_the_pool_of_seeds_holds_most_of_their_topic():
    assert len(relevant() & set(by_seeds().hits.ids)) >= 30


def test_seeds_that_are_held_out_have_a_share_of_the_pool_above_them():
    pool = by_seeds()
    assert pool.above.keys() <= IDS
    assert len(pool.above) >= 9
    assert all(0 <= share <= 1 for share in pool.above.values())
    assert np.median(list(pool.above.values())) < 0.4


# Censoring


def test_censoring_fills_the_topic_without_its_seeds_up_with_others():
    found = set(by_topic().hits.ids)
    assert found & relevant() == relevant() - IDS
    assert len(found) == 60


def test_what_is_censored_is_ranked_as_the_seeds_alone_would_find_it():
    """A query made of the whole topic would tell the truth."""
    pool = by_topic()
    everything = retrieve_case_control(
        labelled_library(), SEEDS, size=1000, more_like=MoreLike(), rng=rng()
    ).hits
    found = set(pool.hits.ids)
    assert pool.hits.ids == [name for name in everything.ids if name in found]


def test_the_end_of_what_is_censored_is_not_the_topics_alone():
    ends = [name in relevant() for name in by_topic(size=55).hits.ids[-5:]]
    assert not all(ends)


def test_seeds_have_their_place_among_what_is_censored():
    pool = by_topic()
    assert pool.above.keys() == IDS
    # All on topic rank before nearly all others: 35 of 60 are on topic without the seeds.
    assert np.median(list(pool.above.values())) < 35 / 60


def test_all_of_the_topic_is_there_though_it_is_larger_than_the_pool():
    assert set(by_topic(size=1).hits.ids) == relevant() - IDS


def test_members_that_share_no_term_with_the_seeds_come_last_and_score_nothing():
    odd = Document(id="odd", title="zzyzx")
    library = library_of(*on("bees"), *on("teeth"), odd)
    pool = by_topic(members=[*on("bees"), odd], library=library)
    assert pool.hits.ids[-1] == "odd"
    assert pool.hits.scores[-1] == 0


# Within


def test_searches_within_find_known_documents_alone_as_many_as_asked_for():
    documents = [Document(id=f"{number:02}", title="cat " * 3) for number in range(40)]
    library = library_of(*documents)
    query = make_words_query("cat", library=library)
    known = {"03", "20", "38", "39"}
    within = NarrowedLibrary(library, known.intersection)
    found = within.search(query, limit=3)
    assert found.ids == ["03", "20", "38"]
    assert len(found.scores) == 3
    # 39 of 40 equal documents come before the last that was found.
    assert within.passed_over == [36]


def test_searches_within_end_when_nothing_more_is_known():
    library = library_of(Document(id="1", title="cat"), Document(id="2", title="cat dog"))
    query = make_words_query("cat", library=library)
    assert NarrowedLibrary(library, {"2", "9"}.intersection).search(query, limit=2).ids == ["2"]
    assert NarrowedLibrary(library, set().intersection).search(query, limit=2).ids == []


def test_but_for_what_it_finds_the_library_is_as_it_was():
    within = NarrowedLibrary(labelled_library(), {"1"}.intersection)
    assert within.count() == 320
    assert within.list_ids() == ["1"]
