"""Lesson 2's claims about skip-gram, as orderings and tolerances over seeds."""

import numpy as np
import pytest
import torch

from course_utils import word_vectors as wv
from course_utils.corpora.sentences import EIGHT_SENTENCES

SENTENCES = [sentence.split() for sentence in EIGHT_SENTENCES]


@pytest.fixture(scope="module")
def corpus():
    return wv.corpus_counts(SENTENCES)


def nearest(vectors, words, word):
    return wv.neighbours(vectors, words, word, 1)[0][0]


def test_loss_reaches_its_floor_and_never_passes_it(corpus):
    floor = wv.conditional_entropy(corpus.counts)
    assert floor == pytest.approx(1.4482, abs=1e-4)
    losses = wv.train_skipgram(corpus.counts, 8, seeds=range(20)).losses
    assert (losses > floor - 1e-5).all()
    assert losses[-1] == pytest.approx(floor, abs=0.002)


def test_repeating_the_corpus_changes_nothing(corpus):
    fifty = wv.corpus_counts(SENTENCES * 50)
    assert (fifty.counts == 50 * corpus.counts).all()
    once, often = (wv.train_skipgram(counts, 8) for counts in (corpus.counts, fifty.counts))
    assert once.losses == pytest.approx(often.losses, abs=1e-5)


def test_four_numbers_per_word_are_enough_and_three_are_not(corpus):
    floor = wv.conditional_entropy(corpus.counts)
    three, four = (
        wv.train_skipgram(corpus.counts, dim, steps=600, seeds=range(5)).losses[-1] - floor
        for dim in (3, 4)
    )
    assert three.min() > 0.03
    assert four.max() < 0.003


def test_king_finds_queen_on_every_seed_and_the_digits_are_luck(corpus):
    index, words = corpus.row, corpus.words
    vectors = wv.train_skipgram(corpus.counts, 8, seeds=range(20)).vectors
    assert all(nearest(of, words, "king") == "queen" for of in vectors)
    cosines = [wv.cosine(of[index["king"]], of[index["queen"]]) for of in vectors]
    assert max(cosines) - min(cosines) > 0.3
    assert 15 <= sum(nearest(of, words, "dog") == "puppy" for of in vectors) < 20


def test_a_small_start_makes_equal_contexts_equal_vectors(corpus):
    index, words = corpus.row, corpus.words
    vectors = wv.train_skipgram(corpus.counts, 8, seeds=range(20), start=0.1).vectors
    assert min(wv.cosine(of[index["king"]], of[index["queen"]]) for of in vectors) > 0.98
    assert all(nearest(of, words, "dog") == "puppy" for of in vectors)


def test_negative_sampling_finds_the_same_neighbours(corpus):
    for seed in range(3):
        vectors = wv.train_negative_sampling(corpus.counts, 8, seed=seed)
        assert nearest(vectors, corpus.words, "king") == "queen"
        assert nearest(vectors, corpus.words, "dog") == "puppy"


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_negative_sampling_tend_to_pmi_less_log_k(corpus, seed):
    k, size = 5, len(corpus.words)
    joint = torch.from_numpy(corpus.counts / corpus.counts.sum()).float()
    noise = joint.sum(1, keepdim=True) * joint.sum(0)
    torch.manual_seed(seed)
    a = (0.1 * torch.randn(size, 8)).requires_grad_()
    b = (0.1 * torch.randn(8, size)).requires_grad_()
    optimizer = torch.optim.Adam([a, b], lr=0.05)
    softplus = torch.nn.functional.softplus
    for _ in range(1000):
        optimizer.zero_grad()
        (joint * softplus(-a @ b) + k * noise * softplus(a @ b)).sum().backward()
        optimizer.step()
    met = joint > 0
    expected = torch.log(joint[met] / noise[met]) - np.log(k)
    assert (a @ b)[met].detach().numpy() == pytest.approx(expected.numpy(), abs=0.01)


def test_pairs_of_a_sentence_and_of_its_mirror_are_the_same():
    _, row = wv.vocabulary([["dog", "bites", "man"]])
    one, other = (
        sorted(wv.corpus_pairs([text], row, window=2).tolist())
        for text in (["dog", "bites", "man"], ["man", "bites", "dog"])
    )
    assert one == other


def test_lookup_equals_the_one_hot_product_and_is_far_faster():
    table = torch.randn(20_000, 100)
    ids = torch.randint(20_000, (64,))
    one_hot = torch.nn.functional.one_hot(ids, 20_000).float()
    layer = torch.nn.Embedding.from_pretrained(table)
    assert torch.equal(one_hot @ table, table[ids])
    assert torch.equal(layer(ids), table[ids])
    slow = wv.least_seconds(lambda: one_hot @ table, budget=0.05)
    assert slow > 10 * wv.least_seconds(lambda: table[ids], budget=0.05)


def test_only_sparse_negative_sampling_is_free_of_the_vocabulary():
    """Wide margins, since other work on the machine disturbs a clock."""

    def seconds(step):
        return wv.least_seconds(step, budget=0.05)

    def sparse(size):
        return wv.negative_sampling_step(size, 64, 64, 5, sparse=True)

    small, large = seconds(sparse(1_000)), seconds(sparse(50_000))
    full = seconds(wv.full_softmax_step(50_000, 64, 64))
    dense = seconds(wv.negative_sampling_step(50_000, 64, 64, 5, sparse=False))
    assert large < 5 * small
    assert full > 8 * large
    assert dense > 4 * large
