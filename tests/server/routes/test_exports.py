import json
import re

import pytest

from likewise import documents
from server.guarded import error_of


def read_back(answer, tmp_path, suffix):
    path = tmp_path / f"exported{suffix}"
    path.write_bytes(answer.content)
    return list(documents.read(path))


def test_an_export_holds_seeds_and_what_lies_above_the_line(api, expanded, tmp_path):
    api.put(f"{expanded}/threshold", json={"decided": 5})
    answer = api.get(f"{expanded}/export", params={"format": "ris"})
    assert len(read_back(answer, tmp_path, ".ris")) == 12 + 5


def test_an_export_of_everything_holds_the_whole_ranking(api, expanded, tmp_path):
    total = api.get(f"{expanded}/ranking").json()["total"]
    answer = api.get(f"{expanded}/export", params={"format": "csv", "which": "all"})
    assert len(read_back(answer, tmp_path, ".csv")) == 12 + total


def test_every_format_that_can_be_written_can_be_exported(api, expanded, tmp_path):
    formats = [one for one in api.get("/api/formats").json()["formats"] if one["writes"]]
    for one in formats:
        answer = api.get(f"{expanded}/export", params={"format": one["name"]})
        assert answer.status_code == 200
        assert int(answer.headers["Content-Length"]) == len(answer.content) > 0
        assert f'filename="On-sugar{one["suffix"]}"' in answer.headers["Content-Disposition"]


def test_as_json_there_is_everything(api, expanded):
    (first,) = [
        entry["document"]["id"]
        for entry in api.get(f"{expanded}/ranking", params={"limit": 1}).json()["entries"]
    ]
    api.post(f"{expanded}/marks", json={"labels": {first: "relevant"}})
    exported = json.loads(api.get(f"{expanded}/export", params={"format": "json"}).content)
    assert [one["document"] for one in exported["marks"]] == [first]
    assert len(exported["expansions"]) == 1


def test_a_session_can_be_exported_before_anything_was_expanded(api, begun, tmp_path):
    answer = api.get(f"{begun}/export", params={"format": "jsonl"})
    assert len(read_back(answer, tmp_path, ".jsonl")) == 12


@pytest.mark.parametrize("name", ["pdf", "", "../ris", ".ris", "RIS"])
def test_a_format_that_is_not_written_is_refused(api, expanded, name):
    error = error_of(api.get(f"{expanded}/export", params={"format": name}))
    assert (error["status"], error["kind"]) == (422, "unknown-format")


@pytest.mark.parametrize(
    ("name", "plain", "whole"),
    [
        ("Sjögren", "Sjogren", "Sj%C3%B6gren"),
        ('a"; filename="b.exe', "a-filename-b.exe", "a-filename-b.exe"),
        ("../../etc/passwd", "etc-passwd", "etc-passwd"),
        ("睡眠", "session", "%E7%9D%A1%E7%9C%A0"),
        ("...", "session", "session"),
    ],
)
def test_the_file_is_called_like_the_session_as_far_as_that_is_safe(api, begun, name, plain, whole):
    api.patch(begun, json={"name": name})
    header = api.get(f"{begun}/export").headers["Content-Disposition"]
    assert header == f"attachment; filename=\"{plain}.ris\"; filename*=UTF-8''{whole}.ris"


def test_nothing_stays_behind_of_an_export(api, expanded, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert api.get(f"{expanded}/export", params={"format": "xlsx"}).status_code == 200
    assert not list(tmp_path.iterdir())


def test_a_report_is_a_page_of_what_was_found_and_marked(api, expanded):
    page = api.get(f"{expanded}/ranking", params={"limit": 2}).json()
    first, second = (entry["document"] for entry in page["entries"])
    labels = {first["id"]: "irrelevant", second["id"]: "relevant"}
    api.post(f"{expanded}/marks", json={"labels": labels})
    answer = api.get(f"{expanded}/report")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="On-sugar-report')
    assert answer.text.startswith("<!doctype html>")
    assert re.sub("<.*?>", "", answer.text).count(second["title"]) == 1
    assert f"PMID {first['id']}" not in answer.text


def test_the_report_tells_the_numbers_of_the_status_the_criteria_and_the_reasons(api, expanded):
    best = api.get(f"{expanded}/ranking", params={"limit": 3}).json()["entries"]
    first, *others = [one["document"]["id"] for one in best]
    api.put(f"{expanded}/criteria", json={"text": "Adults & <trials>"})
    api.post(f"{expanded}/reasons", json={"name": "animals"})
    api.post(f"{expanded}/marks", json={"labels": {first: "relevant"}})
    labels = dict.fromkeys(others, "irrelevant")
    api.post(f"{expanded}/marks", json={"labels": labels, "reason": "animals"})
    told, status = api.get(f"{expanded}/report").text, api.get(f"{expanded}/status").json()
    assert all(sentence in told for sentence in status["sentences"])
    assert "<dt>found</dt><dd>1</dd>" in told
    assert f'<dt>looked at</dt><dd>3</dd><dd class="range">of {status["pool"]} candidates' in told
    assert "Adults &amp; &lt;trials&gt;" in told
    assert "animals: 2" in told


def test_before_anything_was_expanded_there_is_nothing_to_report(api, begun):
    assert api.get(f"{begun}/report").status_code == 409
