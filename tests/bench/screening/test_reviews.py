"""Files of reviews."""

import gzip
import json
import re

import pytest

from bench.screening.screened import bees, rows_of, write_rows
from likewise.bench.screening.reviews import Review, draw_start, read_reviews, write_starts
from likewise.documents import Document
from likewise.errors import ReadError, RunError


def read_one(path, **chosen):
    (review,) = read_reviews([path], **chosen)
    return review


def test_records_of_a_named_review_are_read_with_what_was_decided(tmp_path):
    review = read_one(write_rows(tmp_path / "reviews.jsonl", rows_of()))
    assert (review.name, len(review.documents), len(review.on_topic)) == ("bees", 320, 45)


def test_the_kind_of_a_review_is_the_name_of_a_file_of_several(tmp_path):
    assert read_one(write_rows(tmp_path / "clef.jsonl", rows_of())).kind == "clef"
    with gzip.open(tmp_path / "mesh.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows_of())
    assert read_one(tmp_path / "mesh.jsonl.gz").kind == "mesh"


def test_a_table_of_one_review_is_of_no_kind(tmp_path):
    path = tmp_path / "Cats_2020.csv"
    path.write_text("title,included\nOn cats,1\nOn dogs,0\n")
    assert read_one(path, least=1).kind == ""


def test_the_level_says_which_decision_counts(tmp_path):
    path = write_rows(tmp_path / "reviews.jsonl", rows_of())
    included = read_one(path, level="included", least=1).on_topic
    assert included < read_one(path).on_topic


def test_a_record_belongs_only_to_reviews_that_it_names(tmp_path):
    rows = [row | {"reviews": {"x": {"abstract": 1, "included": 1}}} for row in rows_of()]
    path = write_rows(tmp_path / "reviews.jsonl", [*rows[:50], *list(rows_of())[50:]])
    sizes = {review.name: len(review.documents) for review in read_reviews([path], least=1)}
    assert sizes == {"bees": 270, "x": 50}


def test_reviews_with_too_few_on_topic_are_left_out(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of(few={"abstract": 0, "included": 0}))
    assert [review.name for review in read_reviews([path])] == ["bees"]


def test_a_review_that_is_asked_for_may_have_few(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of(few={"abstract": 0, "included": 0}))
    assert [review.name for review in read_reviews([path], names=["few"])] == ["few"]


@pytest.mark.parametrize("column", ["label_included", "included"])
def test_a_table_with_a_column_of_decisions_is_one_review_of_its_name(tmp_path, column):
    path = tmp_path / "Cats_2020.csv"
    path.write_text(f"title,abstract,{column}\nOn cats,Purr,1\nOn dogs,Bark,0\nOn mice,Squeak,\n")
    review = read_one(path, least=1)
    assert review.name == "Cats_2020"
    titles = {one.title: one.id in review.on_topic for one in review.documents}
    assert titles == {"On cats": True, "On dogs": False}


def test_records_that_are_marked_maybe_are_left_out(tmp_path):
    path = tmp_path / "cats.csv"
    path.write_text("id,title,included\n1,On cats,1\n2,On dogs,0\n3,On lions,maybe\n")
    assert [one.id for one in read_one(path, least=1).documents] == ["1", "2"]


def test_a_record_that_is_there_twice_is_on_topic_if_one_is(tmp_path):
    path = tmp_path / "cats.csv"
    path.write_text("id,title,included\n1,On cats,1\n1,On cats,0\n2,On dogs,0\n")
    review = read_one(path, least=1)
    assert (len(review.documents), review.on_topic) == (2, frozenset({"1"}))


def test_the_fingerprint_tells_other_decisions_apart(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of())
    one, other = (read_one(path, level=level, least=1) for level in ("abstract", "included"))
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == read_one(path).fingerprint


def test_a_file_without_decisions_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "cats.csv"
    path.write_text("id,title\n1,On cats\n")
    with pytest.raises(ReadError, match=r"cats\.csv: .*(column|label)"):
        read_one(path)


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ({"abstract": 1}, "'x' has no 'included' here"),
        (1, "'x' has no 'included' here"),
        ({"included": "perhaps"}, "'perhaps' in 'reviews'; write 1 or 0"),
    ],
)
def test_what_is_no_decision_is_refused_with_its_line(tmp_path, decisions, message):
    rows = list(rows_of())
    rows[6]["reviews"] = {"x": decisions}
    path = write_rows(tmp_path / "r.jsonl", rows)
    with pytest.raises(ReadError, match=r"r\.jsonl:7: " + re.escape(message.replace("'x'", "x"))):
        read_one(path, level="included")


def test_reviews_that_are_no_object_are_refused(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", [{"id": "1", "title": "On cats", "reviews": ["x"]}])
    with pytest.raises(ReadError, match=r"r\.jsonl:1: reviews is not an object"):
        read_one(path)


def test_an_unknown_review_is_refused_with_those_there_are(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of())
    with pytest.raises(RunError, match="no review 'wasps'; choose one of: bees"):
        read_reviews([path], names=["wasps"])


def test_files_where_no_review_has_enough_are_refused(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of())
    with pytest.raises(RunError, match=r"no review has 46 records on topic; .*of: bees"):
        read_reviews([path], least=46)


def test_two_reviews_of_one_name_are_refused(tmp_path):
    path = write_rows(tmp_path / "r.jsonl", rows_of())
    with pytest.raises(RunError, match="two reviews have the same name"):
        read_reviews([path, path])


def test_real_reviews_have_the_known_counts(shared_data):
    reviews = read_reviews([shared_data / "reviews.jsonl.gz"])
    sizes = {one.name: (len(one.documents), len(one.on_topic)) for one in reviews}
    assert len(sizes) == 14
    assert sizes["Cohen_BetaBlockers"] == (1819, 266)
    assert sizes["Ferdinands_virus"] == (2300, 114)


def test_seeds_are_on_topic_and_negatives_are_not():
    start = draw_start(bees(), 1)
    assert len(set(start.seeds)) == len(set(start.negatives)) == 10
    assert set(start.seeds) <= bees().on_topic
    assert not set(start.negatives) & bees().on_topic


def test_a_draw_is_always_the_same_and_another_is_another():
    assert draw_start(bees(), 1) == draw_start(bees(), 1)
    assert draw_start(bees(), 1).seeds != draw_start(bees(), 2).seeds


def test_the_order_of_the_records_does_not_matter():
    turned = Review("bees", bees().documents[::-1], bees().on_topic)
    assert draw_start(turned, 3) == draw_start(bees(), 3)


def test_draws_are_those_that_orders_of_other_tools_were_made_from():
    # Orders that are kept were made from these: whatever changes them makes all of these useless.
    ids = [f"{number:02}" for number in range(40)]
    review = Review("X", tuple(Document(id=one) for one in ids), frozenset(ids[:20]))
    assert draw_start(review, 1, seeds=3).seeds == ("16", "00", "09")


def test_a_review_with_nothing_left_to_find_is_refused():
    with pytest.raises(RunError, match=r"bees: 45 records on topic and 275 off topic; .*45 seeds"):
        draw_start(bees(), 1, seeds=45)


def test_starts_are_written_a_line_each(tmp_path):
    write_starts([draw_start(bees(), draw) for draw in (1, 2)], tmp_path / "starts.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "starts.jsonl").read_text().splitlines()]
    assert [(row["review"], row["draw"]) for row in rows] == [("bees", 1), ("bees", 2)]
    assert tuple(rows[1]["negatives"]) == draw_start(bees(), 2).negatives
