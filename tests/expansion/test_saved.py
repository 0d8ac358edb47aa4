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
from likewise.expansion import saved as module
from likewise.expansion.records import Estimates, Place
from likewise.expansion.saved import (
    Changes,
    Move,
    SavedExpansion,
    compare_expansions,
    fingerprint_library,
    make_saved_path,
)
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Interval, SeedReading
from likewise.library.more_like import MoreLike
from likewise.library.protocol import LibraryInfo

OLD = Path(__file__).parents[1] / "data" / "old"
INFO = LibraryInfo(5, {"title": 5, "abstract": 4}, {"ris:a.ris": 2, "csv:b.csv": 3}, 99, "2026")


def written(tmp_path, saved):
    path = tmp_path / "found.expansion.json"
    saved.save(path)
    return path


def test_what_is_saved_is_loaded(tmp_path):
    saved = small_expansion().saved
    assert SavedExpansion.load(written(tmp_path, saved)) == saved


@given(seed=documents(), score=st.floats(), threshold=st.floats(), warning=st.text('aé\n"\\'))
def test_any_values_are_loaded_as_they_were_saved(
    tmp_path_factory, seed, score, threshold, warning
):
    expansion = small_expansion()
    saved = replace(
        expansion,
        seeds=replace(expansion.seeds, text_only=(seed,)),
        ranking=(msgspec.structs.replace(expansion.ranking[0], score=score),),
        threshold=threshold,
        warnings=(warning,),
    ).saved
    assert SavedExpansion.load(written(tmp_path_factory.mktemp("saved"), saved)) == saved


def test_the_same_expansion_gives_the_same_bytes_whatever_it_took(tmp_path):
    first = written(tmp_path, small_expansion().saved).read_bytes()
    slower = small_expansion(seconds={"pool": 99.0})
    assert written(tmp_path, slower.saved).read_bytes() == first


def test_a_saved_expansion_holds_the_seeds_and_those_not_in_the_library_whole():
    seeds = small_expansion().saved.seeds
    assert (seeds.matched, seeds.not_found) == (("101", "102", "103"), ("999",))
    assert seeds.text_only == TEXT_ONLY


def test_a_saved_expansion_holds_the_ranking_with_rounded_numbers():
    third = small_expansion().saved.ranking[2]
    assert msgspec.to_builtins(third) == {
        "id": "101",
        "rank": 3,
        "score": 2.0,
        "probability": 0.9,
        "decision": True,
        "seed": True,
    }


def test_a_saved_expansion_holds_estimates_rounds_warnings_and_threshold():
    saved = small_expansion().saved
    assert msgspec.to_builtins(saved.estimates) == {
        "relevant": {"value": 3.5, "low": 2.0, "high": 5.0},
        "precision": 0.81,
        "recall": 0.9,
        "outside": {"value": 0.12, "low": 0.05, "high": 0.3},
    }
    assert msgspec.to_builtins(saved.rounds[0]) == {"added": 5, "likely": 3, "decided": 3}
    assert saved.warnings == ("4 seeds are few; 10 or more give a better list",)
    assert (saved.threshold, saved.library) == (0.75, "0123456789abcdef")


def test_a_saved_expansion_holds_how_the_seeds_were_read_and_by_which_signs(tmp_path):
    readings = (SeedReading(True, 0.65432109, 304.00000001), SeedReading(False, 0.34567891, 31.5))
    saved = small_expansion(readings=readings, signs={"alike": -1.23456789}).saved
    loaded = SavedExpansion.load(written(tmp_path, saved))
    assert loaded.library_size == 8
    assert [reading.is_corner for reading in loaded.readings] == [True, False]
    numbers = [(reading.weight, reading.left) for reading in loaded.readings]
    assert numbers[0] == pytest.approx((0.654321, 304), abs=1e-4)
    assert numbers[1] == pytest.approx((0.345679, 31.5), abs=1e-4)
    assert loaded.signs == pytest.approx({"alike": -1.234568}, abs=1e-4)


@pytest.mark.parametrize("name", ["library_size", "readings", "signs"])
def test_an_expansion_that_was_saved_before_these_were_noted_still_loads(name, tmp_path):
    path = written(tmp_path, small_expansion(signs={"alike": -1.0}).saved)
    content = msgspec.json.decode(path.read_bytes())
    del content[name]
    path.write_bytes(msgspec.json.encode(content))
    assert not getattr(SavedExpansion.load(path), name)


def test_what_is_kept_of_an_expansion_is_made_once():
    expansion = small_expansion()
    assert expansion.saved is expansion.saved
    assert expansion.saved == expansion.saved


def test_what_is_unknown_stays_unknown(tmp_path):
    estimates = Estimates(Interval(0.0, 0.0, 9.0), float("nan"), 0.0, outside=None)
    expansion = small_expansion(estimates=estimates, threshold=float("inf"))
    saved = SavedExpansion.load(written(tmp_path, expansion.saved))
    assert (saved.estimates.precision, saved.estimates.outside) == (None, None)
    assert saved.threshold is None


def test_settings_are_plain_values_and_can_be_made_settings_again(tmp_path):
    settings = ExpandSettings(keep="top=5", pool=100, more_like=MoreLike.of_the_paper())
    saved = SavedExpansion.load(written(tmp_path, small_expansion(settings=settings).saved))
    assert saved.settings["more_like"]["max_terms"] == 25
    assert msgspec.convert(saved.settings, ExpandSettings) == settings


def test_versions_are_those_that_are_installed(monkeypatch):
    monkeypatch.setattr(module, "PACKAGES", ("msgspec", "no-such-package"))
    saved = small_expansion().saved
    assert saved.versions == {"msgspec": msgspec.__version__}
    assert saved.likewise == likewise.__version__


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
def test_a_file_that_is_no_saved_expansion_says_so(tmp_path, content):
    path = tmp_path / "found.json"
    path.write_bytes(content)
    with pytest.raises(SessionError, match=r"found.json: not a saved expansion; `likewise expand`"):
        SavedExpansion.load(path)


def test_a_saved_expansion_of_a_newer_format_says_what_to_do(tmp_path):
    path = tmp_path / "found.expansion.json"
    path.write_text('{"kind": "likewise expansion", "format": 99, "news": []}')
    with pytest.raises(
        SessionError, match=r"an expansion of format 99, .* install a newer version"
    ):
        SavedExpansion.load(path)


def test_a_saved_expansion_with_something_missing_says_what(tmp_path):
    path = tmp_path / "found.expansion.json"
    path.write_text('{"kind": "likewise expansion", "format": 2, "likewise": "0.1.0"}')
    with pytest.raises(
        SessionError, match=r"a damaged expansion .*missing required field `versions`"
    ):
        SavedExpansion.load(path)


def test_a_saved_expansion_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(SessionError, match=r"none.json: can't be read: No such file"):
        SavedExpansion.load(tmp_path / "none.json")


def test_a_saved_expansion_that_can_t_be_saved_is_one_line(tmp_path):
    with pytest.raises(WriteError, match="can't be written: there is no folder"):
        small_expansion().saved.save(tmp_path / "none" / "found.expansion.json")


OLD_FILES = [OLD / "format1.session.json", *sorted(OLD.glob("*.expansion.json"))]


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.name)
def test_expansions_of_older_versions_still_load(path):
    saved = SavedExpansion.load(path)
    assert [place.id for place in saved.ranking if place.decision and not place.seed] == [
        *("201", "10.1000/a b", "203")
    ]


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.name)
def test_queries_of_older_versions_count_and_relax_as_they_did(path):
    settings = msgspec.convert(SavedExpansion.load(path).settings, ExpandSettings)
    assert (settings.more_like.per_field, settings.more_like.relax) == (False, True)


def test_an_expansion_of_the_first_format_gets_its_ranks_from_its_order():
    saved = SavedExpansion.load(OLD / "format1.session.json")
    pool = [place.rank for place in saved.ranking if not place.seed]
    assert pool == [1, 2, 3, 4, 5]
    assert [place.rank for place in saved.ranking if place.seed] == [1, 2, 3, 5]


def test_an_expansion_knows_the_marks_that_it_learned_from():
    saved = SavedExpansion.load(OLD / "format2.expansion.json")
    assert saved.marks.irrelevant == ("205",)
    assert [place.mark for place in saved.ranking if place.id in {"204", "205"}] == [
        *(None, "irrelevant")
    ]


def test_there_is_an_old_file_of_each_format():
    names = {path.name.split(".")[0] for path in OLD_FILES}
    assert names == {f"format{number}" for number in range(1, module.FORMAT + 1)}


@pytest.mark.parametrize(
    ("output", "beside"),
    [
        ("found.ris", "found.expansion.json"),
        ("out/found.csv.gz", "out/found.expansion.json"),
        ("FOUND.TREC.GZ", "FOUND.expansion.json"),
        ("a.b.html", "a.b.expansion.json"),
    ],
)
def test_the_saved_expansion_lies_beside_the_output(output, beside):
    assert make_saved_path(Path(output)) == Path(beside)


def test_the_fingerprint_does_not_see_order_size_and_time():
    other = LibraryInfo(5, {"abstract": 4, "title": 5}, {"csv:b.csv": 3, "ris:a.ris": 2}, 1, "")
    assert fingerprint_library(other) == fingerprint_library(INFO)


@pytest.mark.parametrize(
    "change", [{"documents": 6}, {"fields": {"title": 5}}, {"sources": {"ris:a.ris": 5}}]
)
def test_the_fingerprint_sees_what_the_library_holds(change):
    assert fingerprint_library(replace(INFO, **change)) != fingerprint_library(INFO)


SMALL = small_expansion().saved


def saved(*ids, decided=0, seeds=(), marks=()):
    """Return an expansion that ranks these ids, the first `decided` of them on topic."""
    ranking = tuple(
        Place(
            id=identifier,
            rank=rank,
            score=-float(rank),
            probability=0.5,
            decision=rank <= decided,
            seed=identifier in seeds,
            mark="relevant" if identifier in marks else None,
        )
        for rank, identifier in enumerate(ids, 1)
    )
    return msgspec.structs.replace(SMALL, ranking=ranking)


def test_what_is_newly_decided_and_no_longer_so_is_told_with_its_ranks():
    changes = compare_expansions(saved(*"abcd", decided=2), saved(*"cabd", decided=2))
    assert changes.decided == (Move("c", 3, 1),)
    assert changes.dropped == (Move("b", 2, 3),)


def test_what_joins_or_leaves_the_pool_has_no_rank_there():
    changes = compare_expansions(saved(*"ab", decided=2), saved(*"cb", decided=2))
    assert changes.decided == (Move("c", None, 1),)
    assert changes.dropped == (Move("a", 1, None),)
    assert changes.risen == changes.fallen == ()


def test_a_rise_to_the_top_counts_more_than_one_far_below():
    before, after = saved(*"abcdefgh"), saved(*"cabhdefg")
    changes = compare_expansions(before, after, most=2)
    # c rose from 3 to 1, h from 8 to 4; a fell from 1 to 2, b from 2 to 3.
    assert changes.risen == (Move("c", 3, 1), Move("h", 8, 4))
    assert changes.fallen == (Move("a", 1, 2), Move("b", 2, 3))


def test_seeds_and_what_the_person_has_marked_are_left_out():
    before = saved(*"abcd", decided=1)
    after = saved(*"dcba", decided=2, seeds="d", marks="c")
    changes = compare_expansions(before, after)
    assert changes.decided == ()
    assert {move.id for move in (*changes.dropped, *changes.risen, *changes.fallen)} == {"a", "b"}


def test_nothing_changes_between_an_expansion_and_itself():
    same = saved(*"abcd", decided=2)
    number = same.estimates.relevant.value
    assert compare_expansions(same, same) == Changes((), (), (), (), relevant=(number, number))


def test_how_the_estimate_changed_is_told():
    before, after = (
        msgspec.structs.replace(
            saved(*"abcd"),
            estimates=msgspec.structs.replace(
                saved(*"abcd").estimates, relevant=Interval(value=number, low=1, high=99)
            ),
        )
        for number in (30.0, 12.5)
    )
    assert compare_expansions(before, after).relevant == (30, 12.5)


@given(before=st.permutations("abcdefg"), after=st.permutations("abcdefg"))
def test_the_risen_have_risen_and_the_fallen_have_fallen(before, after):
    changes = compare_expansions(saved(*before), saved(*after), most=3)
    assert all(move.after < move.before for move in changes.risen)
    assert all(move.after > move.before for move in changes.fallen)
    assert max(len(changes.risen), len(changes.fallen)) <= 3
