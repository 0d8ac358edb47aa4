"""The cluster that a benchmark is run on."""

from __future__ import annotations

import argparse
import json
import os
import sys
from urllib.request import Request, urlopen


def parse_with_url(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the options, with the address of a cluster; end with a message if there is none."""
    parser.add_argument("--url", default=os.environ.get("LIKEWISE_TEST_OPENSEARCH", ""))
    asked = parser.parse_args()
    if not asked.url:
        sys.exit(
            "no cluster: give --url, or set LIKEWISE_TEST_OPENSEARCH; see docs/how-to/opensearch.md"
        )
    return asked


def delete_index(url: str, index: str) -> None:
    """Delete an index that a benchmark made, and the notebook beside it."""
    for name in (index, f"{index}-likewise"):
        place = f"{url.rstrip('/')}/{name}?ignore_unavailable=true"
        try:
            urlopen(Request(place, method="DELETE"), timeout=60).close()
        except OSError as error:
            print(f"  {place}: not deleted ({error})")


def read_server_seconds(url: str) -> float:
    """Return the processor seconds that all nodes have spent since they were started."""
    with urlopen(f"{url.rstrip('/')}/_nodes/stats/process", timeout=60) as answer:
        nodes = json.load(answer)["nodes"].values()
    return sum(float(node["process"]["cpu"]["total_in_millis"]) for node in nodes) / 1e3
