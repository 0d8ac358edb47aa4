"""What an index of ours is made with: its settings, its analyzer and its fields."""

from __future__ import annotations

from typing import Any

from likewise.library.analysis import MAX_TERM_BYTES, STOP_WORDS
from likewise.library.identifiers import MAX_ID

FORMAT = 1
ANALYZER = "likewise_english"
WINDOW = 100_000
"""How many hits come in one page; most pools are one."""


def index_body(*, shards: int = 1, replicas: int | None = None) -> dict[str, Any]:
    """Return the request that makes an index.

    Unless said how many, there is one replica where there is a second node to hold it.
    """
    copies = (
        {"auto_expand_replicas": "0-1"} if replicas is None else {"number_of_replicas": replicas}
    )
    return {
        "settings": {
            "index": {
                "number_of_shards": shards,
                **copies,
                "max_result_window": WINDOW,
            },
            "analysis": _analysis(),
        },
        "mappings": {
            "_meta": {"likewise": {"format": FORMAT}},
            # What is found is under `find`; it is made of the rest, and need not come back.
            "_source": {"excludes": ["find"]},
            "dynamic": False,
            "properties": {"find": {"dynamic": False, "properties": _properties()}},
        },
    }


def _properties() -> dict[str, Any]:
    names = ("id", "key", "has", "source", "mesh")
    fields: dict[str, Any] = {name: {"type": "keyword"} for name in names}
    # Keys are only looked up, never counted or sorted.
    fields["key"]["doc_values"] = False
    # No identifier is as long; a document that has such a one is kept all the same.
    fields["key"]["ignore_above"] = 2 * MAX_ID
    # Servers take values of 32,766 bytes; a source that is longer is not counted.
    fields["source"]["ignore_above"] = 32_766 // 4
    text = {
        "type": "text",
        "index_options": "freqs",
        # Terms come ready made, as library/analysis.py makes them ...
        "analyzer": "whitespace",
        # ... and people's own queries, sent by other tools, are analysed nearly alike.
        "search_analyzer": ANALYZER,
    }
    return fields | {"title": text, "abstract": text}


def _analysis() -> dict[str, Any]:
    return {
        "tokenizer": {
            "likewise_words": {"type": "pattern", "pattern": r"[^\p{IsAlphabetic}\p{N}]+"}
        },
        "filter": {
            "likewise_length": {"type": "length", "max": MAX_TERM_BYTES - 1},
            "likewise_stop": {"type": "stop", "stopwords": STOP_WORDS},
            "likewise_stemmer": {"type": "stemmer", "language": "porter2"},
        },
        "analyzer": {
            ANALYZER: {
                "type": "custom",
                "tokenizer": "likewise_words",
                "filter": [
                    "likewise_length",
                    "lowercase",
                    "asciifolding",
                    "likewise_stop",
                    "likewise_stemmer",
                ],
            }
        },
    }


def format_of(mapping: dict[str, Any]) -> int | None:
    """Return the format of an index that likewise made, given its mapping; None if it did not."""
    meta = mapping.get("_meta")
    ours = meta.get("likewise") if isinstance(meta, dict) else None
    found = ours.get("format") if isinstance(ours, dict) else None
    return found if isinstance(found, int) else None
