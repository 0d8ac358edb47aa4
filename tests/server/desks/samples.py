"""Sessions in folders, as desks find them."""

from expansion.sessions.samples import SEEDS, small_saved
from likewise.expansion.sessions.session import Session
from likewise.server.desks.libraries import GIVEN, Libraries, OpenLibrary
from likewise.server.desks.reading import Texts


def session_in(folder, identifier="abc", *, is_expanded=True, **changes):
    """Make a session of four seeds, with the small expansion in it, and return its path."""
    path = folder / f"{identifier}.likewise"
    given = {"library": "lib", "fingerprint": "", "seeds": SEEDS, **changes}
    with Session.make(path, **given) as session:
        if is_expanded:
            session.add_expansion(small_saved())
    return path


def libraries_of(library, *, name="lib"):
    """Return the libraries of a server with only this one, which is open already."""
    return Libraries(OpenLibrary(GIVEN, name, "lib", library, Texts(library)))


def marks_in(path):
    """Return the label of each marked document."""
    with Session.open(path, read_only=True) as session:
        return {name: mark.label for name, mark in session.current().items()}
