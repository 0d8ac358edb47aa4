from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likewise
from documents.strategies import documents
from expansion.samples import TEXT_ONLY, small_expansion
from likewise.errors import SessionError, WriteError
from likewise.expansion import session as module
from likewise.expansion.expansion import Estimates, Interval
from likewise.expansion.session import Session, library_fingerprint, session_of, session_path
from likewise.expansion.settings import ExpandSettings
from likewise.library.more_like import MoreLike
from likewise.library.protocol import LibraryInfo

OLD = Path(__file__).parents[1] / "data" / "old"
INFO = LibraryInfo(5, {"title": 5, "abstract": 4}, {"ris:a.ris": 2, "csv:b.csv": 3}, 99, "2026")


def saved(tmp_path, session):
    path = tmp_path / "found.session.json"
    session.save(path)
    return path


def test_what_is_saved_is_loaded(tmp_path):
    session = session_of(small_expansion())
    assert Session.load(saved(tmp_path, session)) == session


@given(seed=documents(), score=st.floats(), threshold=st.floats(), warning=st.text('aé\n"\\'))
def test_any_values_are_loaded_as_they_were_saved(
    tmp_path_factory, seed, score, threshold, warning
):
    expansion = small_expansion()
    session = session_of(
        replace(
            expansion,
            seeds=replace(expansion.seeds, text_only=(seed,)),
            ranking=(expansion.ranking[0]._replace(score=score),),
            threshold=threshold,
            warnings=(warning,),
        )
    )
    assert Session.load(saved(tmp_path_factory.mktemp("session"), session)) == session


def test_the_same_expansion_gives_the_same_bytes_whatever_it_took(tmp_path):
    first = saved(tmp_path, session_of(small_expansion())).read_bytes()
    slower = small_expansion(seconds={"pool": 99.0})
    assert saved(tmp_path, session_of(slower)).read_bytes() == first


def test_a_session_holds_the_seeds_and_those_not_in_the_library_whole():
    seeds = session_of(small_expansion()).seeds
    assert (seeds.matched, seeds.not_found) == (("101", "102", "103"), ("999",))
    assert seeds.text_only == TEXT_ONLY


def test_a_session_holds_the_ranking_with_rounded_numbers():
    third = session_of(small_expansion()).ranking[2]
    assert msgspec.to_builtins(third) == {
        "id": "101",
        "score": 2.0,
        "probability": 0.9,
        "decision": True,
        "seed": True,
    }


def test_a_session_holds_estimates_rounds_warnings_and_threshold():
    session = session_of(small_expansion())
    assert msgspec.to_builtins(session.estimates) == {
        "relevant": {"value": 3.5, "low": 2.0, "high": 5.0},
        "precision": 0.81,
        "recall": 0.9,
        "outside": {"value": 0.12, "low": 0.05, "high": 0.3},
    }
    assert msgspec.to_builtins(session.rounds[0]) == {"added": 5, "likely": 3, "decided": 3}
    assert session.warnings == ("4 seeds are few; 10 or more give a better list",)
    assert (session.threshold, session.library) == (0.75, "0123456789abcdef")


def test_what_is_unknown_stays_unknown(tmp_path):
    estimates = Estimates(Interval(0.0, 0.0, 9.0), float("nan"), 0.0, outside=None)
    expansion = small_expansion(estimates=estimates, threshold=float("inf"))
    session = Session.load(saved(tmp_path, session_of(expansion)))
    assert (session.estimates.precision, session.estimates.outside) == (None, None)
    assert session.threshold is None


def test_settings_are_plain_values_and_can_be_made_settings_again(tmp_path):
    settings = ExpandSettings(keep="top=5", pool=100, more_like=MoreLike.of_the_paper())
    session = Session.load(saved(tmp_path, session_of(small_expansion(settings=settings))))
    assert session.settings["more_like"]["max_terms"] == 25
    assert msgspec.convert(session.settings, ExpandSettings) == settings


def test_versions_are_those_that_are_installed(monkeypatch):
    monkeypatch.setattr(module, "PACKAGES", ("msgspec", "no-such-package"))
    session = session_of(small_expansion())
    assert session.versions == {"msgspec": msgspec.__version__}
    assert session.likewise == likewise.__version__


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"format": 1}',
        b"TY  - JOUR\n",
        b"\xff\xfe\x00",
        b'{"\xff": 1}',
        b'{"a": ' + b"[" * 10**5,
    ],
)
def test_a_file_that_is_no_session_says_so(tmp_path, content):
    path = tmp_path / "found.json"
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"found.json: no session; `likewise expand` writes one"):
        Session.load(path)


def test_a_session_of_a_newer_format_says_what_to_do(tmp_path):
    path = tmp_path / "found.session.json"
    path.write_text('{"kind": "likewise session", "format": 99, "news": []}')
    with pytest.raises(SessionError, match=r"a session of format 99, .* install a newer version"):
        Session.load(path)


def test_a_session_with_something_missing_says_what(tmp_path):
    path = tmp_path / "found.session.json"
    path.write_text('{"kind": "likewise session", "format": 1, "likewise": "0.1.0"}')
    with pytest.raises(
        SessionError, match=r"a damaged session .*missing required field `versions`"
    ):
        Session.load(path)


def test_a_session_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(SessionError, match=r"none.json: can't be read: No such file"):
        Session.load(tmp_path / "none.json")


def test_a_session_that_can_t_be_saved_is_one_line(tmp_path):
    with pytest.raises(WriteError, match="can't be written: No such file"):
        session_of(small_expansion()).save(tmp_path / "none" / "found.session.json")


@pytest.mark.parametrize("path", sorted(OLD.glob("*.session.json")), ids=lambda path: path.name)
def test_sessions_of_older_versions_still_load(path):
    session = Session.load(path)
    assert [place.id for place in session.ranking if place.decision and not place.seed] == [
        *("201", "10.1000/a b", "203")
    ]


def test_there_is_an_old_session_of_each_format():
    names = {path.name for path in OLD.glob("*.session.json")}
    assert names == {f"format{number}.session.json" for number in range(1, module.FORMAT + 1)}


@pytest.mark.parametrize(
    ("output", "session"),
    [
        ("found.ris", "found.session.json"),
        ("out/found.csv.gz", "out/found.session.json"),
        ("FOUND.TREC.GZ", "FOUND.session.json"),
        ("a.b.html", "a.b.session.json"),
    ],
)
def test_the_session_lies_beside_the_output(output, session):
    assert session_path(Path(output)) == Path(session)


def test_the_fingerprint_does_not_see_order_size_and_time():
    other = LibraryInfo(5, {"abstract": 4, "title": 5}, {"csv:b.csv": 3, "ris:a.ris": 2}, 1, "")
    assert library_fingerprint(other) == library_fingerprint(INFO)


@pytest.mark.parametrize(
    "change", [{"documents": 6}, {"fields": {"title": 5}}, {"sources": {"ris:a.ris": 5}}]
)
def test_the_fingerprint_sees_what_the_library_holds(change):
    assert library_fingerprint(INFO._replace(**change)) != library_fingerprint(INFO)
