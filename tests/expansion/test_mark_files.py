import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document, write_annotated
from likewise.documents.document import AnnotatedDocument
from likewise.errors import ReadError
from likewise.expansion.mark_files import (
    NotALabelError,
    parse_label,
    parse_labels,
    parse_notes,
    read_marks,
)
from likewise.expansion.marks import LABELS

RAYYAN = (
    'key,title,notes\nr1,On cats,"RAYYAN-INCLUSION: {""Ann""=>""Included""} | RAYYAN-LABELS: x"\n'
)

ENDNOTE = (
    "<xml><records><record><titles><title>On cats</title></titles>"
    "<accession-num>PMID:7</accession-num><notes><style>{}</style></notes>"
    "</record></records></xml>"
)


@pytest.fixture
def marks_in(tmp_path):
    """Write a file, and return its marks as (id, label), and the problems with it as text."""

    def read(content, name="screened.csv", **options):
        path = tmp_path / name
        path.write_text(content)
        problems = []
        found = read_marks(path, on_problem=problems.append, **options)
        told = [str(problem).removeprefix(str(tmp_path)) for problem in problems]
        return [(mark.document.id, mark.label) for mark in found.marks], told

    return read


def refusal(path, **options):
    with pytest.raises(ReadError) as refused:
        read_marks(path, **options)
    return str(refused.value).removeprefix(f"{path}: ")


# Tables


@pytest.mark.parametrize(
    "column",
    ["mark", "included", "label_included", "asreview_label", "Label", "include", "final_included"],
)
def test_a_column_of_labels_is_known_by_its_name(column, marks_in):
    marks, problems = marks_in(f"pmid,title,{column}\n7,On cats,1\n8,On dogs,0\n9,On bees,\n")
    assert (marks, problems) == ([("7", "relevant"), ("8", "irrelevant")], [])


def test_it_is_told_which_column_was_read_and_how_many_have_no_label(tmp_path):
    (tmp_path / "a.csv").write_text("pmid,Included,asreview_prior\n7,1,1\n8,,0\n9,-1,0\n")
    column, marks, unmarked = read_marks(tmp_path / "a.csv")
    assert (column, len(marks), unmarked) == ("Included", 1, 2)
    assert marks[0].line == 2


def test_what_asreview_says_is_newer_than_what_we_wrote(marks_in):
    marks, _ = marks_in("pmid,mark,label_included,asreview_label\n7,relevant,1,0\n")
    assert marks == [("7", "irrelevant")]


def test_any_column_can_be_named(marks_in):
    marks, _ = marks_in("pmid,mark,Full text\n7,relevant,no\n", column="full_text")
    assert marks == [("7", "irrelevant")]


def test_our_own_decision_is_no_mark(tmp_path):
    (tmp_path / "found.csv").write_text("pmid,probability,decision\n7,0.9,true\n")
    assert refusal(tmp_path / "found.csv") == (
        "no column of labels in it; it has 'pmid', 'probability', 'decision'; "
        "name one with --column, or mark all of the file with --relevant FILE"
    )


def test_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path):
    (tmp_path / "a.tsv").write_text("pmid\ttitle\n7\tOn cats\n")
    assert refusal(tmp_path / "a.tsv", column="x") == "no column 'x' in it; it has 'pmid', 'title'"


def test_a_label_that_is_not_understood_is_told_with_its_line_and_the_rest_is_read(marks_in):
    marks, problems = marks_in("pmid,included\n7,1\n8,perhaps\n9,0\n")
    assert marks == [("7", "relevant"), ("9", "irrelevant")]
    (problem,) = problems
    assert problem.startswith(
        "/screened.csv:3: 'perhaps' in 'included' is not a label; write relev"
    )


def test_without_anyone_to_tell_such_a_label_raises(tmp_path):
    (tmp_path / "a.csv").write_text("pmid,included\n8,perhaps\n")
    assert "'perhaps' in 'included'" in refusal(tmp_path / "a.csv")


# Notes


def test_a_table_of_rayyan_has_its_labels_in_the_notes(marks_in):
    more = 'r2,On dogs,"RAYYAN-INCLUSION: {""Ann""=>""Excluded""}"\nr3,On bees,\n'
    marks, problems = marks_in(RAYYAN + more)
    assert (marks, problems) == ([("r1", "relevant"), ("r2", "irrelevant")], [])


def test_where_reviewers_differ_it_is_maybe_and_told(marks_in):
    both = 'r2,On dogs,"RAYYAN-INCLUSION: {""Ann""=>""Excluded"", ""Bob""=>""Included""}"\n'
    marks, problems = marks_in(RAYYAN + both)
    assert marks[1] == ("r2", "maybe")
    assert problems == [
        "/screened.csv:3: 'notes' says relevant and irrelevant; it was marked maybe"
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ris", "TY  - JOUR\nID  - 7\nTI  - On cats\nN1  - x\nN1  - {}\nER  -\n"),
        ("a.bib", "@article{{7, title={{On cats}}, note={{x; {}}}}}\n"),
        ("a.enw", "%0 Journal Article\n%F 7\n%T On cats\n%Z {}\n"),
        ("a.nbib", "PMID- 7\nTI  - On cats\nGN  - {}\n"),
        ("a.endnote.xml", ENDNOTE),
        ("a.jsonl", '{{"id": "7", "title": "On cats", "notes": "{}"}}\n'),
    ],
)
def test_every_format_with_notes_may_hold_labels(name, content, marks_in):
    marks, problems = marks_in(content.format("ASReview_irrelevant"), name)
    assert (marks, problems) == ([("7", "irrelevant")], [])


def test_a_ris_file_without_labels_says_what_to_do(tmp_path):
    (tmp_path / "a.ris").write_text("TY  - JOUR\nTI  - On cats\nER  -\n")
    assert refusal(tmp_path / "a.ris").startswith("no column of labels in it; it has 'notes'; name")


def test_a_json_label_may_be_true_or_false(marks_in):
    lines = '{"id": "7", "title": "a", "included": true}\n{"id": "8", "title": "b"}\n'
    assert marks_in(lines, "a.jsonl")[0] == [("7", "relevant")]


# What we write ourselves


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "xlsx", "jsonl", "ris", "nbib", "bib", "enw", "endnote.xml"]
)
def test_marks_that_we_write_are_read_back(suffix, tmp_path):
    labels = {"7": "relevant", "8": "irrelevant", "9": "maybe", "10": ""}
    annotated = [
        AnnotatedDocument(
            Document(id=pmid, pmid=pmid, title=f"On {pmid} cats"), {"rank": 1, "mark": label}
        )
        for pmid, label in labels.items()
    ]
    write_annotated(annotated, tmp_path / f"a.{suffix}")
    read = {mark.document.id: mark.label for mark in read_marks(tmp_path / f"a.{suffix}").marks}
    assert read == {pmid: label for pmid, label in labels.items() if label}


def test_labels_beside_guarded_cells_are_read(tmp_path):
    document = Document(id="@1", title="=1+1")
    write_annotated([AnnotatedDocument(document, {"mark": "relevant"})], tmp_path / "t.csv")
    assert "'@1,'=1+1," in (tmp_path / "t.csv").read_text()
    (mark,) = read_marks(tmp_path / "t.csv").marks
    assert (mark.document.id, mark.document.title, mark.label) == ("@1", "=1+1", "relevant")


def test_a_dash_that_another_program_guarded_is_no_label(tmp_path):
    (tmp_path / "t.csv").write_text("title,included\nOn cats,'-\nOn dogs,yes\n")
    assert [mark.document.title for mark in read_marks(tmp_path / "t.csv").marks] == ["On dogs"]


@pytest.mark.parametrize(
    ("label", "values"),
    [
        ("relevant", ["relevant", "Included", "include", "YES", "y", "TRUE", True, 1, "1", "1.0"]),
        ("irrelevant", ["not relevant", "Excluded", "No", "n", False, 0, 0.0, "0", "irrelevant"]),
        ("maybe", ["Maybe", "?", " unsure ", "unclear"]),
    ],
)
def test_what_people_write_is_understood(label, values):
    assert {parse_label(value) for value in values} == {label}


@pytest.mark.parametrize("value", ["", " ", None, "NA", "nan", float("nan"), -1, "-1.0", "-", {}])
def test_an_empty_cell_says_nothing(value):
    assert parse_label(value) is None


@pytest.mark.parametrize(
    ("value", "shown"), [("perhaps", "'perhaps'"), (2, "'2'"), ({"a": 1}, "'an object'")]
)
def test_what_is_not_understood_is_not_guessed(value, shown):
    with pytest.raises(NotALabelError, match=shown):
        parse_label(value)


@given(st.sampled_from(LABELS), st.sampled_from(["{}", " {} ", "mark: {}", "mark:{}"]))
def test_our_own_labels_are_read_in_cells_and_notes(label, form):
    text = form.format(label)
    assert (parse_notes(text) if "mark" in text else parse_labels(text)) == [label]


@pytest.mark.parametrize(
    ("notes", "labels"),
    [
        ('RAYYAN-INCLUSION: {"Ann"=>"Included"}', ["relevant"]),
        ('RAYYAN-INCLUSION: {""Ann""=>""Excluded""} | RAYYAN-LABELS: a,b', ["irrelevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Maybe", "Bob: B"=>"Maybe"}', ["maybe"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Excluded"}', ["relevant", "irrelevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Undecided"}', ["relevant"]),
        ('RAYYAN-INCLUSION: {"Ann"=>true, "Bob"=>true}', ["relevant"]),
        ("RAYYAN-INCLUSION: {}", []),
        ('USER-NOTES: {"Ann"=>["Included"]}', None),
    ],
)
def test_rayyan_notes_say_what_the_reviewers_said(notes, labels):
    assert parse_notes(notes) == labels


@pytest.mark.parametrize(
    ("notes", "labels"),
    [
        ("ASReview_relevant\nasreview_time: 17", ["relevant"]),
        ("<p>ASReview_irrelevant</p>", ["irrelevant"]),
        ("ASReview_not_seen", []),
        ("ASReview_validate_relevant\nASReview_prior", None),
    ],
)
def test_asreview_notes_are_understood(notes, labels):
    assert parse_notes(notes) == labels


def test_ours_may_stand_among_other_notes_on_one_line():
    assert parse_notes("rank: 3; mark: maybe; seed: false") == ["maybe"]


def test_what_a_later_program_noted_counts():
    rayyan = 'RAYYAN-INCLUSION: {"Ann"=>"Excluded"}'
    assert parse_notes(f"mark: relevant\n{rayyan}\nASReview_relevant") == ["irrelevant"]
    assert parse_notes("mark: relevant\nASReview_irrelevant") == ["irrelevant"]


def test_notes_of_people_are_no_labels():
    assert parse_notes("Mark said it is relevant; benchmark: yes") is None
