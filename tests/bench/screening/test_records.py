"""Records with their features."""

import numpy as np

from bench.screening.screened import bee_records, bees
from likewise.bench.screening.replaying import ReviewRecords
from likewise.documents import Document


def test_rows_are_put_in_the_order_that_methods_take_them_in():
    records = bee_records()
    material = records.material([7, 3], [5], [1, 0])
    assert (material.seeds, material.negatives, material.known) == (2, 1, 3)
    assert [one.id for one in material.documents] == [
        bees().documents[n].id for n in (7, 3, 5, 1, 0)
    ]
    kept, moved = records.words, material.words
    assert (moved.tfidf != kept.tfidf[[7, 3, 5, 1, 0]]).nnz == 0
    assert (moved.evidence != kept.evidence[[7, 3, 5, 1, 0]]).nnz == 0


def test_likeness_stands_for_the_engine_and_holds_each_seed_out():
    texts = ["cats purr", "cats purr", "dogs bark", "cats bark", "mice squeak"]
    records = ReviewRecords([Document(id=str(n), title=text) for n, text in enumerate(texts)])
    scores = records.material([0, 1, 2], [], [3, 4]).retrieval
    # Two seeds say the same: each is as like the other as can be, and not at all like the third.
    assert scores.seeds.round(6).tolist() == [0.5, 0.5, 0.0]
    assert scores.pool[0] > scores.pool[1] == 0


def test_likeness_of_the_pool_leaves_out_rows_off_topic():
    scores = bee_records().material([0, 1], [2, 3, 4], list(range(5, 20))).retrieval
    assert len(scores.seeds) == 2
    assert len(scores.pool) == 15
    assert np.isfinite(scores.pool).all()
