"""n-gram models: each is a probability, counts what the loop counts, and reads only backwards."""

from collections import Counter

import numpy as np
import pytest

from course_utils import language_models as lm
from course_utils.corpora import texts

MODELS = {
    "add-one": lm.add_k_probs,
    "interpolation": lm.interpolated_probs,
    "Kneser-Ney": lm.kneser_ney_probs,
}


@pytest.fixture
def train():
    return np.random.default_rng(0).integers(0, 4, size=60)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_next_token_probabilities_sum_to_one(train, name, n):
    size = 5  # one token more than the text has, so some contexts were never seen
    for context in np.ndindex(*(size,) * (n - 1)):
        ends = [np.array([*context, token]) for token in range(size)]
        total = sum(MODELS[name](train, end, n, size)[0] for end in ends)
        assert total == pytest.approx(1)


@pytest.mark.parametrize("name", MODELS)
def test_a_longer_start_only_drops_positions(train, name):
    test = train[::-1].copy()
    whole = MODELS[name](train, test, 2, 4)
    assert MODELS[name](train, test, 2, 4, start=7) == pytest.approx(whole[6:])


def test_table_counts_as_a_counter_does(train):
    keys = lm.ngram_keys(train, 3, 4)
    table = lm.count(keys)
    expected = Counter(zip(train[:-2], train[1:-1], train[2:], strict=True))
    for gram in np.ndindex(4, 4, 4):
        assert table[lm.ngram_keys(np.array(gram), 3, 4)][0] == expected[gram]


def test_unsmoothed_unknown_context_gives_zero():
    train, test = np.array([0, 1, 0, 1]), np.array([2, 0])
    assert lm.add_k_probs(train, test, 2, 3, k=0).tolist() == [0.0]
    assert lm.perplexity_of(np.array([0.0, 1.0])) == np.inf


def test_kneser_ney_counts_neighbours_not_occurrences():
    # 1 comes four times, but only ever after 0; 2 comes three times, after 3, 4 and 5.
    train = np.array([0, 1, 0, 1, 0, 1, 0, 1, 3, 2, 4, 2, 5, 2, 0])
    after_unseen = [lm.kneser_ney_probs(train, np.array([6, x]), 2, 7)[0] for x in (1, 2)]
    assert after_unseen[1] > after_unseen[0]
    by_frequency = [lm.interpolated_probs(train, np.array([6, x]), 2, 7)[0] for x in (1, 2)]
    assert by_frequency[0] > by_frequency[1]


def test_n_grams_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="64-bit"):
        lm.ngram_keys(np.zeros(20, dtype=np.int64), 16, 32)


def test_a_position_without_history_is_refused(train):
    with pytest.raises(ValueError, match="position 1"):
        lm.add_k_probs(train, train, 3, 4, start=1)


def test_toy_text_splits_at_a_repeat():
    train, test = texts.split(texts.toy_text())
    assert train + test == texts.toy_text()
    assert test == texts.toy_text(2)


def test_manual_text_keeps_one_copy_of_each_paragraph():
    manual, repeated = texts.manual_text(), texts.manual_text(repeats=True)
    assert len(manual) < len(repeated)
    assert set(manual) == set("abcdefghijklmnopqrstuvwxyz .,'()")
    assert "  " not in manual


def test_words_drop_only_blanks():
    assert texts.words("don't stop, (now).") == ["don't", "stop", ",", "(", "now", ")", "."]
