"""Small sessions for the tests of what is done with one."""

import msgspec

from expansion.samples import MATCHED, TEXT_ONLY, small_expansion
from likewise.expansion.sessions.session import Session

SEEDS = (*MATCHED, *TEXT_ONLY)
SAVED = small_expansion().saved


def new_session(folder, **changes):
    """Return a session in a folder, with four seeds, and neither marks nor expansions."""
    given = {"library": "lib", "fingerprint": "0123456789abcdef", "seeds": SEEDS, **changes}
    return Session.make(folder / "review.likewise", **given)


def small_saved(**changes):
    """Return the small expansion as it is saved; its ranks, of seeds too, go from 1 to 9."""
    return msgspec.structs.replace(SAVED, **changes)


def of_documents(marks):
    """Return what is known of each mark's document, without number and time."""
    return [(mark.document, mark.label, mark.rank, mark.probability) for mark in marks]
