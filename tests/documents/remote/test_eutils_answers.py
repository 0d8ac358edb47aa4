"""What the E-utilities answer."""

import json

import pytest

from likewise.documents.remote.eutils import (
    NO_RECORDS,
    AnswerError,
    PubmedHits,
    check_records,
    find_own_pmids,
    parse_hits,
)

HEAD = b"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" "pubmed.dtd">
"""


def result(**said):
    return json.dumps({"esearchresult": {"count": "1", "idlist": ["7"], **said}}).encode()


def error_page(said):
    return f'<?xml version="1.0"?><eFetchResult>\n<ERROR>{said}</ERROR>\n</eFetchResult>'.encode()


def test_a_count_and_pmids_are_found():
    assert parse_hits(result()) == PubmedHits(1, ["7"], [])


def test_what_pubmed_does_not_understand_is_noted():
    errors = {"phrasesnotfound": ["qwxz"], "fieldsnotfound": ["xyz"]}
    warnings = {"phrasesignored": ["the"], "quotedphrasesnotfound": ['"no such"', "qwxz"]}
    assert parse_hits(result(errorlist=errors, warninglist=warnings)).notes == [
        "PubMed does not know 'qwxz'",
        "PubMed does not know '\"no such\"'",
        "PubMed has no field 'xyz'",
        "PubMed passes over 'the'",
    ]


@pytest.mark.parametrize("odd", [[], ["x"], "x", None, {"phrasesnotfound": None}])
def test_remarks_of_an_unknown_kind_are_passed_over(odd):
    assert parse_hits(result(errorlist=odd, warninglist=odd)).notes == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "nothing at all"),
        (b"<html><h1>502 Bad\nGateway</h1></html>", "a page for people (502 Bad Gateway)"),
        (b"Service moved", "something else (Service moved)"),
        (b'{"esearchresult": {"cou', "JSON that breaks off"),
        (b'{"esearchresult": {}}', "no count and no list of PMIDs"),
        (b'{"header": {}}', "an error (of no known kind)"),
        (
            b'{"esearchresult": {"ERROR": "Search Backend\n failed"}}',
            "an error (Search Backend failed)",
        ),
        (b'{"error": "API rate limit exceeded"}', "an error (API rate limit exceeded)"),
        (b'{"a":' * 50_000, "JSON that breaks off"),
        (result(count="9" * 5000), "no count and no list of PMIDs"),
        (result(count=["1"]), "no count and no list of PMIDs"),
        (result(idlist=[None, {}]), "no count and no list of PMIDs"),
    ],
)
def test_an_answer_that_finds_nothing_is_told_in_one_line_and_may_pass(answer, told):
    with pytest.raises(AnswerError) as raised:
        parse_hits(answer)
    assert (str(raised.value), raised.value.passes) == (told, True)


def test_a_key_that_is_refused_does_not_pass():
    with pytest.raises(AnswerError) as raised:
        parse_hits(b'{"error":"API key invalid","api-key":"secret"}')
    assert (str(raised.value), raised.value.passes) == ("an error (API key invalid)", False)


@pytest.mark.parametrize(
    "records",
    [b"<PubmedArticleSet></PubmedArticleSet>\n", b"<PubmedArticleSet/>", NO_RECORDS],
)
def test_whole_records_are_as_they_came(records):
    assert check_records(HEAD + records) == HEAD + records


def test_pmids_that_are_none_bring_no_records():
    answer = error_page("ID list is empty! Possibly it has no correct IDs.")
    assert check_records(answer) == NO_RECORDS


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b" \n", "nothing at all"),
        (b'{"error":"API rate limit exceeded"}', "an error (API rate limit exceeded)"),
        (b'{"esearchresult": {"count": "0"}}', "no records"),
        (error_page("External viewer error: Timeout"), "an error (External viewer error: Timeout)"),
        (
            b"<eFetchResult><ERROR>proxy_stream() <html>502",
            "an error (proxy_stream() 502)",
        ),
        (b"<html>Down for maintenance</html>", "a page for people (Down for maintenance)"),
        (HEAD + b"<PubmedArticleSet><PubmedArticle>", "records that break off"),
        (HEAD + b"<PubmedArticleSet><ERROR>no</ERROR></PubmedArticleSet>", "an error (no)"),
    ],
)
def test_an_answer_without_records_is_told_in_one_line(answer, told):
    with pytest.raises(AnswerError) as raised:
        check_records(answer)
    assert str(raised.value) == told


def test_what_is_told_is_short():
    with pytest.raises(AnswerError) as raised:
        check_records(error_page("long " * 1000))
    assert len(str(raised.value)) < 200


def test_what_is_told_holds_no_piece_of_a_secret():
    with pytest.raises(AnswerError) as raised:
        check_records(error_page("x" * 147 + "hush-hush"))
    assert str(raised.value).endswith("xhus...")
    assert raised.value.told(secret="hush-hush").endswith("x(th...")


def test_pmids_of_papers_and_books_are_known_and_those_they_cite_are_not():
    records = b"""<PubmedArticle><MedlineCitation Status="MEDLINE">
      <PMID Version="1">7</PMID><CommentsCorrections><PMID Version="1">8</PMID>
      </CommentsCorrections></MedlineCitation></PubmedArticle>
      <PubmedBookArticle><BookDocument><PMID Version="2">9</PMID></BookDocument>"""
    assert find_own_pmids(records) == {"7", "9"}
