"""Small tasks, made in memory: documents about cats are on topic, those about dogs are not."""

from likewise.bench.tasks import Task, TaskEntry, TaskMetadata, Truth
from likewise.documents import Document

CATS = ["cat", "purr", "whisker", "kitten", "meow"]
DOGS = ["dog", "bark", "leash", "puppy", "kennel"]
BOTH = ["animal", "study", "result", "method"]


def document(identifier, number, *, on_topic):
    words = CATS if on_topic else DOGS
    said = [words[(number + step) % 5] for step in range(3)] + [BOTH[number % 4]]
    return Document(id=identifier, title=f"{said[0]} {said[3]}", abstract=" ".join(said))


def made_task(*, seeds=8, relevant=20, others=60, setting="inductive", negatives=0):
    """Return a task and its truth; on and off topic by turns, from the top."""
    documents = {}

    def named(kind, count, *, on_topic):
        ids = [f"{kind}{number}" for number in range(count)]
        for number, identifier in enumerate(ids):
            documents[identifier] = document(identifier, number, on_topic=on_topic)
        return ids

    splits = ["train", "train", "validation", "test"] if setting == "inductive" else ["all"]
    seeds_split = ["train", "train", "validation"] if setting == "inductive" else ["all"]
    given = named("seed", seeds, on_topic=True)
    on, off = named("cat", relevant, on_topic=True), named("dog", others, on_topic=False)
    wrong = named("wrong", negatives, on_topic=False)
    background = named("random", 50, on_topic=False)
    entries = [
        TaskEntry(name, "positive", seeds_split[place % len(seeds_split)], above=place / 100)
        for place, name in enumerate(given)
    ]
    entries += [
        TaskEntry(name, "negative", seeds_split[place % len(seeds_split)])
        for place, name in enumerate(wrong)
    ]
    pool = sorted([*on, *off], key=lambda name: (int(name[3:]), name))
    entries += [
        TaskEntry(
            name, "unlabeled", splits[place // 2 % len(splits)], rank=place + 1, score=90.0 - place
        )
        for place, name in enumerate(pool)
    ]
    metadata = TaskMetadata(
        topic="Cats",
        seeds=seeds,
        draw=0,
        number=0,
        setting=setting,
        negatives=negatives,
        P_size=seeds + relevant + 10,
        LP_size=seeds,
        U_size=len(pool),
        precision=relevant / len(pool),
        recall=relevant / (relevant + 10),
        fingerprint="made",
    )
    task = Task(
        name=f"L{seeds}/cats/draw-0",
        metadata=metadata,
        entries=tuple(entries),
        documents=documents,
        background=tuple(background),
    )
    outside = [f"missed{number}" for number in range(10)]
    return task, Truth(frozenset([*given, *on, *outside]))
