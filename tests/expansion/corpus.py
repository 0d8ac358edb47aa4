"""An invented corpus of several topics; which document is on which is known, but not to search."""

import random
from functools import cache

from likewise.documents import Document
from likewise.library import open_library
from likewise.library.memory import MemoryLibrary

_WORDS = """
sugar insulin glucose diabetes pancreas islet glucagon glycemia metformin obesity ketone receptor
sleep insomnia melatonin circadian apnea polysomnography dream drowsiness nap snoring wakefulness
teeth dental caries enamel molar gingiva fluoride plaque orthodontic dentin crown saliva
bees pollen nectar hive queen drone forager colony honey mite propolis swarm
"""
_GENERAL = """
patient study group result effect treatment level control method increase rate analysis model
sample age risk response measure change clinical difference observation test trial year follow
outcome range value score index season region factor function animal tissue cell blood water
surface growth weight diet light time structure number type case report review survey cohort
design protocol mean evidence theory history teacher market engine river metal paper village
budget traffic weather bridge island concert language museum harbour
"""
TOPICS = {line.split()[0]: line.split() for line in _WORDS.split("\n") if line}
"""The words of each topic, under the first of them."""
GENERAL = _GENERAL.split()
STOP = ("the", "of", "and", "in", "to", "a", "with")
ON_TOPIC = 45
OFF_TOPIC = 140


@cache
def corpus() -> tuple[Document, ...]:
    """Return documents of every topic and of none, shuffled; `keywords`, unsearched, say which."""
    rng = random.Random(7)
    topics = [topic for topic in TOPICS for _ in range(ON_TOPIC)] + [""] * OFF_TOPIC
    rng.shuffle(topics)
    return tuple(_document(number, topic, rng) for number, topic in enumerate(topics, 1))


def _document(number, topic, rng):
    return Document(
        id=str(number),
        pmid=str(number),
        title=_text(topic, rng, of_topic=2, general=4).capitalize(),
        abstract=_text(topic, rng, of_topic=7, general=22),
        year=rng.randint(1980, 2020),
        keywords=(topic,) if topic else (),
    )


def _text(topic, rng, *, of_topic, general):
    """Make a text: some of the topic's words, and now and then one of another topic."""
    words = rng.choices(GENERAL, k=general) + rng.choices(STOP, k=general // 2)
    words += rng.choices(TOPICS[topic], k=of_topic) if topic else []
    stray = rng.choice(list(TOPICS))
    words += rng.choices(TOPICS[stray], k=rng.randint(0, 2))
    rng.shuffle(words)
    return " ".join(words)


def on(topic: str) -> list[Document]:
    """Return the documents on a topic."""
    return [document for document in corpus() if topic in document.keywords]


def seeds_on(topic: str, count: int = 12) -> list[Document]:
    """Return some documents on a topic, always the same."""
    return on(topic)[:count]


def hidden(topic: str, count: int = 12) -> set[str]:
    """Return the ids of the documents on a topic that are not among its seeds."""
    return {document.id for document in on(topic)[count:]}


def library_of(*documents: Document) -> MemoryLibrary:
    """Return a library in memory."""
    library = MemoryLibrary()
    library.add(documents)
    library.commit()
    return library


def library_in(folder, *documents: Document) -> str:
    """Write a library to a folder, and return where it lies."""
    with open_library(folder, write=True) as library:
        library.add(documents)
        library.commit()
    return str(folder)
