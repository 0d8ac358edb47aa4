from dataclasses import replace

import msgspec
import numpy as np
import pytest

from bench.topical import (
    BEES,
    UIS,
    labelled_documents,
    labelled_library,
    made,
    relevant,
    settings,
    topic_members,
)
from expansion.corpus import library_of
from likewise.bench.methods.scorers import score_citations
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.bench.tasks import TaskSettings, name_topic
from likewise.bench.tasks.folders import TaskFolder
from likewise.bench.tasks.making import TopicMembers, find_topic_members, make_tasks
from likewise.bench.tasks.pools import DocumentFetcher
from likewise.bench.topics import Topic, parse_topic
from likewise.documents.document import MeshHeading
from likewise.errors import SettingsError, TaskError, TopicError
from likewise.library.protocol import Hits

NAME = f"L6/{BEES}/draw-0"


def task_of(folder, name=NAME):
    return TaskFolder(folder).read_task(name)


def fingerprints(folder):
    tasks = TaskFolder(folder)
    return {name: tasks.read_metadata(name).fingerprint for name in tasks.list_names()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Two draws with 6 and 10 seeds."""
    return made(tmp_path_factory.mktemp("plain") / "tasks", seeds=(6, 10), draws=2)


def seeds_of(folder, name, split):
    return [e.id for e in task_of(folder, name).list_entries("positive") if e.split == split]


# What a task holds


def test_seeds_are_on_topic_and_split_into_a_half_and_two_quarters(plain):
    assert len(seeds_of(plain, NAME, "train")) == 6
    assert len(seeds_of(plain, NAME, "validation")) == 3
    assert len(seeds_of(plain, NAME, "test")) == 3
    assert {entry.id for entry in task_of(plain).list_entries("positive")} <= relevant()


def test_the_pool_is_what_the_engine_found_in_its_order_without_the_seeds(plain):
    task = task_of(plain)
    pool = task.list_entries("unlabeled")
    assert len(pool) == 100
    assert [entry.rank for entry in pool] == list(range(1, 101))
    assert [entry.score for entry in pool] == sorted((e.score for e in pool), reverse=True)
    assert not {e.id for e in pool} & {e.id for e in task.list_entries("positive")}


def test_seeds_say_what_share_of_the_pool_stands_above_them_but_have_no_rank(plain):
    seeds = task_of(plain).list_entries("positive")
    assert all(seed.rank is None and seed.score is None for seed in seeds)
    assert any(seed.above is not None for seed in seeds)


def test_metadata_count_what_is_there(plain):
    task, truth = task_of(plain), TaskFolder(plain).read_truth(NAME)
    told = task.metadata
    found = len(truth.relevant & {entry.id for entry in task.list_entries("unlabeled")})
    assert (told.P_size, told.LP_size, told.U_size, told.N_size) == (45, 12, 100, 0)
    assert (told.train_LP_size, told.valid_LP_size, told.test_LP_size) == (6, 3, 3)
    assert (told.pool, told.pool_of, told.train_U_size) == (50, "train", 50)
    assert told.valid_U_size + told.test_U_size == 50
    assert told.train_size == told.train_U_size + 6
    assert told.precision == found / 100
    assert told.recall == found / (45 - 12)


def test_metadata_say_how_the_task_was_made(plain):
    told = task_of(plain).metadata
    assert (told.topic, told.mesh_conjunction, told.mesh_conjunction_str) == (
        "Bees", (BEES,), ("Bees",),
    )  # fmt: skip
    assert (told.seeds, told.draw, told.number, told.library_size) == (6, 0, 0, 320)
    assert told.engine.startswith("tantivy ")
    assert told.query["pool"] == 100
    assert told.query["max_terms"] == 200
    assert told.library
    assert told.fingerprint


def test_larger_tasks_of_a_draw_hold_the_seeds_of_the_smaller_ones(plain):
    larger = f"L10/{BEES}/draw-0"
    for split in ("train", "validation"):
        assert set(seeds_of(plain, NAME, split)) < set(seeds_of(plain, larger, split))


def test_draws_have_different_seeds(plain):
    assert seeds_of(plain, NAME, "train") != seeds_of(plain, f"L6/{BEES}/draw-1", "train")


def test_a_transductive_task_has_no_splits(tmp_path):
    task = task_of(made(tmp_path / "tasks", setting="transductive"))
    assert {entry.split for entry in task.entries} == {"all"}
    assert len(task.list_entries("positive")) == 6
    assert task.metadata.train_size == task.metadata.test_size == 0


def test_a_censored_pool_holds_the_whole_topic_but_for_the_seeds(tmp_path):
    folder = made(tmp_path / "tasks", scheme="censoring", pool=40)
    told = task_of(folder).metadata
    assert told.recall == 1.0
    assert told.U_size == 80
    assert all(seed.above is not None for seed in task_of(folder).list_entries("positive"))


def test_a_censored_pool_that_is_cut_to_its_size_loses_nothing_on_topic(tmp_path):
    # A document on topic that shares no word with the others comes last, and is there.
    odd = msgspec.structs.replace(
        labelled_documents()[0], id="odd", pmid="", title="Zzyzx", abstract="Qwxyz",
        mesh=(MeshHeading("Bees", BEES),),
    )  # fmt: skip
    library = library_of(*labelled_documents(), odd)
    folder = made(tmp_path / "tasks", library=library, scheme="censoring", pool=40)
    pool = [entry.id for entry in task_of(folder).list_entries("unlabeled")]
    assert len(pool) == 80
    assert pool[-1] == "odd"
    assert task_of(folder).metadata.recall == 1.0


def test_labelled_negatives_are_off_topic_and_no_part_of_the_pool(tmp_path):
    folder = made(tmp_path / "tasks", negatives=10)
    task = task_of(folder)
    negatives = task.list_entries("negative")
    assert [e.split for e in negatives].count("train") == 10
    assert [e.split for e in negatives].count("validation") == 5
    assert relevant().isdisjoint(entry.id for entry in negatives)
    assert (task.metadata.N_size, task.metadata.U_size) == (15, 85)
    assert task.metadata.negatives == 10


def test_negatives_by_rank_stand_high_in_the_pool(tmp_path):
    folder = made(tmp_path / "tasks", negatives=6, negatives_bias="rank")
    task = task_of(folder)
    off_topic = [e for e in task.entries if e.rank and e.id not in relevant()]
    favoured = off_topic[: -(-len(off_topic) // 3)]
    assert {e.id for e in task.list_entries("negative")} <= {e.id for e in favoured}


def test_more_negatives_than_the_pool_has_are_refused(tmp_path):
    with pytest.raises(TaskError, match=r"too few for 150 labelled ones"):
        made(tmp_path / "tasks", negatives=100)


@pytest.mark.parametrize("bias", ["length", "year", "rank", "cluster"])
def test_biased_seeds_are_said_to_be(tmp_path, bias):
    folder = made(tmp_path / "tasks", seeds_bias=bias)
    assert task_of(folder).metadata.seeds_bias == bias


def test_seeds_by_year_are_of_the_recent_third(tmp_path):
    folder = made(tmp_path / "tasks", seeds_bias="year")
    task = task_of(folder)
    years = sorted(d.year for d in labelled_documents() if d.id in relevant())
    assert min(task.documents[e.id].year for e in task.list_entries("positive")) >= years[-15]


def test_seeds_by_citations_are_those_often_cited(tmp_path):
    cited = dict.fromkeys(sorted(relevant())[:15], 100)
    folder = made(tmp_path / "tasks", seeds_bias="citations", citations=cited)
    assert {entry.id for entry in task_of(folder).list_entries("positive")} <= cited.keys()


def test_where_truth_is_known_of_some_documents_only_these_are_in_the_pool(tmp_path):
    _, members = topic_members()
    known = frozenset([*members.relevant, *(d.id for d in labelled_documents()[:150])])
    found = TopicMembers(Topic(("Bees",), "some"), replace(members, known=known))
    out = tmp_path / "tasks"
    make_tasks(labelled_library(), [found], settings=settings(), out=out)
    (name,) = TaskFolder(out).list_names()
    assert name == f"L6/{BEES}.within-some/draw-0"
    assert {entry.id for entry in task_of(out, name).entries} <= known


# What has no headings or no abstract


@pytest.fixture(scope="module")
def unindexed():
    """The library, with every fifth document without an abstract, and the next without headings."""
    lacking = [{"abstract": ""}, {"mesh": ()}, {}, {}, {}]
    return library_of(
        *(
            msgspec.structs.replace(document, **lacking[number % 5])
            for number, document in enumerate(labelled_documents())
        )
    )


def test_a_topic_of_mesh_is_made_among_documents_with_headings_and_abstract(unindexed, tmp_path):
    folder = made(tmp_path / "tasks", library=unindexed, seeds=(3,), pool=30)
    (name,) = TaskFolder(folder).list_names()
    task = task_of(folder, name)
    whole = {d.id for number, d in enumerate(labelled_documents()) if number % 5 > 1}
    assert {entry.id for entry in task.entries} <= whole
    assert set(task.background) <= whole
    assert TaskFolder(folder).read_truth(name).relevant == relevant() & whole


def test_metadata_say_how_many_were_left_out(unindexed, tmp_path):
    folder = made(tmp_path / "tasks", library=unindexed, seeds=(3,), pool=30)
    told = task_of(folder, TaskFolder(folder).list_names()[0]).metadata
    headed = [d for number, d in enumerate(labelled_documents()) if number % 5 != 1]
    on_topic = relevant() & {document.id for document in headed}
    assert told.unindexed_topic == len(on_topic) - told.P_size
    # About two of five that the query finds, up to the last of the 60 and some that are kept.
    assert 15 <= told.unindexed_pool <= 60


def test_what_is_not_indexed_is_kept_if_that_is_asked_for(unindexed, tmp_path):
    chosen = {"seeds": (3,), "pool": 100, "keep_unindexed": True}
    folder = made(tmp_path / "tasks", library=unindexed, **chosen)
    task = task_of(folder, TaskFolder(folder).list_names()[0])
    assert any(not task.documents[entry.id].abstract for entry in task.entries)
    assert (task.metadata.unindexed_pool, task.metadata.unindexed_topic) == (0, 0)


def test_a_topic_with_too_few_indexed_documents_says_how_many_it_lacks(unindexed, tmp_path):
    with pytest.raises(TopicError, match=r"on topic, 36 are needed; \d+ more have no abstract"):
        made(tmp_path / "tasks", library=unindexed, seeds=(8,), pool=30)


# Seeds of the test part


def test_without_test_seeds_the_pool_is_the_same_and_they_are_nowhere(plain, tmp_path):
    left_out = set(seeds_of(plain, NAME, "test"))
    folder = made(tmp_path / "tasks", seeds=(6,), test_seeds=False)
    task = task_of(folder)
    assert task.list_entries("unlabeled") == task_of(plain).list_entries("unlabeled")
    assert left_out.isdisjoint(entry.id for entry in task.entries)
    assert TaskFolder(folder).read_truth(NAME).relevant == relevant() - left_out


def test_the_query_is_that_of_all_seeds(plain):
    # A seed of the test part is in no pool that it helped to retrieve.
    pool = {entry.id for entry in task_of(plain).list_entries("unlabeled")}
    assert pool.isdisjoint(seeds_of(plain, NAME, "test"))


# Tasks of before


def test_tasks_whose_pool_counts_all_parts_are_not_added_to(tmp_path):
    out = made(tmp_path / "tasks")
    head = msgspec.json.decode((out / "tasks.json").read_bytes())
    del head["made"]["pool_of"]
    (out / "tasks.json").write_bytes(msgspec.json.encode(head))
    with pytest.raises(
        TaskError, match="holds tasks of an earlier version, whose pool counts all parts"
    ):
        made(out)


# The same text twice


def test_a_pool_has_no_document_that_says_what_a_seed_or_a_better_one_says(tmp_path):
    copies = [
        msgspec.structs.replace(document, id=f"copy-{document.id}", pmid="", mesh=())
        for document in labelled_documents()
    ]
    library = library_of(*labelled_documents(), *copies)
    task = task_of(made(tmp_path / "tasks", library=library, pool=100, keep_unindexed=True))
    texts = [task.documents[entry.id].text for entry in task.entries]
    assert len(set(texts)) == len(texts)
    # Others are retrieved in their place.
    assert task.metadata.U_size == 200


def test_of_documents_that_say_the_same_the_first_is_drawn():
    same = [msgspec.structs.replace(labelled_documents()[0], id=name) for name in "abc"]
    other = msgspec.structs.replace(labelled_documents()[1], id="d")
    fetched = DocumentFetcher(library_of(*same, other))
    assert fetched.take_first(["a", "b", "d", "c"], 2) == ["a", "d"]
    assert fetched.take_first(["a", "b", "c"], 2) == ["a"]
    assert fetched.drop_copies(Hits(["b", "d"], [2.0, 1.0]), beside=["a"]) == (["d"], [1.0])


# The same number, the same tasks


def test_the_same_number_gives_the_same_tasks_and_another_number_others(plain, tmp_path):
    again = made(tmp_path / "again", seeds=(6, 10), draws=2)
    other = made(tmp_path / "other", seeds=(6, 10), draws=2, number=1)
    assert fingerprints(again) == fingerprints(plain)
    assert not set(fingerprints(other).values()) & set(fingerprints(plain).values())


def test_another_topic_or_more_draws_change_no_task(plain, tmp_path):
    more = made(tmp_path / "more", "Sleep", "Bees", seeds=(6,), draws=1)
    assert fingerprints(more)[NAME] == fingerprints(plain)[NAME]


def test_a_topic_by_identifier_is_the_same_as_by_name(plain, tmp_path):
    folder = made(tmp_path / "tasks", BEES, seeds=(6,), draws=1)
    assert fingerprints(folder)[NAME] == fingerprints(plain)[NAME]


# A folder that is there


def test_a_topic_that_is_spelled_in_several_ways_is_one():
    spelled = ["bees + SLEEP", "Sleep + Bees", f"{UIS['bees']}.{UIS['sleep']}", "Bees"]
    found, left_out = find_topic_members(labelled_library(), list(map(parse_topic, spelled)))
    assert [str(topic) for topic, _ in found] == ["Bees + Sleep", "Bees"]
    assert left_out == []


def test_tasks_are_added_to_a_folder_that_was_made_alike(tmp_path):
    out = made(tmp_path / "tasks")
    before = (out / NAME / "input.jsonl.gz").stat().st_mtime_ns
    report = make_tasks(
        labelled_library(),
        [topic_members("Bees"), topic_members("Sleep")],
        settings=settings(draws=2),
        out=out,
    )
    assert report.kept == (NAME,)
    assert len(report.made) == 3
    assert (out / NAME / "input.jsonl.gz").stat().st_mtime_ns == before
    assert len(TaskFolder(out).list_names()) == 4
    assert {e.id for e in task_of(out).entries} <= TaskFolder(out).documents.keys()


def test_making_that_was_broken_off_is_finished_by_the_same_command(tmp_path):
    def stop(done, total, name):
        if done == 1:
            raise KeyboardInterrupt

    out, topics = tmp_path / "tasks", [topic_members()]
    with pytest.raises(KeyboardInterrupt):
        make_tasks(
            labelled_library(), topics, settings=settings(draws=2), out=out, on_progress=stop
        )
    with pytest.raises(TaskError, match="was interrupted"):
        TaskFolder(out).list_names()
    report = make_tasks(labelled_library(), topics, settings=settings(draws=2), out=out)
    assert (len(report.kept), len(report.made)) == (1, 1)
    assert len(TaskFolder(out).list_names()) == 2


def test_a_folder_of_tasks_made_otherwise_is_not_added_to(tmp_path):
    out = made(tmp_path / "tasks")
    with pytest.raises(TaskError, match="made with pool 50, not 45; give another --out"):
        made(out, pool=45)
    with pytest.raises(TaskError, match="made with number 0, not 3"):
        made(out, number=3)


def test_a_folder_of_tasks_of_another_library_is_not_added_to(tmp_path):
    out = made(tmp_path / "tasks")
    with pytest.raises(TaskError, match="tasks of another library"):
        made(out, library=library_of(*labelled_documents()[:300]))


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear")
    for out in (tmp_path, tmp_path / "letter.txt"):
        with pytest.raises(TaskError, match="holds something else"):
            made(out)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


# What can't be made


def test_a_pool_larger_than_the_library_is_refused_with_both_numbers(tmp_path):
    with pytest.raises(
        TaskError, match=r"\|U\| of 161 takes 322 documents, but the library has 320"
    ):
        made(tmp_path / "tasks", pool=161)


def test_a_pool_that_cannot_be_filled_twice_over_is_refused_with_what_there_is(tmp_path):
    # All but 12 seeds, of 320.
    with pytest.raises(TaskError, match=r"finds 308 usable documents, .* \|U\| of 155 takes 310"):
        made(tmp_path / "tasks", pool=155)
    assert not (tmp_path / "tasks").exists()


def test_a_topic_with_too_few_documents_says_how_many_there_are(tmp_path):
    out = tmp_path / "tasks"
    # 20 seeds, as many for validation and testing, and 20 to be found.
    with pytest.raises(TopicError, match="45 documents on topic, 60 are needed"):
        made(out, seeds=(20,))
    assert not out.exists()


def test_tasks_with_enough_documents_are_made_and_the_others_told_once(tmp_path):
    report = make_tasks(
        labelled_library(),
        [topic_members()],
        settings=settings(seeds=(6, 20, 40)),
        out=tmp_path / "tasks",
    )
    assert report.made == (NAME,)
    assert len(report.left_out) == 1
    assert "60 are needed" in report.left_out[0]


def test_of_many_topics_those_unknown_are_left_out_and_told():
    topics = [parse_topic("Bees"), parse_topic("Bears")]
    found, left_out = find_topic_members(labelled_library(), topics)
    assert [str(one.topic) for one in found] == ["Bees"]
    assert left_out[0].startswith("Bears: no document has this heading")


@pytest.mark.parametrize(
    ("topics", "told"), [(["Bears"], "Bears: no"), (["Bears", "Wolves"], "none of 2 topics")]
)
def test_if_no_topic_is_left_that_is_an_error(topics, told):
    with pytest.raises(TopicError, match=told):
        find_topic_members(labelled_library(), [parse_topic(text) for text in topics])


def test_a_task_that_would_give_its_truth_away_is_not_made(tmp_path):
    told = [
        msgspec.structs.replace(d, abstract=f"{d.abstract} MeSH: {', '.join(h.ui for h in d.mesh)}")
        for d in labelled_documents()
    ]
    out = tmp_path / "tasks"
    with pytest.raises(TaskError, match=f"holds the identifier {BEES}"):
        made(out, library=library_of(*told))
    assert not out.exists()


# Names and settings


def test_topics_without_identifiers_are_named_by_their_terms():
    assert name_topic(["Cohen_Beta.abstract"]) == "Cohen_Beta.abstract"
    assert name_topic(["Heart Rate", "Sleep"]) == "Heart-Rate.Sleep"


def test_names_that_would_be_spelled_alike_are_told_apart():
    names = {name_topic([text]) for text in ("C", "C+", "C++", "C/")}
    assert len(names) == 4
    assert name_topic(["machine learning"]) != name_topic(["machine-learning"])
    assert len(name_topic(["x" * 500])) < 100


def test_every_topic_of_the_corpus_has_a_name_of_its_own():
    assert {name_topic(["t"], [ui]) for ui in UIS.values()} == set(UIS.values())


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"seeds": (2,)}, "at least 3 seeds"),
        ({"seeds": ()}, "at least 3 seeds"),
        ({"pool": 0}, "pool is 0"),
        ({"draws": 0}, "draws is 0"),
        ({"setting": "deductive"}, "inductive or transductive"),
        ({"scheme": "other"}, "case-control or censoring"),
        ({"seeds_bias": "mood"}, "there is no bias 'mood'"),
        ({"negatives_bias": "rank"}, "but no negatives"),
    ],
)
def test_settings_that_make_no_sense_are_refused(chosen, told):
    with pytest.raises(SettingsError, match=told):
        TaskSettings(**chosen)


# What documents cite


def test_references_are_kept_where_asked_for_and_the_topic_s_own_review_is_left_out(tmp_path):
    bees = sorted(relevant())
    papers = [
        msgspec.structs.replace(document, references=("7", "8") if document.id in bees else ("9",))
        for document in labelled_documents()
    ]
    review = msgspec.structs.replace(
        next(paper for paper in papers if paper.id not in bees),
        id="review", pmid="99999", title="Honey of the colony, a review of the hive and the queen",
        references=tuple(paper.pmid or paper.id for paper in papers if paper.id in bees),
    )  # fmt: skip
    library = library_of(*papers, review)
    task = task_of(made(tmp_path / "kept", library=library, pool=100, keep_references=True))
    assert "review" not in {entry.id for entry in task.entries}
    assert {task.documents[entry.id].references for entry in task.entries} == {("7", "8"), ("9",)}
    plain = task_of(made(tmp_path / "plain", library=library, pool=100))
    assert {task.references for task in plain.documents.values()} == {()}


def test_citations_alone_rank_a_task_that_keeps_them(tmp_path):
    bees = relevant()
    papers = [
        msgspec.structs.replace(document, references=("7", "8") if document.id in bees else ("9",))
        for document in labelled_documents()
    ]
    task = task_of(
        made(tmp_path / "t", library=library_of(*papers), pool=100, keep_references=True)
    )
    view = TaskView(task, CountedTerms())
    scored = score_citations(view.make_material(), rng=np.random.default_rng(0))
    best = np.argsort(-scored.scores.pool, kind="stable")[:10]
    assert {view.pool[row] in bees for row in best} == {True}
