import numpy as np
import pytest

from likewise.bench.topics import Topic
from likewise.bench.topics.mesh import CHECK_TAGS
from likewise.bench.topics.suggestions import (
    Suggestion,
    SuggestSettings,
    find_conjunctions,
    measure_spread,
    read_sample,
    suggest_topics,
)
from likewise.documents import Document, MeshHeading, read
from likewise.errors import SettingsError, TopicError
from likewise.library.memory import MemoryLibrary


def library_of(counts, *, year=None):
    """Return a library with so many documents of each conjunction of headings."""
    library = MemoryLibrary()
    for headings, count in counts.items():
        mesh = tuple(MeshHeading(name.strip()) for name in headings.split("+"))
        for number in range(count):
            library.add([Document(id=f"{headings}{number}", title="A", mesh=mesh, year=year)])
    library.commit()
    return library


COUNTS = {"Brain + Rats": 10, "Brain": 10, "Rats": 40, "Liver + Rats": 6, "Liver": 1, "Skin": 200}


def suggested(counts=None, *, rng=None, **settings):
    given = {"terms": 2, "minimum": 5, "maximum": 100} | settings
    rng = rng or np.random.default_rng(0)
    return suggest_topics(library_of(counts or COUNTS), SuggestSettings(**given), rng=rng)


def spelled(suggestions):
    return [str(suggestion.topic) for suggestion in suggestions.topics]


def test_topics_come_with_their_counts():
    found = suggested().topics[0]
    assert (str(found.topic), found.documents) == ("Brain + Rats", 10)
    assert (found.rarest, found.times, found.check_tags) == ("Brain", 2.0, 1)


def test_a_topic_that_its_rarest_term_would_do_for_comes_later():
    # Of Brain's documents half are on topic, of Liver's all but one.
    assert spelled(suggested()) == ["Brain + Rats", "Liver + Rats"]


@pytest.mark.parametrize(
    ("minimum", "maximum", "found"),
    [(7, 100, ["Brain + Rats"]), (5, 9, ["Liver + Rats"]), (11, 100, [])],
)
def test_only_topics_of_the_size_asked_for_are_suggested(minimum, maximum, found):
    assert spelled(suggested(minimum=minimum, maximum=maximum)) == found


def test_no_more_topics_than_asked_for_are_suggested():
    assert spelled(suggested(limit=1)) == ["Brain + Rats"]


def test_terms_that_meet_only_by_chance_are_no_topic():
    # Half of the documents have each, and a quarter both: as chance would have it.
    assert spelled(suggested({"Skin + Hair": 10, "Skin": 10, "Hair": 10, "Nails": 10})) == []


def test_check_tags_alone_are_no_topic():
    assert spelled(suggested({"Humans + Male": 10, "Humans": 10, "Male": 10, "Skin": 90})) == []


def test_no_rarest_term_comes_again_before_every_other_had_its_turn():
    counts = {
        "Brain + Liver + Hair": 10,
        "Brain": 10,
        "Liver": 20,
        "Hair": 25,
        "Skin + Nails": 6,
        "Skin": 1,
        "Nails": 9,
        "Bone": 200,
    }
    found = suggested(counts).topics
    assert [suggestion.rarest for suggestion in found] == ["Brain", "Liver", "Skin", "Brain"]


def test_a_heading_that_no_topic_can_be_spelled_with_is_left_out():
    library = MemoryLibrary()
    mesh = (MeshHeading("NAD+ Nucleosidase"), MeshHeading("Rats"))
    library.add(Document(id=str(number), title="A", mesh=mesh) for number in range(10))
    library.add([Document(id="x", title="B")])
    library.commit()
    sample = read_sample(library, library.list_ids(), minimum=5)
    assert sample.names == ("Rats",)


def test_a_heading_with_and_without_identifier_is_one_column():
    library = MemoryLibrary()
    for number, ui in enumerate(["", "", "D1"]):
        mesh = (MeshHeading("Rats", ui), MeshHeading("rats"))
        library.add([Document(id=str(number), title="A", mesh=mesh)])
    library.commit()
    sample = read_sample(library, library.list_ids(), minimum=1)
    assert (sample.names, sample.counts.tolist()) == (("Rats",), [3])


def test_what_a_sample_shows_is_counted_in_the_whole_library():
    found = suggested(sample=200)
    assert (found.documents, found.sampled) == (267, 200)
    assert found.topics[0].documents == 10
    assert found.topics[0].times == 2.0


def test_the_same_number_gives_the_same_suggestions():
    one, other = (suggested(sample=150, rng=np.random.default_rng(3)) for _ in range(2))
    assert one == other


def test_progress_goes_up_to_the_end():
    shares = []
    settings = SuggestSettings(terms=2, minimum=5, maximum=100)
    rng = np.random.default_rng(0)
    suggest_topics(library_of(COUNTS), settings, rng=rng, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_library_without_headings_is_told():
    library = MemoryLibrary()
    library.add([Document(id="1", title="A")])
    library.commit()
    with pytest.raises(TopicError, match="no MeSH headings to make topics of"):
        suggest_topics(library, SuggestSettings(), rng=np.random.default_rng(0))


def test_a_minimum_above_the_maximum_is_refused():
    with pytest.raises(SettingsError, match="from 300 to 200 documents: no such number"):
        SuggestSettings(minimum=300, maximum=200)


def test_worth_is_of_check_tags_rarest_term_and_spread():
    topic = Topic(("Brain", "Male", "Rats"))
    made = Suggestion(topic, documents=100, spread=0.5, check_tags=2, rarest="Brain", times=4.0)
    # A third of the terms tell something; a quarter of the rarest is on topic: 4 * 0.25 * 0.75.
    assert made.worth == pytest.approx(1 / 3 * 0.75 * 0.5)


def test_documents_of_all_groups_alike_are_spread_wholly():
    groups = np.tile([0, 1], 500)
    assert measure_spread(np.arange(0, 1000), groups, rng=np.random.default_rng(0)) == 1.0


def test_documents_of_one_group_share_with_others_no_more_than_its_part():
    groups = np.repeat([0, 1, 2, 3], 1000)
    # A quarter of all is in that group; as many drawn at random overlap nearly wholly.
    found = measure_spread(np.arange(1000), groups, rng=np.random.default_rng(0))
    assert found == pytest.approx(0.25, abs=0.02)


def test_few_documents_are_not_blamed_for_missing_groups():
    groups = np.arange(1000)
    assert measure_spread(np.arange(10), groups, rng=np.random.default_rng(0)) == pytest.approx(1.0)


def test_check_tags_are_spelled_as_mesh_spells_them():
    assert {"Humans", "Aged, 80 and over", "History, 20th Century"} <= CHECK_TAGS
    assert "Brain" not in CHECK_TAGS


@pytest.fixture(scope="module")
def real(shared_data):
    library = MemoryLibrary()
    for document in read(shared_data / "mesh.jsonl.gz"):
        # Without title and abstract: they are not looked at here, and take long to analyse.
        library.add([Document(id=document.id, mesh=document.mesh, year=document.year)])
    library.commit()
    return library


def test_real_conjunctions_have_the_counts_that_are_known(real):
    sample = read_sample(real, real.list_ids(), minimum=200)
    counts = {}
    for part in find_conjunctions(sample.has, size=3, minimum=200):
        for columns, count in zip(part.columns, part.counts, strict=True):
            counts[" + ".join(sorted(sample.names[column] for column in columns))] = int(count)
    known = {
        "Animals + Brain + Rats": 254,
        "Female + Infant, Newborn + Pregnancy": 221,
        "Animals + Liver + Rats": 537,
        "Humans + Male + Schizophrenia": 560,
    }
    assert {topic: counts[topic] for topic in known} == known
