"""How near the paper's query comes to the more_like_this of a real server, on the same documents.

    python -m benchmarks.scale.more_like_this [--sets 20] [--url URL]

The documents are the 33,519 of the labelled collection, the seeds 20 of each of some topics that
likewise is not measured on. The server is asked as the authors asked theirs: both fields, all seeds
at once, 20 % should match, all else by default. It looks in two indexes: one that likewise made, so
that its terms are those of likewise, and one that is made as theirs was, with the server's own
English; that one also in five shards, as Elasticsearch 6 made indexes, each of which chooses its
own terms. Theirs had a boost of 2.0 for titles in the mapping, which more_like_this ignores; here
it is left out. likewise has a boost of its own, and is asked with it and without. The overlap of
two lists is what both have, as a share of what either has.
"""

from __future__ import annotations

import json
import random
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.labelled import TOPICS, list_mesh_triples, make_document, need_data, read_rows
from benchmarks.scale.agreement import fill_library, make_parser, measure_overlap
from benchmarks.scale.cluster import delete_index, parse_with_url

from likewise.documents import Document
from likewise.library import FIELDS, Library, open_library
from likewise.library.more_like import MoreLike, more_like_these
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection

_Ask = Callable[[Sequence[Document]], list[str]]

RESULT = Path(__file__).parents[1] / "results" / "more-like-this.md"
SEEDS = 20
DEPTHS = (100, 1_000)
BOOSTS = (2.0, 1.0)
SHARE = "20%"
SHARDS = 5
"""How many an index had in Elasticsearch 6 by default."""
_ENGLISH = {"type": "text", "analyzer": "english", "term_vector": "yes"}
AUTHORS_FIELDS = {"id": {"type": "keyword"}, "title": _ENGLISH, "abstract": _ENGLISH}
"""The fields of the authors' index."""


class Pair(NamedTuple):
    """A library that likewise asks, and a way to ask the server itself."""

    ours: str
    theirs: str
    library: Library
    ask: _Ask


def main() -> None:
    """Index the documents four times, ask all of them for each topic, and print what is shared."""
    need_data()
    asked = parse_with_url(make_parser(__doc__))
    rows = read_rows("mesh.jsonl.gz")
    documents = {row["id"]: make_document(row) for row in rows}
    topics = {name: ids for name, ids in list_mesh_triples(rows).items() if name not in TOPICS}
    sets = [
        [documents[name] for name in random.Random(number).sample(members, SEEDS)]
        for number, members in enumerate(islice(topics.values(), asked.sets))
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        _make_indexes(asked.url, documents.values()) as made,
    ):
        fill_library(open_library(f"{folder}/lib", write=True), documents.values())
        library = open_library(f"{folder}/lib")
        lines = [
            *_format_table(_make_pairs(library, made), sets),
            "",
            _describe_sizes(library, sets),
        ]
    RESULT.write_text("\n".join(lines) + "\n")
    print("\n" + "\n".join(lines))


@contextmanager
def _make_indexes(url: str, documents: Iterable[Document]) -> Iterator[list[str]]:
    """Make an index of likewise, and two like the authors'; yield their addresses."""
    names = [f"bench-like-{uuid.uuid4().hex[:8]}" for _ in range(3)]
    own, *authors = (f"opensearch://{urlsplit(url).netloc}/{name}" for name in names)
    try:
        fill_library(open_library(own, write=True, shards=1), documents)
        for address, shards in zip(authors, (1, SHARDS), strict=True):
            with closing(Connection(parse_address(address))) as connection:
                make_authors_index(connection, documents, shards=shards)
        yield [own, *(f"{address}?id=id&title=title&abstract=abstract" for address in authors)]
    finally:
        for name in names:
            delete_index(url, name)


def _make_pairs(folder: Library, made: Sequence[str]) -> list[Pair]:
    own, authors, sharded = made
    by_terms = ask_by_terms(Connection(parse_address(own)), folder)
    by_ids, by_shards = (ask_by_ids(Connection(parse_address(a))) for a in (authors, sharded))
    theirs, same = "an index as the authors'", "the same"
    return [
        Pair("a folder", "an index of likewise", folder, by_terms),
        Pair("an index of likewise", same, open_library(own), by_terms),
        Pair(theirs, same, open_library(authors), by_ids),
        Pair(f"{theirs}, {SHARDS} shards", same, open_library(sharded), by_shards),
        Pair("a folder", theirs, folder, by_ids),
        Pair("a folder", f"{theirs}, {SHARDS} shards", folder, by_shards),
    ]


def make_authors_index(
    connection: Connection, documents: Iterable[Document], *, shards: int = 1
) -> None:
    """Make an index as the authors made theirs."""
    index = connection.address.index
    body = {
        "settings": {"number_of_shards": shards, "number_of_replicas": 0},
        "mappings": {"properties": AUTHORS_FIELDS},
    }
    connection.ask("PUT", f"/{index}", body=body)
    rest = iter(documents)
    while some := list(islice(rest, 2_000)):
        lines = "".join(
            f"{json.dumps({'index': {'_id': one.id}})}\n"
            f"{json.dumps({'id': one.id, 'title': one.title, 'abstract': one.abstract})}\n"
            for one in some
        )
        connection.ask("POST", f"/{index}/_bulk", body=lines.encode(), params={"refresh": True})


def ask_by_ids(connection: Connection) -> _Ask:
    """Return a function that asks the server itself for documents like some of its index."""

    def ask(seeds: Sequence[Document]) -> list[str]:
        index = connection.address.index
        like = [{"_index": index, "_id": seed.id} for seed in seeds]
        return ask_more_like_this(connection, like, seeds=seeds)

    return ask


def ask_by_terms(connection: Connection, library: Library) -> _Ask:
    """Return a function that asks the server itself for documents with terms like the seeds'.

    An index of likewise holds terms that are already analysed, so it must be asked with such terms.
    """

    def ask(seeds: Sequence[Document]) -> list[str]:
        like = [
            {
                "_index": connection.address.index,
                "doc": {
                    "find": {
                        field: " ".join(library.analyze(field, getattr(seed, field)))
                        for field in FIELDS
                    }
                },
            }
            for seed in seeds
        ]
        return ask_more_like_this(connection, like, seeds=seeds, under="find.")

    return ask


def ask_more_like_this(
    connection: Connection,
    like: list[dict[str, Any]],
    *,
    seeds: Sequence[Document],
    under: str = "",
) -> list[str]:
    """Return the best documents by the server's own more_like_this, without the seeds.

    Args:
        connection: The connection to the index.
        like: The seeds as the server takes them.
        seeds: What must not be found.
        under: What the names of fields begin with.
    """
    fields = [under + field for field in FIELDS]
    clause = {"fields": fields, "like": like, "minimum_should_match": SHARE}
    identifiers = {f"{under}id": [seed.id for seed in seeds]}
    body = {
        "query": {"bool": {"must": {"more_like_this": clause}, "must_not": {"terms": identifiers}}},
        "size": DEPTHS[-1],
        "_source": False,
        "docvalue_fields": [f"{under}id"],
    }
    answer = connection.ask("POST", f"/{connection.address.index}/_search", body=body)
    return [hit["fields"][f"{under}id"][0] for hit in answer["hits"]["hits"]]


def _format_table(pairs: Sequence[Pair], sets: Sequence[Sequence[Document]]) -> Iterator[str]:
    kinds = [(boost, depth) for boost in BOOSTS for depth in DEPTHS]
    heads = " | ".join(f"boost {boost}: best {depth:,} in common" for boost, depth in kinds)
    yield f"| `--query paper` in | `more_like_this` in | {heads} |"
    yield "|---|---|" + "---:|" * len(kinds)
    for pair in pairs:
        theirs = [pair.ask(seeds) for seeds in sets]
        ours = {
            boost: [ask_likewise(pair.library, seeds, title_boost=boost) for seeds in sets]
            for boost in BOOSTS
        }
        cells = (_format_cell(ours[boost], theirs, depth=depth) for boost, depth in kinds)
        row = f"| {pair.ours} | {pair.theirs} | {' | '.join(cells)} |"
        print(f"  {row}", flush=True)
        yield row


def _describe_sizes(library: Library, sets: Sequence[Sequence[Document]]) -> str:
    """Return a sentence on how many documents the query finds."""
    everything = library.count()
    sizes = [len(ask_likewise(library, seeds, limit=everything)) for seeds in sets]
    return (
        f"Of {everything:,} documents, `--query paper` finds {mean(sizes):,.0f} on average "
        f"({min(sizes):,} to {max(sizes):,}) in a folder."
    )


def ask_likewise(
    library: Library,
    seeds: Sequence[Document],
    *,
    title_boost: float = 2.0,
    limit: int = DEPTHS[-1],
) -> list[str]:
    """Return the best documents by the paper's query of likewise, without the seeds."""
    settings = replace(MoreLike.of_the_paper(), title_boost=title_boost)
    exclude = [seed.id for seed in seeds]
    found = more_like_these(library, seeds, limit=limit, exclude=exclude, settings=settings)
    return found.hits.ids


def _format_cell(ours: Sequence[list[str]], theirs: Sequence[list[str]], *, depth: int) -> str:
    shares = [
        measure_overlap(set(here[:depth]), set(there[:depth]))
        for here, there in zip(ours, theirs, strict=True)
    ]
    return f"{mean(shares):.3f} ({min(shares):.3f}-{max(shares):.3f})"


if __name__ == "__main__":
    main()
