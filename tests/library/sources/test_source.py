"""Sources by their names."""

import pytest

from likewise.errors import PlugInError, SettingsError
from likewise.library.sources import open_source
from likewise.library.sources.pubmed import PubmedSource
from plugging import plug_in

__all__ = ["plug_in"]


def test_a_source_is_opened_by_its_name():
    assert isinstance(open_source("pubmed"), PubmedSource)


def test_an_unknown_source_is_told_with_those_there_are():
    with pytest.raises(SettingsError, match="no source 'scopus'; use one of: pubmed, europepmc"):
        open_source("scopus")


def test_a_source_of_another_package_is_opened(plug_in):
    plug_in("likewise.sources", "mine", "likewise.library.sources.pubmed:PubmedSource")
    assert isinstance(open_source("mine"), PubmedSource)


def test_what_is_no_source_is_told_with_who_has_to_correct_it(plug_in):
    plug_in("likewise.sources", "mine", "likewise.library.sources.pubmed:LABEL")
    with pytest.raises(PlugInError, match=r"'mine' .* is not a function that opens a source"):
        open_source("mine")
