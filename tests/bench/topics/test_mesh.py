import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.topics.mesh import Descriptor, MeshTree, read_mesh_tree
from likewise.errors import ReadError
from likewise.library.protocol import Heading

LINES = """Body Regions;A01
Head;A01.456
Face;A01.456.505
Nose;A01.456.505.733
Nose;A04.531
Respiratory System;A04
Body Regions, Other;A011
"""

TAGGED = """*NEWRECORD
RECTYPE = D
MH = Head
ENTRY = Heads
MN = A01.456
UI = D006257

*NEWRECORD
RECTYPE = D
MH = Nose
MN = A01.456.505.733
MN = A04.531
MS = The UI = X and the MH = Y here are no tags.
UI = D009666

*NEWRECORD
RECTYPE = D
MH = Female
UI = D005260

*NEWRECORD
RECTYPE = Q
SH = surgery
UI = Q000601
"""

XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "desc2025.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D006257</DescriptorUI>
  <DescriptorName><String>Head</String></DescriptorName>
  <SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo>
    <DescriptorUI>D009666</DescriptorUI><DescriptorName><String>Nose</String></DescriptorName>
  </DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>
  <TreeNumberList><TreeNumber>A01.456</TreeNumber></TreeNumberList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D009666</DescriptorUI>
  <DescriptorName><String>Nose &amp; Nostrils</String></DescriptorName>
  <TreeNumberList>
    <TreeNumber>A01.456.505.733</TreeNumber><TreeNumber>A04.531</TreeNumber>
  </TreeNumberList>
</DescriptorRecord>
</DescriptorRecordSet>
"""


def tree_of(text, folder, name="mesh.bin"):
    (folder / name).write_text(text)
    return read_mesh_tree(folder / name)


def names(headings):
    return sorted(heading.name for heading in headings)


def test_a_heading_stands_for_itself_and_all_below_it(tmp_path):
    tree = tree_of(LINES, tmp_path)
    assert names(tree.find_below("Body Regions")) == ["Body Regions", "Face", "Head", "Nose"]


def test_a_heading_in_two_places_is_below_both(tmp_path):
    tree = tree_of(LINES, tmp_path)
    assert names(tree.find_below("Respiratory System")) == ["Nose", "Respiratory System"]
    assert names(tree.find_below("Face")) == ["Face", "Nose"]


def test_names_are_matched_without_case_and_spaces(tmp_path):
    assert names(tree_of(LINES, tmp_path).find_below(" body  regions")) != []


def test_nothing_is_below_an_unknown_heading(tmp_path):
    assert tree_of(LINES, tmp_path).find_below("Tail") == frozenset()


def test_tagged_records_give_identifiers_too(tmp_path):
    tree = tree_of(TAGGED, tmp_path)
    assert len(tree) == 3
    assert tree.find_below("D006257") == {Heading("Head", "D006257"), Heading("Nose", "D009666")}


def test_a_heading_without_a_place_stands_for_itself(tmp_path):
    assert tree_of(TAGGED, tmp_path).find_below("female") == {Heading("Female", "D005260")}


def test_descriptors_of_xml_are_read_and_not_those_they_refer_to(tmp_path):
    tree = tree_of(XML, tmp_path, "desc.xml")
    nose = Heading("Nose & Nostrils", "D009666")
    assert tree.find_below("Head") == {Heading("Head", "D006257"), nose}
    assert tree.find_heading("D009666") == nose


def test_packed_files_are_read(tmp_path):
    (tmp_path / "desc.gz").write_bytes(gzip.compress(XML.encode()))
    assert len(read_mesh_tree(tmp_path / "desc.gz")) == 2


@pytest.mark.parametrize("text", ["", "id,labels\n1,a\n", "Head\n"])
def test_another_file_is_refused_with_what_to_give(tmp_path, text):
    with pytest.raises(ReadError, match=r"not a file of the MeSH tree; give NLM's descYYYY\.xml"):
        tree_of(text, tmp_path)


def test_a_broken_line_is_named(tmp_path):
    with pytest.raises(ReadError, match=r"mesh\.bin:2: 'Head A01' where a heading and its place"):
        tree_of("Body Regions;A01\nHead A01\n", tmp_path)


def test_xml_that_is_cut_off_is_named(tmp_path):
    with pytest.raises(ReadError, match="the file is cut off"):
        tree_of(XML[:-400], tmp_path, "desc.xml")


def test_a_malformed_descriptor_is_named_with_its_line(tmp_path):
    with pytest.raises(ReadError, match=r"desc\.xml:4: malformed XML in this descriptor"):
        tree_of(XML.replace("<String>Head</String>", "<String>Head"), tmp_path, "desc.xml")


def test_xml_of_something_else_is_refused(tmp_path):
    with pytest.raises(ReadError, match="no <DescriptorRecord> in the file"):
        tree_of("<PubmedArticleSet></PubmedArticleSet>", tmp_path, "pubmed.xml")


places = st.lists(st.sampled_from("123"), min_size=1, max_size=4).map(
    lambda steps: "A0" + ".".join(steps)
)


@given(st.lists(places, unique=True, min_size=1))
def test_what_is_below_is_what_begins_with_the_place_and_a_full_stop(found):
    tree = MeshTree(Descriptor(Heading(f"at {place}"), (place,)) for place in found)
    for top in found:
        expected = {f"at {p}" for p in found if p == top or p.startswith(f"{top}.")}
        assert {heading.name for heading in tree.find_below(f"at {top}")} == expected
