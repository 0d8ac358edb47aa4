"""The operations of the API: each parses, calls, and answers."""

from __future__ import annotations

from likewise.server.routes import (
    collection,
    expansions,
    exports,
    libraries,
    marks,
    rankings,
    reports,
    review,
    sessions,
)

ROUTERS = (
    collection.router,
    collection.one_library,
    libraries.duplicates_router,
    libraries.router,
    libraries.documents,
    sessions.seeds_router,
    sessions.router,
    sessions.one_session,
    expansions.router,
    rankings.router,
    marks.router,
    review.router,
    reports.router,
    exports.router,
    expansions.jobs_router,
)
"""In the order in which the schema lists them."""

TAGS = {
    "libraries": "What is served, made of files that are sent; and which formats files may have.",
    "documents": "Search the library, and read what it holds.",
    "seeds": "Match papers with the library, before a session is made of them.",
    "sessions": "Seeds, expansions and marks, in one file of the server's folder.",
    "expansions": "From the seeds and marks of a session to a ranked and decided list.",
    "jobs": "Expansions and intakes of files that wait, run, or have ended.",
    "rankings": "The latest list, page by page; the line through it; numbers for its figures.",
    "marks": "Say of documents what they are; ask what to look at next, and how much is left.",
    "review": "Reasons, tags, notes and criteria; how far reviewers agree; what a paper reports.",
    "exports": "A session as a file.",
}
"""The kinds of operations, in the order in which a reader is told of them."""
