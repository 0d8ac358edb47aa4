"""A library of labelled documents that tasks can be made of: each has the heading of its topic."""

import atexit
import shutil
import tempfile
from functools import cache

import msgspec

from expansion.corpus import TOPICS, corpus, library_in
from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.making import TopicMembers, make_tasks
from likewise.bench.topics import Vocabulary, parse_topic
from likewise.documents import Document
from likewise.documents.document import MeshHeading
from likewise.library import open_library

UIS = {topic: f"D00000{number}" for number, topic in enumerate(TOPICS, 1)}
"""The identifiers of the headings: 45 of 320 documents have each."""
BEES = UIS["bees"]


def headed(document: Document) -> Document:
    """Return a document with its topic as a heading, or one that says nothing, for a keyword."""
    named = document.keywords or ("other",)
    mesh = tuple(MeshHeading(word.capitalize(), UIS.get(word, "D000009")) for word in named)
    return msgspec.structs.replace(document, mesh=mesh, keywords=("whatever",))


@cache
def labelled_documents() -> tuple[Document, ...]:
    return tuple(map(headed, corpus()))


@cache
def labelled_library():
    # On disk, since the engine there is many times faster than the one in memory.
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return open_library(library_in(folder, *labelled_documents()))


def topic_members(text="Bees", library=None) -> TopicMembers:
    topic = parse_topic(text)
    return TopicMembers(topic, Vocabulary(library or labelled_library()).find_members(topic))


def settings(**chosen) -> TaskSettings:
    return TaskSettings(**{"seeds": (6,), "pool": 50, "draws": 1, **chosen})


def made(out, *topics, library=None, citations=None, **chosen):
    """Make the tasks of topics, Bees unless said, and return the folder."""
    library = library or labelled_library()
    found = [topic_members(topic, library) for topic in topics or ("Bees",)]
    make_tasks(library, found, settings=settings(**chosen), out=out, citations=citations)
    return out


def relevant(text="Bees") -> set[str]:
    return set(topic_members(text).members.relevant)
