import pytest

PATHS = ["/", "/static/base.css", "/api/looked", "/api/nothing", "/api/mistaken"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_forbids_scripts_of_others(client, path):
    policy = client.get(path).headers["Content-Security-Policy"].split("; ")
    assert policy[:3] == ["default-src 'none'", "script-src 'self'", "style-src 'self'"]
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_what_its_type_says(client, path):
    assert client.get(path).headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_tells_where_a_reader_comes_from(client, path):
    assert client.get(path).headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_can_be_had_by_pages_of_others(client, path):
    headers = client.get(path).headers
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_refused_host_has_the_headers_too(client):
    answer = client.get("/", headers={"Host": "evil.example"})
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/api/looked", "/api/nothing"])
def test_what_may_change_is_not_kept(client, path):
    assert client.get(path).headers["Cache-Control"] == "no-store"


def test_files_of_the_page_are_kept_and_asked_for_anew(client):
    assert client.get("/static/base.css").headers["Cache-Control"] == "no-cache"


def test_nothing_tells_what_serves(client):
    assert "Server" not in client.get("/static/base.css").headers
