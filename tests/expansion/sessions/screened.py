"""Sessions on the invented corpus, read as a person would, to see what is said of them."""

import numpy as np

from expansion.corpus import corpus, hidden, library_in, seeds_on
from likewise.expansion.saved import fingerprint_library
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.looking import choose_next
from likewise.expansion.sessions.session import Session
from likewise.library import open_library

ON_TOPIC = hidden("bees")


def expanded_session(folder):
    """Begin a session on bees in a folder, with a library beside it, and expand it once."""
    path = library_in(folder / "lib", *corpus())
    with open_library(path) as library:
        fingerprint = fingerprint_library(library.info())
    session = Session.make(
        folder / "bees.likewise", library=path, fingerprint=fingerprint, seeds=seeds_on("bees")
    )
    expand_session(session)
    return session


def read_on(session, count, *, source=""):
    """Mark the next so many as they are, one after the other; return how many are on topic."""
    places = choose_next(session, count, "likely", rng=np.random.default_rng(0))
    for place in places:
        label = "relevant" if place.id in ON_TOPIC else "irrelevant"
        session.mark({place.id: label}, source=source)
    return sum(place.id in ON_TOPIC for place in places)
