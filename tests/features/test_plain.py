"""Plain words."""

from likewise.documents import Document
from likewise.features.pairs import read_word_sequences


def test_words_are_as_they_are_written_in_lower_case_and_small_ones_count_too():
    found = read_word_sequences([Document(id="1", title="We were randomised", abstract="Were we")])
    packed = found.rows.pack()
    words = [found.names[number] for number in packed.values.tolist()]
    assert [words[:3], words[3:]] == [["we", "were", "randomised"], ["were", "we"]]
