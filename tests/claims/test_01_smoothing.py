"""Lesson 1: on the Python manual, tables empty out and smoothing decides. Orderings only:
the manual differs between Python versions."""

import numpy as np
import pytest

from course_utils import language_models as lm
from course_utils.corpora import texts

MANUAL = texts.manual_text()
SIGNS = texts.vocabulary(MANUAL)
READ, HELD_OUT = (lm.encode(part, SIGNS) for part in texts.split(MANUAL))
LENGTHS = range(1, 7)


def curve(model, test=HELD_OUT, **options):
    return np.array(
        [lm.perplexity_of(model(READ, test, n, len(SIGNS), start=5, **options)) for n in LENGTHS]
    )


@pytest.fixture(scope="module")
def add_one():
    return curve(lm.add_k_probs)


@pytest.fixture(scope="module")
def kneser_ney():
    return curve(lm.kneser_ney_probs)


@pytest.fixture(scope="module")
def mixed():
    return curve(lm.interpolated_probs)


def test_the_table_empties_as_n_grows():
    shares = [len(np.unique(lm.ngram_keys(READ, n, len(SIGNS)))) / len(SIGNS) ** n for n in LENGTHS]
    assert shares == sorted(shares, reverse=True)
    assert 0.1 < shares[2] < 0.2
    assert shares[5] < 1e-4


def test_most_word_trigrams_of_new_text_are_new():
    old, new = (texts.words(part) for part in texts.split(MANUAL))
    known = set(zip(old, old[1:], old[2:], strict=False))
    unseen = np.mean([gram not in known for gram in zip(new, new[1:], new[2:], strict=False)])
    assert 0.68 < unseen < 0.85


def test_add_one_is_best_at_four_and_worse_at_six_than_at_three(add_one):
    assert add_one.argmin() + 1 == 4
    assert add_one[5] > 1.03 * add_one[2]


def test_training_and_held_out_part_as_n_grows(add_one):
    gaps = add_one / curve(lm.add_k_probs, READ)
    assert (np.diff(gaps[:5]) > 0).all()
    assert gaps[1] < 1.1
    assert gaps[5] > 1.3


def test_kneser_ney_keeps_improving_and_wins(add_one, mixed, kneser_ney):
    assert (np.diff(kneser_ney) < 0).all()
    assert (kneser_ney[2:] < add_one[2:]).all()
    assert (kneser_ney < mixed).all()
    assert kneser_ney[5] < 0.6 * add_one[5]


def test_a_milder_add_k_is_better_and_still_turns_back(add_one, kneser_ney):
    milder = curve(lm.add_k_probs, k=0.01)
    assert milder.argmin() + 1 == 5
    assert (milder[3:] < add_one[3:]).all()
    assert (kneser_ney[2:] < milder[2:]).all()


def test_interpolation_stalls_at_five_and_loses_up_to_three(add_one, mixed):
    assert abs(mixed[5] / mixed[4] - 1) < 0.04
    assert (mixed[:3] > add_one[:3]).all()
    assert (mixed[3:] < add_one[3:]).all()


def test_the_weight_is_the_best_of_five_on_a_piece_of_the_training_text():
    cut = int(0.9 * len(READ))
    scores = {
        weight: lm.perplexity_of(
            lm.interpolated_probs(READ[:cut], READ[cut:], 5, len(SIGNS), weight=weight)
        )
        for weight in (0.5, 0.6, 0.7, 0.8, 0.9)
    }
    assert min(scores, key=scores.get) == 0.7


def test_repeated_paragraphs_would_flatter_every_model(kneser_ney):
    text = texts.manual_text(repeats=True)
    read, held_out = (lm.encode(part, SIGNS) for part in texts.split(text))
    leaky = lm.perplexity_of(lm.kneser_ney_probs(read, held_out, 6, len(SIGNS)))
    assert leaky < kneser_ney[5]


def test_some_frequent_words_have_few_neighbours():
    from itertools import pairwise

    tokens = texts.words(texts.split(MANUAL)[0])
    before = {word: set() for word in ("same", "one", "also")}
    for first, second in pairwise(tokens):
        if second in before:
            before[second].add(first)
    counts = {word: tokens.count(word) for word in before}
    assert max(counts.values()) < 1.5 * min(counts.values())
    assert 3 * len(before["same"]) < min(len(before["one"]), len(before["also"]))
