"""Lesson 2's helpers: pairs and counts against a plain loop, edges, ranking."""

import numpy as np
import pytest

from course_utils import word_vectors as wv
from course_utils.corpora import sentences as corpora


def pairs_by_loop(ids, window):
    size = range(len(ids))
    return sorted((ids[i], ids[j]) for i in size for j in size if 0 < abs(i - j) <= window)


@pytest.mark.parametrize("window", [0, 1, 2, 9])
@pytest.mark.parametrize("text", ["a", "a b", "a a b a", "c b a d e b"])
def test_corpus_pairs_are_those_of_a_plain_loop(text, window):
    sentence = text.split()
    _, row = wv.vocabulary([sentence])
    found = wv.corpus_pairs([sentence], row, window)
    assert found.shape[1] == 2
    assert sorted(map(tuple, found.tolist())) == pairs_by_loop([row[w] for w in sentence], window)


def test_windows_do_not_cross_sentences():
    _, row = wv.vocabulary([["a"], ["b"]])
    assert wv.corpus_pairs([["a"], ["b"]], row).shape == (0, 2)


def test_counts_are_symmetric_and_add_up():
    crowd = wv.corpus_counts(corpora.people_sentences(50))
    assert (crowd.counts == crowd.counts.T).all()
    assert crowd.counts.sum() == len(wv.corpus_pairs(corpora.people_sentences(50), crowd.row))


def test_conditional_entropy_of_known_tables():
    assert wv.conditional_entropy(np.eye(3, dtype=int)) == pytest.approx(0)
    assert wv.conditional_entropy(np.ones((4, 4), dtype=int)) == pytest.approx(np.log(4))
    assert wv.conditional_entropy(np.array([[2, 1, 1]])) == pytest.approx(1.5 * np.log(2))


def test_neighbours_leave_out_the_word_itself_and_the_barred():
    vectors = np.array([[1.0, 0.0], [5.0, 0.1], [0.0, 1.0], [-1.0, 0.0]])
    words = ["a", "b", "c", "d"]
    assert [word for word, _ in wv.neighbours(vectors, words, "a", 9)] == ["b", "c", "d"]
    assert [word for word, _ in wv.neighbours(vectors, words, "a", 1, ["b"])] == ["c"]
    assert wv.neighbours(vectors, words, vectors[0], 1)[0] == ("a", pytest.approx(1))


def test_unit_rows_keeps_a_row_of_zeros():
    assert (wv.unit_rows(np.zeros((2, 3))) == 0).all()


def test_to_plane_keeps_everything_that_is_flat():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5))
    picture, kept = wv.to_plane(flat)
    assert kept == pytest.approx(1)
    apart = np.linalg.norm(flat[:, None] - flat, axis=-1)
    assert np.linalg.norm(picture[:, None] - picture, axis=-1) == pytest.approx(apart)


@pytest.mark.parametrize("make", [corpora.people_sentences, corpora.bank_sentences])
def test_corpora_depend_on_the_seed_alone(make):
    assert make(20, seed=3) == make(20, seed=3)
    assert make(20, seed=3) != make(20, seed=4)


def test_bank_can_be_told_apart_fully_or_not_at_all():
    mixed = {word for sentence in corpora.bank_sentences(300) for word in sentence}
    told = {w for sentence in corpora.bank_sentences(300, told_apart=1.0) for w in sentence}
    assert "bank" in mixed
    assert "bank" not in told
    assert {"bank(money)", "bank(river)"} <= told - mixed
