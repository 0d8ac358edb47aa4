"""An expansion as a notebook shows it and takes it further."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import likewise
from expansion.corpus import corpus
from likewise.errors import MissingExtraError, SeedsError, SettingsError, UnknownDocumentError
from likewise.library.memory import MemoryLibrary


@pytest.fixture(scope="module")
def library():
    shelf = MemoryLibrary()
    shelf.add(corpus())
    shelf.commit()
    return shelf


@pytest.fixture(scope="module")
def seeds():
    return [int(paper.id) for paper in corpus() if "sugar" in paper.keywords][:12]


@pytest.fixture(scope="module")
def expansion(library, seeds):
    return likewise.expand(library, seeds, keep="top=25", rounds=1)


def test_tab_shows_the_public_names_alone():
    assert dir(likewise) == sorted(likewise.__all__)


def test_settings_are_given_by_name(expansion):
    assert (expansion.settings.keep, expansion.settings.rounds) == ("top=25", 1)


def test_limits_are_given_as_text(library, seeds):
    limited = likewise.expand(library, seeds, where="year>=2010", keep="top=5", rounds=1)
    years = {limited.documents[p.id].year for p in limited.ranking if not p.seed}
    assert limited.settings.where == "year>=2010"
    assert min(years) >= 2010


def test_a_name_that_is_no_setting_is_refused_with_those_there_are(library, seeds):
    with pytest.raises(SettingsError, match="kept is not a setting; the settings are: meth"):
        likewise.expand(library, seeds, kept="top=5")


def test_an_expansion_is_a_list_of_what_was_found(expansion):
    assert len(expansion) == len(list(expansion)) == 25
    assert [place.rank for place in expansion] == list(range(1, 26))


def test_a_document_is_looked_up_by_its_number_or_its_id(expansion, seeds):
    assert expansion[seeds[0]] == expansion[str(seeds[0])]
    assert seeds[0] in expansion
    assert "no such id" not in expansion


def test_an_expansion_is_one_short_line(expansion):
    line = repr(expansion)
    assert line.startswith("<Expansion of 12 seeds: 25 found among ")
    assert len(line) < 200


def test_a_notebook_shows_sentences_the_best_ten_and_the_scores(expansion):
    html = expansion._repr_html_()
    assert html.count("<tr>") == 11
    assert "https://pubmed.ncbi.nlm.nih.gov/" in html
    assert "<svg" in html
    assert len(html) < 50_000


def test_what_a_title_holds_is_no_html(library):
    shelf = MemoryLibrary()
    shelf.add(corpus())
    shelf.add(
        likewise.Document(id=f"x{n}", title=f"<script>alert({n})</script> insulin glucose pancreas")
        for n in range(9)
    )
    shelf.commit()
    html = likewise.expand(shelf, ["x0", "x1", "x2"], keep="top=5", rounds=1)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_the_head_is_the_documents_themselves(expansion):
    assert [paper.id for paper in expansion.head(3)] == [place.id for place in expansion.found[:3]]


def test_a_data_frame_has_a_row_for_each_document_found(expansion):
    frame = expansion.to_frame()
    assert list(frame.index) == [place.id for place in expansion.found]
    assert {"rank", "probability", "title", "year", "words"} <= set(frame.columns)
    assert frame["probability"].is_monotonic_decreasing


def test_a_data_frame_of_everything_has_the_seeds_too(expansion):
    frame = expansion.to_frame(everything=True)
    assert len(frame) == len(expansion.ranking)
    assert frame["seed"].sum() == 12


def test_columns_of_an_expansion_that_found_nothing_are_the_same_and_empty(expansion):
    nothing = replace(expansion, ranking=())
    assert list(nothing.to_columns()) == list(expansion.to_columns())
    assert nothing.to_frame().empty


def test_an_expansion_writes_itself_in_the_format_of_the_suffix(expansion, tmp_path):
    expansion.write(tmp_path / "found.csv")
    assert len(list(likewise.read(tmp_path / "found.csv"))) == 25


def test_a_chart_counts_every_document_once(expansion):
    chart = expansion.plot().to_dict()
    rows = chart["data"]["values"] if "values" in chart["data"] else chart["datasets"].popitem()[1]
    counts = {"your papers": 0, "candidates": 0}
    for row in rows:
        counts[row["documents"]] += row["count"]
    assert counts == {"your papers": 12, "candidates": expansion.pool_size}


def test_numbers_of_other_packages_are_seeds_too(library, seeds, expansion):
    floats = np.array(seeds, dtype=float)
    assert likewise.expand(library, floats, keep="top=25", rounds=1).ranking == expansion.ranking
    assert np.int64(seeds[0]) in library


@pytest.mark.parametrize("seed", [float("nan"), 1.5, None, ["1"]])
def test_what_is_no_seed_is_named(library, seed):
    with pytest.raises(SeedsError, match="is not a seed; give documents, files, PMIDs"):
        likewise.expand(library, [seed])


def test_a_number_that_is_none_is_refused(library, seeds):
    with pytest.raises(SettingsError, match="pool is 'many'; it must be a whole number"):
        likewise.expand(library, seeds, pool="many")


def test_an_id_that_was_not_ranked_is_named(expansion):
    with pytest.raises(UnknownDocumentError, match="no seed or candidate has the id 'x'"):
        expansion["x"]


def test_problems_that_nobody_listens_for_are_logged(tmp_path, caplog):
    likewise.index_files(tmp_path / "nothing.ris", tmp_path / "lib")
    assert "nothing.ris: no such file or folder" in caplog.text


def test_a_csv_is_written_whatever_the_path_is_called(expansion, tmp_path):
    expansion.to_csv(tmp_path / "found.dat")
    expansion.write(tmp_path / "found.csv")
    assert (tmp_path / "found.dat").read_bytes() == (tmp_path / "found.csv").read_bytes()


def test_arrow_takes_the_columns_as_they_are(expansion, monkeypatch):
    class Table:
        def __init__(self, columns):
            self.columns = columns

        def __arrow_c_stream__(self, schema):
            return self.columns, schema

    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(table=Table))
    assert expansion.__arrow_c_stream__("schema") == (expansion.to_columns(), "schema")


def test_without_pyarrow_one_line_says_what_to_do(expansion, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="pip install pyarrow, or use to_columns"):
        expansion.__arrow_c_stream__()
