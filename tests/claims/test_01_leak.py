"""Lesson 1: the toy test rewards memory; leaving a sentence out shows it."""

import numpy as np
import pytest

from course_utils import language_models as lm
from course_utils.corpora import texts

TEXT = texts.toy_text()
VOCAB = texts.vocabulary(TEXT)
TRAIN, TEST = (lm.encode(part, VOCAB) for part in texts.split(TEXT))


def leaky(n, k):
    return lm.perplexity_of(lm.add_k_probs(TRAIN, TEST, n, 15, k=k))


def left_out(i, n, k):
    others = [s for j, s in enumerate(texts.TOY_SENTENCES) if j != i]
    read = lm.encode("".join(s + " " for s in others) * 20, VOCAB)
    return lm.add_k_probs(read, lm.encode(texts.TOY_SENTENCES[i], VOCAB), n, 15, k=k)


def fair(n):
    return lm.perplexity_of(np.concatenate([left_out(i, n, 1) for i in range(5)]))


def test_longer_memory_passes_the_leaky_test_ever_better():
    values = [leaky(n, k=0) for n in (1, 2, 3, 4, 6, 10)]
    assert values == sorted(values, reverse=True)
    assert values[2] == pytest.approx(1.39, abs=0.005)
    assert values[-1] == pytest.approx(1.06, abs=0.005)


def test_left_out_sentences_are_impossible_to_the_plain_bigram():
    values = [lm.perplexity_of(left_out(i, 2, k=0)) for i in range(5)]
    assert np.isinf(values).sum() == 3


def test_add_one_reads_left_out_sentences_at_a_price():
    values = [lm.perplexity_of(left_out(i, 2, k=1)) for i in range(5)]
    assert np.isfinite(values).all()
    assert np.mean(values) > 1.5 * leaky(2, k=1)


def test_the_two_exams_choose_different_models():
    fair_values = {n: fair(n) for n in range(1, 11)}
    assert min(fair_values, key=fair_values.get) == 3
    assert fair_values[10] > 3 * fair_values[3]
    assert max(leaky(n, k=1) for n in range(3, 11)) < 1.05 * leaky(3, k=1)


def test_words_and_characters_compare_by_bits_per_character():
    import re

    bits, perplexities = [], []
    for pattern in (".", "[a-z]+ ?|[.] ?"):
        tokens = re.findall(pattern, TEXT)
        assert "".join(tokens) == TEXT
        kinds = sorted(set(tokens))
        ids = lm.encode(tokens, kinds)
        cut = len(re.findall(pattern, texts.split(TEXT)[0]))
        probs = lm.add_k_probs(ids[:cut], ids[cut - 1 :], 2, len(kinds))
        perplexities.append(lm.perplexity_of(probs))
        bits.append(-np.log2(probs).sum() / len(TEST))
    assert perplexities[0] / perplexities[1] < 1.3
    assert bits[0] / bits[1] > 3
