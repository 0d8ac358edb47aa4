"""The engines against each other, on real text and on random libraries."""

import itertools
import random
from functools import cache

import msgspec
import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from library.opensearch.kept import filled_library
from likewise.documents import Document, MeshHeading, read
from likewise.library import Query, Term
from likewise.library.analysis import STOP_WORDS, build_analyzer
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.memory import MemoryLibrary
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.where import Where

WORDS = ["insulin", "rat", "liver", "sleep", "cell", "gene"]
texts = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
queries = st.builds(
    lambda terms, minimum: Query(tuple(Term(f, t, w) for (f, t), w in terms.items()), minimum),
    st.dictionaries(
        st.tuples(st.sampled_from(["title", "abstract"]), st.sampled_from(WORDS)),
        st.floats(0.1, 5),
        min_size=1,
    ),
    st.integers(1, 4),
)


def both(documents, folder):
    engines = MemoryLibrary(), EmbeddedLibrary(folder, write=True)
    for engine in engines:
        engine.add(documents)
        engine.commit()
    return engines


def assert_same_hits(here, there):
    """Scores agree to 1e-4, and ids wherever neighbouring scores are further apart than that."""
    assert there.scores == pytest.approx(here.scores, rel=1e-4)
    assert sorted_within_ties(here) == sorted_within_ties(there)


def sorted_within_ties(hits):
    # The last group is left out: which of its members come before the cut is rounding's choice.
    groups, last = [set()], None
    for identifier, score in zip(hits.ids, hits.scores, strict=True):
        if last is not None and score < last * (1 - 1e-4):
            groups.append(set())
        groups[-1].add(identifier)
        last = score
    return groups[:-1]


@settings(max_examples=40, deadline=None)
@given(papers=st.lists(st.tuples(texts, texts), max_size=12), query=queries)
def test_the_embedded_engine_equals_the_reference(papers, query, tmp_path_factory):
    documents = [Document(id=str(n), title=t, abstract=a) for n, (t, a) in enumerate(papers)]
    memory, embedded = both(documents, tmp_path_factory.mktemp("lib"))
    here, there = memory.find_best(query, limit=20), embedded.find_best(query, limit=20)
    assert dict(zip(there.ids, there.scores, strict=True)) == pytest.approx(
        dict(zip(here.ids, here.scores, strict=True)), rel=1e-4
    )


@settings(max_examples=25, deadline=None)
@given(
    papers=st.lists(
        st.builds(
            Document,
            title=texts,
            year=st.none() | st.integers(1998, 2003),
            language=st.sampled_from(["", "eng", "English; fr", "klingon"]),
            publication_types=st.lists(st.sampled_from(["Review", "Comment"])).map(tuple),
        ),
        max_size=12,
    ),
    query=queries,
    limits=st.lists(
        st.sampled_from(
            [
                "year>2000",
                "year<=2001",
                "language=eng",
                "language!=fr",
                "type=review",
                "type!=x|review",
            ]
        )
    ),
)
def test_limits_of_the_embedded_engine_equal_the_references(
    papers, query, limits, tmp_path_factory
):
    documents = [msgspec.structs.replace(paper, id=str(n)) for n, paper in enumerate(papers)]
    memory, embedded = both(documents, tmp_path_factory.mktemp("lib"))
    where = Where.parse(" and ".join(limits))
    here, there = (
        engine.find_best(query._replace(where=where), limit=20) for engine in (memory, embedded)
    )
    assert sorted(there.ids) == sorted(here.ids)
    assert embedded.list_ids(where) == memory.list_ids(where)
    assert embedded.count(where) == memory.count(where)


@settings(max_examples=5, deadline=None)
@given(
    papers=st.lists(st.tuples(texts, texts), min_size=4, max_size=12),
    asked=st.lists(queries, min_size=8, max_size=12),
    shards=st.integers(1, 3),
)
def test_a_server_equals_the_reference_with_a_word_in_each_empty_field(
    papers, asked, shards, opensearch_url
):
    documents = [Document(id=str(n), title=t, abstract=a) for n, (t, a) in enumerate(papers)]
    memory = MemoryLibrary()
    # Servers leave empty fields out of the mean length, unless there is a term in them.
    memory.add(
        Document(id=d.id, title=d.title or "empty", abstract=d.abstract or "empty")
        for d in documents
    )
    memory.commit()
    with filled_library(opensearch_url, documents, shards=shards) as served:
        for query in asked:
            here, there = memory.find_best(query, limit=20), served.find_best(query, limit=20)
            assert dict(zip(there.ids, there.scores, strict=True)) == pytest.approx(
                dict(zip(here.ids, here.scores, strict=True)), rel=1e-4
            )


def test_the_reference_scores_as_if_what_was_replaced_or_deleted_had_never_been():
    papers = [Document(id="1", title="cat cat dog"), Document(id="2", title="bird")]
    fresh, used = MemoryLibrary(), MemoryLibrary()
    used.add([Document(id="1", title="a long title on cats"), Document(id="3", title="cat")])
    used.commit()
    used.delete(["3"])
    for library in (fresh, used):
        library.add(papers)
        library.commit()
    query = Query((Term("title", "cat"),))
    assert used.find_best(query, limit=5) == fresh.find_best(query, limit=5)


names = st.sampled_from(["Rats", "Brain", "Fatty Acids, 18:1", ""])
mesh = st.lists(st.builds(MeshHeading, names, st.sampled_from(["", "D1", "D2", "a:b"])))


@settings(max_examples=40, deadline=None)
@given(labels=st.lists(mesh, max_size=8), asked=st.lists(st.integers(0, 11), max_size=4))
def test_the_engines_have_the_same_headings(labels, asked, tmp_path_factory):
    documents = [Document(id=str(n), title="a", mesh=tuple(m)) for n, m in enumerate(labels)]
    memory, embedded = both(documents, tmp_path_factory.mktemp("lib"))
    headings = sorted(memory.count_headings())
    assert embedded.count_headings() == memory.count_headings()
    terms = [headings[number : number + 2] for number in asked]
    assert embedded.find_having(terms) == memory.find_having(terms)


@pytest.fixture(scope="module")
def real(shared_data):
    documents = list(itertools.islice(read(shared_data / "mesh.jsonl.gz"), 4000))
    memory = MemoryLibrary()
    memory.add(documents)
    memory.commit()
    return documents, memory


@pytest.fixture(scope="module", params=["embedded", "opensearch"])
def engine(request, real, tmp_path_factory):
    """An engine that holds the real documents; the server has them in two shards."""
    documents, _ = real
    if request.param == "opensearch":
        url = request.getfixturevalue("opensearch_url")
        with filled_library(url, documents, shards=2) as library:
            yield library
    else:
        with EmbeddedLibrary(tmp_path_factory.mktemp("real"), write=True) as library:
            library.add(documents)
            library.commit()
            yield library


@pytest.fixture(scope="module")
def asked(real):
    """Twenty papers of a seed, and their terms."""
    documents, memory = real

    def choose(seed):
        seeds = random.Random(seed).sample(documents, 20)
        return seeds, select_terms(memory, seeds, settings=MoreLike(max_terms=60))

    return choose


@pytest.mark.parametrize("minimum", [1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_the_engines_agree_on_real_abstracts(real, engine, asked, seed, minimum):
    _, memory = real
    seeds, terms = asked(seed)
    query = Query(terms, minimum)
    ids = [document.id for document in seeds]
    assert_same_hits(
        memory.find_best(query, limit=300, exclude=ids),
        engine.find_best(query, limit=300, exclude=ids),
    )


def test_the_engines_choose_the_same_terms_of_real_abstracts(real, engine):
    documents, memory = real
    chosen = [
        select_terms(library, documents[:20], settings=MoreLike()) for library in (memory, engine)
    ]
    assert chosen[0] == chosen[1]


def test_analysis_equals_an_independent_one_on_real_abstracts(real):
    stem = cache(snowballstemmer.stemmer("english").stemWord)
    for document in real[0][:500]:
        if document.text.isascii():
            words = "".join(c if c.isalnum() else " " for c in document.text.lower()).split()
            expected = [stem(word) for word in words if word not in STOP_WORDS and len(word) < 64]
            assert build_analyzer().analyze(document.text) == expected


def test_the_engines_agree_on_real_headings(real, engine):
    _, memory = real
    headings = memory.count_headings()
    assert engine.count_headings() == headings
    often = sorted(headings, key=headings.__getitem__)[-12:]
    for pair in itertools.pairwise(often):
        terms = [[heading] for heading in pair]
        assert engine.find_having(terms) == memory.find_having(terms)


def test_real_documents_come_back_whole(real, engine):
    documents, _ = real
    assert engine.get([document.id for document in documents]) == documents
