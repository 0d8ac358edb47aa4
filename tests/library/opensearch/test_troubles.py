"""What servers refuse: in one line, with the way out, and whether it passes."""

import json

import pytest

from likewise.errors import ClusterError, NotALibraryError
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.credentials import Credentials
from likewise.library.opensearch.troubles import explain_answer, make_error
from likewise.web.connections import WebReply

ADDRESS = parse_address("opensearch://host:9200/papers")


def refusal(status, error, *, login="", secrets=(), kind="application/json", **headers):
    text = error if isinstance(error, str) else json.dumps({"error": error, "status": status})
    named = {"content-type": kind} | {name.replace("_", "-"): headers[name] for name in headers}
    credentials = Credentials(login, secrets=secrets)
    return explain_answer(
        "host:9200", WebReply(status, named, text.encode()), credentials=credentials
    )


def failed_shard(kind, reason, *, cause=None):
    """What a search answers with, as the real server nests it."""
    inner = {"type": kind, "reason": reason} | ({"caused_by": cause} if cause else {})
    return {
        "root_cause": [{"type": kind, "reason": reason}],
        "type": "search_phase_execution_exception",
        "reason": "all shards failed",
        "failed_shards": [{"shard": 0, "index": "papers", "reason": inner}],
    }


def test_a_wrong_password_names_where_it_comes_from():
    trouble = refusal(401, "Unauthorized", login="LIKEWISE_OPENSEARCH_USER and ..._PASSWORD")
    assert trouble.said == (
        "host:9200 does not accept LIKEWISE_OPENSEARCH_USER and ..._PASSWORD (401)"
    )


def test_who_gave_no_password_is_told_where_to_put_it():
    error = make_error(ADDRESS, refusal(401, "Unauthorized"))
    assert "asks for a user and a password (401); set LIKEWISE_OPENSEARCH_USER and" in str(error)


@pytest.mark.parametrize(
    "reason",
    [
        "no permissions for [indices:data/write/bulk] and User [name=reader, roles=[], x=null]",
        "action [indices:data/write/bulk] is unauthorized for user [reader], granted by [write]",
    ],
)
def test_what_is_not_allowed_is_named(reason):
    trouble = refusal(403, {"type": "security_exception", "reason": reason})
    assert trouble.said == "this is not allowed: indices:data/write/bulk (403)"
    assert not trouble.is_passing


def test_refusals_of_gateways_are_repeated_in_one_line():
    text = json.dumps({"message": "The security token\nis expired"})
    assert refusal(403, text).said == "this is not allowed: The security token is expired (403)"


@pytest.mark.parametrize("status", [403, 429])
def test_full_disks_are_no_reason_to_wait(status):
    reason = (
        "index [papers] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage "
        "watermark, index has read-only-allow-delete block];"
    )
    trouble = refusal(status, {"type": "cluster_block_exception", "reason": reason})
    assert "disks are full" in trouble.said
    assert "make room" in trouble.advice
    assert not trouble.is_passing


def test_a_blocked_index_is_no_question_of_permission():
    reason = "index [papers] blocked by: [FORBIDDEN/8/index write (api)];"
    trouble = refusal(403, {"type": "cluster_block_exception", "reason": reason})
    assert trouble.said.startswith("the index is blocked (index [papers] blocked by")
    assert (trouble.advice, trouble.is_passing) == ("lift the block in its settings", False)


def test_a_closed_index_is_told():
    error = {"type": "index_closed_exception", "reason": "closed"}
    assert refusal(400, error).said == "the index is closed"


def test_a_cluster_that_has_not_recovered_yet_is_a_reason_to_wait():
    reason = "blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized];"
    assert refusal(503, {"type": "cluster_block_exception", "reason": reason}).is_passing


def test_too_many_terms_name_the_servers_limit():
    cause = {"type": "too_many_clauses", "reason": "maxClauseCount is set to 1024"}
    reason = "failed to create query: maxClauseCount is set to 1024"
    trouble = refusal(400, failed_shard("query_shard_exception", reason, cause=cause))
    assert "maxClauseCount is set to 1024" in trouble.said
    assert "indices.query.bool.max_clause_count" in trouble.advice


def test_the_reason_is_the_innermost_one():
    trouble = refusal(400, failed_shard("illegal_argument_exception", "Result window is too large"))
    assert trouble.said == "host:9200 refuses this (400: Result window is too large)"


def test_an_error_knows_its_status_and_all_its_kinds():
    cause = {"type": "search_context_missing_exception", "reason": "No search context found"}
    error = make_error(ADDRESS, refusal(404, failed_shard("x_exception", "gone", cause=cause)))
    assert isinstance(error, ClusterError)
    assert error.status == 404
    assert error.kinds == {
        "search_phase_execution_exception",
        "x_exception",
        "search_context_missing_exception",
    }


def test_a_forgotten_place_in_a_list_is_not_waited_for():
    forgotten = failed_shard("search_context_missing_exception", "No search context found")
    assert not refusal(503, forgotten).is_passing


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (500, "node_disconnected_exception"),
        (500, "no_shard_available_action_exception"),
        (503, "unavailable_shards_exception"),
        (503, "master_not_discovered_exception"),
        (429, "circuit_breaking_exception"),
    ],
)
def test_lost_nodes_and_busy_ones_are_waited_for(status, kind):
    assert refusal(status, failed_shard(kind, "node left")).is_passing


@pytest.mark.parametrize("status", [400, 405, 409, 500])
def test_other_refusals_are_not(status):
    assert not refusal(status, {"type": "x_exception", "reason": "because"}).is_passing


@pytest.mark.parametrize("status", [502, 503, 504])
def test_pages_of_gateways_are_waited_for_too(status):
    assert refusal(status, "<html>Bad gateway</html>").is_passing


def test_a_pause_that_the_server_asks_for_is_kept():
    assert refusal(429, "{}", retry_after="7").pause == 7.0
    assert refusal(429, "{}", retry_after="Wed, 21 Oct 2015 07:28:00 GMT").pause == 0.0


def test_a_request_that_is_too_large_names_the_setting():
    assert "http.max_content_length" in refusal(413, "").advice


def test_an_index_that_is_missing_is_no_library():
    error = {"type": "index_not_found_exception", "reason": "no such index [papers]"}
    assert isinstance(make_error(ADDRESS, refusal(404, error)), NotALibraryError)


def test_an_index_of_others_that_is_missing_is_not_made():
    error = {"type": "index_not_found_exception", "reason": "no such index [papers]"}
    foreign = parse_address("opensearch://host/papers?title=ti")
    assert str(make_error(foreign, refusal(404, error))).endswith("on this cluster; check its name")


@pytest.mark.parametrize(
    "trouble",
    [
        refusal(301, "", kind="", location="https://host:9200/"),
        refusal(400, "The plain HTTP request was sent to HTTPS port", kind="text/html"),
    ],
)
def test_servers_that_want_https_are_understood(trouble):
    assert trouble.said == "host:9200 expects TLS"
    assert "opensearch+https://" in trouble.advice


@pytest.mark.parametrize(
    "text", ["<html>Not found</html>", "", "[]", "null", '{"error": null}', '{"error": [1]}', "{}"]
)
def test_refusals_in_other_words_come_from_something_else(text):
    trouble = refusal(404, text, kind="text/html; charset=x")
    assert trouble.said == (
        "host:9200 does not answer as OpenSearch does (it sent text/html with status 404)"
    )


def test_secrets_in_reasons_are_hidden_before_they_are_cut():
    error = json.dumps({"error": {"type": "x", "reason": "x" * 195 + " s3cret"}})
    assert "s3" not in refusal(400, error, secrets=("s3cret",)).said


def test_a_password_that_is_a_word_of_the_server_changes_no_meaning():
    error = {"type": "index_not_found_exception", "reason": "no such index [papers]"}
    words = ("error", "index", "type", "reason")
    assert refusal(404, error, secrets=words).lacks_index


def test_long_reasons_are_cut():
    said = refusal(400, {"type": "x", "reason": "on and on " * 100}).said
    assert said.endswith("...)")
    assert len(said) < 260
