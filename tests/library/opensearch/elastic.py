"""Something that stands before a real OpenSearch and behaves as Elasticsearch 8 does.

Only where the two differ in what likewise asks for: who they say they are, points in time, what
these add to the values that hits are sorted by, and that each refuses what only the other knows.
"""

import json
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import urllib3

from library.opensearch.fake_server import JSON, Reply, running

GREETING = {
    "name": "node-1",
    "cluster_name": "docker-cluster",
    "version": {"number": "8.15.0", "build_flavor": "default", "lucene_version": "9.11.1"},
    "tagline": "You Know, for Search",
}
PRODUCT = (("X-Elastic-Product", "Elasticsearch"),)
# Of what servers before the real one know, and Elasticsearch does not.
PARAMETERS = {"allow_partial_pit_creation", "cluster_manager_timeout", "search_pipeline"}
# What says where to look, which a point in time says already.
BESIDE_A_POINT = {"routing", "preference", "ignore_unavailable", "expand_wildcards"}
SETTINGS = ("replication.type", "remote_store", "knn", "zstd", "search.concurrent_segment_search")


@contextmanager
def elastic(url):
    """Let Elasticsearch run before a server of OpenSearch, and say which port it listens on."""
    with running() as server, urllib3.PoolManager() as pool:
        server.reply_to = Elastic(url, pool, server.asked).reply_to
        yield server


class Elastic:
    def __init__(self, url, pool, asked) -> None:
        self.url, self.pool, self.asked = url, pool, asked

    def reply_to(self, asked):
        self.asked.append(asked)
        return self._answer(asked)._replace(headers=PRODUCT)

    def _answer(self, asked):
        place = urlsplit(asked.path)
        unknown = PARAMETERS & parse_qs(place.query).keys()
        if place.path == "/":
            return Reply(body=GREETING)
        if "/point_in_time" in place.path or place.path.startswith("/_plugins"):
            return refused(f"no handler found for uri [{asked.path}] and method [{asked.method}]")
        if unknown:
            return refused(f"request [{place.path}] contains unrecognized parameter: {unknown}")
        if place.path.endswith("/_pit"):
            return self._point_in_time(asked, place)
        if place.path == "/_search":
            return self._search(asked)
        if asked.method == "PUT" and any(name in asked.body.decode() for name in SETTINGS):
            return refused("unknown setting")
        return self._pass_on(asked)

    def _point_in_time(self, asked, place):
        index = place.path.removesuffix("/_pit")
        if asked.method == "DELETE":
            ids = [json.loads(asked.body)["id"]]
            there = self._pass_on(
                asked, path="/_search/point_in_time", body=json.dumps({"pit_id": ids})
            )
            return Reply(there.status, {"succeeded": there.status == 200, "num_freed": 1})
        made = self._pass_on(asked, path=f"{index}/_search/point_in_time?{place.query}")
        said = json.loads(made.body)
        return made._replace(body={"id": said["pit_id"]}) if made.status == 200 else made

    def _search(self, asked):
        """Sort by the document's place in its shard too, in the end, as it does unasked."""
        search = json.loads(asked.body)
        if "pit" not in search:
            return self._pass_on(asked)
        barred = BESIDE_A_POINT & parse_qs(urlsplit(asked.path).query).keys()
        if barred:
            return refused(f"{barred} cannot be used with point in time")
        after = search.get("search_after")
        if after:
            search["search_after"] = after[: len(search["sort"])]
        reply = self._pass_on(asked, body=json.dumps(search))
        answer = json.loads(reply.body)
        for place, hit in enumerate(answer.get("hits", {}).get("hits", [])):
            hit["sort"].append(place)
        return reply._replace(body=answer)

    def _pass_on(self, asked, *, path="", body=None):
        kind = {"content-type": asked.headers.get("content-type", "application/json")}
        content = asked.body if body is None else body
        there = self.pool.request(
            asked.method, self.url + (path or asked.path), body=content or None, headers=kind
        )
        return Reply(there.status, there.data.decode(), there.headers.get("content-type", JSON))


def refused(reason):
    return Reply(400, {"error": reason, "status": 400})
